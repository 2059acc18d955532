//! The crates that were made: they build and pass their tests on the way here, and then they mount and do their work.

use crate::made::{ALONE, checkout, harness, name_of, plugins, stdout};
use checks::fake_model::FakeModel;
use scaffold::OFFERS;
use std::{fs, path::Path, process::Command};
use tempfile::TempDir;

/// The patch that mounts the plugin of a template.
fn patch(service: &str, role: &str) -> String {
    plugins().join(name_of(service, role)).join("try.patch.yml").to_string_lossy().into_owned()
}

fn rows(patch: &str) -> String {
    let config = checkout().join("harness.yml");
    stdout(harness(plugins(), &["rows", "--config", &config.to_string_lossy(), "--patch", patch]))
}

#[test]
fn each_of_them_mounts_by_the_patch_beside_it() {
    for offer in OFFERS {
        let name = name_of(offer.service, offer.role);
        let shown = rows(&patch(offer.service, offer.role));
        assert!(mounted(&shown, &name, offer.role, offer.service), "{name} in\n{shown}");
    }
    let alone = plugins().join("alone").join(ALONE);
    assert!(mounted(&rows(&alone.join("try.patch.yml").to_string_lossy()), ALONE, "provide", "llm"));
}

/// Whether a row of that plugin is told of in that role.
fn mounted(shown: &str, plugin: &str, role: &str, service: &str) -> bool {
    let words = [&format!(" {plugin} 0.1.0 "), " mounted ", &format!(" {role}s {service}")];
    shown.lines().any(|line| words.iter().all(|word| line.contains(*word)))
}

#[test]
fn one_that_stands_alone_needs_nothing_around_it() {
    let manifest = fs::read_to_string(plugins().join("alone").join(ALONE).join("Cargo.toml")).unwrap();
    assert!(manifest.contains("[lints.clippy]") && !manifest.contains("workspace = true"), "{manifest}");
    // The workspace around it does not list it, and yet it builds: it has been built on the way here.
    assert!(manifest.contains("\n[workspace]\n"), "{manifest}");
}

#[test]
fn together_they_pass_their_criteria() {
    let config = checkout().join("harness.yml").to_string_lossy().into_owned();
    let patches = OFFERS.map(|offer| patch(offer.service, offer.role));
    let patches = patches.iter().flat_map(|patch| ["--patch", patch]);
    let args: Vec<&str> = ["check", "01", "--config", &config].into_iter().chain(patches).collect();
    let said = stdout(harness(plugins(), &args));
    assert!(said.contains("10 passed, 0 failed, 1 skipped"), "{said}");
}

#[test]
fn together_they_do_a_task() {
    let model = FakeModel::start(
        r#"
replies:
  - text: I will look.
    calls:
      - {id: a, name: read_file, arguments: {path: notes.txt}, fragments: 3}
      - {id: b, name: word_count, arguments: {text: "one two"}}
    usage: {prompt_tokens: 100, completion_tokens: 10, cached_tokens: 40}
  - calls: [{id: c, name: run_shell, arguments: {command: "rm notes.txt"}}]
    usage: {prompt_tokens: 130, completion_tokens: 10, cached_tokens: 100}
  - text: Done.
    usage: {prompt_tokens: 160, completion_tokens: 5, cached_tokens: 130}
"#,
    );
    let work = TempDir::new().unwrap();
    fs::write(work.path().join("notes.txt"), "a needle").unwrap();
    let guard = work.path().join("guard.patch.yml");
    let wrap = name_of("tools", "wrap");
    fs::write(&guard, format!("- {{id: {wrap}, config: {{refused: [run_shell]}}}}\n")).unwrap();
    let done = run(&model, work.path(), &guard);
    model.assert_done();
    let said = String::from_utf8(done.stderr).unwrap();
    for note in ["run: 3 steps", "the model answered after "] {
        assert!(said.contains(note), "{note} in {said}");
    }
    let end = String::from_utf8(done.stdout).unwrap();
    for piece in [r#""status":"completed""#, r#""input_tokens":120"#, r#""cache_read_tokens":270"#] {
        assert!(end.contains(piece), "{piece} in {end}");
    }
    let messages = &model.requests()[2].json()["messages"];
    let answers: Vec<&str> = messages
        .as_array()
        .unwrap()
        .iter()
        .filter(|message| message["role"] == "tool")
        .map(|message| message["content"].as_str().unwrap())
        .collect();
    assert_eq!(answers[..2], ["a needle", "1 line, 2 words, 7 characters"]);
    assert!(answers[2].starts_with("Error: `run_shell` may not run here"), "{answers:?}");
    assert!(work.path().join("notes.txt").exists(), "a refused call has no effect");
}

/// A run with a plugin of every template in it.
fn run(model: &FakeModel, work: &Path, last: &Path) -> std::process::Output {
    let mut command = Command::new(checks::workspace::built().join("harness"));
    command.arg("run").arg("--config").arg(checkout().join("harness.yml"));
    for offer in OFFERS {
        command.args(["--patch", &patch(offer.service, offer.role)]);
    }
    command.arg("--patch").arg(last).args(["--output", "json", "go"]).current_dir(work);
    command.env("LLM_BASE_URL", model.base_url()).env("LLM_MODEL", "fake-model").env("LLM_API_KEY", "");
    let done = command.env_remove("HARNESS_ROOT").output().unwrap();
    assert!(done.status.success(), "{done:?}");
    done
}

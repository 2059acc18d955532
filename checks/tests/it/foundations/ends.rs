//! Plugins that do not behave: the suite ends, and says which criterion they hold up.
use super::support::{Folder, ROWS};

fn failure(fault: &str, criterion: &str) -> String {
    let patch = format!("- {{id: llm-adapter, name: llm-faulty, config: {{fault: {fault}}}}}\n");
    let folder = Folder::with(&[("p.yml", &patch)]);
    let said = folder.check(&["--config", ROWS, "--patch", "p.yml", "--only", criterion, "--json"]);
    assert_eq!(said.code, Some(1), "{}{}", said.out, said.err);
    let failures = said.json()["results"][0]["failures"].clone();
    failures
        .as_array()
        .unwrap()
        .iter()
        .map(|one| format!("{}: {}\n", one["check"].as_str().unwrap(), one["got"].as_str().unwrap()))
        .collect()
}

#[test]
fn a_row_that_never_answers_is_a_failure() {
    let said = failure("silent", "L1.6");
    assert!(said.starts_with("whole: it did not end in time\n"), "{said}");
    assert!(said.contains("finish: not tried: the checks before it took all the time"), "{said}");
}

#[test]
fn a_row_that_holds_its_thread_is_named() {
    let said = failure("poll-hang", "L1.6");
    assert!(said.contains("llm-adapter"), "{said}");
}

#[test]
fn a_row_that_does_not_mount_is_named() {
    let said = failure("create-error", "L1.6");
    assert!(said.starts_with("rows: ") && said.contains("llm-adapter"), "{said}");
}

#[test]
fn a_panic_is_told_with_its_place() {
    let said = failure("poll-panic", "L1.6");
    assert!(said.contains("panic"), "{said}");
}

#[test]
fn a_stream_that_breaks_the_rules_is_told_which() {
    let said = failure("stray-delta", "L1.5");
    assert!(said.contains("needs an open"), "{said}");
}

#[test]
fn a_plugin_that_prints_is_told_of() {
    let folder =
        Folder::with(&[("p.yml", "- insert: [{id: defect, name: defect-llm, config: {defect: prints}}]\n")]);
    for criterion in ["L1.6", "L1.12"] {
        let said = folder.check(&["--config", ROWS, "--patch", "p.yml", "--only", criterion]);
        let got = "got    a line on standard output that is not the harness's: noise\n";
        assert!(said.code == Some(1) && said.out.contains(got), "{}", said.out);
    }
}

#[test]
fn a_signal_ends_the_suite_and_what_it_has_started() {
    let patch = "- {id: llm-adapter, name: llm-faulty, config: {fault: silent}}\n";
    let folder = Folder::with(&[("p.yml", patch)]);
    let scratch = folder.path().join("scratch");
    std::fs::create_dir(&scratch).unwrap();
    let mut command = folder.command(&["--config", ROWS, "--patch", "p.yml", "--only", "L1.6"]);
    let mut child = command.env("TMPDIR", &scratch).spawn().unwrap();
    let entries = || std::fs::read_dir(&scratch).unwrap().count();
    // Its folder is there once the first check has begun.
    while entries() == 0 {
        std::thread::yield_now();
    }
    let pid = nix::unistd::Pid::from_raw(child.id().try_into().unwrap());
    nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGTERM).unwrap();
    assert_eq!((child.wait().unwrap().code(), entries()), (Some(130), 0));
}

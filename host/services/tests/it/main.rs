//! `harness services`, beside the programs that it asks.
#![cfg(test)]

use checks::workspace::built;
use serde_json::{Value, json};
use std::process::{Command, Output};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// In a folder that holds the repository's rows as `harness.yml`, and these patches.
fn services(args: &[&str], patches: &[&str]) -> Output {
    let folder = tempfile::tempdir().unwrap();
    std::fs::copy(format!("{ROOT}/harness.yml"), folder.path().join("harness.yml")).unwrap();
    let mut command = Command::new(built().join("harness"));
    command.arg("services").args(args).current_dir(folder.path());
    for (n, patch) in patches.iter().enumerate() {
        std::fs::write(folder.path().join(format!("{n}.yml")), patch).unwrap();
        command.args(["--patch", &format!("{n}.yml")]);
    }
    command.output().unwrap()
}

fn read(args: &[&str], patches: &[&str]) -> Value {
    let output = services(&[args, &["--json"]].concat(), patches);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice::<Value>(&output.stdout).unwrap()["services"].clone()
}

/// The rows of a plugin in a role; `null` where it has none.
fn rows(service: &Value, role: &str, plugin: &str) -> Value {
    let plugins = service[role].as_array().unwrap();
    plugins.iter().find(|one| one["name"] == plugin).map(|one| one["rows"].clone()).unwrap_or_default()
}

#[test]
fn a_service_has_its_rows_and_what_else_could_take_their_place() {
    let llm = read(&["llm"], &[])["llm"].clone();
    assert_eq!(rows(&llm, "providers", "llm-openai"), json!(["llm-adapter"]));
    assert_eq!(rows(&llm, "providers", "llm-deepseek"), json!([]));
    assert_eq!(rows(&llm, "wraps", "llm-upper"), json!([]));
    assert_eq!(rows(&llm, "consumers", "loop-basic"), json!(["loop"]));
    assert_eq!(rows(&llm, "consumers", "tools-basic"), Value::Null);
    assert_eq!(
        (&llm["definition"], &llm["methods"]),
        (&json!("contracts::llm"), &json!({ "stream": "stream" }))
    );
    assert!(llm["checks"].as_array().unwrap().contains(&json!("L1.5")), "{llm}");
}

#[test]
fn a_patch_shows_in_the_roles() {
    let patches = [
        "- {id: llm-adapter, name: llm-deepseek, config: {}}",
        "- insert: [{id: loud, name: llm-upper}, {id: louder, name: llm-upper}]",
    ];
    let llm = read(&["llm"], &patches)["llm"].clone();
    assert_eq!(rows(&llm, "providers", "llm-openai"), json!([]));
    assert_eq!(rows(&llm, "providers", "llm-deepseek"), json!(["llm-adapter"]));
    assert_eq!(rows(&llm, "wraps", "llm-upper"), json!(["loud", "louder"]));
}

#[test]
fn every_contract_is_listed_and_so_is_a_service_that_only_a_plugin_speaks_of() {
    let all = read(&[], &[]);
    let names: Vec<&String> = all.as_object().unwrap().keys().collect();
    for name in ["context", "dispatch", "echo", "llm", "loop", "session", "tools", "turn-policy"] {
        assert!(names.contains(&&name.to_owned()), "{name} of {names:?}");
    }
    assert_eq!((&all["echo"]["version"], rows(&all["echo"], "wraps", "echo-pass")), (&json!(""), json!([])));
}

#[test]
fn text_names_roles_in_the_order_of_a_chain() {
    let output = services(&["loop"], &[]);
    let text = String::from_utf8(output.stdout).unwrap();
    let words: Vec<&str> = text.lines().map(|line| line.trim_start().split("  ").next().unwrap()).collect();
    let head = "loop 1.0.0: a task in, the events of a run out";
    assert_eq!(words, [head, "defined in", "methods", "providers", "joins", "wraps", "consumers", "checks"]);
    assert!(text.contains("  providers   loop-basic (row loop)"), "{text}");
}

#[test]
fn an_unknown_service_and_rows_that_do_not_mount_are_errors() {
    for (args, patches, error) in [
        (
            &["lln"][..],
            &[][..],
            "error: no plugin and no contract speaks of a service `lln` (NO_SERVICE)\n  hint: there are ",
        ),
        (&[][..], &["- {id: tools, remove: true}"][..], "error: no tools service: add the tools row"),
    ] {
        let output = services(args, patches);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.starts_with(error), "{said}");
    }
}

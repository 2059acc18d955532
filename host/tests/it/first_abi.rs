//! A library built against the first ABI still loads, is called, and calls: nothing of what it is built from is this tree's.
//!
//! `../first-abi/sdk-1.0.0.sources` is all that an author had then, one file behind another under lines `=== PATH`, with the lock file of that
//! time. It is never made anew: a change here that it does not survive is a major version of the ABI.

use crate::sandbox::Sandbox;
use expect_test::expect;
use nix::sys::signal::Signal;
use std::{
    env::consts::{DLL_PREFIX, DLL_SUFFIX},
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::OnceLock,
};

const SOURCES: &str = include_str!("../first-abi/sdk-1.0.0.sources");
/// Names the registry that the lock file of that time leaves out.
const LOCK: &str = include_str!("../../../Cargo.lock");
const PLUGIN: &str = include_str!("../first-abi/plugin.rs");

/// What cargo tells the process of a test, and what would make it build for another reason.
const OF_THE_TEST: [&str; 5] =
    ["CARGO_MANIFEST_", "CARGO_PKG_", "CARGO_CRATE_", "CARGO_BIN_", "CARGO_PRIMARY_"];

/// The library, built once.
fn library() -> &'static Path {
    static LIBRARY: OnceLock<PathBuf> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("first-abi");
        let registry =
            LOCK.lines().find_map(|line| line.strip_prefix("source = ")?.split('"').nth(1)).unwrap();
        for file in SOURCES.replace("[REGISTRY]", registry).split("=== ").skip(1) {
            let (path, text) = file.split_once('\n').unwrap();
            put(&folder.join(path), text);
        }
        put(&folder.join("plugin/src/lib.rs"), PLUGIN);
        let mut cargo = Command::new(std::env::var_os("CARGO").unwrap());
        cargo.args(["build", "--locked", "--quiet", "--package", "first-abi-bundle"]).current_dir(&folder);
        // Not the folder of this workspace: cargo tells packages of the same name and place in theirs apart by nothing.
        cargo.arg("--target-dir").arg(folder.join("target"));
        for (name, _) in std::env::vars_os() {
            if OF_THE_TEST.iter().any(|start| name.to_string_lossy().starts_with(start)) {
                cargo.env_remove(name);
            }
        }
        let output = cargo.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        folder.join("target/debug").join(format!("{DLL_PREFIX}first_abi_bundle{DLL_SUFFIX}"))
    })
}

/// Writes a file unless it is there as it is: cargo goes by its time.
fn put(path: &Path, text: &str) {
    if fs::read_to_string(path).ok().as_deref() != Some(text) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

/// The usual rows, and the three plugins.
fn sandbox(script: &str) -> Sandbox {
    let (sandbox, library) = (Sandbox::scripted(script), library().display());
    sandbox.put(
        "f.yml",
        format!(
            "- insert:\n  - {{id: first-llm, name: '{library}#first-llm'}}\n  - {{id: first-tools, name: '{library}#first-tools'}}\n  \
             - {{id: first-policy, name: '{library}#first-policy', config: {{greeting: !env 'GREETING:-hello'}}}}\n"
        ),
    );
    sandbox
}

#[test]
fn a_library_built_against_the_first_abi_is_called_and_calls() {
    let sandbox = sandbox(
        "replies: [{calls: [{name: report, arguments: {a: 1}}], usage: {omit: true}}, {text: '{{ last.text }}', usage: {omit: true}}]",
    );
    let done = sandbox
        .harness(&["run", "go", "--patch", "f.yml"])
        .env("HARNESS_LOG", "warn,harness::panic=error")
        .run();
    assert_eq!(done.code(), 0, "{done:?}");
    expect![[r#"
        [slept true, blocked 42, ][asked NO_ONE_TO_ASK, lat][e true, ended true (enou][gh), a secret-of-eightee][n, Some("UNDECLARED_NEED]["), {"a":1}]
    "#]].assert_eq(&done.stdout);
    for told in ["made", "closed", "shut down", "noted"] {
        assert!(done.stderr.contains(told), "`{told}` was not told: {done:?}");
    }
    let done = sandbox.run(&["run", "go", "--patch", "f.yml", "--output", "stream-json", "--session", "s1"]);
    let greeting = &done.events("policy/message")[0]["message"]["content"][0]["text"];
    assert_eq!(greeting, "hello (read_file write_file list_files run_shell report wait)", "{done:?}");
    assert_eq!(done.events("first/report"), [serde_json::json!({"of": "below", "in": "s1"})], "{done:?}");
}

#[test]
fn each_role_of_it_answers_alone() {
    let sandbox = sandbox("replies: [{text: hi, usage: {omit: true}}]");
    let mut shown = String::new();
    for args in [
        ["tools", "execute", r#"{"id":"1","name":"no_such"}"#],
        ["turn-policy", "before_step", r#"{"step":1}"#],
        ["turn-policy", "before_stop", "{}"],
        ["turn-policy", "before_all", "{}"],
        ["llm", "stream", "{}"],
    ] {
        let done = sandbox.run(&[["call"].as_slice(), &args, &["--patch", "f.yml"]].concat());
        shown.push_str(&format!("{}: {}", args.join(" "), done.shown()));
    }
    expect![[r#"
        tools execute {"id":"1","name":"no_such"}: exit 0
        -- stdout
        {"data":{"code":"UNKNOWN_TOOL","is_error":true},"index":0,"kind":3,"parts":[],"text":"Error: unknown tool `no_such`; the tools are `read_file`, `write_file`, `list_files`, `run_shell`"}
        turn-policy before_step {"step":1}: exit 0
        -- stdout
        {"head":{"enter":{"inject":1}},"parts":["{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"hello (read_file write_file list_files run_shell report wait)\"}]}"]}
        turn-policy before_stop {}: exit 0
        -- stdout
        {"head":{"stop":{}},"parts":[]}
        turn-policy before_all {}: exit 2
        -- stderr
        error: `turn-policy` has no method `before_all` (NO_METHOD)
          hint: there are `before_step` and `before_stop`
        llm stream {}: exit 0
        -- stdout
        {"data":{"type":"text"},"index":0,"kind":1,"parts":[],"text":""}
        {"data":null,"index":0,"kind":2,"parts":[],"text":"[hi]"}
        {"data":null,"index":0,"kind":5,"parts":[],"text":""}
        {"data":{"reason":"stop"},"index":0,"kind":7,"parts":[],"text":""}
    "#]].assert_eq(&shown);
}

#[test]
fn it_ends_when_it_is_told_to() {
    let sandbox = sandbox("replies: [{calls: [{name: wait}], usage: {omit: true}}]");
    let process = sandbox.harness(&["run", "go", "--patch", "f.yml", "--output", "stream-json"]).start();
    process.wait_for("wait started").signal(Signal::SIGINT);
    let done = process.finish();
    assert_eq!((done.code(), &done.end()["status"]), (130, &serde_json::json!("aborted")), "{done:?}");
    assert!(done.stdout.contains("Error: stopped: interrupted"), "{done:?}");
}

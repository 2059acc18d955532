//! The built-in script `offline`, in a small loop over real folders.
use crate::support::{config, request, respond, result, user};
use contracts::{Block, Message, Parts, llm::LlmRequest, message::text_of, tools::ToolResult};
use expect_test::{ExpectFile, expect_file};
use llm_scripted::Scripted;
use plugin_sdk::contracts;
use serde_json::{Value, json};
use std::{fs, path::Path};
use tempfile::TempDir;

/// A folder with these files; one whose path ends with `/` is a folder.
fn folder(files: &[(&str, &str)]) -> TempDir {
    let root = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let at = root.path().join(path);
        fs::create_dir_all(if path.ends_with('/') { &at } else { at.parent().unwrap() }).unwrap();
        if !path.ends_with('/') {
            fs::write(at, text).unwrap();
        }
    }
    root
}

/// What a tool of the project's answers, in its words.
fn execute(root: &Path, name: &str, arguments: &str) -> ToolResult {
    let arguments: Value = serde_json::from_str(arguments).unwrap();
    let path = arguments["path"].as_str().unwrap();
    let not_found = |_| ToolResult::error("FS_NOT_FOUND", format!("Error: there is no `{path}`"));
    match name {
        "list_files" => fs::read_dir(root.join(path)).map_or_else(not_found, |dir| {
            let mut names: Vec<String> = dir
                .map(|entry| {
                    let entry = entry.unwrap();
                    let end = if entry.file_type().unwrap().is_dir() { "/" } else { "" };
                    format!("{}{end}", entry.file_name().display())
                })
                .collect();
            names.sort();
            if names.is_empty() {
                names.push("[empty folder]".into());
            }
            ToolResult::ok(names.join("\n"))
        }),
        "read_file" => {
            fs::read(root.join(path)).map_or_else(not_found, |bytes| match String::from_utf8(bytes) {
                Ok(text) if text.is_empty() => ToolResult::ok("[empty file]"),
                Ok(text) => ToolResult::ok(text),
                Err(_) => ToolResult::error(
                    "FS_NOT_TEXT",
                    format!("Error: {path} is not a text file: it has a NUL byte"),
                ),
            })
        }
        other => ToolResult::error("UNKNOWN_TOOL", format!("unknown tool `{other}`")),
    }
}

/// Runs a task to its end: the calls of each step on a line, then the answer.
fn run(task: &str, request: &LlmRequest, execute: impl Fn(&str, &str) -> ToolResult) -> String {
    let model = Scripted::new(config(&json!({}))).unwrap();
    let (mut history, mut out) = (Parts::from(user(task)), String::new());
    for _ in 0..10 {
        let blocks = respond(&model, request, &history).into_blocks();
        history.push(Message::assistant(blocks.clone()).part());
        let mut calls = Vec::new();
        for block in &blocks {
            if let Block::ToolCall { id, name, arguments } = block {
                let path =
                    serde_json::from_str::<Value>(arguments).unwrap()["path"].as_str().unwrap().to_owned();
                calls.push(format!("{name} {path}"));
                history.push(result(id, execute(name, arguments)));
            }
        }
        if calls.is_empty() {
            return out + &text_of(&blocks) + "\n";
        }
        out.push_str(&format!("> {}\n", calls.join(", ")));
    }
    panic!("no answer within 10 steps:\n{out}");
}

/// The answers are in `offline/*.txt`.
fn answer(name: &str) -> ExpectFile {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/offline");
    expect_file![folder.join(name).with_extension("txt")]
}

const SUMMARY: &str = "summarise what this project does";

#[track_caller]
fn check(task: &str, files: &[(&str, &str)], expected: ExpectFile) {
    let root = folder(files);
    let request = request(&["list_files", "read_file", "write_file", "run_shell"]);
    expected.assert_eq(&run(task, &request, |name, arguments| execute(root.path(), name, arguments)));
}

const REPOSITORY: &[(&str, &str)] = &[
    (
        "README.md",
        "<!-- a comment -->\n[![build](https://x.test/b.svg)](https://x.test)\n\n# Ferry\n\n[![more](b.svg)](c)\n\n**Ferry** carries \
         files between [buckets](https://x.test/buckets).\nIt resumes where it stopped.\n\n## Install\n\ncargo install ferry\n",
    ),
    (
        "Cargo.toml",
        "[package]\nname = \"ferry\"\nversion = \"0.3.1\"\ndescription = \"Carries files between buckets\"\n",
    ),
    ("Cargo.lock", "version = 4\n"),
    ("LICENSE", "MIT\n"),
    (".gitignore", "/target\n"),
    (".github/workflows/ci.yml", "on: push\n"),
    ("src/main.rs", "//! The command line. Parses, then calls the library.\nfn main() {}\n"),
    ("src/lib.rs", "// SPDX-License-Identifier: MIT\n\n/// What a transfer is.\npub struct Transfer;\n"),
    ("src/bucket/s3.rs", "pub fn open() {}\n"),
    ("src/bucket.rs", "pub mod s3;\n"),
    ("docs/guide.md", "Guide\n=====\n\nHow to.\n"),
    ("tests/all.rs", "#[test]\nfn t() {}\n"),
    ("target/debug/x", ""),
];

#[test]
fn a_repository_is_summarised_from_what_was_read() {
    check(SUMMARY, REPOSITORY, answer("repository"));
}

#[test]
fn another_task_gets_an_honest_answer() {
    check("fix the failing test in tests/all.rs", REPOSITORY, answer("another-task"));
}

#[test]
fn an_empty_folder_is_said_to_be_empty() {
    check(SUMMARY, &[], answer("empty"));
}

#[test]
fn without_a_readme_the_sources_speak() {
    let files = [
        (
            "app.py",
            "#!/usr/bin/env python3\n\"\"\"Serves the front page.\n\nAnd nothing else.\n\"\"\"\nimport os\n",
        ),
        ("util.py", "import os\n"),
        ("package.json", "{\n  \"name\": \"front\",\n  \"version\": \"1.0.0\"\n}\n"),
        ("static/app.js", "/* Draws the page. */\n"),
        ("static/empty.js", ""),
    ];
    check(SUMMARY, &files, answer("no-readme"));
}

#[test]
fn a_folder_without_a_project_is_told_as_it_is() {
    let files =
        [("notes.txt", "buy milk\n"), ("data.csv", "a,b\n1,2\n"), ("photo.png", "not read"), ("empty/", "")];
    check("hello", &files, answer("no-project"));
}

#[test]
fn a_folder_of_500_files_is_counted_and_sampled() {
    let names: Vec<(String, String)> = (0..500)
        .map(|n| (format!("part{n:03}.{}", if n % 5 == 0 { "sql" } else { "txt" }), format!("-- part {n}\n")))
        .collect();
    let files: Vec<(&str, &str)> = names.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    check(SUMMARY, &files, answer("many-files"));
}

#[test]
fn a_listing_as_long_as_one_may_be_is_worked_through() {
    let names: Vec<String> =
        (0..7500).map(|n| if n < 20 { format!("{n:x}/") } else { format!("{n:x}") }).collect();
    let listing = names.join("\n") + "\n[the first 7500 of 90000 entries; see the others with run_shell]";
    let tools = request(&["list_files", "read_file"]);
    let said = run(SUMMARY, &tools, |_, _| ToolResult::ok(listing.as_str()));
    answer("long-listing").assert_eq(&said);
}

#[test]
fn a_binary_readme_and_one_that_was_decoded_badly_are_no_text() {
    let root = folder(&[("main.c", "// Prints.\nint main() {}\n"), ("readme", "")]);
    fs::write(root.path().join("README.md"), b"\x00\xff\xfe").unwrap();
    fs::write(root.path().join("index.html"), "\u{fffd}\u{fffd}x").unwrap();
    let request = request(&["list_files", "read_file"]);
    let said = run(SUMMARY, &request, |name, arguments| execute(root.path(), name, arguments));
    answer("binary").assert_eq(&said);
}

#[test]
fn tools_that_fail_are_told_of() {
    let tools = request(&["list_files", "read_file"]);
    let denied = |_: &str, _: &str| ToolResult::error("NOT_ALLOWED", "the person said no");
    answer("tools-fail-1").assert_eq(&run(SUMMARY, &tools, denied));
    let lists_only = |name: &str, _: &str| match name {
        "list_files" => ToolResult::ok("README.md\nsrc/\n[out] of order"),
        _ => ToolResult::synthetic("TIMEOUT", "no answer\nwithin 5 s"),
    };
    answer("tools-fail-2").assert_eq(&run(SUMMARY, &tools, lists_only));
}

#[test]
fn it_asks_for_the_tools_that_it_is_offered_only() {
    let root = folder(REPOSITORY);
    let tools = |name: &str, arguments: &str| execute(root.path(), name, arguments);
    answer("few-tools-1").assert_eq(&run(SUMMARY, &request(&["run_shell"]), tools));
    answer("few-tools-2").assert_eq(&run(SUMMARY, &request(&["list_files"]), tools));
    answer("few-tools-3").assert_eq(&run(SUMMARY, &request(&["read_file"]), tools));
}

#[test]
fn a_request_that_is_no_step_is_answered_without_calls() {
    let mut asked = request(&["list_files", "read_file"]);
    asked.settings.purpose = Some("title".into());
    answer("no-step").assert_eq(&run("rename\nthe file", &asked, |_, _| ToolResult::ok("")));
}

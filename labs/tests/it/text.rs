//! The lab as its text has it: every command runs, in the order of the text, in a learner's clone, and the stubs fail with their own words.

use std::fs;
use std::path::Path;

use checks::fake_model::FakeModel;
use serde_json::Value;

use crate::clone::Clone;

/// The documents, in the order in which they are read.
const TEXT: [&str; 6] = [
    "labs/README.md",
    "labs/01-foundations/README.md",
    "labs/01-foundations/llm.md",
    "labs/01-foundations/tools.md",
    "labs/01-foundations/loop.md",
    "labs/01-foundations/swap.md",
];

/// A model that looks at one file and has said all.
const LOOKS: &str = "
on_end: repeat_last
replies:
  - {text: I will look., calls: [{name: read_file, arguments: {path: README.md}}]}
  - {text: Done.}
";
/// A model that does what the live check asks for.
const WRITES: &str = "
replies:
  - {calls: [{name: write_file, arguments: {path: hello.txt, content: harness}}]}
  - {text: Done.}
";

/// The commands of a document: of each block, one after the other.
fn blocks(text: &str) -> Vec<Vec<&str>> {
    let (mut blocks, mut inside) = (Vec::new(), false);
    for line in text.lines() {
        match (line, inside) {
            ("```console", false) => {
                inside = true;
                blocks.push(Vec::new());
            }
            ("```", true) => inside = false,
            (line, true) => {
                assert!(line.starts_with("$ "), "no command: {line}");
                blocks.last_mut().unwrap().push(&line[2..]);
            }
            _ => {}
        }
    }
    blocks
}

/// Runs each command; a `cd` holds to the end of its block. Every one must succeed.
fn follow(clone: &Clone, text: &str) -> usize {
    let mut count = 0;
    for block in blocks(text) {
        let mut folder = "";
        for command in block {
            count += 1;
            if let Some(there) = command.strip_prefix("cd ") {
                folder = there;
                continue;
            }
            let model = FakeModel::start(if command.contains("--live") { WRITES } else { LOOKS });
            let env = [
                ("LLM_BASE_URL", model.base_url()),
                ("LLM_MODEL", "fake-model"),
                ("LLM_API_KEY", "sk-of-the-test"),
            ];
            let (code, stdout, stderr) = clone.shell(folder, command, &env);
            assert_eq!(code, 0, "{command}\n{stdout}\n{stderr}");
            assert!(model.violations().is_empty(), "{command}: {:?}", model.violations());
        }
    }
    count
}

/// Points the rows of `harness.yml` from one set of plugins at another.
fn point(clone: &Clone, names: [(&str, &str); 3]) {
    let mut rows = clone.read("harness.yml");
    for (from, to) in names {
        let (from, to) = (format!("  name: {from}\n"), format!("  name: {to}\n"));
        assert!(rows.contains(&from), "{from}: {rows}");
        rows = rows.replace(&from, &to);
    }
    fs::write(clone.path("harness.yml"), rows).unwrap();
}

const STUBS: [(&str, &str); 3] =
    [("llm-openai", "my-llm"), ("tools-basic", "my-tools"), ("loop-basic", "my-loop")];

/// What the suite says of each criterion that it judges.
fn check(clone: &Clone) -> Vec<Value> {
    let (_, stdout, stderr) = clone.shell("", "cargo harness check 01 --json", &[]);
    assert!(stdout.starts_with('{'), "{stdout}\n{stderr}");
    let checked: Value = serde_json::from_str(&stdout).unwrap();
    let judged = |result: &&Value| !["manual", "skip"].contains(&result["result"].as_str().unwrap());
    checked["results"].as_array().unwrap().iter().filter(judged).cloned().collect()
}

#[test]
fn the_text_leads_from_the_reference_to_stubs_that_say_what_to_write_and_back() {
    let clone = Clone::fresh();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let counts = TEXT.map(|document| follow(&clone, &fs::read_to_string(root.join(document)).unwrap()));
    assert!(counts.iter().all(|count| *count > 0), "{counts:?}");

    point(&clone, STUBS);
    for result in check(&clone) {
        assert_eq!(result["result"], "fail", "{result}");
        let said = result["failures"].to_string();
        let stub = match result["part"].as_u64().unwrap() {
            5 => "write `respond` in plugins/my-llm/src/respond.rs: lab 01, part 5",
            6 => "in plugins/my-tools/src/",
            _ => "write `turn` in plugins/my-loop/src/turn.rs: lab 01, part 7",
        };
        assert!(said.contains("is not written yet") && said.contains(stub), "{said}");
    }
    let (code, status, stderr) = clone.shell("plugins", "cargo lab status", &[]);
    assert_eq!(code, 0, "{stderr}");
    assert!(status.contains("Part 5  the llm plugin (row `llm-adapter`: my-llm)\n"), "{status}");
    let next = "\nNext: L1.5: write `respond` in plugins/my-llm/src/respond.rs: lab 01, part 5\n";
    assert!(status.ends_with(next), "{status}");

    point(&clone, STUBS.map(|(reference, stub)| (stub, reference)));
    let passed = check(&clone);
    assert!(passed.len() > 9 && passed.iter().all(|result| result["result"] == "pass"), "{passed:?}");
}

#[test]
fn commands_are_found_in_their_blocks() {
    let text = "a\n```console\n$ cd x\n$ one two\n```\n```rust\n$ not this\n```\n```console\n$ three\n```\n";
    assert_eq!(blocks(text), [vec!["cd x", "one two"], vec!["three"]]);
}

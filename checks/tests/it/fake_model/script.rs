//! What a script may say, and how it is told what it may not.

use std::path::Path;

use checks::fake_model::{FakeModel, Script};
use expect_test::{Expect, expect};

use super::client::post;

const PLAIN: &str = r#"{"model":"m","messages":[{"role":"user","content":"hi"}]}"#;

#[track_caller]
fn check(script: &str, expected: &Expect) {
    expected.assert_eq(&Script::parse(script).unwrap_err().to_string());
}

#[test]
fn mistakes_are_named_with_their_line_and_a_remedy() {
    check(
        "replies:\n  - text: hello\n    usge: null\n",
        &expect![[r#"
            script:3: replies[0]: unknown field `usge`, expected one of `text`, `split`, `deltas`, `reasoning`, `reasoning_field`, `calls`, `finish`, `usage`, `id`, `model`, `raw`, `raw_file`, `split_at`, `status`, `body`, `retry_after`, `headers`, `delay_ms`, `tick_ms`, `wait_for`, `fault`, `after`, `conversation`, `new_conversation`, `changes`, `expect` (SCRIPT_INVALID)
              hint: correct the script; checks/SCRIPTS.md lists every key"#]],
    );
    check(
        "replies:\n  - text: a\n  - text: a\n    finish: stop\n    expect: {roles: x}\n",
        &expect![[r#"
        script:5: replies[1].expect: unknown field `roles`, expected one of `model`, `stream`, `bearer`, `headers`, `tools`, `last_role`, `last_text_contains`, `body_contains` (SCRIPT_INVALID)
          hint: correct the script; checks/SCRIPTS.md lists every key"#]],
    );
    check(
        "replies:\n  - text: a\n  - just text\n",
        &expect![[r#"
        script:3: replies[1]: invalid type: string "just text", expected a reply, which is a mapping (SCRIPT_INVALID)
          hint: correct the script; checks/SCRIPTS.md lists every key"#]],
    );
    check(
        "replies: [{text: a}]\nreply: []\n",
        &expect![[r#"
        script:2: unknown field `reply`, expected one of `replies`, `on_end`, `models` (SCRIPT_INVALID)
          hint: correct the script; checks/SCRIPTS.md lists every key"#]],
    );
    check(
        "replies:\n  - text: a\n  - text: b\n    split: 0\n",
        &expect![[r#"
        script:4: replies[1].split: invalid value: integer `0`, expected a nonzero usize (SCRIPT_INVALID)
          hint: correct the script; checks/SCRIPTS.md lists every key"#]],
    );
    check(
        "replies:\n  - text: a\n  - fault: explode\n",
        &expect![[r#"
        script:3: replies[1].fault: unknown variant `explode`, expected one of `cut`, `reset`, `stall`, `garbage`, `bad_json`, `no_done`, `html`, `wrong_content_type` (SCRIPT_INVALID)
          hint: correct the script; checks/SCRIPTS.md lists every key"#]],
    );
    check(
        "replies:\n  - text: [\n",
        &expect![[r#"
        script:2: replies[0].text: invalid type: sequence, expected a string (SCRIPT_INVALID)
          hint: correct the script; checks/SCRIPTS.md lists every key"#]],
    );
    check(
        "replies: []",
        &expect![[r#"
        script: `replies` is empty, a script has at least one reply (SCRIPT_INVALID)
          hint: correct the script; checks/SCRIPTS.md lists every key"#]],
    );
    check(
        "on_end: error",
        &expect![[r#"
        script:1: missing field `replies` (SCRIPT_INVALID)
          hint: correct the script; checks/SCRIPTS.md lists every key"#]],
    );
}

#[test]
fn keys_that_contradict_each_other_are_refused() {
    let table = [
        ("{text: a, deltas: [b]}", "`text` and `deltas` exclude each other"),
        ("{deltas: [b], split: 2}", "`split` cuts `text`; `deltas` are cut already"),
        (
            "{status: 500, text: a}",
            "`status` and `body` are a whole response: no part of an answer beside them",
        ),
        ("{status: 500, split: 1}", "`split` cuts `text`, and there is none"),
        (
            "{raw: x, text: a}",
            "`raw` is the whole answer: no `text`, `calls` or other part of an answer beside it",
        ),
        ("{raw: x, raw_file: y}", "`raw` and `raw_file` exclude each other"),
        ("{raw: x, status: 200}", "`raw` and `status` or `body` exclude each other"),
        ("{text: a, split_at: [1]}", "`split_at` cuts a `raw` body, and there is none"),
        (
            "{text: a, reasoning_field: reasoning}",
            "`reasoning_field` names where `reasoning` goes, and there is none",
        ),
        ("{text: a, after: 1}", "`after` says where a `fault` or a `wait_for` applies, and there is neither"),
        (
            "{status: 500, fault: html}",
            "this `fault` distorts an answer; only `cut`, `reset` and `stall` go here",
        ),
        ("{status: 99}", "status: 99 is none of 200 to 999"),
        ("{text: a, headers: {a b: c}}", "headers: `a b: c` is no HTTP header"),
        (
            "{raw: abc, split_at: [2, 1]}",
            "`split_at`: 1 is no offset between 2 and the end of the body (3 bytes)",
        ),
        (
            "{raw: abc, split_at: [3]}",
            "`split_at`: 3 is no offset between 0 and the end of the body (3 bytes)",
        ),
    ];
    for (reply, said) in table {
        let failure = Script::parse(&format!("replies:\n  - text: first\n  - {reply}\n")).unwrap_err();
        assert_eq!(failure.code, "SCRIPT_INVALID");
        assert!(failure.message.contains(said), "{reply}: {failure}");
        assert!(
            failure.message.contains("script:3") || failure.message.contains("replies[1]"),
            "{reply}: {failure}"
        );
    }
}

#[test]
fn a_file_that_cannot_be_read_is_named() {
    let missing = Script::load(Path::new("no/such/script.yml")).unwrap_err();
    assert_eq!(missing.code, "SCRIPT_UNREADABLE");
    assert!(missing.message.starts_with("script no/such/script.yml: "), "{missing}");
    let raw = Script::parse("replies: [{raw_file: no/such/body.sse}]").unwrap_err();
    assert!(raw.message.starts_with("`raw_file` no/such/body.sse: "), "{raw}");
}

#[test]
fn aliases_cannot_blow_a_script_up() {
    let mut script = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..12 {
        let alias = format!("*a{}", level - 1);
        let list = [alias.as_str(); 9].join(", ");
        script.push_str(&format!("a{level}: &a{level} [{list}]\n"));
    }
    assert_eq!(
        Script::parse(&format!("{script}replies: [{{body: *a11}}]")).unwrap_err().code,
        "SCRIPT_INVALID"
    );
    let inside = script.replace('\n', "\n      ");
    let inside = format!("replies:\n  - body:\n      {inside}\n");
    assert_eq!(Script::parse(&inside).unwrap_err().code, "SCRIPT_INVALID");
}

#[test]
fn every_example_is_a_script() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/scripts");
    let mut seen = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let file = entry.unwrap().path();
        if file.extension().is_some_and(|extension| extension == "yml") {
            assert_eq!(post(FakeModel::start_file(&file).base_url(), "{}").status, 400, "{}", file.display());
            seen += 1;
        }
    }
    assert!(seen >= 4);
}

#[test]
fn a_raw_file_is_found_from_its_script() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("body.sse"), b"data: \xff\n\n").unwrap();
    let script = folder.path().join("script.yml");
    std::fs::write(&script, "replies: [{raw_file: body.sse, split_at: [6]}]").unwrap();
    let received = post(FakeModel::start_file(&script).base_url(), PLAIN);
    assert_eq!(received.chunks, [b"data: ".to_vec(), b"\xff\n\n".to_vec()]);
}

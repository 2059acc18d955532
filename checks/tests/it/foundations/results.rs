//! What the suite says of whole rows.
use super::support::{Folder, ROWS};
use checks::fake_model::FakeModel;
use expect_test::expect;
use serde_json::Value;

const SWAP: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/swaps/llm-deepseek.patch.yml");

fn all_pass(args: &[&str]) {
    let said = Folder::with(&[]).check(&[&["--config", ROWS, "--json"], args].concat());
    expect![[r#"
        L1.1 manual
        L1.2 manual
        L1.3 manual
        L1.4 manual
        L1.5 pass
        L1.6 pass
        L1.7 pass
        L1.8 pass
        L1.9 pass
        L1.10 pass
        L1.11 pass
        L1.12 pass
        L1.13 pass
        L1.14 skip
        L1.15 pass
        L1.16 manual
        L1.17 manual
    "#]]
    .assert_eq(&said.results());
    assert_eq!((said.code, said.err.as_str()), (Some(0), ""));
}

#[test]
fn the_default_rows_pass() {
    all_pass(&[]);
}

#[test]
fn the_same_rows_pass_with_the_other_adapter() {
    all_pass(&["--patch", SWAP]);
}

#[test]
fn what_the_person_has_set_reaches_no_row_under_check() {
    let rows = std::fs::read_to_string(ROWS).unwrap();
    let own = "LLM_PROVIDER=openai\nLLM_BASE_URL=http://127.0.0.1:1/v1\nLLM_MODEL=own\nLLM_API_KEY=key-of-the-person\n";
    let folder = Folder::with(&[("harness.yml", &rows), (".env", own)]);
    let env = [
        ("LLM_PROVIDER", "deepseek"),
        ("HARNESS_MODEL", "own"),
        ("HARNESS_ROOT", "/"),
        ("http_proxy", "http://127.0.0.1:1"),
    ];
    let said = folder.check_with(&["--only", "L1.7,L1.8,L1.9,L1.12", "--json"], &env);
    assert_eq!(said.results(), "L1.7 pass\nL1.8 pass\nL1.9 pass\nL1.12 pass\n", "{}", said.out);
}

#[test]
fn a_line_says_what_a_criterion_came_to() {
    let said = Folder::with(&[]).check(&["--config", ROWS, "--only", "L1.1,l1.6,L1.14"]);
    expect![[r#"
        MANUAL  L1.1   the spine reads a file and ends with stop, and you can explain each call of its trace
        PASS    L1.6   a streamed tool call becomes one block with the provider's id and the raw JSON arguments; finish is tool-calls
        SKIP    L1.14  live: asked for hello.txt with harness in it, a real model makes it through these tools (it needs a real model: name one in the environment and add --live)
        1 passed, 0 failed, 1 skipped, 1 manual
    "#]]
    .assert_eq(&said.out);
    assert_eq!(said.code, Some(0));
}

#[test]
fn a_missing_row_is_named_with_what_to_add() {
    let rows = "- {id: llm-adapter, name: llm-openai, config: {base_url: !env LLM_BASE_URL, model: !env LLM_MODEL, api_key: !secret LLM_API_KEY}}\n";
    let folder = Folder::with(&[("harness.yml", rows)]);
    let said = folder.check(&["--only", "L1.5,L1.9,L1.12"]);
    expect![[r#"
        PASS    L1.5   a text reply streams as it comes and keeps the rules of the stream, with usage before finish: stop
        FAIL    L1.9   the tools list read_file, write_file and run_shell, and what is written reads back under the root
                rows
                  got    no tools service: add the tools row from checks/01-foundations/rows.yml
                  wanted a row that provides `tools`
                  next   add the row
        FAIL    L1.12  calls run, each result cites its call, the run completes in as many steps as it takes, usage is summed, each request resends all
                rows
                  got    no tools service: add the tools row from checks/01-foundations/rows.yml
                  wanted a row that provides `tools`
                  next   add the row
        1 passed, 2 failed, 0 skipped, 0 manual
    "#]]
    .assert_eq(&said.out);
    assert_eq!(said.code, Some(1));
}

#[test]
fn rows_that_do_not_mount_fail_with_their_own_error() {
    let folder = Folder::with(&[("harness.yml", "- {id: loop, name: loop-basic, config: {}}\n")]);
    let said = folder.check(&["--only", "L1.12", "--json"]);
    let failure = &said.json()["results"][0]["failures"][0];
    let got = failure["got"].as_str().unwrap();
    assert!(
        got.starts_with("no llm service: add the llm-adapter row from checks/01-foundations/rows.yml"),
        "{got}"
    );
    assert_eq!(said.code, Some(1));
}

#[test]
fn junit_holds_what_the_lines_say() {
    let folder = Folder::with(&[("harness.yml", "[]")]);
    let said = folder.check(&["--only", "L1.1,L1.9,L1.14", "--junit", "out.xml"]);
    let xml = std::fs::read_to_string(folder.path().join("out.xml")).unwrap();
    for wanted in [
        r#"tests="3""#,
        r#"failures="1""#,
        "for you to judge",
        "it needs a real model",
        "L1.9",
        "no tools service: add the tools row",
    ] {
        assert!(xml.contains(wanted), "{wanted}\n{xml}");
    }
    assert_eq!(said.code, Some(1));
    assert!(said.out.contains("FAIL    L1.9"));
}

#[test]
fn a_live_model_is_asked_when_it_is_wanted() {
    let model = FakeModel::start(
        "replies: [{calls: [{name: write_file, arguments: {path: hello.txt, content: harness}}], expect: {bearer: key-of-the-person}}, {text: Done.}]",
    );
    let env = [("LLM_BASE_URL", model.base_url()), ("LLM_API_KEY", "key-of-the-person"), ("LLM_MODEL", "m")];
    let said = Folder::with(&[]).check_with(&["--config", ROWS, "--only", "L1.14", "--live", "--json"], &env);
    assert_eq!((said.results().as_str(), said.code), ("L1.14 pass\n", Some(0)), "{}", said.out);
    model.assert_done();
}

#[test]
fn a_live_model_that_does_nothing_fails() {
    let model = FakeModel::start("replies: [{text: I would rather not.}]");
    let env = [("LLM_BASE_URL", model.base_url()), ("LLM_API_KEY", "key-of-the-person"), ("LLM_MODEL", "m")];
    let said = Folder::with(&[]).check_with(&["--config", ROWS, "--only", "L1.14", "--live", "--json"], &env);
    let failure: &Value = &said.json()["results"][0]["failures"][0];
    assert!(failure["got"].as_str().unwrap().starts_with("hello.txt: "), "{failure}");
    assert_eq!(said.code, Some(1));
}

#[test]
fn a_criterion_that_is_not_there_is_an_error() {
    let said = Folder::with(&[]).check(&["--config", ROWS, "--only", "L1.5,L9.9"]);
    assert_eq!(said.code, Some(2));
    assert!(said.err.contains("--only: module 01 has no criterion `L9.9` (NO_CRITERION)"), "{}", said.err);
}

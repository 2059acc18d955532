//! The command line: which file is read, which variables count, and what is said of a mistake.

use crate::sandbox::Sandbox;
use expect_test::expect;

const SAYS_MODEL: &str = "replies: [{text: \"{{ model }}\"}]";

/// The model's name comes from a variable.
fn says_model() -> Sandbox {
    let sandbox = Sandbox::scripted(SAYS_MODEL);
    sandbox.put("harness.yml", sandbox.read("harness.yml").replace("HARNESS_MODEL:-", "NAME:-nobody's"));
    sandbox
}

#[test]
fn a_dotenv_file_adds_to_the_environment_and_never_overrides_it() {
    let sandbox = says_model();
    assert_eq!(sandbox.run(&["run", "go"]).stdout, "nobody's\n");
    sandbox.put(".env", "# a comment\nexport NAME=\"the file's\"\n");
    assert_eq!(sandbox.run(&["run", "go"]).stdout, "the file's\n");
    assert_eq!(sandbox.harness(&["run", "go"]).env("NAME", "the shell's").run().stdout, "the shell's\n");
}

#[test]
fn a_dotenv_file_is_not_passed_to_child_processes() {
    let sandbox = Sandbox::scripted(
        "replies: [{calls: [{name: run_shell, arguments: {command: 'echo found=$NAME.'}}]}, {text: '{{ last.text }}'}]",
    );
    sandbox.put(".env", "NAME=file\n");
    assert!(sandbox.run(&["run", "go"]).stdout.starts_with("found=.\n"));
}

#[test]
fn the_file_of_rows_may_be_named_and_brings_its_own_folder() {
    let sandbox = Sandbox::scripted("replies: []");
    sandbox.put("other/rows.yml", sandbox.read("harness.yml").replace("HARNESS_MODEL", "NAME"));
    sandbox.put("other/script.yml", SAYS_MODEL).put("other/.env", "NAME=the other's\n");
    assert_eq!(sandbox.run(&["run", "--config", "other/rows.yml", "go"]).stdout, "the other's\n");
    assert_eq!(sandbox.run(&["--config=other/rows.yml", "run", "go"]).stdout, "the other's\n");
}

#[test]
fn rows_with_words_of_any_length_are_shown() {
    let sandbox = Sandbox::scripted(SAYS_MODEL);
    let long = "a".repeat(70_000);
    sandbox.put("p.yml", format!("- insert: [{{id: {long}, name: tools-basic, as: tools.other}}]\n"));
    let done = sandbox.run(&["rows", "--patch", "p.yml"]);
    assert_eq!((done.code(), done.stdout.contains(&long)), (0, true));
}

#[test]
fn programs_beside_this_one_are_commands_and_help_names_them() {
    let sandbox = Sandbox::scripted(SAYS_MODEL);
    let help = sandbox.run(&["--help"]);
    assert_eq!(help.code(), 0);
    assert!(
        help.stdout.ends_with("\n\nPrograms beside this one: check, dist, lab, new, services\n"),
        "{help:?}"
    );
    assert!(!sandbox.run(&["run", "--help"]).stdout.contains("Programs beside"));
    let said = sandbox.run(&["chek", "01"]);
    assert!(said.stderr.contains("the command `chek`, did you mean `check`?"), "{said:?}");
    assert!(sandbox.run(&["check", "list"]).stdout.contains("L1.5"));
}

#[test]
fn a_mistake_on_the_command_line_starts_nothing() {
    let sandbox = Sandbox::scripted(SAYS_MODEL);
    let mut shown = String::new();
    let table: &[&[&str]] = &[
        &["run", "go", "--max-steps", "0"],
        &["run", "go", "--max-steps", "many"],
        &["run", "go", "--session", ""],
        &["run", "go", "--output", "xml"],
        &["run", "go", "--no-such-flag"],
        &["run", "go", "--root", "gone"],
        &["run", "go", "--config", "gone.yml"],
        &["run", "go", "--patch", "gone.yml"],
        &["rum", "go"],
        &["call", "llm"],
    ];
    for args in table {
        let done = sandbox.run(args);
        assert_eq!((done.code(), done.stdout.as_str()), (2, ""), "{args:?}: {done:?}");
        let said: String = done.plain(&done.stderr).lines().take(2).map(|line| format!("{line}\n")).collect();
        shown.push_str(&format!("{}\n{said}", args.join(" ")));
    }
    expect![[r#"
        run go --max-steps 0
        error: invalid value '0' for '--max-steps <N>': 0 is not in 1..=4294967295

        run go --max-steps many
        error: invalid value 'many' for '--max-steps <N>': invalid digit found in string

        run go --session 
        error: a value is required for '--session <ID>' but none was supplied

        run go --output xml
        error: invalid value 'xml' for '--output <OUTPUT>'
          [possible values: text, json, stream-json]
        run go --no-such-flag
        error: unexpected argument '--no-such-flag' found

        run go --root gone
        error: --root gone: not a folder (BAD_ROOT)
          hint: name a folder that exists
        run go --config gone.yml
        error: gone.yml: there is no such file (FILE_UNREADABLE)
          hint: name a YAML file that exists, in UTF-8
        run go --patch gone.yml
        error: gone.yml: there is no such file (FILE_UNREADABLE)
          hint: name a YAML file that exists, in UTF-8
        rum go
        error: no row's plugin answers the command `rum`, did you mean `run`? (NO_COMMAND)
          hint: add a row that does; there are `run`, `rows`, `call`, `check`, `dist`, `lab`, `new` and `services`
        call llm
        error: the following required arguments were not provided:
          <METHOD>
    "#]]
    .assert_eq(&shown);
    let done = sandbox.harness(&["rows"]).env("HARNESS_LOG", "what=ever=").run();
    expect![[r#"
        exit 2
        -- stderr
        error: HARNESS_LOG: error parsing level filter: expected one of "off", "error", "warn", "info", "debug", "trace", or a number 0-5 (BAD_LOG_FILTER)
          hint: write it as `warn` or `info,llm_openai=debug`
    "#]].assert_eq(&done.shown());
    let done = sandbox.harness(&["rows"]).env("HARNESS_STUCK_MS", "soon").run();
    expect![[r#"
        exit 2
        -- stderr
        error: HARNESS_STUCK_MS is `soon`: invalid digit found in string (BAD_VARIABLE)
          hint: give it a number of milliseconds
    "#]]
    .assert_eq(&done.shown());
}

#[test]
fn help_is_no_mistake_but_nothing_to_do_is() {
    let sandbox = Sandbox::new("");
    let help = sandbox.run(&["--help"]);
    assert_eq!(help.code(), 0);
    for word in ["run", "rows", "call", "--config", "--patch", "Exit codes: 0 completed"] {
        assert!(help.stdout.contains(word), "{help:?}");
    }
    assert_eq!(sandbox.run(&["run", "--help"]).code(), 0);
    assert_eq!(sandbox.run(&["--version"]).stdout, concat!("harness ", env!("CARGO_PKG_VERSION"), "\n"));
    let nothing = sandbox.run(&[]);
    assert_eq!((nothing.code(), nothing.stdout.as_str()), (2, ""));
    assert!(nothing.stderr.contains("Usage: harness"), "{nothing:?}");
}

#[test]
fn a_program_beside_this_one_answers_to_its_name() {
    let done = Sandbox::new("").run(&["check", "--version"]);
    assert!(done.stdout.starts_with("harness-check "), "{done:?}");
}

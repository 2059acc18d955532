//! `status`: what it makes of the checks' answer, of the rows and of the notes, beside stand-ins for both programs.

use std::fs;

use crate::launcher::Target;

/// What the checks say, as a script that also records how it was called.
fn checks(json: &str) -> String {
    format!("#!/bin/sh\n{{ pwd; echo \"$@\"; }} >\"$0.record\"\ncat <<'END'\n{json}\nEND\n")
}

const HALF_DONE: &str = r#"{"module":"01","results":[
{"id":"L1.1","part":1,"claim":"the spine ends","services":[],"result":"manual"},
{"id":"L1.2","part":2,"claim":"the cost is known","services":[],"result":"manual"},
{"id":"L1.5","part":5,"claim":"text streams","services":["llm"],"result":"pass"},
{"id":"L1.6","part":5,"claim":"calls arrive","services":["llm"],"result":"fail","failures":[
 {"check":"whole","got":"no block\nat all","wanted":"one","next":"open a block"},
 {"check":"finish","got":"x","wanted":"y","next":"another thing"}]},
{"id":"L1.9","part":6,"claim":"files","services":["tools"],"result":"fail","failures":[
 {"check":"schemas","got":"nothing","wanted":"three","next":"list them"}]},
{"id":"L1.14","part":7,"claim":"live","services":["loop"],"result":"skip","reason":"it needs a model"},
{"id":"L1.17","part":0,"claim":"new files only","services":[],"result":"manual"}
],"passed":1,"failed":2,"skipped":1,"manual":3}"#;

const ROWS: &str = r#"{"rows":[{"id":"llm-adapter","plugin":"my-llm 0.1.0"},{"id":"tools","plugin":"tools-basic 0.1.0"}],"chains":{}}"#;

const NOTES: &str = "# Notes\n\nWords before.\n\n## L1.1 Run it\n\n> Why?\n\nBecause.\n\n## L1.2 Cost\n\n> How much?\n\n## L1.17 Seam\n\n> Which?\n";

/// A folder of a learner's, with programs that say this.
fn target(checked: &str) -> Target {
    Target::new("debug")
        .built("harness-check", &checks(checked))
        .built("harness", &format!("#!/bin/sh\necho '{ROWS}'\n"))
}

fn notes(target: &Target, text: &str) {
    fs::create_dir_all(target.path("notes")).unwrap();
    fs::write(target.path("notes/01.md"), text).unwrap();
}

#[test]
fn each_part_has_its_criteria_whose_plugin_it_was_and_the_first_thing_to_do() {
    let target = target(HALF_DONE);
    notes(&target, NOTES);
    let (code, stdout, stderr) = target.run(&["status"]);
    assert_eq!((code, stderr.as_str()), (0, ""));
    assert_eq!(
        stdout,
        "\
Part 1  run it
  answered  L1.1   the spine ends
Part 2  make the cost visible
  open      L1.2   the cost is known
Part 3  break the correlation
Part 4  add a fourth tool
Part 5  the llm plugin (row `llm-adapter`: my-llm)
  PASS      L1.5   text streams
  FAIL      L1.6   calls arrive
                   got: no block
Part 6  the tools plugin (row `tools`: tools-basic, not yours)
  FAIL      L1.9   files
Part 7  the loop plugin
  skip      L1.14  live
                   it needs a model
Part 8  swap the adapter
        stretch: find the seam
  open      L1.17  new files only

Next: L1.6: open a block
"
    );
}

#[test]
fn the_checks_run_where_the_rows_are() {
    let target = target(HALF_DONE);
    // The caller's folder is inside the checkout that the target folder is in.
    assert_eq!(target.run(&["status", "01"]).0, 0);
    let record = target.record(&target.program("harness-check"));
    assert_eq!(record, [target.path("").to_str().unwrap().trim_end_matches('/'), "01 --json"]);
}

#[test]
fn what_is_next_goes_from_the_start_to_the_checks_to_the_questions() {
    let passed = r#"{"module":"01","results":[{"id":"L1.2","part":2,"claim":"cost","result":"manual"},
{"id":"L1.9","part":6,"claim":"files","result":"pass"}]}"#;
    let answered = NOTES.replace("much?\n", "much?\n\n42\n").replace("Which?\n", "Which?\n\nTwo.\n");
    for (checked, text, wanted) in [
        (HALF_DONE, "", "cargo lab start 01"),
        (HALF_DONE, answered.as_str(), "L1.6: open a block"),
        (passed, NOTES, "L1.2: answer it in notes/01.md"),
        (
            passed,
            answered.as_str(),
            "part 6: row `tools` of harness.yml is not yours yet, write my-tools and name it there",
        ),
    ] {
        let target = target(checked);
        if !text.is_empty() {
            notes(&target, text);
        }
        let (_, stdout, _) = target.run(&["status"]);
        assert!(stdout.ends_with(&format!("\n\nNext: {wanted}\n")), "{wanted}: {stdout}");
    }
}

#[test]
fn with_every_row_ones_own_and_every_answer_given_all_is_done() {
    let mine = ROWS.replace("tools-basic", "my-tools");
    let passed = HALF_DONE.replace("\"fail\"", "\"pass\"").replace("\"failures\"", "\"unread\"");
    let target = Target::new("debug").built("harness-check", &checks(&passed));
    let target = target.built("harness", &format!("#!/bin/sh\necho '{mine}'\n"));
    notes(&target, &NOTES.replace("much?\n", "much?\n\n42\n").replace("Which?\n", "Which?\n\nTwo.\n"));
    let (_, stdout, _) = target.run(&["status"]);
    assert!(stdout.ends_with("\n\nNext: all is done\n"), "{stdout}");
}

#[test]
fn in_a_target_folder_the_workspace_is_built_first() {
    let target = target(HALF_DONE);
    fs::create_dir(target.program("deps")).unwrap();
    assert_eq!(target.run(&["status"]).0, 0);
    assert_eq!(target.record(&target.path("cargo"))[1..], ["<build>", "<--workspace>", "<--quiet>"]);
}

#[test]
fn a_release_has_nothing_to_build() {
    let target = target(HALF_DONE);
    assert_eq!(target.run(&["status"]).0, 0);
    assert!(target.record(&target.path("cargo")).is_empty());
}

#[test]
fn checks_that_could_not_start_say_why() {
    let broken =
        "#!/bin/sh\necho 'error: harness.yml:3: row `tools`: no such plugin (PLUGIN_UNUSABLE)' >&2\nexit 2\n";
    for (script, wanted) in [
        (
            broken,
            "error: harness-check: harness.yml:3: row `tools`: no such plugin (PLUGIN_UNUSABLE) (NO_CHECK)\n",
        ),
        (
            "#!/bin/sh\necho '{}'\n",
            "error: harness-check: it ended with exit status: 0, and its answer: missing field",
        ),
    ] {
        let target = Target::new("debug").built("harness-check", script);
        let (code, stdout, stderr) = target.run(&["status"]);
        assert_eq!((code, stdout.as_str()), (2, ""));
        assert!(stderr.starts_with(wanted), "{stderr}");
        assert!(stderr.ends_with("\n  hint: run cargo harness check 01\n"), "{stderr}");
    }
    let none = Target::new("debug");
    assert!(none.run(&["status"]).2.starts_with("error: harness-check: No such file"));
}

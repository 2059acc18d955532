//! Every way into a plugin, with a plugin that panics there, or does not return: the row is named, and the process goes on or ends as it should.

use crate::{process::Done, sandbox::Sandbox};
use expect_test::expect;

/// A run with one plugin that misbehaves at one place.
fn run(row: &str, fault: &str) -> Done {
    let sandbox = Sandbox::scripted(
        "replies: [{calls: [{name: list_files, arguments: {}}], usage: {omit: true}}, {text: done, usage: {omit: true}}]",
    );
    let patch = match row {
        "llm-adapter" => format!("- {{id: llm-adapter, name: llm-faulty, config: {{fault: {fault}}}}}"),
        "policy" => format!("- insert: [{{id: policy, name: policy-odd, config: {{{fault}}}}}]"),
        _ => {
            sandbox.put("script.yml", format!("replies: [{{calls: [{{name: {fault}}}], usage: {{omit: true}}}}, {{text: done, usage: {{omit: true}}}}]"));
            "- insert: [{id: odd, name: tools-odd}]".to_owned()
        }
    };
    sandbox.put("f.yml", patch);
    sandbox
        .harness(&["run", "go", "--patch", "f.yml"])
        .env("HARNESS_STUCK_MS", "300")
        .env("HARNESS_LOG", "error")
        .run()
}

/// The end of each run, without what it said before.
fn ends(table: &[(&str, &str)]) -> String {
    let one = |(row, fault): &(&str, &str)| {
        let done = run(row, fault);
        let told = done.plain(&done.stderr);
        let telling = |line: &&str| {
            line.contains("panicked")
                || line.contains("STUCK")
                || line.contains("not return")
                || line.contains("did not")
        };
        let lines: String =
            told.lines().filter(telling).map(|line| format!("  {}\n", without_time(line))).collect();
        format!("{row} {fault}: exit {}, stdout {:?}\n{lines}", done.code(), done.stdout)
    };
    table.iter().map(one).collect()
}

/// A log line begins with the time.
fn without_time(line: &str) -> &str {
    match line.split_once("Z ") {
        Some((time, rest)) if time.starts_with("20") => rest.trim_start(),
        _ => line,
    }
}

#[test]
fn a_panic_is_caught_wherever_it_happens() {
    let told = ends(&[
        ("llm-adapter", "create-panic"),
        ("llm-adapter", "call-panic"),
        ("llm-adapter", "poll-panic"),
        ("llm-adapter", "drop-panic"),
        ("llm-adapter", "closed-panic"),
        ("llm-adapter", "shutdown-panic"),
        ("llm-adapter", "value-panic"),
        ("policy", "panic: before_step"),
        ("policy", "panic: before_stop"),
        ("odd", "panic"),
    ]);
    expect![[r#"
        llm-adapter create-panic: exit 2, stdout ""
          error: harness.yml:2: row `llm-adapter`: panicked at checks/planted/src/faulty.rs:[LINE]: planted in create (PANIC)
        llm-adapter call-panic: exit 1, stdout ""
          error: row `llm-adapter`: panicked at checks/planted/src/faulty.rs:[LINE]: planted in a call (PANIC)
        llm-adapter poll-panic: exit 1, stdout ""
          error: row `llm-adapter`: panicked at checks/planted/src/faulty.rs:[LINE]: planted in a poll (PANIC)
        llm-adapter drop-panic: exit 1, stdout ""
          error: row `llm-adapter`: panicked at checks/planted/src/faulty.rs:[LINE]: planted in a drop (PANIC)
        llm-adapter closed-panic: exit 0, stdout "so far so good\n"
          ERROR harness::panic: in session_closed: panicked at checks/planted/src/faulty.rs:[LINE]: planted in session_closed
        llm-adapter shutdown-panic: exit 0, stdout "so far so good\n"
          ERROR harness::panic: in shutdown: panicked at checks/planted/src/faulty.rs:[LINE]: planted in shutdown
        llm-adapter value-panic: exit 0, stdout "so far so good\n"
          ERROR harness::panic: in a drop: panicked at checks/planted/src/faulty.rs:[LINE]: planted in a drop
        policy panic: before_step: exit 1, stdout ""
          error: row `policy`: panicked at checks/planted/src/policy_odd.rs:[LINE]: planted in a policy (PANIC)
        policy panic: before_stop: exit 1, stdout "done\n"
          error: row `policy`: panicked at checks/planted/src/policy_odd.rs:[LINE]: planted in a policy (PANIC)
        odd panic: exit 0, stdout "done\n"
          warning: panic (PANIC): Error: row `odd`: panicked at checks/planted/src/tools.rs:[LINE]: planted in a tool (this is a bug in the plugin: report it to its author with the place above)
    "#]].assert_eq(&told);
}

#[test]
fn code_that_does_not_return_is_found_wherever_it_is() {
    let told = ends(&[
        ("llm-adapter", "create-hang"),
        ("llm-adapter", "poll-hang"),
        ("llm-adapter", "drop-hang"),
        ("llm-adapter", "closed-hang"),
        ("llm-adapter", "shutdown-hang"),
        ("llm-adapter", "value-hang"),
        ("policy", "hang: before_step"),
        ("policy", "hang: before_stop"),
        ("odd", "hang"),
    ]);
    expect![[r#"
        llm-adapter create-hang: exit 2, stdout ""
          error: row `llm-adapter`: plugin `llm-faulty` ([BUILT]/libplanted_bundle.so) does not return from a call (STUCK)
        llm-adapter poll-hang: exit 1, stdout ""
          error: row `llm-adapter`: plugin `llm-faulty` ([BUILT]/libplanted_bundle.so) does not return from a call (STUCK)
        llm-adapter drop-hang: exit 1, stdout ""
          error: row `llm-adapter`: plugin `llm-faulty` ([BUILT]/libplanted_bundle.so) does not return from a call (STUCK)
        llm-adapter closed-hang: exit 0, stdout "so far so good\n"
          warning: row `llm-adapter`: plugin `llm-faulty` ([BUILT]/libplanted_bundle.so) does not return from a call
        llm-adapter shutdown-hang: exit 0, stdout "so far so good\n"
          warning: row `llm-adapter`: plugin `llm-faulty` ([BUILT]/libplanted_bundle.so) does not return from a call
        llm-adapter value-hang: exit 0, stdout "so far so good\n"
          warning: row `llm-adapter`: plugin `llm-faulty` ([BUILT]/libplanted_bundle.so) does not return from a call
        policy hang: before_step: exit 1, stdout ""
          error: row `policy`: plugin `policy-odd` ([BUILT]/libplanted_bundle.so) does not return from a call (STUCK)
        policy hang: before_stop: exit 1, stdout ""
          error: row `policy`: plugin `policy-odd` ([BUILT]/libplanted_bundle.so) does not return from a call (STUCK)
        odd hang: exit 1, stdout ""
          error: row `odd`: plugin `tools-odd` ([BUILT]/libplanted_bundle.so) does not return from a call (STUCK)
    "#]].assert_eq(&told);
}

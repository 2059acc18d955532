//! Skips that a swap declares beside its patch.
use super::support::{Folder, ROWS, Said};

const PATCH: &str = "- insert: [{id: defect, name: defect-llm, config: {defect: no-usage}}]\n";

fn check(skips: &str) -> Said {
    let folder = Folder::with(&[("x.patch.yml", PATCH), ("x.skips.yml", skips)]);
    folder.check(&["--config", ROWS, "--patch", "x.patch.yml", "--only", "L1.5,L1.6"])
}

#[test]
fn a_declared_skip_that_misses_is_a_skip_with_its_reason() {
    let said = check("- {criterion: L1.5, check: usage, reason: this provider counts nothing}\n");
    let lines: Vec<&str> = said.out.lines().collect();
    assert!(lines[0].starts_with("SKIP    L1.5 "), "{}", said.out);
    assert!(lines[0].ends_with("(usage: this provider counts nothing)"), "{}", said.out);
    assert_eq!((lines[2], said.code), ("1 passed, 0 failed, 1 skipped, 0 manual", Some(0)));
}

#[test]
fn without_it_the_same_is_a_failure() {
    let said = check("[]");
    assert_eq!(said.code, Some(1));
    assert!(said.out.contains("got    no usage"), "{}", said.out);
}

#[test]
fn a_declared_skip_that_passes_is_a_failure() {
    let said = check(
        "- {criterion: L1.5, check: usage, reason: this provider counts nothing}\n- {criterion: L1.6, check: whole, reason: it is so}\n",
    );
    assert_eq!(said.code, Some(1));
    assert!(said.out.contains("got    it passes, and is declared a skip (it is so)"), "{}", said.out);
    assert!(said.out.contains("next   take it out of x.skips.yml"), "{}", said.out);
}

#[test]
fn a_list_that_names_what_is_not_there_is_an_error() {
    for (skips, error) in [
        (
            "- {criterion: L1.5, check: used, reason: x}\n",
            "x.skips.yml: L1.5 has no check `used` (BAD_SKIPS)",
        ),
        (
            "- {criterion: L7.5, check: usage, reason: x}\n",
            "x.skips.yml: L7.5 has no check `usage` (BAD_SKIPS)",
        ),
        (
            "- {criterion: L1.5, check: usage, reason: ' '}\n",
            "x.skips.yml: the skip of L1.5 `usage` has no reason (BAD_SKIPS)",
        ),
        ("- {criterion: L1.5, check: usage}\n", "(BAD_SKIPS)"),
        ("{", "(BAD_SKIPS)"),
    ] {
        let said = check(skips);
        assert_eq!(said.code, Some(2), "{skips}");
        assert!(said.err.contains(error), "{}", said.err);
    }
}

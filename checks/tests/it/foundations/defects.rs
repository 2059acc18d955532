//! A criterion that nobody has seen fail is none.
use super::support::{Folder, ROWS};

#[test]
fn each_defect_is_seen_by_its_own_check_alone_and_each_check_has_one() {
    let said = Folder::with(&[]).check(&["--config", ROWS, "--defects"]);
    let last = said.out.lines().last().unwrap();
    assert!(last.ends_with(" defects, each seen by its own check alone"), "{}{}", said.out, said.err);
    assert_eq!(said.code, Some(0));
}

#[test]
fn rows_that_fail_by_themselves_are_told_of() {
    let folder = Folder::with(&[("p.yml", "- {id: tools, disabled: true}\n")]);
    let said = folder.check(&["--config", ROWS, "--patch", "p.yml", "--defects"]);
    assert_eq!(said.code, Some(1));
    assert!(
        said.out.contains("no-usage: L1.5 usage alone should fail, there is\n  L1.5 rows: no tools service"),
        "{}",
        said.out
    );
}

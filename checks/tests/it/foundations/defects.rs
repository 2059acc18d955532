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
fn rows_that_do_not_mount_are_an_error() {
    let folder = Folder::with(&[("p.yml", "- {id: tools, disabled: true}\n")]);
    let said = folder.check(&["--config", ROWS, "--patch", "p.yml", "--defects"]);
    assert_eq!(said.code, Some(2));
    assert!(
        said.err.starts_with("error: no defect can be planted: no tools service: add the tools row"),
        "{}",
        said.err
    );
}

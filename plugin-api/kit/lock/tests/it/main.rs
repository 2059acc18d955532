//! The lock as two who want it see it.

#[cfg(test)]
mod taking {
    use std::{fs::File, process::Command};

    #[test]
    fn a_lock_is_one_files_until_it_is_closed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let first = File::create(&path).unwrap();
        kit_lock::take(&first).unwrap();
        let second = File::open(&path).unwrap();
        assert!(matches!(kit_lock::take(&second), Err(kit_lock::Refused::Held(_))));
        let other = File::create(folder.path().join("b")).unwrap();
        kit_lock::take(&other).unwrap();
        drop(first);
        kit_lock::take(&second).unwrap();
    }

    #[test]
    fn a_child_does_not_take_the_lock_along() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let first = File::create(&path).unwrap();
        kit_lock::take(&first).unwrap();
        let mut child = Command::new("cat").stdin(std::process::Stdio::piped()).spawn().unwrap();
        drop(first);
        kit_lock::take(&File::open(&path).unwrap()).unwrap();
        drop(child.stdin.take());
        child.wait().unwrap();
    }
}

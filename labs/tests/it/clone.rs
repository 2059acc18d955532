//! A learner's clone of this repository: what git has of it, in a folder and with a target folder of its own.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// What cargo tells the process of a test, which a build in the clone must not see.
const OF_THE_TEST: [&str; 5] =
    ["CARGO_MANIFEST_", "CARGO_PKG_", "CARGO_CRATE_", "CARGO_BIN_", "CARGO_PRIMARY_"];
/// What belongs to the person who runs the tests.
const OF_THE_PERSON: [&str; 4] = ["LLM_", "DEEPSEEK_", "HARNESS_", "SPINE_"];

/// The clone. It lies in a fixed place, so that a second run builds only what has changed.
pub(crate) struct Clone {
    root: PathBuf,
    target: PathBuf,
}

impl Clone {
    /// The repository as it is, without a trace of an earlier lab.
    pub(crate) fn fresh() -> Self {
        let place = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let clone = Clone { root: place.join("learner"), target: place.join("learner-target") };
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let listed = Command::new("git")
            .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
            .current_dir(source)
            .output()
            .unwrap();
        assert!(listed.status.success(), "{}", String::from_utf8_lossy(&listed.stderr));
        let listed = String::from_utf8(listed.stdout).unwrap();
        let there = |path: &&str| source.join(path).is_file();
        let wanted: BTreeSet<PathBuf> =
            listed.split_terminator('\0').filter(there).map(PathBuf::from).collect();
        for path in &wanted {
            copy(&source.join(path), &clone.root.join(path));
        }
        clone.remove_others(&clone.root, &wanted);
        clone.seed();
        clone
    }

    fn remove_others(&self, folder: &Path, wanted: &BTreeSet<PathBuf>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                self.remove_others(&path, wanted);
                // Only an empty one goes.
                fs::remove_dir(&path).ok();
            } else if !wanted.contains(path.strip_prefix(&self.root).unwrap()) {
                fs::remove_file(path).unwrap();
            }
        }
    }

    /// Takes what this workspace has built of other people's crates, as links: most of the first build's time. Cargo tells our own apart
    /// by their folder, and replaces files without writing into them.
    fn seed(&self) {
        let (from, to) = (checks::workspace::built(), self.target.join("debug"));
        if from.ends_with("debug") && !to.exists() {
            for part in ["deps", "build", ".fingerprint"] {
                link(&from.join(part), &to.join(part));
            }
        }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// Runs a line of a shell in a folder of the clone, with these variables: exit code, stdout, stderr.
    pub(crate) fn shell(&self, folder: &str, line: &str, env: &[(&str, &str)]) -> (i32, String, String) {
        let mut shell = Command::new("sh");
        shell.args(["-c", line]).current_dir(self.path(folder)).stdin(Stdio::null());
        let of = |name: &OsString, prefixes: &[&str]| {
            prefixes.iter().any(|prefix| name.to_string_lossy().starts_with(prefix))
        };
        for name in std::env::vars_os().map(|(name, _)| name) {
            if of(&name, &OF_THE_TEST) || of(&name, &OF_THE_PERSON) {
                shell.env_remove(name);
            }
        }
        shell.env("CARGO_TARGET_DIR", &self.target).envs(env.iter().copied());
        let Output { status, stdout, stderr } = shell.output().unwrap();
        let [stdout, stderr] = [stdout, stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        (status.code().unwrap_or(-1), stdout, stderr)
    }
}

/// A file that is as it should be keeps its time, which is what cargo looks at.
fn copy(from: &Path, to: &Path) {
    let wanted = fs::read(from).unwrap();
    if fs::read(to).ok().as_ref() != Some(&wanted) {
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::copy(from, to).unwrap();
    }
}

fn link(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            link(&entry.path(), &target);
        } else {
            // What is missing, cargo builds.
            fs::hard_link(entry.path(), target).ok();
        }
    }
}

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
        clone.seed(&wanted);
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

    /// Takes what this workspace has built of other people's crates, as links: most of the first build's time. Our own are left out, because
    /// cargo calls theirs and ours by the same names in every checkout.
    fn seed(&self, wanted: &BTreeSet<PathBuf>) {
        let (from, to) = (checks::workspace::built(), self.target.join("debug"));
        if !from.ends_with("debug") || to.exists() {
            return;
        }
        let manifests = wanted.iter().filter(|path| path.ends_with("Cargo.toml"));
        let ours: BTreeSet<String> = manifests.filter_map(|path| package(&self.root.join(path))).collect();
        // A unit's folder is called after its package and a hash, and the hash is in the names of all that it makes.
        let units = names(&from.join(".fingerprint"));
        let units = units.iter().filter_map(|unit| unit.rsplit_once('-'));
        let theirs: BTreeSet<&str> =
            units.filter(|(package, _)| !ours.contains(*package)).map(|(_, hash)| hash).collect();
        for part in ["deps", "build", ".fingerprint"] {
            let is_theirs = |name: &&String| {
                let hash = name.rsplit_once('-').map(|(_, rest)| rest.split('.').next().unwrap_or(rest));
                hash.is_some_and(|hash| theirs.contains(hash))
            };
            for name in names(&from.join(part)).iter().filter(is_theirs) {
                link(&from.join(part).join(name), &to.join(part).join(name));
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

/// The name of the package that a manifest describes.
fn package(manifest: &Path) -> Option<String> {
    let text = fs::read_to_string(manifest).unwrap();
    let name =
        text.lines().skip_while(|line| *line != "[package]").find_map(|line| line.strip_prefix("name = \""));
    name.map(|name| name.trim_end_matches('"').to_owned())
}

fn names(folder: &Path) -> Vec<String> {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

fn link(from: &Path, to: &Path) {
    if from.is_dir() {
        names(from).iter().for_each(|name| link(&from.join(name), &to.join(name)));
    } else {
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        // What is missing, cargo builds.
        fs::hard_link(from, to).ok();
    }
}

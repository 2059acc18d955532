//! A folder with rows, and the suite run in it.
use checks::workspace::built;
use serde_json::Value;
use std::{path::Path, process::Command};

/// The repository's own rows.
pub(crate) const ROWS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../harness.yml");

/// A folder of its own.
pub(crate) struct Folder(tempfile::TempDir);

/// What the suite printed, and its exit code.
pub(crate) struct Said {
    pub(crate) out: String,
    pub(crate) err: String,
    pub(crate) code: Option<i32>,
}

impl Folder {
    /// With these files in it.
    pub(crate) fn with(files: &[(&str, &str)]) -> Folder {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        Folder(folder)
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    /// `harness check 01 ARGS`, here.
    pub(crate) fn check(&self, args: &[&str]) -> Said {
        self.check_with(args, &[])
    }

    /// The same with variables set.
    pub(crate) fn check_with(&self, args: &[&str], env: &[(&str, &str)]) -> Said {
        let output = self.command(args).envs(env.iter().copied()).output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Said { out: text(&output.stdout), err: text(&output.stderr), code: output.status.code() }
    }

    /// The same, to be started.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(built().join("harness"));
        command.args(["check", "01"]).args(args).current_dir(self.path());
        command
    }
}

impl Said {
    /// `--json`, read.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}\n{}\n{}", self.out, self.err))
    }

    /// The criteria and their results, one a line.
    pub(crate) fn results(&self) -> String {
        let results = self.json()["results"].as_array().unwrap().clone();
        let line =
            |one: &Value| format!("{} {}\n", one["id"].as_str().unwrap(), one["result"].as_str().unwrap());
        results.iter().map(line).collect()
    }
}

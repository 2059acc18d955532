//! The archive, made once, and unpacked copies of it.

use checks::workspace::built;
use serde_json::Value;
use std::{
    env::consts::{DLL_PREFIX, DLL_SUFFIX},
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
    sync::OnceLock,
};
use tempfile::TempDir;

pub(crate) fn workspace() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap()
}

/// `harness dist` with these arguments, in the workspace.
pub(crate) fn dist(args: &[&str]) -> Output {
    Command::new(built().join("harness")).arg("dist").args(args).current_dir(workspace()).output().unwrap()
}

/// Packs what the workspace has built into a folder; what is printed.
pub(crate) fn pack(out: &Path) -> String {
    let done = dist(&["--from", &built().to_string_lossy(), "--out", &out.to_string_lossy()]);
    assert!(done.status.success(), "{done:?}");
    String::from_utf8(done.stdout).unwrap()
}

/// The value behind a key of what is printed.
pub(crate) fn value<'a>(report: &'a str, key: &str) -> &'a str {
    report.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(' ')).unwrap()
}

/// The archive's bytes, and what was printed of it.
pub(crate) fn archive() -> &'static (Vec<u8>, String) {
    static MADE: OnceLock<(Vec<u8>, String)> = OnceLock::new();
    MADE.get_or_init(|| {
        let out = TempDir::new().unwrap();
        let report = pack(out.path());
        (fs::read(value(&report, "archive")).unwrap(), report)
    })
}

pub(crate) fn file_name(library: &str) -> String {
    format!("{DLL_PREFIX}{library}{DLL_SUFFIX}")
}

/// An unpacked archive, a folder to work in, and an empty home.
pub(crate) struct Release {
    // Removes everything at the end.
    _folder: TempDir,
    pub(crate) root: PathBuf,
    /// Where it is unpacked.
    pub(crate) place: PathBuf,
}

impl Release {
    /// Unpacked into this folder, which has a name of its own.
    pub(crate) fn unpacked(into: &str) -> Release {
        let folder = TempDir::new().unwrap();
        let root = folder.path().canonicalize().unwrap();
        tar::Archive::new(flate2::read::GzDecoder::new(archive().0.as_slice()))
            .unpack(root.join(into))
            .unwrap();
        let place = fs::read_dir(root.join(into)).unwrap().next().unwrap().unwrap().path();
        fs::create_dir_all(root.join("work")).unwrap();
        fs::create_dir_all(root.join("home")).unwrap();
        fs::write(root.join("work/README.md"), "# A project of somebody's\n").unwrap();
        Release { _folder: folder, root, place }
    }

    /// A program in the working folder, with nothing in its environment but `PATH` and `HOME`.
    pub(crate) fn command(&self, program: &Path, args: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.args(args).current_dir(self.root.join("work")).env_clear();
        command.env("PATH", format!("{}:/usr/bin:/bin", self.root.join("bin").display()));
        command.env("HOME", self.root.join("home"));
        command
    }

    /// The unpacked `harness` with these arguments.
    pub(crate) fn harness(&self, args: &[&str]) -> Command {
        self.command(&self.place.join("harness"), args)
    }

    /// Puts a library somewhere, under the name of its plugin.
    pub(crate) fn install(&self, folder: &Path, plugin: &str, bytes: &[u8]) -> PathBuf {
        fs::create_dir_all(folder).unwrap();
        let path = folder.join(file_name(plugin));
        fs::write(&path, bytes).unwrap();
        path
    }
}

/// What a program that succeeds prints.
pub(crate) fn stdout(command: &mut Command) -> String {
    let done = command.output().unwrap();
    assert!(done.status.success(), "{done:?}");
    String::from_utf8(done.stdout).unwrap()
}

/// The library of each row, by the row's id, in the order of the rows.
pub(crate) fn libraries(command: &mut Command) -> Vec<(String, PathBuf)> {
    let shown: Value = serde_json::from_str(&stdout(command)).unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let rows = shown["rows"].as_array().unwrap().iter();
    rows.map(|row| (text(&row["id"]), PathBuf::from(text(&row["file"])))).collect()
}

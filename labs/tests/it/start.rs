//! `start`: what it makes in a folder of one's own and in a checkout, and that it never writes over anything.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

const SDK: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
const NAMES: [(&str, &str); 3] =
    [("my-llm", "stub_llm"), ("my-tools", "stub_tools"), ("my-loop", "stub_loop")];

/// A folder, and what `harness-lab` says in it.
struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Folder(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn put(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// As much of a checkout as `start` looks for.
    fn checkout() -> Self {
        let folder = Self::new();
        folder.put("plugin-api/sdk/Cargo.toml", "");
        folder
    }

    fn start_in(&self, folder: &str) -> (i32, String, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_harness-lab"));
        command.args(["start", "01"]).current_dir(self.path(folder));
        let Output { status, stdout, stderr } = command.env_clear().env("HARNESS_SDK", SDK).output().unwrap();
        let [stdout, stderr] = [stdout, stderr].map(|bytes| String::from_utf8(bytes).unwrap());
        (status.code().unwrap(), stdout, stderr)
    }

    fn start(&self) -> String {
        let (code, stdout, stderr) = self.start_in("");
        assert_eq!((code, stderr.as_str()), (0, ""));
        stdout
    }

    /// Every file by its path.
    fn files(&self) -> BTreeMap<PathBuf, String> {
        let mut files = BTreeMap::new();
        read(self.0.path(), &mut files);
        files
    }
}

fn read(folder: &Path, files: &mut BTreeMap<PathBuf, String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            read(&path, files);
        } else {
            let text = String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned();
            files.insert(path, text);
        }
    }
}

/// The lines that begin with a word.
fn lines<'a>(text: &'a str, word: &str) -> Vec<&'a str> {
    text.lines().filter_map(|line| line.strip_prefix(word)?.strip_prefix("  ")).collect()
}

#[test]
fn a_folder_of_ones_own_gets_a_workspace_rows_text_stubs_and_notes() {
    let folder = Folder::new();
    let said = folder.start();
    for (name, _) in NAMES {
        let manifest = fs::read_to_string(folder.path(&format!("plugins/{name}/Cargo.toml"))).unwrap();
        assert!(manifest.contains(&format!("name = \"{name}\"\n")), "{manifest}");
        assert!(manifest.contains("plugin-sdk = { path = \""), "{manifest}");
        let library = format!("  name: ./target/debug/lib{}.so ", name.replace('-', "_"));
        assert!(cfg!(target_os = "macos") || said.contains(&library), "{said}");
    }
    let [workspace, rows, text, notes] =
        ["Cargo.toml", "harness.yml", "labs/01-foundations/README.md", "notes/01.md"]
            .map(|name| fs::read_to_string(folder.path(name)).unwrap());
    assert!(workspace.contains("members = [\"plugins/*\"]"), "{workspace}");
    assert_eq!(rows, fs::read_to_string(Path::new(SDK).join("harness.yml")).unwrap());
    assert!(text.starts_with("# 01 Foundations\n"), "{text}");
    assert!(notes.contains("\n## L1.17 "), "{notes}");
    assert!(said.ends_with("\n  cargo build && harness check 01\n  harness lab status\n"), "{said}");
}

#[test]
fn a_checkout_gets_members_of_its_workspace_wherever_in_it_one_is() {
    let folder = Folder::checkout();
    fs::create_dir_all(folder.path("labs/01-foundations/workspace")).unwrap();
    let (code, said, _) = folder.start_in("labs/01-foundations/workspace");
    assert_eq!(code, 0);
    for (name, stub) in NAMES {
        let manifest = fs::read_to_string(folder.path(&format!("plugins/{name}/Cargo.toml"))).unwrap();
        assert!(manifest.contains("plugin-sdk.workspace = true"), "{manifest}");
        assert!(said.contains(&format!("\n  name: {name} ")), "{said}");
        for (path, text) in folder.files() {
            assert!(!text.contains(stub), "{}", path.display());
        }
    }
    assert!(said.ends_with("\n  cargo harness check 01\n  cargo lab status\n"), "{said}");
    let made = lines(&said, "made");
    let is_learners = |path: &&str| path.starts_with("plugins/my-") || *path == "notes/01.md";
    assert!(made.len() > 12 && made.iter().all(is_learners), "{made:?}");
}

#[test]
fn a_second_start_changes_nothing_and_says_so() {
    for folder in [Folder::new(), Folder::checkout()] {
        let first = folder.start();
        let files = folder.files();
        let second = folder.start();
        assert_eq!(folder.files(), files);
        assert_eq!(lines(&second, "kept"), lines(&first, "made"));
        assert_eq!(second.replace("kept  ", "made  "), first);
    }
}

#[test]
fn nothing_that_is_there_is_written_over() {
    let folder = Folder::new();
    let own = ["harness.yml", "plugins/my-llm/src/respond.rs", "notes/01.md", ".gitignore"];
    for name in own {
        folder.put(name, "mine");
    }
    let said = folder.start();
    assert_eq!(
        lines(&said, "kept"),
        [".gitignore", "harness.yml", "plugins/my-llm/src/respond.rs", "notes/01.md"]
    );
    for name in own {
        assert_eq!(fs::read_to_string(folder.path(name)).unwrap(), "mine", "{name}");
    }
    assert!(folder.path("plugins/my-llm/src/lib.rs").is_file());
}

#[test]
fn in_a_workspace_that_leaves_them_out_the_rows_name_the_stubs_own_target_folders() {
    let folder = Folder::new();
    folder.put("Cargo.toml", "[workspace]\nmembers = [\"other\"]\n");
    let said = folder.start();
    for (name, _) in NAMES {
        assert!(said.contains(&format!("  name: ./plugins/{name}/target/debug/")), "{said}");
    }
}

#[test]
fn what_cannot_be_written_is_named() {
    let folder = Folder::new();
    folder.put("plugins", "a file");
    let (code, stdout, stderr) = folder.start_in("");
    assert_eq!((code, stdout.as_str()), (2, ""));
    assert!(
        stderr.starts_with("error: ") && stderr.contains("plugins") && stderr.contains("(FILE_FAILED)"),
        "{stderr}"
    );
}

#[test]
fn every_file_of_the_lab_is_handed_out() {
    let (folder, lab) = (Folder::new(), Path::new(SDK).join("labs/01-foundations"));
    let said = folder.start();
    let made = lines(&said, "made");
    let mut there = BTreeMap::new();
    for part in ["stubs", "workspace"] {
        read(&lab.join(part), &mut there);
    }
    for path in there.keys().filter(|path| !path.ends_with(".gitignore")) {
        let inside = path.strip_prefix(&lab).unwrap().to_str().unwrap();
        let wanted = match inside.strip_prefix("stubs/") {
            Some(stub) => format!("plugins/{stub}"),
            None => format!("labs/01-foundations/{inside}"),
        };
        // Running the sample leaves compiled code behind.
        assert!(made.contains(&wanted.as_str()) || wanted.contains("__pycache__"), "{wanted}: {made:?}");
    }
}

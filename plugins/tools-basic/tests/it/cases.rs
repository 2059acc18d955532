//! Every file of `cases/` is a list of rows: what is on disk, the calls of the service, what they answer, what is on disk then.
//!
//! `<ROOT>` is a fresh folder, `<WS>` the tools' root in it, `<OUT>` and `<HOME>` are its neighbours. Whatever a row expects,
//! nothing beside the root may change and no half-written file may stay.

use std::{
    collections::{BTreeMap, BTreeSet},
    ffi::OsString,
    fs,
    os::unix::{
        ffi::OsStringExt as _,
        fs::{FileTypeExt as _, symlink},
    },
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use nix::{sys::stat::Mode, unistd::mkfifo};
use plugin_sdk::{
    contracts::tools::{ToolEvent, ToolResult},
    testing,
};
use serde_json::Value;
use tools_basic::ToolsBasic;

use crate::{config, events};

/// A tool that waits for what never comes must not hold the suite.
const HANGS_AFTER: Duration = Duration::from_secs(120);

/// The files, and how many rows each has: none may get lost on the way.
const ROWS: [(&str, usize); 19] = [
    ("absolute", 3),
    ("background-holds-stdout", 5),
    ("command-shapes", 6),
    ("exit-and-signals", 6),
    ("infinite-output", 3),
    ("list-oddities", 1),
    ("non-utf8", 1),
    ("not-a-file", 7),
    ("odd-names", 9),
    ("output-bytes", 1),
    ("sibling-prefix", 2),
    ("special-files", 6),
    ("stdin-waiters", 4),
    ("symlink-inside", 1),
    ("tilde", 3),
    ("timeout-exit-zero", 1),
    ("truncate-multibyte", 6),
    ("windows-forms", 7),
    ("write-dotdot", 6),
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_case_answers_as_expected() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/cases");
    let mut running = tokio::task::JoinSet::new();
    for (_, path) in entries(&folder) {
        let file = path.file_stem().unwrap().to_string_lossy().into_owned();
        let rows: Vec<Value> = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        running.spawn(async move {
            let mut names = BTreeSet::new();
            for row in rows {
                let name = format!("{file}: {}", row["name"].as_str().unwrap());
                tokio::time::timeout(HANGS_AFTER, run(&name, &row))
                    .await
                    .unwrap_or_else(|_| panic!("{name}: hangs"));
                names.insert(name);
            }
            (file, names.len())
        });
    }
    let mut ran = running.join_all().await;
    ran.sort();
    assert_eq!(ran, ROWS.map(|(file, rows)| (file.to_owned(), rows)));
}

/// Nor does anything in the home folder of the process itself, which is another one than the rows know.
#[test]
fn no_case_touches_the_home_of_the_process() {
    let home = tempfile::tempdir().unwrap();
    let this = std::env::current_exe().unwrap();
    let args = ["--exact", "cases::every_case_answers_as_expected"];
    let done = std::process::Command::new(this).args(args).env("HOME", home.path()).output().unwrap();
    let said = String::from_utf8_lossy(&done.stdout);
    assert!(done.status.success() && said.contains("1 passed"), "{said}");
    assert!(entries(home.path()).next().is_none(), "something was made in the home folder");
}

async fn run(name: &str, row: &Value) {
    let place = Place::new();
    for step in list(&row["setup"]) {
        place.set_up(step);
    }
    let beside = place.beside_the_root();
    let service = Arc::new(ToolsBasic::new(config(&place.ws())).unwrap());
    for step in list(&row["calls"]) {
        let (tool, arguments) = (step["tool"].as_str().unwrap(), place.filled(&step["args"]).to_string());
        let events = events(&service, testing::cx().0, tool, &arguments, || {}).await;
        let Some((ToolEvent::Result(result), before)) = events.split_last() else {
            panic!("{name}: {events:?}")
        };
        assert!(before.iter().all(|event| matches!(event, ToolEvent::Progress(_))), "{name}: two results");
        check(name, result, &step["expect"]);
    }
    for expected in list(&row["fs"]) {
        place.check(name, expected);
    }
    assert_eq!(place.beside_the_root(), beside, "{name}: something changed outside the root");
    let is_half_written = |name: &OsString| name.to_string_lossy().ends_with(".tmp");
    assert!(
        !entries(&place.ws()).any(|(name, _)| is_half_written(&name)),
        "{name}: a half-written file stays"
    );
}

fn check(name: &str, result: &ToolResult, expected: &Value) {
    let text = &result.text;
    let start: String = text.chars().take(500).collect();
    match &expected["ok"] {
        Value::Bool(ok) => assert_eq!(!result.is_error, *ok, "{name}: {:?} {start}", result.code),
        any => assert_eq!(any, "any", "{name}"),
    }
    assert!(!text.is_empty(), "{name}: nothing is no observation");
    if let Some(codes) = expected["codes"].as_array() {
        let code = result.code.as_deref().unwrap_or_default();
        assert!(codes.iter().any(|c| c == code), "{name}: {code} {start}");
    }
    for word in list(&expected["contains"]) {
        assert!(text.contains(word.as_str().unwrap()), "{name}: no {word} in {start}");
    }
    for word in list(&expected["not_contains"]) {
        assert!(!text.contains(word.as_str().unwrap()), "{name}: {word} in {start}");
    }
    for word in list(&expected["entries"]) {
        let named = text.lines().filter(|line| line.split([' ', '/']).next() == word.as_str());
        assert_eq!(named.count(), 1, "{name}: {word} in {text}");
    }
    if let Some(bytes_max) = expected["bytes_max"].as_u64() {
        assert!(text.len() as u64 <= bytes_max, "{name}: {} bytes", text.len());
    }
}

struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        for folder in ["ws", "out", "home"] {
            fs::create_dir(place.0.path().join(folder)).unwrap();
        }
        place
    }

    fn ws(&self) -> PathBuf {
        self.0.path().join("ws")
    }

    fn fill(&self, text: &str) -> String {
        let root = self.0.path().to_str().unwrap();
        [("<ROOT>", ""), ("<WS>", "/ws"), ("<OUT>", "/out"), ("<HOME>", "/home")]
            .iter()
            .fold(text.to_owned(), |text, (word, below)| text.replace(word, &format!("{root}{below}")))
    }

    /// Arguments with places put in and long values made: `repeat` of a text, `pad` of a command to a length.
    fn filled(&self, arguments: &Value) -> Value {
        let fill = |value: &Value| match value {
            Value::String(text) => self.fill(text).into(),
            Value::Object(_) if value["pad"].is_array() => {
                let (text, bytes) =
                    (value["pad"][0].as_str().unwrap(), value["pad"][1].as_u64().unwrap() as usize);
                format!("{text}{}", "x".repeat(bytes - text.len())).into()
            }
            Value::Object(_) => {
                format!("{}{}", repeated(&value["repeat"]), value["then"].as_str().unwrap()).into()
            }
            other => other.clone(),
        };
        arguments.as_object().unwrap().iter().map(|(name, value)| (name.clone(), fill(value))).collect()
    }

    fn set_up(&self, step: &Value) {
        let path = match step["path_hex_name"].as_str() {
            None => PathBuf::from(self.fill(step["path"].as_str().unwrap())),
            Some(hex) => {
                Path::new(&self.fill(step["dir"].as_str().unwrap())).join(OsString::from_vec(bytes(hex)))
            }
        };
        match step["op"].as_str().unwrap() {
            "file" => fs::write(path, content(step)).unwrap(),
            "dir" => fs::create_dir_all(path).unwrap(),
            "symlink" => symlink(self.fill(step["target"].as_str().unwrap()), path).unwrap(),
            "fifo" => mkfifo(&path, Mode::S_IRWXU).unwrap(),
            other => panic!("unknown op {other}"),
        }
    }

    fn check(&self, name: &str, expected: &Value) {
        let path = PathBuf::from(self.fill(expected["path"].as_str().unwrap()));
        let kind = fs::symlink_metadata(&path).map(|meta| meta.file_type());
        if expected["absent"] == true {
            assert!(kind.is_err(), "{name}: {} is there", path.display());
            return;
        }
        let kind = kind.unwrap_or_else(|e| panic!("{name}: {}: {e}", path.display()));
        match expected["is"].as_str() {
            None => assert_eq!(fs::read(&path).unwrap(), content(expected), "{name}: {}", path.display()),
            Some("dir") => assert!(kind.is_dir(), "{name}"),
            Some("symlink") => assert!(kind.is_symlink(), "{name}"),
            Some("fifo") => assert!(kind.is_fifo(), "{name}"),
            Some(other) => panic!("unknown kind {other}"),
        }
    }

    /// All that lies beside the root: paths, and what regular files hold.
    fn beside_the_root(&self) -> BTreeMap<PathBuf, Option<Vec<u8>>> {
        let mut found = BTreeMap::new();
        let mut folders = vec![self.0.path().to_owned()];
        while let Some(folder) = folders.pop() {
            for (_, path) in entries(&folder).filter(|(name, _)| name != "ws") {
                if path.is_dir() {
                    folders.push(path.clone());
                }
                found.insert(path.clone(), fs::read(&path).ok());
            }
        }
        found
    }
}

fn entries(folder: &Path) -> impl Iterator<Item = (OsString, PathBuf)> {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap()).map(|entry| (entry.file_name(), entry.path()))
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

fn content(step: &Value) -> Vec<u8> {
    if let Some(hex) = step["hex"].as_str() {
        return bytes(hex);
    }
    let text = step["text"].as_str().map(str::to_owned);
    let made = || format!("{}{}", step["prefix"].as_str().unwrap_or_default(), repeated(&step["repeat"]));
    text.unwrap_or_else(made).into_bytes()
}

fn repeated(pair: &Value) -> String {
    pair[0].as_str().unwrap().repeat(pair[1].as_u64().unwrap() as usize)
}

fn bytes(hex: &str) -> Vec<u8> {
    hex.as_bytes()
        .chunks(2)
        .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap())
        .collect()
}

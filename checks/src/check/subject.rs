//! What is checked: rows and patches, reached through the `harness` binary as a user reaches them.
use super::{Ended, Miss, process};
use checks::{
    failure::Failure,
    fake_model::{FakeModel, Script},
};
use contracts::Item;
use plugin_api::RChunk;
use serde_json::Value;
use std::{
    cell::{Cell, OnceCell},
    collections::BTreeMap,
    env::consts::EXE_SUFFIX,
    ffi::OsString,
    path::{Path, PathBuf},
    process::Command,
    time::{Duration, Instant},
};
use tempfile::TempDir;

/// The key that plugins under check get.
pub(crate) const KEY: &str = "sk-check-5f3a91c07be24d68";
/// The model that they get.
pub(crate) const MODEL: &str = "check-model";
/// A plugin that holds its thread for longer is told of by the harness, with its row.
const STUCK_MS: &str = "6000";
/// Variables that belong to the person who runs the suite, and not to what is checked.
const OTHERS: [&str; 4] = ["LLM_", "DEEPSEEK_", "OPENAI_", "HARNESS_"];
const PLUGIN_PATH: &str = "HARNESS_PLUGIN_PATH";

/// Rows under check.
pub(crate) struct Subject {
    harness: PathBuf,
    config: Option<PathBuf>,
    patches: Vec<PathBuf>,
    /// Until when a criterion may run.
    until: Cell<Option<Instant>>,
    /// What `harness rows` says, once it was asked.
    rows: OnceCell<Result<Value, Miss>>,
}

/// One use of the harness in a folder of its own.
pub(crate) struct Tried<'a> {
    subject: &'a Subject,
    folder: TempDir,
    env: BTreeMap<&'static str, String>,
    keep_env: bool,
    patches: Vec<PathBuf>,
    seconds_max: Option<Duration>,
}

impl Subject {
    pub(crate) fn new(config: Option<&Path>, patches: &[PathBuf]) -> Result<Self, Failure> {
        let program = std::env::current_exe().unwrap_or_default();
        let harness = program.with_file_name(format!("harness{EXE_SUFFIX}"));
        if !harness.is_file() {
            let message = format!("{} is not there", harness.display());
            return Err(Failure::new("NO_HARNESS", message, "keep harness-check beside the harness"));
        }
        let here = Some(Path::new("harness.yml")).filter(|file| file.is_file());
        let config = config.or(here).map(absolute).transpose()?;
        let patches = patches.iter().map(|file| absolute(file)).collect::<Result<_, _>>()?;
        Ok(Subject { harness, config, patches, until: Cell::default(), rows: OnceCell::default() })
    }

    /// The same rows with one more patch.
    pub(crate) fn patched(&self, patch: &Path) -> Self {
        let (harness, config) = (self.harness.clone(), self.config.clone());
        let patches = self.patches.iter().cloned().chain([patch.to_owned()]).collect();
        Subject { harness, config, patches, until: Cell::default(), rows: OnceCell::default() }
    }

    /// Begins a criterion, which may run for so long.
    pub(crate) fn begin(&self, time: Duration) {
        self.until.set(Some(Instant::now() + time));
    }

    /// Whether the criterion's time is up.
    pub(crate) fn is_late(&self) -> bool {
        self.until.get().is_some_and(|until| Instant::now() >= until)
    }

    /// A use of the rows whose adapter is pointed at `model`.
    pub(crate) fn with(&self, model: &FakeModel) -> Result<Tried<'_>, Miss> {
        let mut tried = self.plain()?;
        tried.env.extend([
            ("LLM_PROVIDER", String::new()),
            ("LLM_BASE_URL", model.base_url().to_owned()),
            ("LLM_MODEL", MODEL.to_owned()),
            ("LLM_API_KEY", KEY.to_owned()),
        ]);
        Ok(tried)
    }

    /// A use of the rows with whatever model the person has set.
    pub(crate) fn live(&self) -> Result<Tried<'_>, Miss> {
        Ok(Tried { keep_env: true, ..self.plain()? })
    }

    fn plain(&self) -> Result<Tried<'_>, Miss> {
        let folder = tempfile::Builder::new().prefix("harness-check-").tempdir();
        let folder = folder.and_then(|folder| {
            std::fs::create_dir(folder.path().join("root"))?;
            Ok(folder)
        });
        let folder = folder.map_err(|error| Miss::new(format!("no temporary folder: {error}"), "one"))?;
        Ok(Tried {
            subject: self,
            folder,
            env: BTreeMap::new(),
            keep_env: false,
            patches: Vec::new(),
            seconds_max: None,
        })
    }

    /// What `harness rows --json` says of the rows as they are.
    pub(crate) fn rows(&self) -> Result<&Value, Miss> {
        let read = || self.alone()?.rows();
        self.rows.get_or_init(read).as_ref().map_err(Clone::clone)
    }

    /// A use of the rows in which no model is asked.
    pub(crate) fn alone(&self) -> Result<Tried<'_>, Miss> {
        let mut tried = self.plain()?;
        tried
            .env
            .extend([("LLM_BASE_URL", "http://127.0.0.1:9/v1".to_owned()), ("LLM_MODEL", MODEL.to_owned())]);
        tried.env.extend([("LLM_PROVIDER", String::new()), ("LLM_API_KEY", KEY.to_owned())]);
        Ok(tried)
    }

    /// The row that provides a service's own slot.
    pub(crate) fn provider(&self, service: &str) -> Result<Option<&Value>, Miss> {
        let role = format!("provides {service}");
        let rows = self.rows()?["rows"].as_array();
        Ok(rows.into_iter().flatten().find(|row| {
            row["state"] == "mounted"
                && row["roles"].as_array().is_some_and(|roles| roles.contains(&role.as_str().into()))
        }))
    }
}

/// A model that answers from a script.
pub(crate) fn scripted(script: &str) -> Result<FakeModel, Miss> {
    let started = Script::parse(script).and_then(|script| FakeModel::serve(script, 0, None));
    started.map_err(|failure| Miss::new(failure.message, "a scripted model on loopback").next(failure.hint))
}

fn absolute(file: &Path) -> Result<PathBuf, Failure> {
    file.canonicalize().map_err(|error| {
        Failure::new("NO_FILE", format!("{}: {error}", file.display()), "name a file that exists")
    })
}

impl Tried<'_> {
    /// The folder that tools work in.
    pub(crate) fn root(&self) -> PathBuf {
        // Tools answer with real paths; a temporary folder may be behind a link.
        self.folder.path().join("root").canonicalize().unwrap_or_else(|_| self.folder.path().join("root"))
    }

    /// Sets a variable.
    pub(crate) fn env(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.env.insert(name, value.into());
        self
    }

    /// Mounts one more patch.
    pub(crate) fn patch(mut self, text: &str) -> Result<Self, Miss> {
        let file = self.folder.path().join(format!("{}.patch.yml", self.patches.len()));
        std::fs::write(&file, text)
            .map_err(|error| Miss::new(format!("{}: {error}", file.display()), "a file"))?;
        self.patches.push(file);
        Ok(self)
    }

    /// Ends it earlier than the criterion's time.
    pub(crate) fn within(mut self, time: Duration) -> Self {
        self.seconds_max = Some(time);
        self
    }

    /// `harness ARGS`, line by line.
    pub(crate) fn harness(&self, args: &[&str], line: &mut dyn FnMut(&str)) -> Result<Ended, Miss> {
        let mut command = Command::new(&self.subject.harness);
        let others = std::env::vars_os().map(|(name, _)| name);
        for name in others.filter(|name| !self.keep_env && is_of_the_person(name)) {
            command.env_remove(name);
        }
        command.envs(&self.env).env("HARNESS_STUCK_MS", STUCK_MS).current_dir(self.root());
        if let Some(config) = &self.subject.config {
            command.arg("--config").arg(config);
        }
        for patch in self.subject.patches.iter().chain(&self.patches) {
            command.arg("--patch").arg(patch);
        }
        command.arg("--root").arg(self.root()).args(args);
        let now = Instant::now();
        let mut until = self.subject.until.get().unwrap_or(now + Duration::from_secs(20));
        if let Some(time) = self.seconds_max {
            until = until.min(now + time);
        }
        process::run(command, until, line).map_err(|error| {
            Miss::new(format!("{} cannot be run: {error}", self.subject.harness.display()), "a program")
        })
    }

    /// Streams a method of a service. An error of the stream itself is a miss, as no rule allows one.
    pub(crate) fn open<T: Item>(
        &self,
        service: &str,
        method: &str,
        head: &Value,
        parts: &[String],
    ) -> Result<Vec<T>, Miss> {
        self.follow(service, method, head, parts, &mut |_: &T| {})
    }

    /// The same, with each item as it comes.
    pub(crate) fn follow<T: Item>(
        &self,
        service: &str,
        method: &str,
        head: &Value,
        parts: &[String],
        see: &mut dyn FnMut(&T),
    ) -> Result<Vec<T>, Miss> {
        let mut items: Vec<Result<T, Miss>> = Vec::new();
        let ended = self.call_lines(service, method, head, parts, &mut |line| {
            let item = item(line);
            if let Ok(item) = &item {
                see(item);
            }
            items.push(item);
        })?;
        well(&ended, &format!("{service}.{method} to end"))?;
        items.into_iter().collect()
    }

    /// Calls a method that answers once: its head and its parts.
    pub(crate) fn call(
        &self,
        service: &str,
        method: &str,
        head: &Value,
    ) -> Result<(Value, Vec<String>), Miss> {
        let ended = self.call_lines(service, method, head, &[], &mut |_| {})?;
        well(&ended, &format!("{service}.{method} to answer"))?;
        let answer: Value =
            ended.lines.first().and_then(|line| serde_json::from_str(line).ok()).unwrap_or_default();
        let parts = answer["parts"].as_array().into_iter().flatten();
        Ok((answer["head"].clone(), parts.filter_map(|part| part.as_str().map(str::to_owned)).collect()))
    }

    fn call_lines(
        &self,
        service: &str,
        method: &str,
        head: &Value,
        parts: &[String],
        line: &mut dyn FnMut(&str),
    ) -> Result<Ended, Miss> {
        let head = head.to_string();
        let mut args = vec!["call", service, method, &head];
        args.extend(parts.iter().flat_map(|part| ["--part", part]));
        self.harness(&args, line)
    }

    pub(crate) fn rows(&self) -> Result<Value, Miss> {
        let ended = self.harness(&["rows", "--json"], &mut |_| {})?;
        well(&ended, "the rows to mount")?;
        Ok(ended.lines.first().and_then(|line| serde_json::from_str(line).ok()).unwrap_or_default())
    }
}

/// A miss unless the harness ended by itself and well.
fn well(ended: &Ended, wanted: &str) -> Result<(), Miss> {
    if ended.cut.is_none() && ended.code == Some(0) { Ok(()) } else { Err(ended.miss(wanted)) }
}

fn is_of_the_person(name: &OsString) -> bool {
    let name = name.to_string_lossy();
    let is_proxy = name.to_ascii_lowercase().ends_with("_proxy");
    (OTHERS.iter().any(|prefix| name.starts_with(prefix)) || is_proxy) && name != PLUGIN_PATH
}

/// An item of a stream, as `harness call` prints it.
fn item<T: Item>(line: &str) -> Result<T, Miss> {
    let value: Value = serde_json::from_str(line).unwrap_or_default();
    let number = |key: &str| value[key].as_u64().unwrap_or_default();
    let data = if value["data"].is_null() { String::new() } else { value["data"].to_string() };
    let parts = value["parts"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let chunk = RChunk {
        kind: u16::try_from(number("kind")).unwrap_or_default(),
        index: u32::try_from(number("index")).unwrap_or_default(),
        text: value["text"].as_str().unwrap_or_default().into(),
        data: data.into(),
        parts: parts.map(contracts::Part::new).collect(),
        ..RChunk::default()
    };
    T::from_chunk(chunk).map_err(|error| Miss::new(error.message, "an item as the contract has it"))
}

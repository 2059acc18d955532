//! One use of the rows under check: a folder, variables, and what the harness prints.
use super::{Ended, Miss, Subject, process, suite::CRITERION_TIME};
use contracts::Item;
use plugin_api::RChunk;
use serde_json::Value;
use std::{
    collections::BTreeMap,
    ffi::OsString,
    path::PathBuf,
    time::{Duration, Instant},
};
use tempfile::TempDir;

/// A plugin that holds its thread for longer is told of by the harness, with its row.
const STUCK_MS: &str = "6000";
/// Variables that belong to the person who runs the suite, and not to what is checked.
const OTHERS: [&str; 4] = ["LLM_", "DEEPSEEK_", "OPENAI_", "HARNESS_"];
const PLUGIN_PATH: &str = "HARNESS_PLUGIN_PATH";

/// One use of the harness in a folder of its own.
pub(crate) struct Tried<'a> {
    subject: &'a Subject,
    folder: TempDir,
    env: BTreeMap<&'static str, String>,
    keep_env: bool,
    patches: Vec<PathBuf>,
    time_max: Option<Duration>,
}

impl<'a> Tried<'a> {
    pub(super) fn new(subject: &'a Subject) -> Result<Self, Miss> {
        let folder = tempfile::Builder::new().prefix("harness-check-").tempdir();
        let folder = folder.and_then(|folder| {
            std::fs::create_dir(folder.path().join("root"))?;
            Ok(folder)
        });
        let folder = folder.map_err(|error| Miss::new(format!("no temporary folder: {error}"), "one"))?;
        let (env, patches) = (BTreeMap::new(), Vec::new());
        Ok(Tried { subject, folder, env, keep_env: false, patches, time_max: None })
    }

    /// With the variables of the person who runs the suite.
    pub(super) fn of_the_person(self) -> Self {
        Tried { keep_env: true, ..self }
    }

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
        self.time_max = Some(time);
        self
    }

    /// `harness ARGS`, line by line.
    pub(crate) fn harness(&self, args: &[&str], line: &mut dyn FnMut(&str)) -> Result<Ended, Miss> {
        let mut command = self.subject.command();
        let others = std::env::vars_os().map(|(name, _)| name);
        for name in others.filter(|name| !self.keep_env && is_of_the_person(name)) {
            command.env_remove(name);
        }
        command.envs(&self.env).env("HARNESS_STUCK_MS", STUCK_MS).current_dir(self.root());
        for patch in &self.patches {
            command.arg("--patch").arg(patch);
        }
        command.arg("--root").arg(self.root()).args(args);
        let now = Instant::now();
        let until = self.subject.until().unwrap_or(now + CRITERION_TIME);
        let until = self.time_max.map_or(until, |time| until.min(now + time));
        process::run(command, until, line)
            .map_err(|error| Miss::new(format!("the harness cannot be run: {error}"), "a program"))
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
            let Some(item) = item(line) else { return };
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
        let mut answers = ended.lines.iter().filter_map(|line| answered(line));
        let (Some(answer), None) = (answers.next(), answers.next()) else {
            return Err(foreign(ended.lines.first().map_or("", |line| line)));
        };
        let answer = answer?;
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

/// A line that the harness has not printed.
pub(crate) fn foreign(line: &str) -> Miss {
    let got = format!("a line on standard output that is not the harness's: {line}");
    Miss::new(got, "standard output to be the harness's alone")
        .next("let the plugin print nothing: use `tracing`")
}

/// What `harness call` answers in a line; none for an event, which a row has said beside the answer.
fn answered(line: &str) -> Option<Result<Value, Miss>> {
    match serde_json::from_str::<Value>(line) {
        Ok(value) if value["type"].is_string() => None,
        Ok(value) => Some(Ok(value)),
        Err(_) => Some(Err(foreign(line))),
    }
}

/// An item of a stream, as `harness call` prints it.
fn item<T: Item>(line: &str) -> Option<Result<T, Miss>> {
    let read = |value: Value| if value["kind"].is_u64() { from_json(&value) } else { Err(foreign(line)) };
    Some(answered(line)?.and_then(read))
}

fn from_json<T: Item>(value: &Value) -> Result<T, Miss> {
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

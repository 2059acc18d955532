//! What is checked: rows and patches, reached through the `harness` binary as a user reaches them.
use super::{Miss, Tried};
use checks::{
    failure::Failure,
    fake_model::{FakeModel, Script},
};
use serde_json::Value;
use std::{
    any::Any,
    cell::{Cell, OnceCell, RefCell},
    collections::HashMap,
    env::consts::EXE_SUFFIX,
    path::{Path, PathBuf},
    process::Command,
    time::{Duration, Instant},
};

/// The key that plugins under check get.
pub(crate) const KEY: &str = "sk-check-5f3a91c07be24d68";
/// The model that they get.
pub(crate) const MODEL: &str = "check-model";

/// Rows under check.
pub(crate) struct Subject {
    harness: PathBuf,
    config: Option<PathBuf>,
    patches: Vec<PathBuf>,
    /// Until when a criterion may run.
    until: Cell<Option<Instant>>,
    /// What `harness rows` says, once it was asked.
    rows: OnceCell<Result<Value, Miss>>,
    /// What was seen for this criterion already.
    seen: RefCell<HashMap<String, Box<dyn Any + Send>>>,
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
        Ok(Subject::of(harness, config, patches))
    }

    fn of(harness: PathBuf, config: Option<PathBuf>, patches: Vec<PathBuf>) -> Self {
        let (until, rows, seen) = (Cell::default(), OnceCell::default(), RefCell::default());
        Subject { harness, config, patches, until, rows, seen }
    }

    /// The same rows with one more patch.
    pub(crate) fn patched(&self, patch: &Path) -> Self {
        let patches = self.patches.iter().cloned().chain([patch.to_owned()]).collect();
        Subject::of(self.harness.clone(), self.config.clone(), patches)
    }

    /// Begins a criterion, which may run for so long.
    pub(crate) fn begin(&self, time: Duration) {
        self.seen.borrow_mut().clear();
        self.until.set(Some(Instant::now() + time));
    }

    /// What `make` sees, made once a criterion: several checks may look at one run.
    pub(crate) fn once<T: Clone + Send + 'static>(
        &self,
        key: &str,
        make: impl FnOnce() -> Result<T, Miss>,
    ) -> Result<T, Miss> {
        if let Some(seen) =
            self.seen.borrow().get(key).and_then(|seen| seen.downcast_ref::<Result<T, Miss>>())
        {
            return seen.clone();
        }
        let made = make();
        self.seen.borrow_mut().insert(key.to_owned(), Box::new(made.clone()));
        made
    }

    /// Whether the criterion's time is up.
    pub(crate) fn is_late(&self) -> bool {
        self.until.get().is_some_and(|until| Instant::now() >= until)
    }

    /// A use of the rows whose adapter is pointed at `model`.
    pub(crate) fn with(&self, model: &FakeModel) -> Result<Tried<'_>, Miss> {
        self.at(model.base_url())
    }

    /// A use of the rows with whatever model the person has set.
    pub(crate) fn live(&self) -> Result<Tried<'_>, Miss> {
        Ok(Tried::new(self)?.of_the_person())
    }

    /// What `harness rows --json` says of the rows as they are.
    pub(crate) fn rows(&self) -> Result<&Value, Miss> {
        let read = || self.alone()?.rows();
        self.rows.get_or_init(read).as_ref().map_err(Clone::clone)
    }

    /// A use of the rows in which no model is asked.
    pub(crate) fn alone(&self) -> Result<Tried<'_>, Miss> {
        self.at("http://127.0.0.1:9/v1")
    }

    fn at(&self, base_url: &str) -> Result<Tried<'_>, Miss> {
        let tried = Tried::new(self)?.env("LLM_PROVIDER", "").env("LLM_BASE_URL", base_url);
        // Empty ones hold against a `.env` beside the rows.
        let tried = tried.env("HARNESS_MODEL", "").env("HARNESS_MAX_STEPS", "");
        Ok(tried.env("LLM_MODEL", MODEL).env("LLM_API_KEY", KEY))
    }

    /// The harness with these rows.
    pub(super) fn command(&self) -> Command {
        let mut command = Command::new(&self.harness);
        if let Some(config) = &self.config {
            command.arg("--config").arg(config);
        }
        for patch in &self.patches {
            command.arg("--patch").arg(patch);
        }
        command
    }

    /// When the criterion's time is up.
    pub(super) fn until(&self) -> Option<Instant> {
        self.until.get()
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

//! The programs beside this one, asked for what they know.
use rows::Problem;
use serde::Deserialize;
use std::{
    collections::BTreeMap,
    env::consts::EXE_SUFFIX,
    path::{Path, PathBuf},
    process::Command,
};

/// What `harness rows --json` says.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Rows {
    pub(crate) rows: Vec<Row>,
}

/// One row of it.
#[derive(Debug, Deserialize)]
pub(crate) struct Row {
    pub(crate) id: String,
    /// Name and version.
    pub(crate) plugin: String,
    /// Where it was loaded from; none for a disabled row.
    pub(crate) file: Option<PathBuf>,
}

/// What `harness check list --json` says.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Known {
    pub(crate) contracts: Vec<Contract>,
    pub(crate) criteria: Vec<Criterion>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Contract {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) about: String,
    /// The Rust module.
    pub(crate) definition: String,
    pub(crate) methods: BTreeMap<String, String>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Criterion {
    pub(crate) id: String,
    pub(crate) services: Vec<String>,
}

/// How the programs are asked.
pub(crate) struct Neighbours(Vec<PathBuf>);

impl Neighbours {
    pub(crate) fn of(config: Option<&Path>, patches: &[PathBuf]) -> Self {
        let config = config.iter().flat_map(|file| [PathBuf::from("--config"), file.to_path_buf()]);
        let patches = patches.iter().flat_map(|file| [PathBuf::from("--patch"), file.clone()]);
        Neighbours(config.chain(patches).collect())
    }

    /// The rows as they are mounted.
    pub(crate) fn rows(&self) -> Result<Rows, Problem> {
        let mut command = Command::new(beside("harness"));
        answer(command.args(&self.0).args(["rows", "--json"]))
    }

    /// The contracts and criteria that the suite knows; none where there is no suite.
    pub(crate) fn known(&self) -> Known {
        answer(Command::new(beside("harness-check")).args(["list", "--json"])).unwrap_or_default()
    }
}

fn beside(name: &str) -> PathBuf {
    std::env::current_exe().unwrap_or_default().with_file_name(format!("{name}{EXE_SUFFIX}"))
}

fn answer<T: for<'a> Deserialize<'a>>(command: &mut Command) -> Result<T, Problem> {
    let name = Path::new(command.get_program()).display().to_string();
    let failed = |what: String, hint: &str| Problem::new("PROGRAM_FAILED", format!("{name}: {what}"), hint);
    let output = command.output().map_err(|error| failed(error.to_string(), "install it again"))?;
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    if !output.status.success() {
        // Its own words: they name the row and the remedy.
        let line = |mark: &str| errors.lines().find_map(|line| line.trim_start().strip_prefix(mark));
        let (what, hint) = (line("error: ").unwrap_or(errors.trim()), line("hint: ").unwrap_or_default());
        return Err(Problem::new("ROWS_FAILED", what, hint));
    }
    serde_json::from_slice(&output.stdout).map_err(|error| failed(error.to_string(), "install it again"))
}

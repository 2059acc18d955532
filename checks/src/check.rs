//! `harness-check 01`: proves of any rows that they keep what a module says of their services.
//!
//! The suite drives the public `harness` binary and a scripted model on loopback; it knows no plugin.
mod criterion;
mod declared;
mod interrupt;
mod matrix;
mod process;
mod report;
mod subject;
mod suite;
mod tried;

pub(crate) use criterion::{Check, Criterion, Kind, Miss, Module, Verdict, ensure};
pub(crate) use matrix::{Defect, Place};
pub(crate) use process::Ended;
pub(crate) use subject::{KEY, MODEL, Subject, scripted};
pub(crate) use tried::{Tried, foreign};

use checks::failure::Failure;
use clap::Args;
use std::{
    io::Write as _,
    path::{Path, PathBuf},
    process::ExitCode,
};
use suite::Suite;

/// The exit code after Ctrl-C, as a shell has it.
const INTERRUPTED: u8 = 130;

/// Which rows are checked, and what is printed.
#[derive(Args)]
pub(crate) struct Options {
    /// The rows [default: ./harness.yml, else the one beside this program]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// A file that changes rows; may be given several times. Skips that it expects stand beside it, in NAME.skips.yml
    #[arg(long, value_name = "FILE")]
    patch: Vec<PathBuf>,
    /// Only these criteria, such as L1.5,L1.6
    #[arg(long, value_name = "IDS", value_delimiter = ',')]
    only: Vec<String>,
    /// Also what needs a real model: LLM_PROVIDER or LLM_BASE_URL, LLM_MODEL and LLM_API_KEY
    #[arg(long)]
    live: bool,
    /// One JSON object
    #[arg(long)]
    json: bool,
    /// Also writes the results as JUnit XML
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Plants each known defect in turn, and prints which criterion sees it; in a checkout of the harness
    #[arg(long, conflicts_with_all = ["only", "live", "json", "junit"])]
    defects: bool,
}

/// Runs a module's criteria. The exit code is 1 when one of them fails.
pub(crate) fn run(module: &'static Module, options: &Options) -> Result<ExitCode, Failure> {
    interrupt::listen()?;
    let only = chosen(module, &options.only)?;
    if let Some(file) = &options.junit {
        // That it cannot be written is better known now.
        write(file, "")?;
    }
    let subject = Subject::new(options.config.as_deref(), &options.patch)?;
    if options.defects {
        return matrix::print(module, &subject);
    }
    let declared = declared::read(module, &options.patch)?;
    let suite = Suite { subject, declared, only, live: options.live };
    let mut done = Vec::new();
    for criterion in suite.chosen(module) {
        let outcome = suite.judge(criterion);
        if interrupt::came() {
            return Ok(ExitCode::from(INTERRUPTED));
        }
        if !options.json {
            say(&report::line(criterion, &outcome))?;
        }
        done.push((criterion, outcome));
    }
    if let Some(file) = &options.junit {
        write(file, &report::junit(module, &done)?)?;
    }
    let text = if options.json { report::json(module, &done) } else { report::totals(&done) };
    say(&text)?;
    Ok(ExitCode::from(u8::from(report::failed(&done))))
}

/// The criteria of `--only`, as they are spelt; all where none is named.
fn chosen(module: &Module, only: &[String]) -> Result<Vec<&'static str>, Failure> {
    only.iter()
        .map(|wanted| wanted.trim())
        .filter(|wanted| !wanted.is_empty())
        .map(|wanted| {
            let found = module.criteria.iter().find(|criterion| criterion.id.eq_ignore_ascii_case(wanted));
            found.map(|criterion| criterion.id).ok_or_else(|| {
                let known: Vec<&str> = module.criteria.iter().map(|criterion| criterion.id).collect();
                let message = format!("--only: module {} has no criterion `{wanted}`", module.id);
                Failure::new("NO_CRITERION", message, format!("there are {}", known.join(", ")))
            })
        })
        .collect()
}

pub(crate) fn say(text: &str) -> Result<(), Failure> {
    let mut stdout = std::io::stdout().lock();
    stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()).map_err(|error| {
        Failure::new("OUTPUT_FAILED", format!("standard output: {error}"), "look at what reads it")
    })
}

fn write(file: &Path, text: &str) -> Result<(), Failure> {
    std::fs::write(file, text).map_err(|error| {
        let message = format!("{}: {error}", file.display());
        Failure::new("OUTPUT_FAILED", message, "name a file in a folder that exists and is yours")
    })
}

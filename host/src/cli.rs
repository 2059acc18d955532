//! The command line.
use crate::{ask::Asked, report::Output};
use clap::{Args, Parser, Subcommand, builder::NonEmptyStringValueParser};
use std::{ffi::OsString, path::PathBuf};

/// Runs an agent from the rows of a harness.yml. Every part is a row, and any row can be swapped.
#[derive(Debug, Parser)]
#[command(name = "harness", version, arg_required_else_help = true, after_help = EXIT_CODES)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) setup: Setup,
    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXIT_CODES: &str = "Exit codes: 0 completed, 1 failed, 2 could not start, 3 blocked, 4 cut at max-tokens, 5 a limit, 130 aborted";

/// What is mounted.
#[derive(Debug, Args)]
pub(crate) struct Setup {
    /// The rows [default: ./harness.yml, else the one beside this program]
    #[arg(long, global = true, value_name = "FILE", help_heading = "Rows")]
    pub(crate) config: Option<PathBuf>,
    /// A file that changes rows; may be given several times, applied in order
    #[arg(long, global = true, value_name = "FILE", help_heading = "Rows")]
    pub(crate) patch: Vec<PathBuf>,
    /// Applies the shipped offline.patch.yml first: no key, no network
    #[arg(long, global = true, help_heading = "Rows")]
    pub(crate) offline: bool,
    /// The folder to work in; rows see it as HARNESS_ROOT
    #[arg(long, global = true, value_name = "DIR", help_heading = "Rows")]
    pub(crate) root: Option<PathBuf>,
    /// The model; rows see it as HARNESS_MODEL
    #[arg(long, global = true, value_name = "NAME", help_heading = "Rows")]
    pub(crate) model: Option<String>,
    /// The most steps of a turn; rows see it as HARNESS_MAX_STEPS
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), help_heading = "Rows")]
    pub(crate) max_steps: Option<u32>,
    /// The session's name; rows see it as HARNESS_SESSION
    #[arg(long, global = true, value_name = "ID", value_parser = NonEmptyStringValueParser::new(), help_heading = "Rows")]
    pub(crate) session: Option<String>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Works on a task
    Run(Task),
    /// Prints rows, their state, the chain of each slot, and where each value comes from
    Rows {
        /// As one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Calls a method of a mounted service and prints the answer as JSON
    Call {
        /// The slot
        service: String,
        /// The method
        method: String,
        /// The payload's head
        #[arg(value_name = "JSON", default_value = "{}")]
        head: String,
        /// A part of the payload, as text; may be given several times
        #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
        part: Vec<String>,
    },
    /// A command that a mounted plugin declares, or a program `harness-NAME` beside this one
    #[command(external_subcommand)]
    Other(Vec<OsString>),
}

/// A task and how it is shown.
#[derive(Debug, Parser)]
pub(crate) struct Task {
    /// The task; read from standard input when it is `-`, or missing and input is no terminal
    pub(crate) task: Vec<String>,
    /// What goes to standard output
    #[arg(long, value_enum, default_value_t)]
    pub(crate) output: Output,
    /// Who answers questions
    #[arg(long, value_enum, default_value_t)]
    pub(crate) ask: Asked,
}

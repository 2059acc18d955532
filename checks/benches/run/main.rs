//! The program against the spine: what a run costs from start to end, in the same process of measuring, and as ratios.
//!
//! `cargo bench --bench run`; README.md beside this folder says what each line means.
mod child;
mod client;
mod contender;
mod deltas;
mod launcher;
mod model;
mod mounting;
mod scene;
mod start;
mod steps;
mod table;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use scene::Scene;
use table::Table;

/// How much is measured.
struct Plan {
    /// Where the optimised programs and libraries are; built first when this is not given.
    binaries: Option<PathBuf>,
    /// Parts to measure, by name; all when empty.
    only: Vec<String>,
    starts: usize,
    /// Lengths of runs in steps, with how often each is measured.
    steps: Vec<(usize, usize)>,
    deltas: usize,
    delta_runs: usize,
}

impl Plan {
    fn full() -> Self {
        let steps = vec![(20, 10), (200, 5), (500, 12)];
        Plan { binaries: None, only: Vec::new(), starts: 20, steps, deltas: 20_000, delta_runs: 5 }
    }

    /// Enough to see that everything still runs.
    fn quick() -> Self {
        let steps = vec![(20, 2), (60, 2)];
        Plan { binaries: None, only: Vec::new(), starts: 3, steps, deltas: 2_000, delta_runs: 2 }
    }

    fn wants(&self, part: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|name| name == part)
    }
}

const USAGE: &str = "cargo bench --bench run [-- [--quick] [--binaries DIR] [start] [steps] [deltas]]";

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    // This program is also the parts that must be processes of their own.
    let done = match arguments.next().as_deref() {
        Some(launcher::WORD) => launcher::run(arguments.collect()),
        Some(client::WORD) => client::run(arguments.collect()),
        Some(mounting::WORD) => mounting::run(arguments.collect()),
        _ => measure(std::env::args().skip(1).collect()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            table::complain(&format!("{error:#}"));
            ExitCode::FAILURE
        }
    }
}

fn plan(arguments: Vec<String>) -> Result<Plan> {
    let quick = arguments.iter().any(|argument| argument == "--quick");
    let mut plan = if quick { Plan::quick() } else { Plan::full() };
    let mut arguments = arguments.into_iter();
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            // The last is what cargo adds.
            "--quick" | "--bench" => {}
            "--binaries" => {
                plan.binaries = Some(arguments.next().context("--binaries names a folder")?.into())
            }
            "start" | "steps" | "deltas" => plan.only.push(argument),
            _ => bail!("unknown argument `{argument}`: {USAGE}"),
        }
    }
    Ok(plan)
}

fn measure(arguments: Vec<String>) -> Result<()> {
    let plan = plan(arguments)?;
    let binaries = match &plan.binaries {
        Some(folder) => folder.canonicalize().with_context(|| folder.display().to_string())?,
        None => checks::workspace::built().to_owned(),
    };
    let scene = Scene::new(&binaries)?;
    let mut table = Table::new("harness", "spine");
    if plan.wants("start") {
        start::measure(&scene, plan.starts, &mut table)?;
        mounting::measure(&scene, plan.starts, &mut table)?;
    }
    if plan.wants("steps") {
        steps::measure(&scene, &plan.steps, &mut table)?;
    }
    if plan.wants("deltas") {
        deltas::measure(&scene, plan.deltas, plan.delta_runs, &mut table)?;
    }
    table.end();
    Ok(())
}

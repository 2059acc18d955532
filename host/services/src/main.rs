//! `harness-services`: for each service, who provides, joins, wraps and consumes it, and what checks it. Where a seam is.
//!
//! Everything is asked for: rows of the harness, plugins of their libraries, contracts and criteria of the suite. No service is known here.
mod census;
mod neighbours;
mod show;

use census::Census;
use clap::Parser;
use neighbours::Neighbours;
use rows::{Problem, names};
use std::{path::PathBuf, process::ExitCode};

/// Lists each service with its providers, joins, wraps, consumers and checks.
#[derive(Debug, Parser)]
#[command(name = "harness services", version)]
struct Cli {
    /// Only this service
    service: Option<String>,
    /// The rows [default: ./harness.yml, else the one beside this program]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// A file that changes rows; may be given several times, applied in order
    #[arg(long, value_name = "FILE")]
    patch: Vec<PathBuf>,
    /// As one JSON object
    #[arg(long)]
    json: bool,
}

fn main() -> ExitCode {
    match listed(&Cli::parse()) {
        Ok(text) => ExitCode::from(u8::from(!terminal::print(&text))),
        Err(problem) => {
            terminal::complain(&format!("{} ({})", problem.message, problem.code), &problem.hint, false);
            ExitCode::from(2)
        }
    }
}

fn listed(cli: &Cli) -> Result<String, Problem> {
    let neighbours = Neighbours::of(cli.config.as_deref(), &cli.patch);
    let census = Census::take(&neighbours.rows()?, &census::installed(), &neighbours.known());
    let known = census.0.keys().map(String::as_str);
    let wanted = match &cli.service {
        None => census.0.iter().collect(),
        Some(name) => vec![census.0.get_key_value(name).ok_or_else(|| {
            let what = format!("no plugin and no contract speaks of a service `{name}`");
            Problem::new("NO_SERVICE", what, format!("there are {}", names(known)))
        })?],
    };
    Ok(if cli.json { show::json(&wanted) } else { show::text(&wanted) })
}

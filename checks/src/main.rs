//! `harness-check`: the checks as commands.

mod check;
#[path = "../01-foundations/criteria.rs"]
mod foundations;
mod list;
mod serve;

use std::io::Write;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Proves that a row keeps its service's contract.
#[derive(Parser)]
#[command(name = "harness-check", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Serve a scripted model on 127.0.0.1 that checks every request it gets
    Serve(serve::Serve),
    /// List contracts and criteria
    List(list::List),
    /// Module 1: a model, tools, and the loop between them
    #[command(name = "01", visible_alias = "01-foundations")]
    Foundations(check::Options),
}

fn main() -> ExitCode {
    let done = match Cli::parse().command {
        Command::Serve(serve) => serve.run(),
        Command::List(list) => list.run(),
        Command::Foundations(options) => check::run(&foundations::MODULE, &options),
    };
    done.unwrap_or_else(|failure| {
        // With stderr closed there is nobody to tell; the exit code still says it.
        let _ = writeln!(std::io::stderr(), "error: {failure}");
        ExitCode::from(2)
    })
}

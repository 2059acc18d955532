//! `harness-check`: the checks as commands.

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
}

fn main() -> ExitCode {
    let done = match Cli::parse().command {
        Command::Serve(serve) => serve.run(),
    };
    done.unwrap_or_else(|failure| {
        // With stderr closed there is nobody to tell; the exit code still says it.
        let _ = writeln!(std::io::stderr(), "error: {failure}");
        ExitCode::from(2)
    })
}

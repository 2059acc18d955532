//! `harness-lab`: the course's own commands, and the launcher behind the cargo aliases.

use std::ffi::OsString;
use std::process::ExitCode;

mod run;
mod problem;

use problem::Problem;

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    let command = arguments.next();
    let outcome = match command.as_ref().and_then(|command| command.to_str()) {
        Some("run") => run::run(arguments.collect()),
        _ => Err(unknown(command)),
    };
    outcome.unwrap_or_else(|problem| problem.report())
}

fn unknown(command: Option<OsString>) -> Problem {
    let message = match command {
        Some(command) => format!("command `{}` is not known, the one command is `run`", command.display()),
        None => "no command was given, the one command is `run`".to_owned(),
    };
    Problem::usage(message)
}

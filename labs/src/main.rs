//! `harness-lab`: the course's own commands, and the launcher behind the cargo aliases.

use std::io::Write as _;
use std::process::ExitCode;

mod run;
mod lesson;
mod place;
mod start;
mod status;
mod notes;
mod checkout;
mod problem;

use problem::Problem;

const HELP: &str = "\
The course's labs.

Usage: harness lab <command>, in a checkout of the harness also cargo lab <command>

  start 01                   copies what a lab has you write, and its notes, to where you are; never overwrites
  status [01]                runs the checks: which parts are done, and what to do next
  run [--release] <program>  builds the workspace of a checkout, then becomes that program

Labs: 01 foundations
";

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    let command = arguments.next();
    let outcome = match command.as_ref().map(|command| command.to_str()) {
        Some(Some("run")) => run::run(arguments.collect()),
        Some(Some("start")) => start::start(arguments.collect()),
        Some(Some("status")) => status::status(arguments.collect()),
        None | Some(Some("help" | "--help" | "-h")) => say(HELP),
        Some(_) => Err(unknown(command.unwrap_or_default())),
    };
    outcome.unwrap_or_else(|problem| problem.report())
}

fn unknown(command: std::ffi::OsString) -> Problem {
    let message = format!("command `{}` is not known", command.display());
    Problem::usage(message, "harness lab start 01, harness lab status, or harness lab run <program>")
}

/// Prints the result of a command.
fn say(text: &str) -> Result<ExitCode, Problem> {
    let mut stdout = std::io::stdout().lock();
    let said = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
    said.map(|()| ExitCode::SUCCESS).map_err(|error| Problem::file("standard output".as_ref(), &error))
}

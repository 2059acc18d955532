//! `harness-dist`: builds what is shipped and packs it into one archive, which runs wherever it is unpacked.
//!
//! The modules stand in the order in which they are used.
mod problem;
mod program;
mod workspace;
mod build;
mod licences;
mod sdk;
mod contents;
mod archive;

use clap::Parser;
use problem::Problem;
use std::{
    io::{self, Write as _},
    path::{Path, PathBuf},
    process::ExitCode,
};
use workspace::Workspace;

/// Makes the release archive: the programs, one library with all plugins, the rows, the checks, the sources that plugins are built with, and
/// the licences.
#[derive(Debug, Parser)]
#[command(name = "harness dist", version)]
struct Cli {
    /// The folder that the archive is written to [default: `archive` in cargo's target folder]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Packs the programs and the library that are in this folder, and builds none
    #[arg(long, value_name = "DIR")]
    from: Option<PathBuf>,
}

fn main() -> ExitCode {
    match dist(Cli::parse()).and_then(|report| written(&report)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            // A closed stderr leaves the exit code to say it.
            writeln!(io::stderr(), "{problem}").ok();
            ExitCode::from(2)
        }
    }
}

fn written(report: &str) -> Result<(), Problem> {
    io::stdout().write_all(report.as_bytes()).map_err(|error| Problem::file(Path::new("stdout"), &error))
}

/// What was made, one `key value` a line.
fn dist(cli: Cli) -> Result<String, Problem> {
    let workspace = Workspace::read()?;
    let programs = cli.from.clone().map_or_else(|| build::build(&workspace), Ok)?;
    let files = contents::contents(&workspace, &programs)?;
    let mut report = String::new();
    match build::nameless(&workspace, &files) {
        Err(problem) if cli.from.is_none() => return Err(problem),
        Err(_) => report += "warning the programs hold paths of this machine: for this machine only\n",
        Ok(()) => {}
    }
    for file in files.iter().filter(|file| file.is_code) {
        report += &format!("{} {} bytes\n", file.path, file.bytes.len());
    }
    if let Some((major, minor)) = contents::glibc(&files) {
        report += &format!("glibc {major}.{minor}\n");
    }
    let out = cli.out.unwrap_or_else(|| workspace.target_directory.join("archive"));
    let made = archive::write(&out, &workspace.release()?, &files, workspace.time())?;
    report += &format!("archive {}\nbytes {}\nsha256 {}\n", made.path.display(), made.bytes, made.sha256);
    Ok(report)
}

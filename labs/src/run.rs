//! Builds the workspace, then becomes one of its programs.
//!
//! Cargo builds a plugin's library only when that plugin is asked for, so `cargo run -p host` would start a host
//! with old plugins or none. The aliases in `.cargo/config.toml` come here instead.

use std::ffi::{OsStr, OsString};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use crate::{checkout, problem::Problem};

const USAGE: &str = "harness-lab run [--release] <program> [arguments…]";
/// Names the folder of sources that plugins are built with.
const SDK: &str = "HARNESS_SDK";

/// What follows `run` on the command line.
struct Call {
    release: bool,
    program: OsString,
    arguments: Vec<OsString>,
}

/// `run [--release] [--] <program> [arguments…]`: everything after the program's name is passed on untouched.
///
/// # Errors
/// A wrong call, a build that failed (with cargo's exit code), a program that the build did not make.
pub(crate) fn run(arguments: Vec<OsString>) -> Result<ExitCode, Problem> {
    let Call { release, program, arguments } = parse(arguments)?;
    let folder = programs(release)?;
    let workspace = build(&folder)?;
    let path = folder.join(file_name(&program));
    if !path.exists() {
        let message = format!("program `{}` is not one that the workspace builds", program.display());
        return Err(Problem::new(
            "NO_PROGRAM",
            message,
            "name a binary of the workspace, as in: harness-lab run harness",
        ));
    }
    let mut command = clean(Command::new(&path));
    // What makes plugins looks for the sources around itself, where they are not if the target folder is elsewhere.
    if std::env::var_os(SDK).is_none() {
        command.env(SDK, workspace);
    }
    become_program(command.args(arguments), &path)
}

fn parse(arguments: Vec<OsString>) -> Result<Call, Problem> {
    let mut rest = arguments.into_iter().peekable();
    let release = rest.next_if(|argument| argument == "--release").is_some();
    rest.next_if(|argument| argument == "--");
    match rest.next() {
        None => Err(Problem::usage("`run` was given no program", USAGE)),
        Some(option) if option.to_string_lossy().starts_with('-') => {
            let message =
                format!("option `{}` is not known, the one option is `--release`", option.display());
            Err(Problem::usage(message, USAGE))
        }
        Some(program) => Ok(Call { release, program, arguments: rest.collect() }),
    }
}

/// The folder that cargo puts the workspace's programs in: where this one is, or its release neighbour.
pub(crate) fn programs(release: bool) -> Result<PathBuf, Problem> {
    let own = std::env::current_exe().map_err(|error| {
        let message = format!("the path of this program cannot be found: {error}");
        Problem::new("NO_PLACE", message, "start it from a folder that can be read")
    })?;
    let folder = own.parent().unwrap_or(Path::new("."));
    Ok(if release { folder.with_file_name("release") } else { folder.to_owned() })
}

pub(crate) fn file_name(program: &OsStr) -> OsString {
    let mut name = program.to_owned();
    name.push(std::env::consts::EXE_SUFFIX);
    name
}

/// Builds the workspace with the profile whose folder that is; returns the workspace's own.
///
/// # Errors
/// There is no workspace, or it does not build.
pub(crate) fn build(folder: &Path) -> Result<PathBuf, Problem> {
    let workspace = checkout::to_build().ok_or_else(|| {
        let message = "the harness's workspace is neither around this program nor around this folder";
        Problem::new("NO_CHECKOUT", message, "run this in a checkout of the harness")
    })?;
    if !folder.join(file_name("harness".as_ref())).exists() {
        // Cargo is quiet, and the first build is long enough to look like a hang.
        writeln!(std::io::stderr(), "building the workspace once (a few minutes)…").ok();
    }
    let cargo = std::env::var_os("CARGO").unwrap_or("cargo".into());
    let mut command = clean(Command::new(&cargo));
    command.args(["build", "--workspace", "--quiet"]).current_dir(&workspace);
    // Cargo names the folder after the profile, except that the `dev` profile's is `debug`.
    if let Some(profile) = folder.file_name().filter(|name| *name != "debug") {
        command.arg("--profile").arg(profile);
    }
    // A relative one is meant from the caller's folder, and cargo runs in the workspace's.
    if let Some(target) = std::env::var_os("CARGO_TARGET_DIR") {
        command.env("CARGO_TARGET_DIR", std::path::absolute(&target).unwrap_or(target.into()));
    }
    let status = command.status().map_err(|error| {
        let (cargo, workspace) = (cargo.display(), workspace.display());
        let message = format!("cargo cannot be started as `{cargo}` in {workspace}: {error}");
        Problem::new("NO_CARGO", message, "install cargo, or set CARGO to its path")
    })?;
    if status.success() {
        return Ok(workspace);
    }
    let message = format!("the workspace did not build ({status}), so nothing was started");
    let exit = status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1);
    Err(Problem { exit, ..Problem::new("BUILD_FAILED", message, "mend what cargo says above") })
}

/// Takes out what `cargo run` tells a program about its own package. A build script that watches one of these
/// variables would run again at every start, and everything above it would be built again.
pub(crate) fn clean(mut command: Command) -> Command {
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_") {
            command.env_remove(&name);
        }
    }
    command
}

/// On Unix the program takes this process over, so signals, the terminal and the exit code are its own.
#[cfg(unix)]
fn become_program(command: &mut Command, path: &Path) -> Result<ExitCode, Problem> {
    use std::os::unix::process::CommandExt as _;
    Err(not_started(path, command.exec()))
}

#[cfg(not(unix))]
fn become_program(command: &mut Command, path: &Path) -> Result<ExitCode, Problem> {
    let status = command.status().map_err(|error| not_started(path, error))?;
    Ok(ExitCode::from(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1)))
}

fn not_started(path: &Path, error: std::io::Error) -> Problem {
    let message = format!("{} cannot be started: {error}", path.display());
    Problem::new("NOT_STARTED", message, "delete it and run the same command again")
}

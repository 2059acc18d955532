//! Builds the workspace, then becomes one of its programs.
//!
//! Cargo builds a plugin's library only when that plugin is asked for, so `cargo run -p host` would start a host
//! with old plugins or none. The aliases in `.cargo/config.toml` come here instead.

use std::ffi::{OsStr, OsString};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use crate::problem::Problem;

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
    build(&folder)?;
    let path = folder.join(file_name(&program));
    if !path.exists() {
        let message = format!("program `{}` is not one that the workspace builds", program.display());
        return Err(Problem::new(message, "name a binary of the workspace, as in: harness-lab run harness"));
    }
    become_program(clean(Command::new(&path)).args(arguments), &path)
}

fn parse(arguments: Vec<OsString>) -> Result<Call, Problem> {
    let mut rest = arguments.into_iter().peekable();
    let release = rest.next_if(|argument| argument == "--release").is_some();
    rest.next_if(|argument| argument == "--");
    match rest.next() {
        None => Err(Problem::usage("`run` was given no program".to_owned())),
        Some(option) if option.to_string_lossy().starts_with('-') => Err(Problem::usage(format!(
            "option `{}` is not known, the one option is `--release`",
            option.display()
        ))),
        Some(program) => Ok(Call { release, program, arguments: rest.collect() }),
    }
}

/// The folder that cargo puts the workspace's programs in: where this one is, or its release neighbour.
fn programs(release: bool) -> Result<PathBuf, Problem> {
    let own = std::env::current_exe().map_err(|error| {
        let message = format!("the path of this program cannot be found: {error}");
        Problem::new(message, "start it from a folder that can be read")
    })?;
    let folder = own.parent().unwrap_or(Path::new("."));
    Ok(if release { folder.with_file_name("release") } else { folder.to_owned() })
}

fn file_name(program: &OsStr) -> OsString {
    let mut name = program.to_owned();
    name.push(std::env::consts::EXE_SUFFIX);
    name
}

fn build(folder: &Path) -> Result<(), Problem> {
    if !folder.join(file_name("harness".as_ref())).exists() {
        // Cargo is quiet, and the first build is long enough to look like a hang.
        writeln!(std::io::stderr(), "building the workspace once (a few minutes)…").ok();
    }
    let cargo = std::env::var_os("CARGO").unwrap_or("cargo".into());
    let mut command = clean(Command::new(&cargo));
    let workspace = workspace();
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
        Problem::new(message, "install cargo, or set CARGO to its path")
    })?;
    if status.success() {
        return Ok(());
    }
    let message = format!("the workspace did not build ({status}), so nothing was started");
    let exit = status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1);
    Err(Problem { exit, ..Problem::new(message, "mend what cargo says above") })
}

/// The checkout that `cargo run` was called in. Started by hand, it is the one this program was compiled in: a second
/// choice, because cargo does not compile it anew when a checkout is moved or two share a target folder.
fn workspace() -> PathBuf {
    let by_cargo = std::env::var_os("CARGO_PKG_NAME").is_some_and(|name| name == env!("CARGO_PKG_NAME"));
    let package = std::env::var_os("CARGO_MANIFEST_DIR").filter(|_| by_cargo);
    let mut folder = PathBuf::from(package.unwrap_or(env!("CARGO_MANIFEST_DIR").into()));
    folder.pop();
    folder
}

/// Takes out what `cargo run` tells a program about its own package. A build script that watches one of these
/// variables would run again at every start, and everything above it would be built again.
fn clean(mut command: Command) -> Command {
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
    Problem::new(message, "delete it and run the same command again")
}

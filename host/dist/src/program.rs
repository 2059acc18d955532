//! Cargo, rustc and git, asked for what they know.
use crate::problem::Problem;
use std::{ffi::OsString, path::Path, process::Command};

/// The program that this variable names, else the one on `PATH`.
pub(crate) fn program_in(variable: &str, name: &str) -> OsString {
    std::env::var_os(variable).unwrap_or_else(|| name.into())
}

/// What a program prints, when it succeeds.
///
/// # Errors
/// It cannot be started, says no, or prints something that is no text.
pub(crate) fn output(program: OsString, args: &[&str], folder: &Path) -> Result<String, Problem> {
    let name = program.display().to_string();
    let failed = |why: String| {
        Problem::new("PROGRAM_FAILED", format!("{name} {}: {why}", args.join(" ")), "mend what it says")
    };
    let output = Command::new(&program).args(args).current_dir(folder).output();
    let output = output.map_err(|error| failed(error.to_string()))?;
    if !output.status.success() {
        return Err(failed(String::from_utf8_lossy(&output.stderr).trim().to_owned()));
    }
    String::from_utf8(output.stdout).map_err(|error| failed(error.to_string()))
}

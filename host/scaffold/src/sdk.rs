//! Where the sources are that a plugin is built with.
use crate::Problem;
use std::path::{Path, PathBuf};

/// Names the folder, for whoever keeps it elsewhere.
const VARIABLE: &str = "HARNESS_SDK";
/// What the folder has in it.
const MARK: &str = "plugin-api/sdk/Cargo.toml";
/// What a release calls it, beside its programs.
const IN_RELEASE: &str = "sdk";

/// The folder that the variable `HARNESS_SDK` names, else `sdk` beside this program, as a release has it, else the checkout that this
/// program was built in.
///
/// # Errors
/// `NO_SDK` when the variable's folder is none, or when there is none.
pub fn sdk() -> Result<PathBuf, Problem> {
    if let Some(named) = std::env::var_os(VARIABLE).filter(|named| !named.is_empty()) {
        return sdk_in(Path::new(&named));
    }
    let program = std::env::current_exe().unwrap_or_default();
    let found = program.ancestors().skip(1).find_map(|folder| sdk_in(folder).ok());
    found.ok_or_else(|| {
        let what = format!("the sources that a plugin is built with are not beside {}", program.display());
        Problem::new(
            "NO_SDK",
            what,
            "set HARNESS_SDK to a checkout of the harness, or to the folder `sdk` of a release",
        )
    })
}

/// The SDK in a folder: the folder itself, or its `sdk`.
///
/// # Errors
/// `NO_SDK` when it is neither.
pub fn sdk_in(folder: &Path) -> Result<PathBuf, Problem> {
    let places = [folder.join(IN_RELEASE), folder.to_owned()];
    let found = places.into_iter().find(|place| place.join(MARK).is_file());
    let found = found.ok_or_else(|| {
        let what = format!("{} has no {MARK}", folder.display());
        Problem::new("NO_SDK", what, "name a checkout of the harness, or the folder `sdk` of a release")
    })?;
    // Whole, because the crate that is made may be anywhere.
    found.canonicalize().map_err(|error| Problem::file(&found, &error))
}

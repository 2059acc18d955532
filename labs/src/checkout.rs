//! Which checkout of this repository is meant.

use std::path::{Path, PathBuf};

/// What a checkout has in it.
const MARK: &str = "plugin-api/sdk/Cargo.toml";

/// The checkout that a folder is in.
pub(crate) fn around(folder: &Path) -> Option<PathBuf> {
    folder.ancestors().find(|folder| folder.join(MARK).is_file()).map(Path::to_owned)
}

/// The one whose `cargo run` started this program.
pub(crate) fn of_cargo() -> Option<PathBuf> {
    let is_ours = std::env::var_os("CARGO_PKG_NAME").is_some_and(|name| name == env!("CARGO_PKG_NAME"));
    let package = std::env::var_os("CARGO_MANIFEST_DIR").filter(|_| is_ours)?;
    Path::new(&package).parent().map(Path::to_owned)
}

/// The one to build: cargo's; started by hand, the one that this program was built in, or else the one it is started in.
pub(crate) fn to_build() -> Option<PathBuf> {
    let places = [std::env::current_exe().ok(), std::env::current_dir().ok()];
    of_cargo().or_else(|| places.into_iter().flatten().find_map(|place| around(&place)))
}

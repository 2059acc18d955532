//! The executables and libraries of the workspace, built once in a test's process: for tests that run them.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// What cargo tells the process of a test, and what build scripts that watch these variables would rebuild for.
const OF_THE_TEST: [&str; 5] =
    ["CARGO_MANIFEST_", "CARGO_PKG_", "CARGO_CRATE_", "CARGO_BIN_", "CARGO_PRIMARY_"];

/// Builds the whole workspace, unless this process has done so, into the target folder and with the profile that the running
/// test was built into and with. Cargo does not build a package's libraries for a test of another one, so this does.
///
/// Returns the folder that holds the executables and the libraries.
///
/// # Panics
/// With cargo's output when the build fails: for tests.
pub fn built() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(build)
}

fn build() -> PathBuf {
    let test = std::env::current_exe().unwrap_or_default();
    let Some((target, profile)) = target_and_profile(&test) else {
        fail(&format!("{} is not where cargo puts a test", test.display()));
    };
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new(""));
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["build", "--workspace", "--locked", "--quiet", "--profile"]);
    // The one profile whose folder has another name.
    cargo.arg(if profile == "debug" { "dev".as_ref() } else { profile.as_os_str() });
    cargo.arg("--target-dir").arg(&target).current_dir(root).stdin(Stdio::null());
    let names = std::env::vars_os().map(|(name, _)| name);
    for name in names.filter(is_of_the_test) {
        cargo.env_remove(name);
    }
    match cargo.output() {
        Ok(output) if output.status.success() => target.join(profile),
        Ok(output) => fail(&format!("cargo: {}\n{}", output.status, String::from_utf8_lossy(&output.stderr))),
        Err(error) => fail(&format!("cargo cannot be started: {error}")),
    }
}

fn is_of_the_test(name: &OsString) -> bool {
    OF_THE_TEST.iter().any(|prefix| name.to_string_lossy().starts_with(prefix))
}

/// Of `target/debug/deps/it-0123`: `target` and `debug`.
fn target_and_profile(test: &Path) -> Option<(PathBuf, OsString)> {
    let deps = test.parent().filter(|folder| folder.ends_with("deps"))?;
    let profile = deps.parent()?;
    Some((profile.parent()?.to_owned(), profile.file_name()?.to_owned()))
}

#[expect(clippy::panic, reason = "this serves tests, and this is how a test fails")]
fn fail(said: &str) -> ! {
    panic!("the workspace is not built: {said}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn target_folder_and_profile_are_read_from_the_place_of_the_test() {
        let of = |path: &str| target_and_profile(Path::new(path));
        assert_eq!(of("/w/target/debug/deps/it-0123"), Some(("/w/target".into(), "debug".into())));
        assert_eq!(of("/t/release/deps/it"), Some(("/t".into(), "release".into())));
        assert_eq!(of("/usr/bin/it"), None);
        assert_eq!(of("deps/it"), None);
    }

    #[test]
    fn only_what_cargo_says_of_the_test_is_kept_from_the_build() {
        let is = |name: &str| is_of_the_test(&name.into());
        assert!(is("CARGO_MANIFEST_DIR") && is("CARGO_PKG_NAME") && is("CARGO_BIN_EXE_harness"));
        assert!(!is("CARGO_HOME") && !is("CARGO_INCREMENTAL") && !is("RUSTFLAGS") && !is("PATH"));
    }
}

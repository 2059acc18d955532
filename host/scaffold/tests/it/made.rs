//! One plugin of each template, made outside the repository by the program, built and tested once.

use checks::workspace::built;
use scaffold::OFFERS;
use std::{
    collections::{BTreeSet, hash_map::DefaultHasher},
    env::consts::{DLL_PREFIX, DLL_SUFFIX},
    fs,
    hash::{Hash as _, Hasher as _},
    path::{Path, PathBuf},
    process::{Command, Output},
    sync::OnceLock,
};
use tempfile::TempDir;

/// The one that stands alone, an adapter; the others share a workspace, which is quicker. An adapter has the dependencies of all the
/// others, so that they are built once.
pub(crate) const ALONE: &str = "my-own";

pub(crate) fn checkout() -> &'static Path {
    static FOUND: OnceLock<PathBuf> = OnceLock::new();
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    FOUND.get_or_init(|| own.ancestors().nth(2).unwrap().canonicalize().unwrap())
}

/// What the plugin of a template is called.
pub(crate) fn name_of(service: &str, role: &str) -> String {
    format!("my-{service}-{role}")
}

/// The program, with the checkout as its SDK and as nothing else.
pub(crate) fn harness(folder: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(built().join("harness"));
    command.args(args).current_dir(folder).env("HARNESS_SDK", checkout()).output().unwrap()
}

/// What a program that succeeds prints.
pub(crate) fn stdout(done: Output) -> String {
    assert!(done.status.success(), "{done:?}");
    String::from_utf8(done.stdout).unwrap()
}

/// The folder with a plugin of each template, each with its library where its `try.patch.yml` says.
pub(crate) fn plugins() -> &'static Path {
    static MADE: OnceLock<PathBuf> = OnceLock::new();
    MADE.get_or_init(|| {
        // Always the same place, and what has not changed is not written anew: so it is built once.
        let mut hasher = DefaultHasher::new();
        (checkout(), built()).hash(&mut hasher);
        let folder = std::env::temp_dir().join(format!("harness-scaffold-{:x}", hasher.finish()));
        let fresh = TempDir::new().unwrap();
        let names = make(fresh.path());
        take_over(fresh.path(), &folder);
        let folder = folder.canonicalize().unwrap();
        let (lock, alone) = (checkout().join("Cargo.lock"), folder.join("alone").join(ALONE));
        for place in [&folder, &alone] {
            fs::copy(&lock, place.join("Cargo.lock")).unwrap();
        }
        stdout(cargo(&folder, &["test", "--workspace", "--quiet"]));
        for name in &names {
            put(&folder.join(name), name);
        }
        stdout(cargo(&alone, &["build", "--quiet"]));
        put(&alone, ALONE);
        folder
    })
}

/// Makes them all in a folder; the names of those that share its workspace.
fn make(folder: &Path) -> Vec<String> {
    let mut names = Vec::new();
    for offer in OFFERS {
        let (name, role) = (name_of(offer.service, offer.role), format!("--{}", offer.role));
        let role = if offer.role == "provide" { &[][..] } else { &[role.as_str()] };
        stdout(harness(folder, &[&["new", &name, "--service", offer.service], role].concat()));
        names.push(name);
    }
    let manifest = format!("[workspace]\nresolver = \"3\"\nmembers = {names:?}\n");
    fs::write(folder.join("Cargo.toml"), manifest).unwrap();
    stdout(harness(folder, &["new", ALONE, "--service", "llm", "--dir", "alone"]));
    names
}

/// Makes a folder like another: what is in it already keeps its time, by which cargo knows what to build.
fn take_over(fresh: &Path, folder: &Path) {
    let files = below(fresh);
    if below(folder).iter().any(|old| !files.contains(old)) {
        fs::remove_dir_all(folder).unwrap();
    }
    for file in files {
        let (new, place) = (fs::read(fresh.join(&file)).unwrap(), folder.join(&file));
        if fs::read(&place).ok().as_ref() != Some(&new) {
            fs::create_dir_all(place.parent().unwrap()).unwrap();
            fs::write(&place, new).unwrap();
        }
    }
}

/// Every file below a folder, from there on, but what cargo has put there.
pub(crate) fn below(folder: &Path) -> BTreeSet<PathBuf> {
    let (mut found, mut open) = (BTreeSet::new(), vec![folder.to_owned()]);
    while let Some(inside) = open.pop() {
        for entry in fs::read_dir(&inside).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_dir() && !path.ends_with("target") {
                open.push(path);
            } else if path.is_file() && !path.ends_with("Cargo.lock") {
                found.insert(path.strip_prefix(folder).unwrap().to_owned());
            }
        }
    }
    found
}

/// What cargo tells the process of a test, and what build scripts that watch these variables would run again for.
const OF_THE_TEST: [&str; 5] =
    ["CARGO_MANIFEST_", "CARGO_PKG_", "CARGO_CRATE_", "CARGO_BIN_", "CARGO_PRIMARY_"];

/// Cargo, with the versions of the repository and nothing from the network; all crates share one target folder.
fn cargo(folder: &Path, args: &[&str]) -> Output {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()));
    cargo.args(args).arg("--offline").current_dir(folder).env("CARGO_TARGET_DIR", target());
    for (name, _) in std::env::vars_os() {
        if OF_THE_TEST.iter().any(|prefix| name.to_string_lossy().starts_with(prefix)) {
            cargo.env_remove(name);
        }
    }
    // What is built is run once or twice, and takes little room.
    cargo.env("CARGO_PROFILE_DEV_DEBUG", "0").env("CARGO_INCREMENTAL", "0").output().unwrap()
}

/// Below the folder that this test was built into.
fn target() -> PathBuf {
    built().parent().unwrap().join("scaffold")
}

/// Puts the library of a crate where it would be if the crate had a target folder of its own. It is taken from where a test leaves it, too:
/// to build it once more for its own sake would build everything twice.
fn put(folder: &Path, name: &str) {
    let library = format!("{DLL_PREFIX}{}{DLL_SUFFIX}", name.replace('-', "_"));
    let own = folder.join("target/debug");
    fs::create_dir_all(&own).unwrap();
    fs::copy(target().join("debug/deps").join(&library), own.join(&library)).unwrap();
}

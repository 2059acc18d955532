//! One plugin of each template, made outside the repository by the program, built and tested once.

use checks::workspace::built;
use scaffold::OFFERS;
use std::{
    collections::hash_map::DefaultHasher,
    env::consts::{DLL_PREFIX, DLL_SUFFIX},
    fs,
    hash::{Hash as _, Hasher as _},
    path::{Path, PathBuf},
    process::{Command, Output},
    sync::OnceLock,
};

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
        // Always the same place, so that what is built there is built once.
        let mut hasher = DefaultHasher::new();
        (checkout(), built()).hash(&mut hasher);
        let folder = std::env::temp_dir().join(format!("harness-scaffold-{:x}", hasher.finish()));
        fs::remove_dir_all(&folder).ok();
        fs::create_dir_all(&folder).unwrap();
        let folder = folder.canonicalize().unwrap();
        let mut names = Vec::new();
        for offer in OFFERS {
            let name = name_of(offer.service, offer.role);
            let role = match offer.role {
                "provide" => Vec::new(),
                role => vec![format!("--{role}")],
            };
            let role: Vec<&str> = role.iter().map(String::as_str).collect();
            stdout(harness(&folder, &[&["new", &name, "--service", offer.service], &role[..]].concat()));
            names.push(name);
        }
        fs::write(folder.join("Cargo.toml"), format!("[workspace]\nresolver = \"3\"\nmembers = {names:?}\n"))
            .unwrap();
        fs::copy(checkout().join("Cargo.lock"), folder.join("Cargo.lock")).unwrap();
        stdout(cargo(&folder, &["test", "--workspace", "--quiet"]));
        // Cargo builds no cdylib for a test.
        stdout(cargo(&folder, &["build", "--workspace", "--quiet"]));
        for name in &names {
            put(&folder.join(name), name);
        }
        let alone = folder.join("alone");
        fs::create_dir(&alone).unwrap();
        stdout(harness(&alone, &["new", ALONE, "--service", "llm"]));
        fs::copy(checkout().join("Cargo.lock"), alone.join(ALONE).join("Cargo.lock")).unwrap();
        stdout(cargo(&alone.join(ALONE), &["build", "--quiet"]));
        put(&alone.join(ALONE), ALONE);
        folder
    })
}

/// Cargo, with the versions of the repository and nothing from the network; all crates share one target folder.
fn cargo(folder: &Path, args: &[&str]) -> Output {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()));
    cargo.args(args).arg("--offline").current_dir(folder).env("CARGO_TARGET_DIR", target());
    // What is built is run once or twice, and takes little room.
    cargo.env("CARGO_PROFILE_DEV_DEBUG", "0").env("CARGO_INCREMENTAL", "0").output().unwrap()
}

/// Below the folder that this test was built into.
fn target() -> PathBuf {
    built().parent().unwrap().join("scaffold")
}

/// Puts the library of a crate where it would be if the crate had a target folder of its own.
fn put(folder: &Path, name: &str) {
    let library = format!("{DLL_PREFIX}{}{DLL_SUFFIX}", name.replace('-', "_"));
    let own = folder.join("target/debug");
    fs::create_dir_all(&own).unwrap();
    fs::copy(target().join("debug").join(&library), own.join(&library)).unwrap();
}

//! `harness-new`: makes a plugin of one's own, and says how to go on.
mod guide;

use clap::Parser;
use guide::Guide;
use scaffold::{Place, Problem, offer, sdk, sdk_in};
use std::{
    fs,
    io::{self, Write as _},
    path::{Path, PathBuf},
    process::ExitCode,
};

/// Makes a plugin: a crate that builds, passes its tests and mounts, and is small enough to be read before it is changed.
#[derive(Debug, Parser)]
#[command(name = "harness new", version)]
struct Cli {
    /// The plugin's name, and its crate's and folder's: lower-case letters, digits and dashes
    name: String,
    /// The service: llm, tools, turn-policy or loop
    #[arg(long)]
    service: String,
    /// Adds to the service in place of being it
    #[arg(long, conflicts_with = "wrap")]
    join: bool,
    /// Stands before the service in place of being it
    #[arg(long)]
    wrap: bool,
    /// The folder that the plugin's own is made in [default: the current one]
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// Where the sources are that a plugin is built with: a checkout, or the folder `sdk` of a release [default: HARNESS_SDK, else
    /// beside this program]
    #[arg(long, value_name = "DIR")]
    sdk: Option<PathBuf>,
}

fn main() -> ExitCode {
    match new(&Cli::parse()).and_then(|guide| written(&guide)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            // A closed stderr leaves the exit code to say it.
            writeln!(io::stderr(), "{problem}").ok();
            ExitCode::from(2)
        }
    }
}

fn written(guide: &str) -> Result<(), Problem> {
    io::stdout().write_all(guide.as_bytes()).map_err(|error| Problem::file(Path::new("stdout"), &error))
}

fn new(cli: &Cli) -> Result<String, Problem> {
    let role = match (cli.join, cli.wrap) {
        (true, _) => "join",
        (_, true) => "wrap",
        _ => "provide",
    };
    let offer = offer(&cli.service, role)?;
    scaffold::check_name(&cli.name)?;
    let sdk = cli.sdk.as_deref().map_or_else(sdk, sdk_in)?;
    let folder = cli.dir.clone().unwrap_or_default().join(&cli.name);
    free(&folder)?;
    let place = place(&folder, sdk);
    let files = offer.template.write(&folder, &cli.name, &place)?;
    Guide { name: &cli.name, folder: &folder, place: &place, offer, files: &files }.text()
}

/// # Errors
/// `FOLDER_NOT_EMPTY` when something is there.
fn free(folder: &Path) -> Result<(), Problem> {
    let is_there = folder.symlink_metadata().is_ok();
    if is_there && !fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_none()) {
        let what = format!("{} is there already, and not an empty folder", folder.display());
        return Err(Problem::new(
            "FOLDER_NOT_EMPTY",
            what,
            "take another name, or name another place with --dir",
        ));
    }
    Ok(())
}

/// In the folder of a checkout's own plugins it is one of them; anywhere else it stands alone.
fn place(folder: &Path, sdk: PathBuf) -> Place {
    let around = folder
        .parent()
        .and_then(|above| if above == Path::new("") { Path::new(".") } else { above }.canonicalize().ok());
    let is_member = around.is_some_and(|above| above == sdk.join("plugins")) && sdk.join("host").is_dir();
    if is_member { Place::Workspace } else { Place::Alone { sdk } }
}

//! `start`: puts what a lab has you write where you are, and says which rows to change.

use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;

use crate::lesson::{self, Lesson, Stub};
use crate::{checkout, place::Place, problem::Problem, say};

const USAGE: &str = "harness lab start 01";
/// The workspace of a folder outside the repository.
const WORKSPACE: &str = "\
[workspace]
resolver = \"3\"
members = [\"plugins/*\"]
";
const IGNORED: &str = "/target\n.env\n";

/// `start <lab>`: makes what is not there, and keeps what is.
///
/// # Errors
/// A wrong call; a file that cannot be written; outside the repository, `NO_SDK`.
pub(crate) fn start(arguments: Vec<OsString>) -> Result<ExitCode, Problem> {
    let lesson = lesson::named(&arguments, false, USAGE)?;
    let place = Place::here()?;
    let mut report = String::new();
    if !place.is_checkout {
        around(&place, lesson, &mut report)?;
    }
    plugins(&place, lesson, &mut report)?;
    let notes = Path::new("notes").join(format!("{}.md", lesson.id));
    put(&place, &notes, lesson.notes, &mut report)?;
    report += &rows(&place, lesson);
    report += &next(&place, lesson);
    say(&report)
}

/// What the repository has anyway.
fn around(place: &Place, lesson: &Lesson, report: &mut String) -> Result<(), Problem> {
    let own = [("Cargo.toml", WORKSPACE), (".gitignore", IGNORED)];
    for (path, text) in own.iter().chain(lesson.files) {
        put(place, path.as_ref(), text, report)?;
    }
    Ok(())
}

fn plugins(place: &Place, lesson: &Lesson, report: &mut String) -> Result<(), Problem> {
    let kind = if place.is_checkout {
        scaffold::Place::Workspace
    } else {
        let of_checkout = || scaffold::sdk_in(&checkout::of_cargo()?).ok();
        let sdk = scaffold::sdk().or_else(|problem| of_checkout().ok_or(problem))?;
        scaffold::Place::Alone { sdk }
    };
    for Stub { name, template, .. } in lesson.stubs {
        for file in template.write(&place.root.join("plugins").join(name), name, &kind)? {
            tell(place, &file.path, file.existed, report);
        }
    }
    Ok(())
}

fn put(place: &Place, path: &Path, text: &str, report: &mut String) -> Result<(), Problem> {
    let path = place.root.join(path);
    let existed = place.put(&path, text)?;
    tell(place, &path, existed, report);
    Ok(())
}

fn tell(place: &Place, path: &Path, existed: bool, report: &mut String) {
    let verb = if existed { "kept" } else { "made" };
    // Writing into a string cannot fail.
    writeln!(report, "{verb}  {}", place.shown(path)).ok();
}

/// The rows as they are to be, without their config.
fn rows(place: &Place, lesson: &Lesson) -> String {
    let mut rows =
        "\nThe rows to change in harness.yml, each with its part; their config stays as it is:\n\n"
            .to_owned();
    for stub in lesson.stubs {
        let (name, part, reference) = (name(place, stub), stub.part, stub.reference);
        let change = format!("  name: {name}");
        writeln!(rows, "- id: {}\n{change:40}  # part {part}, in the place of {reference}", stub.row).ok();
    }
    rows
}

/// What a row calls the plugin: in the repository its name will do, elsewhere it is the library that cargo makes.
fn name(place: &Place, stub: &Stub) -> String {
    if place.is_checkout {
        return stub.name.to_owned();
    }
    // Where somebody else's workspace is around it, it has a target folder of its own.
    let folder = format!("plugins/{}", stub.name);
    let manifest = std::fs::read_to_string(place.root.join(&folder).join("Cargo.toml")).unwrap_or_default();
    let is_root = manifest.lines().any(|line| line.trim() == "[workspace]");
    let target = if is_root { format!("./{folder}/target") } else { "./target".to_owned() };
    format!("{target}/debug/{DLL_PREFIX}{}{DLL_SUFFIX}", stub.name.replace('-', "_"))
}

fn next(place: &Place, lesson: &Lesson) -> String {
    let (id, harness) = (lesson.id, place.harness());
    let build = if place.is_checkout { "" } else { "cargo build && " };
    let text = if place.is_checkout { "Part 1" } else { "Part 5" };
    format!(
        "\n{text} of labs/01-foundations/README.md is next. What is done, and what is not:\n\n  {build}{harness} check {id}\n  {}\n",
        status(place)
    )
}

fn status(place: &Place) -> &'static str {
    if place.is_checkout { "cargo lab status" } else { "harness lab status" }
}

//! `status`: which parts of a lab are done, as the checks see it, and what to do next.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use serde::Deserialize;

use crate::lesson::{self, Lesson, Stub};
use crate::notes::{self, Question};
use crate::{place::Place, problem::Problem, run, say};

const USAGE: &str = "harness lab status [01]";

/// What `harness check --json` prints, as far as it is of use here.
#[derive(Deserialize)]
struct Checked {
    results: Vec<Criterion>,
}

#[derive(Deserialize)]
struct Criterion {
    id: String,
    part: u64,
    claim: String,
    result: String,
    #[serde(default)]
    failures: Vec<Failed>,
    #[serde(default)]
    reason: String,
}

#[derive(Deserialize)]
struct Failed {
    got: String,
    next: String,
}

/// What `harness rows --json` prints, as far as it is of use here.
#[derive(Default, Deserialize)]
struct Mounted {
    rows: Vec<Row>,
}

#[derive(Deserialize)]
struct Row {
    id: String,
    /// A name and a version.
    plugin: String,
}

/// `status [lab]`: in a checkout, after building the workspace.
///
/// # Errors
/// A wrong call; a build that failed; `NO_CHECK` when the checks could not be started, with what they said.
pub(crate) fn status(arguments: Vec<OsString>) -> Result<ExitCode, Problem> {
    let lesson = lesson::named(&arguments, true, USAGE)?;
    let place = Place::here()?;
    let programs = run::programs(false)?;
    // An unpacked release may be anywhere, in a checkout as well: nothing is built there.
    if place.is_checkout && programs.join("deps").is_dir() {
        run::build(&programs)?;
    }
    let checked = check(&place, &programs, lesson)?;
    let rows = rows(&place, &programs);
    let notes = place.root.join("notes").join(format!("{}.md", lesson.id));
    let questions = notes::questions(&std::fs::read_to_string(&notes).unwrap_or_default());
    say(&report(&place, lesson, &checked, &rows, &questions))
}

fn program(place: &Place, programs: &Path, name: &str) -> Command {
    let mut command = run::clean(Command::new(programs.join(run::file_name(name.as_ref()))));
    command.current_dir(&place.root).stdin(Stdio::null());
    command
}

fn check(place: &Place, programs: &Path, lesson: &Lesson) -> Result<Checked, Problem> {
    let failed = |why: String| {
        let hint = format!("run {} check {}", place.harness(), lesson.id);
        Problem::new("NO_CHECK", format!("harness-check: {why}"), hint)
    };
    let mut command = program(place, programs, "harness-check");
    let output = command.args([lesson.id, "--json"]).output().map_err(|error| failed(error.to_string()))?;
    serde_json::from_slice(&output.stdout).map_err(|error| {
        let said = String::from_utf8_lossy(&output.stderr);
        let said = said.lines().next().map(|line| line.trim_start_matches("error: ").to_owned());
        failed(said.unwrap_or_else(|| format!("it ended with {}, and its answer: {error}", output.status)))
    })
}

/// The plugin of each row; nothing where the rows cannot be read, which the checks have told by then.
fn rows(place: &Place, programs: &Path) -> HashMap<String, String> {
    let output = program(place, programs, "harness").args(["rows", "--json"]).output();
    let mounted: Option<Mounted> = output.ok().and_then(|output| serde_json::from_slice(&output.stdout).ok());
    mounted.unwrap_or_default().rows.into_iter().map(|row| (row.id, name(row.plugin))).collect()
}

/// Without the version behind it.
fn name(plugin: String) -> String {
    plugin.split_once(' ').map_or(plugin.clone(), |(name, _)| name.to_owned())
}

/// One line a part, and one a criterion; the first that fails has its reason, and the first thing to do.
fn report(
    place: &Place,
    lesson: &Lesson,
    checked: &Checked,
    rows: &HashMap<String, String>,
    questions: &[Question],
) -> String {
    let (mut text, mut next) = (String::new(), None);
    // Writing into a string cannot fail.
    for (part, title) in lesson.parts {
        let number = if *part == 0 { "      ".to_owned() } else { format!("Part {part}") };
        writeln!(text, "{number}  {title}{}", plugin(lesson, *part, rows)).ok();
        for criterion in checked.results.iter().filter(|criterion| criterion.part == *part) {
            let word = word(criterion, questions);
            writeln!(text, "  {word:8}  {:5}  {}", criterion.id, criterion.claim).ok();
            if word == "skip" {
                writeln!(text, "                   {}", criterion.reason).ok();
            }
            if let (Some(Failed { got, next: todo }), None) = (criterion.failures.first(), &next) {
                writeln!(text, "                   got: {}", first_line(got)).ok();
                next = Some(format!("{}: {todo}", criterion.id));
            }
        }
    }
    let start = if place.is_checkout { "cargo lab start" } else { "harness lab start" };
    let not_begun = questions.is_empty().then(|| format!("{start} {}", lesson.id));
    let next = not_begun.or(next).or_else(|| undone(place, lesson, checked, rows, questions));
    let next = next.unwrap_or_else(|| "all is done".to_owned());
    writeln!(text, "\nNext: {next}").ok();
    text
}

/// What the checks do not tell: the first part with an open question, or with a row that is still the reference's. The parts before the
/// first stub need the repository.
fn undone(
    place: &Place,
    lesson: &Lesson,
    checked: &Checked,
    rows: &HashMap<String, String>,
    questions: &[Question],
) -> Option<String> {
    let first_stub = lesson.stubs.iter().map(|stub| stub.part).min().unwrap_or_default();
    let is_here = |part: u64| place.is_checkout || part == 0 || part >= first_stub;
    lesson.parts.iter().filter(|(part, _)| is_here(*part)).find_map(|(part, _)| {
        let open = |criterion: &&Criterion| criterion.part == *part && word(criterion, questions) == "open";
        let question = checked.results.iter().find(open);
        let row = || {
            let (stub, _) = row(lesson, *part, rows).filter(|(stub, name)| *name == stub.reference)?;
            let (id, own) = (stub.row, stub.name);
            Some(format!(
                "part {part}: row `{id}` of harness.yml is not yours yet, write {own} and name it there"
            ))
        };
        let question = question.map(|open| format!("{}: answer it in notes/{}.md", open.id, lesson.id));
        question.or_else(row)
    })
}

/// Whose work the checks of a part have seen.
fn plugin(lesson: &Lesson, part: u64, rows: &HashMap<String, String>) -> String {
    let Some((stub, name)) = row(lesson, part, rows) else { return String::new() };
    let whose = if name == stub.reference { ", not yours" } else { "" };
    format!(" (row `{}`: {name}{whose})", stub.row)
}

/// The row that a part is about, and the plugin in it.
fn row<'a>(
    lesson: &Lesson,
    part: u64,
    rows: &'a HashMap<String, String>,
) -> Option<(&'static Stub, &'a str)> {
    let stub = lesson.stubs.iter().find(|stub| stub.part == part)?;
    Some((stub, rows.get(stub.row)?))
}

fn word(criterion: &Criterion, questions: &[Question]) -> &'static str {
    match criterion.result.as_str() {
        "pass" => "PASS",
        "fail" => "FAIL",
        "skip" => "skip",
        _ if questions.iter().any(|question| question.id == criterion.id && question.answered) => "answered",
        _ => "open",
    }
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

//! Planted defects: each breaks one check, and the suite must see it in that check's criterion and in no other.
use super::{
    Criterion, INTERRUPTED, Kind, Module, Subject,
    declared::Declared,
    interrupt, say,
    suite::{Failed, Outcome, Suite},
};
use checks::failure::Failure;
use std::{process::ExitCode, sync::Mutex, thread};

/// A plugin that breaks one check.
pub(crate) struct Defect {
    /// Its `defect` in the row's config.
    pub(crate) name: &'static str,
    /// The criterion that sees it, and the check of it.
    pub(crate) breaks: (&'static str, &'static str),
    /// How it gets in.
    pub(crate) place: Place,
}

/// How a defective plugin is mounted.
pub(crate) enum Place {
    /// As the llm row.
    Adapter,
    /// As a wrap of this service.
    Wrap(&'static str),
}

/// The row of a defect that does nothing.
const NONE: &str = "- insert: [{id: defect, name: defect-llm, config: {defect: none}}]\n";

/// What came of one defect: the criteria that failed, with what was seen.
type Seen = Vec<(&'static str, Vec<Failed>)>;

/// Prints which criterion sees which defect. The exit code is 1 when a defect is seen elsewhere than planned, or not at all, or when
/// a check has no defect.
pub(crate) fn print(module: &'static Module, subject: &Subject) -> Result<ExitCode, Failure> {
    if let Err(miss) = subject.alone().and_then(|tried| tried.patch(NONE)?.rows()) {
        let hint = "run it in a checkout, as `cargo checks 01 --defects`, on rows that mount";
        return Err(Failure::new("NO_DEFECTS", format!("no defect can be planted: {}", miss.got), hint));
    }
    let checked: Vec<&Criterion> =
        module.criteria.iter().filter(|criterion| matches!(criterion.kind, Kind::Checked(_))).collect();
    let width = module.defects.iter().map(|defect| defect.name.len()).max().unwrap_or_default();
    say(&format!(
        "{:width$}  {}\n",
        "",
        checked.iter().map(|c| format!("{:6}", c.id)).collect::<String>().trim_end()
    ))?;
    let mut wrong = Vec::new();
    let planted = plant(module, subject)?;
    if interrupt::came() {
        return Ok(ExitCode::from(INTERRUPTED));
    }
    for (defect, seen) in module.defects.iter().zip(planted) {
        let mark = |c: &&Criterion| if seen.iter().any(|(id, _)| *id == c.id) { "FAIL  " } else { ".     " };
        let marks: String = checked.iter().map(mark).collect();
        say(&format!("{:width$}  {}\n", defect.name, marks.trim_end()))?;
        if !is_seen_alone(defect, &seen) {
            let (criterion, check) = defect.breaks;
            let words = seen.iter().flat_map(|(id, failed)| {
                failed.iter().map(move |one| format!("\n  {id} {}: {}", one.check, one.got))
            });
            wrong.push(format!(
                "{}: {criterion} {check} alone should fail, there is{}",
                defect.name,
                or_nothing(words.collect())
            ));
        }
    }
    for criterion in &checked {
        let Kind::Checked(checks) = criterion.kind else { continue };
        let unseen =
            checks.iter().filter(|c| !module.defects.iter().any(|d| d.breaks == (criterion.id, c.name)));
        wrong.extend(unseen.map(|check| format!("{} {}: no defect breaks it", criterion.id, check.name)));
    }
    let verdict = format!("{} defects, each seen by its own check alone\n", module.defects.len());
    say(&if wrong.is_empty() { verdict } else { wrong.join("\n") + "\n" })?;
    Ok(ExitCode::from(u8::from(!wrong.is_empty())))
}

fn is_seen_alone(defect: &Defect, seen: &Seen) -> bool {
    let (criterion, check) = defect.breaks;
    matches!(seen.as_slice(), [(id, failed)] if *id == criterion && failed.iter().any(|one| one.check == check))
}

fn or_nothing(words: String) -> String {
    if words.is_empty() { " nothing".to_owned() } else { words }
}

/// The whole suite, once a defect, on as many threads as there are processors.
fn plant(module: &'static Module, subject: &Subject) -> Result<Vec<Seen>, Failure> {
    let folder = tempfile::tempdir().map_err(|error| {
        Failure::new("NO_FOLDER", format!("a temporary folder: {error}"), "free some space in it")
    })?;
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let mut subjects = Vec::new();
    for (n, defect) in module.defects.iter().enumerate() {
        let file = folder.path().join(format!("{n}.patch.yml"));
        std::fs::write(&file, patch(defect, subject)?).map_err(|error| {
            Failure::new("OUTPUT_FAILED", format!("{}: {error}", file.display()), "free some space there")
        })?;
        subjects.push((n, subject.patched(&file)));
    }
    let (open, seen) = (Mutex::new(subjects), Mutex::new(Vec::new()));
    let next = || open.lock().ok()?.pop();
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some((n, subject)) = next().filter(|_| !interrupt::came()) {
                    let found = red(module, subject);
                    if let Ok(mut seen) = seen.lock() {
                        seen.push((n, found));
                    }
                }
            });
        }
    });
    let mut seen = seen.into_inner().unwrap_or_default();
    seen.sort_by_key(|(n, _)| *n);
    // On a machine that is busy something may have taken too long: what is not as planned is tried once more, by itself.
    let again = |(n, seen): (usize, Seen)| {
        let defect = &module.defects[n];
        let file = folder.path().join(format!("{n}.patch.yml"));
        if is_seen_alone(defect, &seen) { seen } else { red(module, subject.patched(&file)) }
    };
    Ok(seen.into_iter().map(again).collect())
}

fn red(module: &'static Module, subject: Subject) -> Seen {
    let suite = Suite { subject, declared: Declared::default(), only: Vec::new(), live: false };
    let failed = |criterion: &'static Criterion| match suite.judge(criterion) {
        Outcome::Fail(failed) => Some((criterion.id, failed)),
        Outcome::Pass | Outcome::Skip(_) | Outcome::Manual => None,
    };
    suite.chosen(module).filter_map(failed).collect()
}

/// The rows of a defect.
fn patch(defect: &Defect, subject: &Subject) -> Result<String, Failure> {
    let name = defect.name;
    Ok(match defect.place {
        Place::Adapter => {
            let row = subject
                .provider("llm")
                .ok()
                .flatten()
                .and_then(|row| row["id"].as_str())
                .unwrap_or("llm-adapter");
            format!(
                "- id: {row}\n  name: defect-adapter\n  config:\n    defect: {name}\n    base_url: !env \"LLM_BASE_URL:-\"\n    model: !env \"LLM_MODEL:-\"\n    api_key: !secret LLM_API_KEY\n"
            )
        }
        Place::Wrap(service) => {
            format!(
                "- insert:\n  - id: defect\n    name: defect-{service}\n    config:\n      defect: {name}\n      root: !env \"HARNESS_ROOT:-.\"\n      api_key: !secret LLM_API_KEY\n"
            )
        }
    })
}

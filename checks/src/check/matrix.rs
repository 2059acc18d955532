//! Planted defects: each breaks one check, and the suite must see it in that check's criterion and in no other.
use super::{
    Criterion, Kind, Module, Subject,
    declared::Declared,
    say,
    suite::{Outcome, Suite},
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

/// What came of one defect: the criteria that failed, with their checks.
struct Seen {
    red: Vec<(&'static str, Vec<&'static str>)>,
}

/// Prints which criterion sees which defect. The exit code is 1 when a defect is seen elsewhere than planned, or not at all, or when
/// a check has no defect.
pub(crate) fn print(module: &'static Module, subject: &Subject) -> Result<ExitCode, Failure> {
    let checked: Vec<&Criterion> =
        module.criteria.iter().filter(|criterion| matches!(criterion.kind, Kind::Checked(_))).collect();
    let width = module.defects.iter().map(|defect| defect.name.len()).max().unwrap_or_default();
    say(&format!(
        "{:width$}  {}\n",
        "",
        checked.iter().map(|c| format!("{:6}", c.id)).collect::<String>().trim_end()
    ))?;
    let mut wrong = Vec::new();
    for (defect, seen) in module.defects.iter().zip(plant(module, subject)?) {
        let mark =
            |c: &&Criterion| if seen.red.iter().any(|(id, _)| *id == c.id) { "FAIL  " } else { ".     " };
        let marks: String = checked.iter().map(mark).collect();
        say(&format!("{:width$}  {}\n", defect.name, marks.trim_end()))?;
        if seen.red != [(defect.breaks.0, vec![defect.breaks.1])] {
            wrong.push(format!("{}: breaks {:?}, seen in {:?}", defect.name, defect.breaks, seen.red));
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
            Failure::new("NOT_WRITTEN", format!("{}: {error}", file.display()), "free some space there")
        })?;
        subjects.push((n, subject.patched(&file)));
    }
    let (open, seen) = (Mutex::new(subjects), Mutex::new(Vec::new()));
    let next = || open.lock().ok()?.pop();
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some((n, subject)) = next() {
                    let found = Seen { red: red(module, subject) };
                    if let Ok(mut seen) = seen.lock() {
                        seen.push((n, found));
                    }
                }
            });
        }
    });
    let mut seen = seen.into_inner().unwrap_or_default();
    seen.sort_by_key(|(n, _)| *n);
    Ok(seen.into_iter().map(|(_, seen)| seen).collect())
}

fn red(module: &'static Module, subject: Subject) -> Vec<(&'static str, Vec<&'static str>)> {
    let suite = Suite { subject, declared: Declared::default(), only: Vec::new(), live: false };
    let failed = |criterion: &'static Criterion| match suite.judge(criterion) {
        Outcome::Fail(failed) => Some((criterion.id, failed.iter().map(|failed| failed.check).collect())),
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
                "- id: {row}\n  name: defect-llm\n  config:\n    defect: {name}\n    base_url: !env \"LLM_BASE_URL:-\"\n    model: !env \"LLM_MODEL:-\"\n    api_key: !secret LLM_API_KEY\n"
            )
        }
        Place::Wrap(service) => {
            format!("- insert: [{{id: defect, name: defect-{service}-wrap, config: {{defect: {name}}}}}]\n")
        }
    })
}

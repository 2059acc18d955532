//! What a person, a program and a CI server read of a run of the suite.
use super::{
    Criterion, Module,
    suite::{Failed, Outcome},
};
use checks::failure::Failure;
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};
use serde_json::{Value, json};

/// Criteria and what came of them.
type Done = [(&'static Criterion, Outcome)];

/// How much of what was seen is shown.
const SHOWN_CHARS_MAX: usize = 600;
/// Where the words behind `got`, `wanted` and `next` begin.
const INDENT: usize = 17;

pub(crate) fn failed(done: &Done) -> bool {
    done.iter().any(|(_, outcome)| matches!(outcome, Outcome::Fail(_)))
}

/// One line, and for a failure what was seen, what was wanted, and what to do.
pub(crate) fn line(criterion: &Criterion, outcome: &Outcome) -> String {
    let mut text = format!("{:6}  {:5}  {}", word(outcome).to_uppercase(), criterion.id, criterion.claim);
    match outcome {
        Outcome::Skip(reason) => text += &format!(" ({reason})"),
        Outcome::Fail(failed) => {
            // What several checks saw is told once.
            for alike in failed.chunk_by(|one, other| (&one.got, &one.next) == (&other.got, &other.next)) {
                let Failed { got, wanted, next, .. } = &alike[0];
                let checks: Vec<&str> = alike.iter().map(|one| one.check).collect();
                text += &format!("\n        {}", checks.join(", "));
                let same = alike.iter().all(|one| one.wanted == *wanted);
                for (word, what) in [("got", got), ("wanted", wanted), ("next", next)] {
                    if word != "wanted" || same {
                        text += &format!("\n          {word:6} {}", shown(what));
                    }
                }
            }
        }
        Outcome::Pass | Outcome::Manual => {}
    }
    text + "\n"
}

pub(crate) fn totals(done: &Done) -> String {
    let [passed, failed, skipped, manual] = counts(done);
    format!("{passed} passed, {failed} failed, {skipped} skipped, {manual} manual\n")
}

/// One object: `{module, results: [{id, part, claim, services, result, failures, reason}], passed, failed, skipped, manual}`.
pub(crate) fn json(module: &Module, done: &Done) -> String {
    let [passed, failed, skipped, manual] = counts(done);
    let results: Vec<Value> = done
        .iter()
        .map(|(criterion, outcome)| {
            let Criterion { id, part, claim, services, .. } = criterion;
            let mut value = json!({ "id": id, "part": part, "claim": claim, "services": services, "result": word(outcome) });
            match outcome {
                Outcome::Skip(reason) => value["reason"] = reason.as_str().into(),
                Outcome::Fail(failed) => value["failures"] = failed.iter().map(failure).collect(),
                Outcome::Pass | Outcome::Manual => {}
            }
            value
        })
        .collect();
    let all = json!({ "module": module.id, "results": results, "passed": passed, "failed": failed, "skipped": skipped, "manual": manual });
    format!("{all}\n")
}

fn failure(failed: &Failed) -> Value {
    json!({ "check": failed.check, "got": failed.got, "wanted": failed.wanted, "next": failed.next })
}

/// The same as JUnit XML; what is left to the learner counts as skipped there.
pub(crate) fn junit(module: &Module, done: &Done) -> Result<String, Failure> {
    let mut suite = TestSuite::new(format!("harness check {}", module.id));
    for (criterion, outcome) in done {
        let mut status = match outcome {
            Outcome::Pass => TestCaseStatus::success(),
            Outcome::Fail(_) => TestCaseStatus::non_success(NonSuccessKind::Failure),
            Outcome::Skip(_) | Outcome::Manual => TestCaseStatus::skipped(),
        };
        match outcome {
            Outcome::Fail(failed) => {
                let first =
                    failed.first().map(|failed| format!("{}: got {}", failed.check, shown(&failed.got)));
                status.set_message(first.unwrap_or_default()).set_description(line(criterion, outcome));
            }
            Outcome::Skip(reason) => drop(status.set_message(reason.as_str())),
            Outcome::Manual => drop(status.set_message("for you to judge")),
            Outcome::Pass => {}
        }
        let mut case = TestCase::new(format!("{} {}", criterion.id, criterion.claim), status);
        case.set_classname(format!("harness.check.{}", module.id));
        suite.add_test_case(case);
    }
    let mut report = Report::new(module.title);
    report.add_test_suite(suite);
    report.to_string().map_err(|error| {
        Failure::new(
            "OUTPUT_FAILED",
            format!("the JUnit report: {error}"),
            "report this to the harness's authors",
        )
    })
}

fn word(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Pass => "pass",
        Outcome::Fail(_) => "fail",
        Outcome::Skip(_) => "skip",
        Outcome::Manual => "manual",
    }
}

fn counts(done: &Done) -> [usize; 4] {
    let count = |wanted: &str| done.iter().filter(|(_, outcome)| word(outcome) == wanted).count();
    ["pass", "fail", "skip", "manual"].map(count)
}

/// At the margin of its word, without what a terminal would obey, and not too long.
fn shown(text: &str) -> String {
    let clean: String = text.chars().filter(|c| *c == '\n' || !c.is_control()).collect();
    let mut short: String = clean.chars().take(SHOWN_CHARS_MAX).collect();
    if short.len() < clean.len() {
        short.push('…');
    }
    short.trim_end().replace('\n', &format!("\n{:INDENT$}", ""))
}

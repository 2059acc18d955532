//! Judges criteria: runs their checks in turn, under one deadline, with the skips that were declared.
use super::{Check, Criterion, Kind, Miss, Module, Subject, declared::Declared};
use std::time::Duration;

/// How long a criterion may take, whatever its rows do.
pub(super) const CRITERION_TIME: Duration = Duration::from_secs(15);
/// A real model thinks for longer.
const LIVE_TIME: Duration = Duration::from_secs(180);

/// Rows under check, and what is asked of them.
pub(crate) struct Suite {
    pub(crate) subject: Subject,
    pub(crate) declared: Declared,
    /// The criteria that were named; all when empty.
    pub(crate) only: Vec<&'static str>,
    pub(crate) live: bool,
}

/// What came of a criterion.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Pass,
    Fail(Vec<Failed>),
    /// Why.
    Skip(String),
    Manual,
}

/// A check that missed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Failed {
    pub(crate) check: &'static str,
    pub(crate) got: String,
    pub(crate) wanted: String,
    pub(crate) next: String,
}

impl Failed {
    fn of(check: &'static str, miss: Miss, next: &str) -> Self {
        Failed {
            check,
            got: miss.got,
            wanted: miss.wanted,
            next: miss.next.unwrap_or_else(|| next.to_owned()),
        }
    }
}

impl Suite {
    /// The criteria to judge, in their order.
    pub(crate) fn chosen<'a>(
        &'a self,
        module: &Module,
    ) -> impl Iterator<Item = &'static Criterion> + use<'a> {
        let named = |criterion: &&Criterion| self.only.is_empty() || self.only.contains(&criterion.id);
        module.criteria.iter().filter(named)
    }

    pub(crate) fn judge(&self, criterion: &Criterion) -> Outcome {
        match criterion.kind {
            Kind::Manual => Outcome::Manual,
            Kind::Live(_) if !self.live => {
                Outcome::Skip("it needs a real model: name one in the environment and add --live".to_owned())
            }
            Kind::Live(checks) => self.run(criterion, checks, LIVE_TIME),
            Kind::Checked(checks) => self.run(criterion, checks, CRITERION_TIME),
        }
    }

    fn run(&self, criterion: &Criterion, checks: &[Check], time: Duration) -> Outcome {
        self.subject.begin(time);
        if let Err(miss) = self.mounted(criterion) {
            return Outcome::Fail(vec![Failed::of("rows", miss, "mend the row that is named")]);
        }
        let (mut failed, mut skipped) = (Vec::new(), Vec::new());
        for check in checks {
            if self.subject.is_late() {
                let miss = Miss::new("not tried: the checks before it took all the time", "an end in time");
                failed.push(Failed::of(check.name, miss, "mend what is above first"));
                continue;
            }
            let verdict = (check.run)(&self.subject);
            match (verdict, self.declared.reason(criterion.id, check.name)) {
                (Ok(()), None) => {}
                (Err(_), Some((reason, _))) => skipped.push(format!("{}: {reason}", check.name)),
                (Err(miss), None) => failed.push(Failed::of(check.name, miss, check.next)),
                (Ok(()), Some((reason, file))) => {
                    let miss =
                        Miss::new(format!("it passes, and is declared a skip ({reason})"), "an honest list");
                    failed.push(Failed::of(check.name, miss.next(format!("take it out of {file}")), ""));
                }
            }
        }
        match (failed.is_empty(), skipped.is_empty()) {
            (false, _) => Outcome::Fail(failed),
            (true, false) => Outcome::Skip(skipped.join("; ")),
            (true, true) => Outcome::Pass,
        }
    }

    /// Whether the slots that a criterion judges are filled.
    fn mounted(&self, criterion: &Criterion) -> Result<(), Miss> {
        let rows = self.subject.rows()?;
        for service in criterion.services {
            if rows["chains"][service].as_str().is_none_or(str::is_empty) {
                let row = if *service == "llm" { "llm-adapter" } else { service };
                let got =
                    format!("no {service} service: add the {row} row from checks/01-foundations/rows.yml");
                return Err(Miss::new(got, format!("a row that provides `{service}`")).next("add the row"));
            }
        }
        Ok(())
    }
}

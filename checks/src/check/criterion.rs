//! What a module claims, and how each claim is checked.
use super::{Defect, Subject};

/// One module of the course.
pub(crate) struct Module {
    /// `01`
    pub(crate) id: &'static str,
    /// What it is about.
    pub(crate) title: &'static str,
    /// Its criteria, in their order.
    pub(crate) criteria: &'static [Criterion],
    /// Plugins that each break one check.
    pub(crate) defects: &'static [Defect],
}

/// One claim, `L<module>.<n>`.
pub(crate) struct Criterion {
    pub(crate) id: &'static str,
    /// The part of the lab that it belongs to; 0 for the stretch.
    pub(crate) part: u8,
    /// What holds when it passes.
    pub(crate) claim: &'static str,
    /// The contracts whose rows it judges; their slots must be filled.
    pub(crate) services: &'static [&'static str],
    pub(crate) kind: Kind,
}

/// Who decides.
pub(crate) enum Kind {
    /// These checks, each by itself.
    Checked(&'static [Check]),
    /// These checks, with a real model.
    Live(&'static [Check]),
    /// The learner.
    Manual,
}

/// One thing that a criterion says.
pub(crate) struct Check {
    /// One word for it.
    pub(crate) name: &'static str,
    /// What to do when it misses and nothing more is known.
    pub(crate) next: &'static str,
    /// Tries it.
    pub(crate) run: fn(&Subject) -> Verdict,
}

/// What a check found.
pub(crate) type Verdict = Result<(), Miss>;

/// What was seen in the place of what was wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Miss {
    pub(crate) got: String,
    pub(crate) wanted: String,
    /// The one thing to do, where what was seen says it; else the check's own advice holds.
    pub(crate) next: Option<String>,
}

impl Miss {
    pub(crate) fn new(got: impl Into<String>, wanted: impl Into<String>) -> Self {
        Miss { got: got.into(), wanted: wanted.into(), next: None }
    }

    /// With the remedy that came with what was seen.
    pub(crate) fn next(mut self, next: impl Into<String>) -> Self {
        self.next = Some(next.into()).filter(|next| !next.is_empty());
        self
    }
}

/// A miss unless `holds`.
pub(crate) fn ensure(holds: bool, got: impl FnOnce() -> String, wanted: &str) -> Verdict {
    if holds { Ok(()) } else { Err(Miss::new(got(), wanted)) }
}

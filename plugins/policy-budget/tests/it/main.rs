//! How a turn stands to its budget: each limit, several at once, the warning before, and what cannot be measured. How it is mounted and
//! stacked is tested with the program.
mod near;
mod reached;
mod unmeasured;

use plugin_sdk::{
    Usage,
    contracts::turn_policy::{StepFacts, Totals},
};
use policy_budget::{Budget, Config, Verdict};

/// The budget of a row called `budget`.
fn budget(config: Config) -> Budget {
    Budget::new(config, "budget")
}

fn usage(input: u64, output: u64) -> Usage {
    Usage { input_tokens: input, output_tokens: output, ..Usage::default() }
}

/// Before the step after these, which the same totals without their last step led to.
fn facts(previous: Totals, totals: Totals) -> StepFacts {
    StepFacts { step: totals.steps + 1, totals, previous: Some(previous), ..StepFacts::default() }
}

fn judge(config: Config, totals: Totals) -> Verdict {
    budget(config).judge(&facts(totals.clone(), totals))
}

/// `code: message (hint)`, or how else it stands.
fn said(verdict: Verdict) -> String {
    match verdict {
        Verdict::Fine => "fine".into(),
        Verdict::Warn(used) => format!("near: {used}"),
        Verdict::Block { code, message, hint } => format!("{code}: {message} ({hint})"),
    }
}

//! What the limits of a row mean for the next step of a turn.
use crate::{
    Config,
    limit::{Limit, Unmeasured},
    price::Prices,
};
use plugin_sdk::{
    Message,
    contracts::turn_policy::{Enter, StepFacts},
};

/// What a turn ends with of which nobody knows how much it uses. It begins as limits do: it is about one.
const UNMEASURED: &str = "LIMIT_UNMEASURED";

/// The limits of a row.
#[derive(Debug)]
pub struct Budget {
    limits: Vec<Limit>,
    prices: Prices,
    warn_percent: u64,
    row: String,
}

/// How a turn stands to its limits.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// Well.
    Fine,
    /// It has come near to some since the step before: what of which is used.
    Warn(String),
    /// The step does not begin.
    Block {
        /// Of the first limit.
        code: String,
        /// All that are reached, and how much is used.
        message: String,
        /// How to go on.
        hint: String,
    },
}

impl Budget {
    /// The budget of the row of that id.
    pub fn new(config: Config, row: &str) -> Self {
        Budget {
            limits: Limit::all(&config),
            prices: Prices::of(&config),
            warn_percent: config.warn_percent,
            row: row.to_owned(),
        }
    }

    /// How the turn stands before the step.
    pub fn judge(&self, facts: &StepFacts) -> Verdict {
        let (totals, prices) = (&facts.totals, &self.prices);
        let of = |limits: &[Limit]| {
            listed(limits.iter().map(|limit| limit.said(totals, prices)).collect::<Vec<_>>())
        };
        let reached = self.chosen(|limit| limit.is_reached(totals, prices));
        if let Some(first) = reached.first() {
            let keys = listed(reached.iter().map(|limit| format!("`{}`", limit.key())).collect());
            return Verdict::Block {
                code: first.code().to_owned(),
                message: format!("the turn has used {}", of(&reached)),
                hint: format!("raise {keys} of the row `{}` to go on", self.row),
            };
        }
        let unmeasured = self.limits.iter().find_map(|l| Some((l, l.is_unmeasured(totals, prices)?)));
        if let Some((limit, what)) = unmeasured {
            return self.unmeasured(*limit, what);
        }
        // Without what came before, nobody knows whether it has been said.
        let previous = match &facts.previous {
            Some(previous) => previous.clone(),
            None if facts.step <= 1 => Default::default(),
            None => return Verdict::Fine,
        };
        let percent = self.warn_percent;
        let near = self.chosen(|limit| {
            percent > 0
                && limit.is_past(percent, totals, prices)
                && !limit.is_past(percent, &previous, prices)
        });
        if near.is_empty() { Verdict::Fine } else { Verdict::Warn(of(&near)) }
    }

    fn chosen(&self, is: impl Fn(&Limit) -> bool) -> Vec<Limit> {
        self.limits.iter().copied().filter(|limit| is(limit)).collect()
    }

    fn unmeasured(&self, limit: Limit, what: Unmeasured) -> Verdict {
        let (key, row) = (limit.key(), &self.row);
        let (why, hint) = match what {
            Unmeasured::Tokens => (
                "the provider does not say how many tokens a response used",
                format!("set `{key}` of the row `{row}` to 0, and limit its steps"),
            ),
            Unmeasured::Price => (
                "nobody knows what a token costs",
                format!("set `input_usd_per_million` and `output_usd_per_million` of the row `{row}`"),
            ),
        };
        let message = format!("`{key}` cannot be kept: {why}");
        Verdict::Block { code: UNMEASURED.into(), message, hint }
    }
}

impl Verdict {
    /// The decision from below with this one.
    pub fn with(self, decided: Enter) -> Enter {
        let Enter::Enter { mut inject } = decided else { return decided };
        match self {
            Verdict::Fine => Enter::Enter { inject },
            Verdict::Warn(used) => {
                let text = format!(
                    "This turn has used {used}. Do what matters most, and say what is left before it ends."
                );
                // Whoever reads the conversation can tell that no person said it.
                let source = Some(env!("CARGO_PKG_NAME").to_owned());
                inject.push(Message { source, ..Message::user(text) }.part());
                Enter::Enter { inject }
            }
            Verdict::Block { code, message, hint } => Enter::Reject { code, message, hint, resumable: true },
        }
    }
}

/// `a`, `a and b`, `a, b and c`.
fn listed(mut words: Vec<String>) -> String {
    let last = words.pop().unwrap_or_default();
    if words.is_empty() { last } else { format!("{} and {last}", words.join(", ")) }
}

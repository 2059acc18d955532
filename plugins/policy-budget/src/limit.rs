//! One thing that a turn uses, and how much of it it may.
use crate::{Config, price::Prices};
use plugin_sdk::contracts::turn_policy::Totals;

/// What is limited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Steps,
    ToolCalls,
    InputTokens,
    OutputTokens,
    Cost,
    Elapsed,
}

/// A limit that a row sets.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limit {
    pub(crate) kind: Kind,
    /// More than 0; in the unit of the key.
    most: f64,
}

impl Limit {
    /// Those that are set, in the order in which they are told.
    pub(crate) fn all(config: &Config) -> Vec<Limit> {
        // Counts are exact up to 2^53, far above what any turn uses.
        let limits = [
            (Kind::Steps, config.steps_max as f64),
            (Kind::ToolCalls, config.tool_calls_max as f64),
            (Kind::InputTokens, config.input_tokens_max as f64),
            (Kind::OutputTokens, config.output_tokens_max as f64),
            (Kind::Cost, config.cost_usd_max),
            (Kind::Elapsed, config.elapsed_ms_max as f64),
        ];
        limits.into_iter().filter(|(_, most)| *most > 0.0).map(|(kind, most)| Limit { kind, most }).collect()
    }

    /// How much is used; nothing where it is not known, which is told apart by [`Limit::is_unmeasured`].
    fn used(self, totals: &Totals, prices: &Prices) -> f64 {
        let usage = &totals.usage;
        match self.kind {
            Kind::Steps => f64::from(totals.steps),
            Kind::ToolCalls => f64::from(totals.tool_calls),
            // As it is billed: what a cache served was sent too.
            Kind::InputTokens => {
                [Some(usage.input_tokens), usage.cache_read_tokens, usage.cache_write_tokens]
                    .into_iter()
                    .flatten()
                    .fold(0, u64::saturating_add) as f64
            }
            Kind::OutputTokens => usage.output_tokens as f64,
            Kind::Cost => prices.cost(totals).unwrap_or(0.0),
            Kind::Elapsed => totals.elapsed_ms as f64,
        }
    }

    pub(crate) fn is_reached(self, totals: &Totals, prices: &Prices) -> bool {
        self.used(totals, prices) >= self.most
    }

    /// Whether that share of it is used.
    pub(crate) fn is_past(self, percent: u64, totals: &Totals, prices: &Prices) -> bool {
        self.used(totals, prices) * 100.0 >= self.most * percent as f64
    }

    /// Why it cannot be kept, and what to do: nobody knows how much is used.
    pub(crate) fn is_unmeasured(self, totals: &Totals, prices: &Prices) -> Option<Unmeasured> {
        let tokens = || (totals.unmetered_steps > 0).then_some(Unmeasured::Tokens);
        match self.kind {
            Kind::Cost if prices.cost(totals).is_none() => Some(Unmeasured::Price),
            Kind::Cost if prices.is_made_of_tokens(totals) => tokens(),
            Kind::InputTokens | Kind::OutputTokens => tokens(),
            Kind::Cost | Kind::Steps | Kind::ToolCalls | Kind::Elapsed => None,
        }
    }

    /// What a turn that reached it ends with.
    pub(crate) fn code(self) -> &'static str {
        match self.kind {
            Kind::Steps => "LIMIT_STEPS",
            Kind::ToolCalls => "LIMIT_TOOL_CALLS",
            Kind::InputTokens => "LIMIT_INPUT_TOKENS",
            Kind::OutputTokens => "LIMIT_OUTPUT_TOKENS",
            Kind::Cost => "LIMIT_COST",
            Kind::Elapsed => "LIMIT_TIME",
        }
    }

    /// The key of the config that sets it.
    pub(crate) fn key(self) -> &'static str {
        match self.kind {
            Kind::Steps => "steps_max",
            Kind::ToolCalls => "tool_calls_max",
            Kind::InputTokens => "input_tokens_max",
            Kind::OutputTokens => "output_tokens_max",
            Kind::Cost => "cost_usd_max",
            Kind::Elapsed => "elapsed_ms_max",
        }
    }

    /// `40 of 50 steps`: a part of a sentence.
    pub(crate) fn said(self, totals: &Totals, prices: &Prices) -> String {
        let (used, most) = (self.used(totals, prices), self.most);
        let counted = |one: &str| format!("{used} of {most} {one}{}", if most == 1.0 { "" } else { "s" });
        match self.kind {
            Kind::Steps => counted("step"),
            Kind::ToolCalls => counted("tool call"),
            Kind::InputTokens => counted("input token"),
            Kind::OutputTokens => counted("output token"),
            Kind::Cost => format!("${} of ${}", rounded(used, 4), rounded(most, 4)),
            Kind::Elapsed => format!("{} of {} seconds", rounded(used / 1e3, 1), rounded(most / 1e3, 3)),
        }
    }
}

/// What is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unmeasured {
    Tokens,
    Price,
}

/// Without zeros at the end; never nothing out of something.
fn rounded(number: f64, places: usize) -> String {
    let text = format!("{number:.places$}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if number > 0.0 && text == "0" { format!("{number}") } else { text.to_owned() }
}

//! What a policy is told: derived from the log by whoever drives the turn, so that a policy keeps no counters.
use super::RecentCall;
use crate::Usage;
use serde::{Deserialize, Serialize};

/// What a turn has used so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Totals {
    /// Model requests.
    pub steps: u32,
    /// Tool calls, failed ones included.
    pub tool_calls: u32,
    /// Tool calls that failed.
    pub tool_errors: u32,
    /// Tokens.
    pub usage: Usage,
    /// Responses whose tokens the provider did not say: `usage` is without them.
    pub unmetered_steps: u32,
    /// Money, in US dollars; `None` where nobody knows a price, `Some(0.0)` before the first request where somebody does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
    /// Wall time since the turn began, in milliseconds.
    pub elapsed_ms: u64,
}

/// What a policy knows before a step.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct StepFacts {
    /// The session.
    pub session: String,
    /// The turn, from 1.
    pub turn: u32,
    /// The step that is about to begin, from 1 within the turn.
    pub step: u32,
    /// The model asked for, `""` for the adapter's default.
    pub model: String,
    /// Used in this turn.
    pub totals: Totals,
    /// What `totals` were when the step before was let in: what crosses a mark between the two crosses it now. `None` before the first
    /// step, and from a loop that does not say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub previous: Option<Totals>,
    /// The latest calls since a person last spoke, oldest first, at most [`super::RECENT_CALLS_MAX`]; [`super::RecentCalls`] keeps them.
    /// `None` from a loop that does not say, which a policy that needs them must tell the person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recent_calls: Option<Vec<RecentCall>>,
}

/// What a policy knows before a turn stops.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TurnFacts {
    /// As before the last step.
    #[serde(flatten)]
    pub step: StepFacts,
    /// The text of the last response.
    pub text: String,
    /// How often a policy has made this turn go on; at most [`super::CONTINUES_MAX`].
    pub continues: u32,
}

//! Which calls a turn made last, and what came of them, as digests: enough to see that nothing changes.
use crate::{
    Part,
    tools::{ToolCall, ToolResult},
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::{collections::VecDeque, fmt::Write as _};

/// How many calls are remembered: they are written and read once for each policy of a chain, before every step.
pub const RECENT_CALLS_MAX: usize = 32;

/// How much of a content hash a digest shows.
const DIGEST_BYTES: usize = 8;

/// A call that was answered. Digests are 16 hexadecimal digits; the same content has the same digest in every process.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RecentCall {
    /// The step that asked for it.
    pub step: u32,
    /// The tool.
    pub name: String,
    /// Of the arguments as a JSON value: neither the order of keys nor spaces matter. Arguments that are no JSON count as they are.
    pub arguments: String,
    /// Of the text that the model got to read.
    pub result: String,
    /// Whether the call failed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_error: bool,
}

/// The latest calls of a turn: a loop adds each as it is answered, in model order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecentCalls(VecDeque<RecentCall>);

impl RecentCalls {
    /// Adds a call of a step. The oldest is forgotten once there are more than [`RECENT_CALLS_MAX`].
    pub fn add(&mut self, step: u32, call: &ToolCall, result: &ToolResult) {
        if self.0.len() == RECENT_CALLS_MAX {
            self.0.pop_front();
        }
        self.0.push_back(RecentCall {
            step,
            name: call.name.clone(),
            arguments: of_arguments(call.arguments_text()),
            result: digest(&result.text),
            is_error: result.is_error,
        });
    }

    /// Forgets all: a person has spoken, and what is done again is done for another reason.
    pub fn forget(&mut self) {
        self.0.clear();
    }

    /// For [`super::StepFacts::recent_calls`].
    pub fn list(&self) -> Vec<RecentCall> {
        self.0.iter().cloned().collect()
    }
}

/// A map of `Value` is sorted by its keys.
fn of_arguments(text: &str) -> String {
    match serde_json::from_str::<Value>(text) {
        Ok(value) => digest(&value.to_string()),
        Err(_) => digest(text),
    }
}

fn digest(text: &str) -> String {
    let mut shown = String::with_capacity(2 * DIGEST_BYTES);
    for byte in &Part::new(text).id()[..DIGEST_BYTES] {
        // Writing into a string does not fail.
        let _ = write!(shown, "{byte:02x}");
    }
    shown
}

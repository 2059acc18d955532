//! A script as it is written.
//!
//! ```yaml
//! vars: {greeting: hello}        # constants for the templates; any YAML
//! replies:                       # used in order, one a step; a task of the person's starts at the first again
//!   - when: "{{ 'read_file' in tools }}"     # else this reply is passed over
//!     reasoning: I should look.
//!     text: "{{ vars.greeting }}, I will look into {{ task }}."
//!     calls: [{name: read_file, arguments: {path: README.md}}]   # a mapping, or a string that is sent as it is
//!     each:                                  # one more call for each line that is not blank
//!       in: "{{ last.text }}"
//!       most: 16
//!       call: {name: read_file, arguments: {path: "{{ item }}"}}
//!     finish: tool-calls         # stop | tool-calls | max-tokens | error | aborted
//!     usage: {output_tokens: 5}  # counts that are left out are made of sizes; {omit: true}: none are sent
//!     failure: {code: RATE_LIMIT, message: too many requests, status: 429, retry_after_ms: 20}
//!     first_delay_ms: 500        # before the first item
//!     delay_ms: 20               # before each delta
//!     chunk: 24                  # characters a delta
//!     repeat: 1                  # how many steps it answers, one after the other
//!     hang: false                # after the content nothing more comes until the request is cancelled
//! then: error                    # or `last`: what answers when no reply is left
//! ```
//!
//! `when`, `reasoning`, `text`, `failure.message`, names, arguments and what `each` says are templates (crate `minijinja`); what they see is in
//! `turn.rs`, the filters beside the language's own are in `filters.rs`.
use crate::script::invalid;
use plugin_sdk::{Error, Result};
use serde::Deserialize;
use serde_json::Value;
use std::{
    collections::BTreeMap,
    num::{NonZeroU32, NonZeroUsize},
};

/// A longer text is refused unread.
const BYTES_MAX: usize = 1 << 20;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a mapping with `replies`")]
pub(crate) struct ScriptFormat {
    #[serde(default)]
    pub(crate) vars: BTreeMap<String, Value>,
    pub(crate) replies: Vec<ReplyFormat>,
    #[serde(default)]
    pub(crate) then: Then,
}

/// What answers when no reply is left.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Then {
    #[default]
    Error,
    /// The last reply, whatever its `when` says.
    Last,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "a mapping, the reply")]
pub(crate) struct ReplyFormat {
    pub(crate) when: Option<String>,
    pub(crate) reasoning: String,
    pub(crate) text: String,
    pub(crate) calls: Vec<CallFormat>,
    pub(crate) each: Option<EachFormat>,
    pub(crate) finish: Option<FinishWord>,
    pub(crate) usage: Option<UsageFormat>,
    pub(crate) failure: Option<FailureFormat>,
    pub(crate) first_delay_ms: u32,
    pub(crate) delay_ms: u32,
    pub(crate) chunk: Option<NonZeroUsize>,
    pub(crate) repeat: Option<NonZeroU32>,
    pub(crate) hang: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a mapping with a `name`")]
pub(crate) struct CallFormat {
    pub(crate) name: String,
    #[serde(default = "no_arguments")]
    pub(crate) arguments: Value,
}

fn no_arguments() -> Value {
    Value::Object(Default::default())
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a mapping with `in` and `call`")]
pub(crate) struct EachFormat {
    pub(crate) r#in: String,
    pub(crate) most: Option<NonZeroUsize>,
    pub(crate) call: CallFormat,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum FinishWord {
    Stop,
    ToolCalls,
    MaxTokens,
    Error,
    Aborted,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a mapping with `code` and `message`")]
pub(crate) struct FailureFormat {
    pub(crate) code: String,
    pub(crate) message: String,
    pub(crate) status: Option<u16>,
    pub(crate) retry_after_ms: Option<u64>,
    pub(crate) request_id: Option<String>,
    #[serde(default)]
    pub(crate) hint: String,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "a mapping of counts")]
pub(crate) struct UsageFormat {
    /// Sends no usage at all.
    pub(crate) omit: bool,
    pub(crate) input_tokens: Option<u64>,
    pub(crate) output_tokens: Option<u64>,
    pub(crate) cache_read_tokens: Option<u64>,
    pub(crate) cache_write_tokens: Option<u64>,
    pub(crate) reasoning_tokens: Option<u64>,
}

impl ScriptFormat {
    /// Reads YAML text, or a value that has the same shape.
    ///
    /// # Errors
    /// `SCRIPT_INVALID` with the path of the mistake, and in a text its line and column.
    pub(crate) fn read(script: &Value) -> Result<Self> {
        if let Value::String(text) = script {
            if text.len() > BYTES_MAX {
                let message = format!("script: the text has {} bytes, more than {BYTES_MAX}", text.len());
                return Err(invalid(message, "split the script"));
            }
            return serde_yaml::from_str(text).map_err(|e| refused(&e.to_string()));
        }
        // Only the YAML reader tells the path of a mistake; the places it adds are those of a text nobody wrote.
        let text = serde_yaml::to_string(script)?;
        serde_yaml::from_str(&text).map_err(|e| {
            let place = e.location().map(|at| format!(" at line {} column {}", at.line(), at.column()));
            refused(e.to_string().trim_end_matches(place.as_deref().unwrap_or_default()))
        })
    }
}

fn refused(message: &str) -> Error {
    let hint = if message.contains("invalid type: map, expected a string") {
        "put the string in quotes: YAML reads `{{` as two mappings"
    } else {
        "correct it there; the format is in the README of llm-scripted"
    };
    invalid(format!("script: {message}"), hint)
}

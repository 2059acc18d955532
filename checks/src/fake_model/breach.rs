//! A rule that a request broke: which, where, and what was expected.

use std::fmt;

use serde_json::{Value, json};

/// One broken rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Breach {
    /// The rule, as checks/SCRIPTS.md lists it.
    pub(super) code: &'static str,
    /// The place in the request, such as `messages[3].tool_calls[0]`.
    pub(super) at: String,
    /// What is wrong there.
    pub(super) said: String,
}

impl Breach {
    pub(super) fn new(code: &'static str, at: impl Into<String>, said: impl Into<String>) -> Self {
        Self { code, at: at.into(), said: said.into() }
    }

    /// The error object that OpenAI's API answers with.
    pub(super) fn body(&self) -> Value {
        let message = self.to_string();
        json!({"error": {"message": message, "type": "invalid_request_error", "param": self.at, "code": self.code}})
    }
}

impl fmt::Display for Breach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}: {}", self.code, self.at, self.said)
    }
}

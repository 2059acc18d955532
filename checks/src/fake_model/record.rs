//! What the fake model remembers of each request it got.

use serde::Serialize;

/// A request and what came of it.
#[derive(Debug, Clone, Serialize)]
pub struct Recorded {
    /// The HTTP method.
    pub method: String,
    /// The path with its query, as sent.
    pub path: String,
    /// Names in lower case and values, in the order of arrival; bytes that are no UTF-8 are replaced.
    pub headers: Vec<(String, String)>,
    /// The body; bytes that are no UTF-8 are replaced.
    pub body: String,
    /// The reply of the script that answered, counted from 0; `None` when none was used.
    pub reply: Option<usize>,
    /// The status of the response; `None` while, or when, no head was sent.
    pub status: Option<u16>,
    /// The rule that the request broke, where, and how.
    pub violation: Option<String>,
    /// What became of the response.
    pub outcome: Outcome,
}

/// How the exchange ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Not ended: the response is awaited or being sent.
    Open,
    /// The whole response was sent.
    Sent,
    /// The response was broken off, as the script says.
    BrokenOff,
    /// The client closed the connection before it had the whole response, or the server was stopped.
    ClientLeft,
}

impl Recorded {
    /// The value of the header `name` (lower case), the first if there are several.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// The body as JSON; `null` when it is none.
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.body).unwrap_or_default()
    }
}

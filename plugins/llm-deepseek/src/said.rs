//! What a provider says went wrong, in the body of a refusal or in the middle of a stream.
use crate::wording;
use contracts::llm::code;
use plugin_sdk::{contracts, truncate::keep_bytes};
use serde_json::Value;

/// How much of it people are shown, and how much is looked through for what it means.
const SHOWN_BYTES_MAX: usize = 2000;
const READ_BYTES_MAX: usize = 16 << 10;

/// What an error that came without a status amounts to: the first phrase that is in it decides.
const AMOUNTS_TO: [(&str, u16); 8] = [
    ("rate limit", 429),
    ("too many requests", 429),
    ("authentication", 401),
    ("api key", 401),
    ("unauthorized", 401),
    ("permission", 403),
    ("invalid request", 400),
    ("bad request", 400),
];

/// An error, read.
pub(crate) struct Said {
    /// For people, cut to a bearable length; empty where nothing was said.
    pub(crate) message: String,
    words: String,
    status: Option<u16>,
}

impl Said {
    /// The error in a body: JSON of several shapes, a page, or plain text.
    pub(crate) fn in_body(body: &str) -> Self {
        let body = body.trim();
        match serde_json::from_str::<Value>(body) {
            Ok(Value::Array(list)) => list.first().map_or_else(|| Said::in_text(""), Said::beside),
            Ok(value) => Said::beside(&value),
            Err(_) => Said::in_text(body),
        }
    }

    /// The error object itself. DeepSeek API docs, "Error Codes": `message`, `type` and `code`.
    pub(crate) fn in_error(error: &Value) -> Self {
        let field = |name: &str| error.get(name).filter(|value| !value.is_null()).map(spelled);
        let message = ["message", "detail"].into_iter().find_map(field).unwrap_or_else(|| match error {
            Value::Null => String::new(),
            Value::Object(fields) if fields.is_empty() => String::new(),
            other => spelled(other),
        });
        let kind = ["code", "type"].into_iter().filter_map(field).collect::<Vec<_>>().join(" ");
        let status = field("code").and_then(|code| code.parse().ok());
        let status = status.filter(|status| (400..600).contains(status));
        Said { status, ..Said::of(&message, &kind) }
    }

    /// The error in an object that may be one itself, or hold one.
    fn beside(value: &Value) -> Self {
        Said::in_error(value.get("error").unwrap_or(value))
    }

    /// Of a page only the title says something.
    fn in_text(text: &str) -> Self {
        let between = |from, to| Some(text.split_once(from)?.1.split_once(to)?.0);
        match between("<title>", "</title>") {
            Some(title) => Said::of(title, ""),
            None if text.starts_with('<') => Said::of("a page without a title", ""),
            None => Said::of(text, ""),
        }
    }

    fn of(message: &str, kind: &str) -> Self {
        let words = wording::plain(&format!("{kind} {}", keep_bytes(message, READ_BYTES_MAX)));
        Said { message: keep_bytes(message.trim(), SHOWN_BYTES_MAX).into_owned(), words, status: None }
    }

    /// The failure's code, given the status of the response.
    pub(crate) fn code(&self, status: u16) -> String {
        let code = match status {
            401 | 403 => code::AUTH,
            413 => code::INVALID_REQUEST,
            402 => code::QUOTA,
            _ if wording::is_about_credit(&self.words) => code::QUOTA,
            429 => code::RATE_LIMIT,
            408 => code::TIMEOUT,
            400 | 422 if wording::is_about_length(&self.words) => code::CONTEXT_WINDOW_EXCEEDED,
            400 | 422 => code::INVALID_REQUEST,
            500..=599 => code::SERVER,
            other => return format!("HTTP_{other}"),
        };
        code.to_owned()
    }

    /// The failure's code where the response had begun as a success.
    pub(crate) fn code_in_stream(&self) -> String {
        let amounts = || AMOUNTS_TO.iter().find(|(phrase, _)| wording::says(&self.words, phrase));
        let length = || wording::is_about_length(&self.words).then_some(400);
        let status = self.status.or_else(length).or_else(|| amounts().map(|(_, status)| *status));
        self.code(status.unwrap_or(500))
    }
}

/// A text without its quotes, anything else as JSON.
fn spelled(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

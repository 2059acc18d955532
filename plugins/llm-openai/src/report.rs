//! What a provider says about a failure, whatever shape it says it in, and which of our codes that is.
use crate::wording;
use contracts::llm::code;
use plugin_sdk::{contracts, truncate};
use serde_json::Value;

/// How much of a provider's text is shown.
const MESSAGE_BYTES_MAX: usize = 2000;
/// How much of each of its texts is read for what kind of failure it is: looking for phrases in megabytes takes seconds.
const READ_BYTES_MAX: usize = 16 << 10;

/// A provider's error, read.
pub(crate) struct Report {
    /// Its text, `""` when it says nothing.
    pub(crate) message: String,
    /// Its code, type and text in lower case, as words: what the kind of the failure is read from.
    words: String,
    /// A code that is an HTTP status, as some send within a stream.
    status: Option<u16>,
}

impl Report {
    /// Reads an error body: `{"error": {"message", "type", "code"}}` as OpenAI writes it, the variations that are about, or
    /// any text. Of a page only the title is taken.
    pub(crate) fn read(body: &str) -> Self {
        let value = serde_json::from_str(body).unwrap_or_else(|_| Value::String(plain(body).to_owned()));
        let value = match value {
            Value::Array(mut items) if !items.is_empty() => items.swap_remove(0),
            value => value,
        };
        let error = value.get("error").filter(|error| said(error));
        let error = error.unwrap_or(if value.get("error").is_some() { &Value::Null } else { &value });
        let mut message = match error {
            Value::String(text) => text.clone(),
            Value::Object(fields) if !fields.is_empty() => {
                let message =
                    ["message", "detail", "msg"].iter().find_map(|key| fields.get(*key)).filter(|m| said(m));
                message.map(text).unwrap_or_else(|| text(error))
            }
            _ => String::new(),
        };
        // OpenRouter passes the words of the provider behind it on in a field of their own.
        if let Some(raw) = error.pointer("/metadata/raw").and_then(Value::as_str) {
            message = format!("{message}: {raw}");
        }
        let kinds = ["code", "type", "status"].iter().filter_map(|key| error.get(*key)).map(text);
        let words: String = kinds
            .chain([message.clone()])
            .map(|text| wording::words(&truncate::keep_bytes(&text, READ_BYTES_MAX)))
            .collect();
        let status = error.get("code").map(text).and_then(|code| code.parse().ok());
        Report {
            message: truncate::keep_bytes(message.trim(), MESSAGE_BYTES_MAX).into_owned(),
            words,
            status: status.filter(|status| (400..600).contains(status)),
        }
    }

    /// The code of a response with that status.
    pub(crate) fn http_code(&self, status: u16) -> String {
        let code = match status {
            401 | 403 => code::AUTH,
            413 => code::INVALID_REQUEST,
            402 => code::QUOTA,
            _ if wording::quota(&self.words) => code::QUOTA,
            429 => code::RATE_LIMIT,
            408 => code::TIMEOUT,
            400 | 422 if wording::context_window(&self.words) => code::CONTEXT_WINDOW_EXCEEDED,
            400 | 422 => code::INVALID_REQUEST,
            500.. => code::SERVER,
            _ => return format!("HTTP_{status}"),
        };
        code.into()
    }

    /// The code of an error that came within a response whose status was a success.
    pub(crate) fn stream_code(&self) -> String {
        if let Some(status) = self.status {
            return self.http_code(status);
        }
        let has = |phrases: &[&str]| phrases.iter().any(|phrase| wording::has(&self.words, phrase));
        let code = if wording::quota(&self.words) {
            code::QUOTA
        } else if wording::context_window(&self.words) {
            code::CONTEXT_WINDOW_EXCEEDED
        } else if has(&["rate limit", "rate limit error", "rate limit exceeded", "too many requests"]) {
            code::RATE_LIMIT
        } else if has(&["authentication error", "invalid api key", "permission error", "unauthorized"]) {
            code::AUTH
        } else if has(&["invalid request error", "bad request error", "bad request"]) {
            code::INVALID_REQUEST
        } else {
            code::SERVER
        };
        code.into()
    }
}

/// Whether an `error` is one: some send the key with nothing in it.
pub(crate) fn said(error: &Value) -> bool {
    match error {
        Value::Null | Value::Bool(false) => false,
        Value::String(text) => !text.trim().is_empty(),
        Value::Object(fields) => !fields.is_empty(),
        _ => true,
    }
}

fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        value => value.to_string(),
    }
}

fn plain(body: &str) -> &str {
    let body = body.trim();
    if !body.starts_with('<') {
        return body;
    }
    let title = body.split_once("<title>").and_then(|(_, rest)| rest.split_once("</title>"));
    title.map_or("an HTML page", |(title, _)| title.trim())
}

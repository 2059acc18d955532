//! The error of every contract, and its way over the ABI.
use plugin_api::RError;
use serde::Serialize;
use serde_json::Value;
use std::borrow::Cow;

/// A result whose error is [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A code for programs, a sentence for people, the one thing to do, and details.
///
/// It does not implement [`std::error::Error`], so that `?` turns any error that does into one, with the code `INTERNAL`
/// and the whole chain of causes in the message.
#[derive(Clone, Debug, PartialEq)]
pub struct Error {
    /// A stable word, SCREAMING_SNAKE.
    pub code: Cow<'static, str>,
    /// One plain sentence: what and where. Lower case, no final period.
    pub message: String,
    /// The one thing to do about it, `""` for none.
    pub hint: String,
    /// A JSON object with details, `Null` for none.
    pub data: Value,
}

impl Error {
    /// An error without hint or details.
    pub fn new(code: impl Into<Cow<'static, str>>, message: impl Into<String>) -> Self {
        Error { code: code.into(), message: message.into(), hint: String::new(), data: Value::Null }
    }

    /// The same error with the one thing to do about it.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = hint.into();
        self
    }

    /// The same error with details.
    pub fn data(mut self, data: impl Serialize) -> Self {
        self.data = serde_json::to_value(data).unwrap_or_default();
        self
    }

    /// The error that says that the caller's token was fired.
    pub fn aborted(reason: &str) -> Self {
        let why = if reason.is_empty() { "cancelled" } else { reason };
        Error::new(plugin_api::run::ABORTED, format!("aborted: {why}"))
    }

    /// Whether it is one of that code.
    pub fn is(&self, code: &str) -> bool {
        self.code == code
    }
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl<E: std::error::Error> From<E> for Error {
    fn from(error: E) -> Self {
        let (mut message, mut cause) = (error.to_string(), error.source());
        while let Some(error) = cause {
            let text = error.to_string();
            // Many errors print their cause themselves.
            if !message.ends_with(&text) {
                message = format!("{message}: {text}");
            }
            cause = error.source();
        }
        Error::new("INTERNAL", message)
    }
}

/// From the ABI's form. Not a `From`, which the blanket conversion above takes.
pub fn from_abi(error: RError) -> Error {
    Error {
        code: String::from(error.code).into(),
        message: error.message.into(),
        hint: error.hint.into(),
        data: serde_json::from_str(&error.data).unwrap_or_default(),
    }
}

/// Into the ABI's form.
pub fn into_abi(error: Error) -> RError {
    RError {
        code: error.code.as_ref().into(),
        message: error.message.into(),
        hint: error.hint.into(),
        data: if error.data.is_null() { String::new() } else { error.data.to_string() }.into(),
    }
}

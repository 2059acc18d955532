//! The API key: what of it can be sent, and how it stays out of every message.
use crate::endpoint::Endpoint;
use contracts::llm::{Failure, Finish, code};
use plugin_sdk::contracts;
use reqwest::header::HeaderValue;
use std::fmt;

/// A shorter word is no secret but a placeholder that local servers are given, and may be part of ordinary text.
const SECRET_CHARS_MIN: usize = 8;

/// The key of a row. Its `Debug` shows nothing.
pub(crate) struct Key(String);

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key")
    }
}

impl Key {
    /// White space around it comes from files and pasting, and is no part of it.
    pub(crate) fn new(text: &str) -> Self {
        Key(text.trim().to_owned())
    }

    pub(crate) fn text(&self) -> &str {
        &self.0
    }

    /// The `Authorization` header, `None` where there is no key and none is needed.
    ///
    /// # Errors
    /// `MISSING_CREDENTIAL`; `INVALID_CREDENTIAL` for anything but visible ASCII, which is all a bearer token may hold
    /// (RFC 6750, section 2.1, is stricter still).
    pub(crate) fn bearer(&self, endpoint: &Endpoint, needed: bool) -> Result<Option<HeaderValue>, Failure> {
        if self.0.is_empty() {
            if !needed {
                return Ok(None);
            }
            let message = format!("llm-openai: LLM_API_KEY is not set, and {} needs a key", endpoint.origin);
            return Err(Failure {
                hint: "export LLM_API_KEY, or put it in .env".into(),
                ..Failure::new(code::MISSING_CREDENTIAL, message)
            });
        }
        let invalid = || Failure {
            hint: "set LLM_API_KEY to the bare key: no quotes, no `Bearer`, nothing behind it".into(),
            ..Failure::new(
                code::INVALID_CREDENTIAL,
                "llm-openai: the key in LLM_API_KEY holds a character that no HTTP header can carry in a key",
            )
        };
        if !self.0.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(invalid());
        }
        let Ok(mut header) = HeaderValue::from_str(&format!("Bearer {}", self.0)) else {
            return Err(invalid());
        };
        header.set_sensitive(true);
        Ok(Some(header))
    }
}

/// The texts that no message may show.
pub(crate) struct Secrets(Vec<String>);

impl Secrets {
    pub(crate) fn new<'a>(texts: impl IntoIterator<Item = &'a str>) -> Self {
        let long = texts.into_iter().filter(|text| text.chars().count() >= SECRET_CHARS_MIN);
        Secrets(long.map(str::to_owned).collect())
    }

    /// A provider may repeat the key in its error.
    pub(crate) fn mask(&self, finish: &mut Finish) {
        if let Finish::Error { failure } | Finish::Aborted { failure } = finish {
            for secret in &self.0 {
                for text in [&mut failure.message, &mut failure.code, &mut failure.hint] {
                    if text.contains(secret) {
                        *text = text.replace(secret, "[redacted]");
                    }
                }
            }
        }
    }
}

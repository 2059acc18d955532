//! The key of the account: whether it can be sent, and that nobody reads it.
use crate::{address::Address, failure::failure};
use contracts::llm::{Failure, code};
use plugin_sdk::contracts;
use reqwest::header::HeaderValue;

/// Below this many bytes a key is a placeholder, whose letters may stand in any text.
const MASKED_BYTES_MIN: usize = 8;
/// What stands for a key in a text.
const MASK: &str = "[redacted]";

pub(crate) struct Key(String);

impl Key {
    /// A key as it was pasted: with a line end, or with spaces before it.
    pub(crate) fn pasted(text: &str) -> Self {
        Key(text.trim().to_owned())
    }

    /// The value of `Authorization`; none where there is no key and the address needs none.
    ///
    /// # Errors
    /// `MISSING_CREDENTIAL`, or `INVALID_CREDENTIAL` for a key with anything in it but visible ASCII (RFC 9110, section 5.5, would
    /// allow more, and no key of DeepSeek's has it).
    pub(crate) fn authorization(&self, to: &Address) -> Result<Option<HeaderValue>, Failure> {
        if self.0.is_empty() {
            let missing = || {
                failure(code::MISSING_CREDENTIAL, format_args!("{to} wants a key, and LLM_API_KEY has none"))
            };
            return if to.loopback { Ok(None) } else { Err(missing()) };
        }
        let visible = self.0.bytes().all(|byte| matches!(byte, b'!'..=b'~'));
        let header = HeaderValue::try_from(format!("Bearer {}", self.0)).ok().filter(|_| visible);
        let mut header = header.ok_or_else(|| {
            failure(code::INVALID_CREDENTIAL, "LLM_API_KEY has a character in it that no header can carry")
        })?;
        header.set_sensitive(true);
        Ok(Some(header))
    }

    /// Takes the key out of what a provider said.
    pub(crate) fn hide(&self, said: &mut Failure) {
        if self.0.len() >= MASKED_BYTES_MIN {
            said.message = said.message.replace(&self.0, MASK);
            said.code = said.code.replace(&self.0.to_uppercase(), MASK);
        }
    }
}

//! Masks secrets in a text that is about to be cut: of a secret that is cut, the host would see only a half.

use std::borrow::Cow;

use plugin_sdk::Ctx;

/// The host's mask; without a host, nothing is secret.
#[derive(Clone, Debug, Default)]
pub(crate) struct Mask(Option<Ctx>);

impl Mask {
    pub(crate) fn of(host: Ctx) -> Self {
        Self(Some(host))
    }

    pub(crate) fn text<'a>(&self, text: &'a str) -> Cow<'a, str> {
        match &self.0 {
            Some(host) => host.redact(text).into(),
            None => text.into(),
        }
    }
}

//! Masks secrets in whatever crosses to a consumer.
use crate::Secrets;
use plugin_api::{RError, RPart, RPayload, abi_stable::std_types::RString};
use std::{borrow::Cow, fs, path::PathBuf};

/// Masks the secrets of this run.
#[derive(Debug, Default)]
pub struct Redactor(Secrets);

impl Redactor {
    /// Masks these.
    pub fn new(secrets: Secrets) -> Redactor {
        Redactor(secrets)
    }

    /// The text with every secret masked.
    pub fn text<'a>(&self, text: &'a str) -> Cow<'a, str> {
        self.0.mask(text)
    }

    pub(crate) fn secrets(&self) -> &Secrets {
        &self.0
    }

    pub(crate) fn string(&self, text: &mut RString) {
        if !text.is_empty()
            && let Cow::Owned(masked) = self.0.mask(text)
        {
            *text = masked.into();
        }
    }

    pub(crate) fn part(&self, part: &mut RPart) {
        if let Some(masked) = self.0.mask_bytes(part.bytes()) {
            *part = RPart::new(masked);
        }
    }

    /// Masks what these files name with `!secret NAME`, and variables whose name says as much: for an error that comes before the
    /// rows are known. A file that cannot be read names nothing.
    pub fn early(files: &[PathBuf], get: impl Fn(&str) -> Option<String>) -> Redactor {
        let texts = files.iter().filter_map(|file| fs::read_to_string(file).ok());
        let names = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
        let telling = names
            .filter(|name| ["KEY", "TOKEN", "SECRET", "PASSWORD"].iter().any(|word| name.contains(word)));
        Redactor(Secrets::named_in(texts.chain(telling.map(|name| format!("!secret {name}"))), get))
    }

    /// Whether there is nothing to mask.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What the person should know: which values are not masked, and why.
    pub fn warnings(&self) -> impl Iterator<Item = String> {
        self.0.unmasked().iter().map(|name| {
            format!("the value of {name} is too short or too plain to be told from ordinary text, so it is not masked (SECRET_UNMASKED)")
        })
    }

    /// Masks head and parts.
    pub fn payload(&self, payload: &mut RPayload) {
        self.string(&mut payload.head);
        if payload.parts.iter().any(|part| self.0.mask_bytes(part.bytes()).is_some()) {
            let mut parts: Vec<RPart> = payload.parts.iter().cloned().collect();
            parts.iter_mut().for_each(|part| self.part(part));
            payload.parts = parts.into_iter().collect();
        }
    }

    /// Masks message, hint and details.
    pub fn error(&self, error: &mut RError) {
        [&mut error.message, &mut error.hint, &mut error.data].into_iter().for_each(|text| self.string(text));
    }
}

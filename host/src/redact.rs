//! Masks secrets in whatever crosses to a consumer.
use plugin_api::{RBatch, RError, RPart, RPayload, abi_stable::std_types::RString};
use rows::Secrets;
use std::borrow::Cow;

/// Masks the secrets of this run.
#[derive(Debug, Default)]
pub(crate) struct Redactor(pub(crate) Secrets);

impl Redactor {
    pub(crate) fn text<'a>(&self, text: &'a str) -> Cow<'a, str> {
        self.0.mask(text)
    }

    fn string(&self, text: &mut RString) {
        if let Cow::Owned(masked) = self.0.mask(text) {
            *text = masked.into();
        }
    }

    fn part(&self, part: &mut RPart) {
        if let Some(masked) = self.0.mask_bytes(part.bytes()) {
            *part = RPart::new(masked);
        }
    }

    pub(crate) fn payload(&self, payload: &mut RPayload) {
        self.string(&mut payload.head);
        if payload.parts.iter().any(|part| self.0.mask_bytes(part.bytes()).is_some()) {
            let mut parts: Vec<RPart> = payload.parts.iter().cloned().collect();
            parts.iter_mut().for_each(|part| self.part(part));
            payload.parts = parts.into_iter().collect();
        }
    }

    pub(crate) fn batch(&self, batch: &mut RBatch) {
        for chunk in batch.iter_mut().filter(|_| !self.0.is_empty()) {
            self.string(&mut chunk.text);
            self.string(&mut chunk.data);
            chunk.parts.iter_mut().for_each(|part| self.part(part));
        }
    }

    pub(crate) fn error(&self, error: &mut RError) {
        [&mut error.message, &mut error.hint, &mut error.data].into_iter().for_each(|text| self.string(text));
    }
}

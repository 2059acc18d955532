//! Masks secrets in whatever crosses to a consumer.
use crate::Secrets;
use plugin_api::{RBatch, RChunk, RError, RPart, RPayload, abi_stable::std_types::RString};
use std::{borrow::Cow, mem::take, sync::Arc};

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

/// Masks a stream. The end of a delta that may be the beginning of a secret is held back until the next one shows whether it is.
#[derive(Debug)]
pub struct StreamMask {
    redactor: Arc<Redactor>,
    held: Vec<RChunk>,
}

impl StreamMask {
    /// A mask at the beginning of a stream.
    pub fn new(redactor: &Arc<Redactor>) -> StreamMask {
        StreamMask { redactor: Arc::clone(redactor), held: Vec::new() }
    }

    /// The batch as it may be seen; empty when all of it is held back.
    pub fn batch(&mut self, batch: RBatch) -> RBatch {
        if self.redactor.0.is_empty() {
            return batch;
        }
        let mut seen = RBatch::with_capacity(batch.len());
        for mut chunk in batch {
            self.redactor.string(&mut chunk.data);
            chunk.parts.iter_mut().for_each(|part| self.redactor.part(part));
            let same = |held: &RChunk| (held.kind, held.index) == (chunk.kind, chunk.index);
            let is_delta = chunk.data.is_empty() && chunk.parts.is_empty() && !chunk.text.is_empty();
            if !is_delta {
                // Something complete: nothing of what is held goes on.
                seen.extend(take(&mut self.held));
                self.redactor.string(&mut chunk.text);
                seen.push(chunk);
                continue;
            }
            if let Some(at) = self.held.iter().position(same) {
                let held = self.held.remove(at).text;
                chunk.text = [held.as_str(), chunk.text.as_str()].concat().into();
            }
            self.redactor.string(&mut chunk.text);
            let unfinished = self.redactor.0.unfinished(&chunk.text);
            if unfinished == 0 {
                seen.push(chunk);
                continue;
            }
            let text = take(&mut chunk.text);
            let (now, later) = text.split_at(text.len() - unfinished);
            self.held.push(RChunk::text(chunk.kind, chunk.index, later));
            if !now.is_empty() {
                chunk.text = now.into();
                seen.push(chunk);
            }
        }
        seen
    }

    /// What masks everything else.
    pub fn redactor(&self) -> &Redactor {
        &self.redactor
    }

    /// The stream has ended: what is still held.
    pub fn rest(&mut self) -> RBatch {
        take(&mut self.held).into()
    }
}

//! Masks a stream, whose texts come in pieces of any size.
use crate::{Redactor, Secrets, search::Found};
use plugin_api::{RBatch, RChunk};
use std::{mem::take, sync::Arc};

/// Masks a stream. The end of a delta that may be the beginning of a secret is held back until the next one shows whether it is.
#[derive(Debug)]
pub struct StreamMask {
    redactor: Arc<Redactor>,
    held: Vec<Held>,
}

/// The end of the text of one kind and index that has come so far.
#[derive(Debug)]
struct Held {
    kind: u16,
    index: u32,
    text: String,
    /// How many bytes of it belong to a secret whose mask has been shown.
    shown: usize,
}

impl StreamMask {
    /// A mask at the beginning of a stream.
    pub fn new(redactor: &Arc<Redactor>) -> StreamMask {
        StreamMask { redactor: Arc::clone(redactor), held: Vec::new() }
    }

    /// The batch as it may be seen; empty when all of it is held back.
    pub fn batch(&mut self, batch: RBatch) -> RBatch {
        if self.redactor.secrets().is_empty() {
            return batch;
        }
        if self.held.is_empty() && batch.iter().all(|chunk| is_delta(chunk) && self.is_clean(&chunk.text)) {
            return batch;
        }
        let mut seen = RBatch::with_capacity(batch.len());
        for mut chunk in batch {
            if is_delta(&chunk) {
                if self.delta(&mut chunk) {
                    seen.push(chunk);
                }
                continue;
            }
            // Something complete: nothing of what is held goes on.
            seen.extend(self.rest());
            self.redactor.string(&mut chunk.text);
            self.redactor.string(&mut chunk.data);
            chunk.parts.iter_mut().for_each(|part| self.redactor.part(part));
            seen.push(chunk);
        }
        seen
    }

    /// Leaves in a delta what of it, and of what was held, may be seen; false when that is nothing.
    fn delta(&mut self, chunk: &mut RChunk) -> bool {
        let secrets = self.redactor.secrets();
        let at = self.held.iter().position(|held| (held.kind, held.index) == (chunk.kind, chunk.index));
        let before = at.map(|at| self.held.swap_remove(at));
        let (text, shown) = match before {
            Some(Held { mut text, shown, .. }) => {
                text.push_str(&chunk.text);
                (text, shown)
            }
            None if self.is_clean(&chunk.text) => return true,
            None => (chunk.text.as_str().to_owned(), 0),
        };
        let (now, shown, later) = split(secrets, &text, shown, false);
        if later < text.len() {
            let text = text[later..].to_owned();
            self.held.push(Held { kind: chunk.kind, index: chunk.index, text, shown });
        }
        chunk.text = now.into();
        !chunk.text.is_empty()
    }

    /// Whether a delta can pass as it is.
    fn is_clean(&self, text: &str) -> bool {
        let secrets = self.redactor.secrets();
        secrets.is_clean(text.as_bytes()) && secrets.unfinished(text.as_bytes()) == 0
    }

    /// What masks everything else.
    pub fn redactor(&self) -> &Redactor {
        &self.redactor
    }

    /// The stream has ended: what is still held.
    pub fn rest(&mut self) -> RBatch {
        let secrets = self.redactor.secrets();
        let chunks = take(&mut self.held).into_iter().map(|held| {
            let (text, ..) = split(secrets, &held.text, held.shown, true);
            RChunk::text(held.kind, held.index, text)
        });
        chunks.filter(|chunk| !chunk.text.is_empty()).collect()
    }
}

fn is_delta(chunk: &RChunk) -> bool {
    chunk.data.is_empty() && chunk.parts.is_empty() && !chunk.text.is_empty()
}

/// What of a text can be seen now, with secrets masked; where the part begins that is held back, and how many bytes of that part
/// a mask that can be seen already stands for. `shown` is that number for the text itself.
fn split(secrets: &Secrets, text: &str, shown: usize, is_end: bool) -> (String, usize, usize) {
    let found = secrets.find(text.as_bytes());
    let mut later = text.len();
    if !is_end {
        later -= secrets.unfinished(text.as_bytes());
        // The rest of what has been cut at its beginning may follow as well.
        let goes_on = |found: &&Found| found.open && text.len() - found.at.start < secrets.form_bytes_max();
        later = found.last().filter(goes_on).map_or(later, |found| later.min(found.at.start));
    }
    let later = text.floor_char_boundary(later);
    // Everything before `end` is told, or stands behind a mask.
    let (mut now, mut end) = (String::new(), shown);
    for found in found.iter().take_while(|found| found.at.start < later) {
        if found.at.start >= end {
            now.push_str(&text[end..found.at.start]);
            now.push_str(secrets.mask_of(found));
        }
        end = end.max(found.at.end);
    }
    if end < later {
        now.push_str(&text[end..later]);
    }
    (now, end.saturating_sub(later), later)
}

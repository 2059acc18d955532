//! Masks a stream, whose texts come in pieces of any size.
use crate::{
    Redactor, Secrets,
    search::{FRAGMENT_BYTES_MIN, Found},
};
use plugin_api::{RBatch, RChunk};
use std::{mem::take, sync::Arc};

/// Masks a stream. The end of a delta that may be the beginning of a secret, or some of its middle, is held back until the next one shows
/// whether it is.
#[derive(Debug)]
pub struct StreamMask {
    redactor: Arc<Redactor>,
    held: Vec<Held>,
    told: Vec<Told>,
}

/// The last bytes of one kind and index, of which nothing is held back.
#[derive(Clone, Debug)]
struct Told {
    kind: u16,
    index: u32,
    text: String,
}

/// The end of the text of one kind and index that has come so far.
#[derive(Debug)]
struct Held {
    kind: u16,
    index: u32,
    text: String,
    shown: Shown,
}

/// How many bytes at the beginning of a text have been shown already, and whether as a mask or as they are.
#[derive(Clone, Copy, Debug, Default)]
struct Shown {
    bytes: usize,
    is_mask: bool,
}

impl StreamMask {
    /// A mask at the beginning of a stream.
    pub fn new(redactor: &Arc<Redactor>) -> StreamMask {
        StreamMask { redactor: Arc::clone(redactor), held: Vec::new(), told: Vec::new() }
    }

    /// The batch as it may be seen; empty when all of it is held back.
    pub fn batch(&mut self, batch: RBatch) -> RBatch {
        if self.redactor.secrets().is_empty() {
            return batch;
        }
        if self.held.is_empty() {
            let before = self.told.clone();
            if batch.iter().all(|chunk| is_delta(chunk) && self.passes(chunk)) {
                return batch;
            }
            self.told = before;
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
            self.told.clear();
            self.redactor.string(&mut chunk.text);
            self.redactor.string(&mut chunk.data);
            chunk.parts.iter_mut().for_each(|part| self.redactor.part(part));
            seen.push(chunk);
        }
        seen
    }

    /// Leaves in a delta what of it, and of what was held, may be seen; false when that is nothing.
    fn delta(&mut self, chunk: &mut RChunk) -> bool {
        let at = self.held.iter().position(|held| (held.kind, held.index) == (chunk.kind, chunk.index));
        let Held { mut text, shown, .. } = match at {
            Some(at) => self.held.swap_remove(at),
            None if self.passes(chunk) => return true,
            None => {
                let text = self.told(chunk).map(|told| told.text.clone()).unwrap_or_default();
                let shown = Shown { bytes: text.len(), is_mask: false };
                Held { kind: chunk.kind, index: chunk.index, text, shown }
            }
        };
        text.push_str(&chunk.text);
        let secrets = self.redactor.secrets();
        let (kind, index) = (chunk.kind, chunk.index);
        let (now, shown, from) = split(secrets, &text, shown, false);
        self.told.retain(|told| (told.kind, told.index) != (kind, index));
        let text = text[from..].to_owned();
        if shown.is_mask || shown.bytes < text.len() {
            self.held.push(Held { kind, index, text, shown });
        } else {
            self.told.push(Told { kind, index, text });
        }
        chunk.text = now.into();
        !chunk.text.is_empty()
    }

    fn told(&self, chunk: &RChunk) -> Option<&Told> {
        self.told.iter().find(|told| (told.kind, told.index) == (chunk.kind, chunk.index))
    }

    /// Whether a delta can be told as it is; then its end is remembered.
    fn passes(&mut self, chunk: &RChunk) -> bool {
        let (secrets, text) = (self.redactor.secrets(), chunk.text.as_bytes());
        let before = self.told(chunk).and_then(|told| told.text.bytes().last());
        let joins = before.zip(text.first()).is_some_and(|(before, first)| secrets.is_inside(before, *first));
        let passes =
            !joins && secrets.is_clean(text) && secrets.unfinished(text) == 0 && secrets.fragment(text) == 0;
        if passes {
            let (kind, index) = (chunk.kind, chunk.index);
            let at = self.told.iter().position(|told| (told.kind, told.index) == (kind, index));
            let at = at.unwrap_or_else(|| {
                self.told.push(Told { kind, index, text: String::new() });
                self.told.len() - 1
            });
            let told = &mut self.told[at].text;
            told.push_str(last_bytes(&chunk.text));
            told.drain(..told.len() - last_bytes(told).len());
        }
        passes
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

/// As much of the end as may be part of a secret without being held back.
fn last_bytes(text: &str) -> &str {
    &text[text.ceil_char_boundary(text.len().saturating_sub(FRAGMENT_BYTES_MIN - 1))..]
}

/// What of a text can be seen now, with secrets masked; and from where on the text is still needed, with what of that has been shown
/// by then. `shown` is the same for the text itself.
fn split(secrets: &Secrets, text: &str, shown: Shown, is_end: bool) -> (String, Shown, usize) {
    let found = secrets.find(text.as_bytes());
    let mut later = text.len();
    if !is_end {
        let known = found.last().filter(|found| !found.open).map_or(0, |found| found.at.end);
        let fragment = secrets.fragment(&text.as_bytes()[known..]);
        later -= secrets.unfinished(text.as_bytes()).max(fragment);
        // The rest of what has been cut at its beginning may follow as well.
        let goes_on = |found: &&Found| found.open && text.len() - found.at.start < secrets.form_bytes_max();
        later = found.last().filter(goes_on).map_or(later, |found| later.min(found.at.start));
    }
    let later = text.floor_char_boundary(later);
    // Everything before `end` is told, or stands behind a mask; the last mask stands for what is before `masked`.
    let (mut now, mut end) = (String::new(), shown.bytes);
    let mut masked = if shown.is_mask { end } else { 0 };
    for found in found.iter().take_while(|found| found.at.start < later) {
        if found.at.start >= end {
            now.push_str(&text[end..found.at.start]);
        }
        // What was told as it is had too little of the secret to be known.
        if found.at.end > end && found.at.start >= masked {
            now.push_str(secrets.mask_of(found));
        }
        (end, masked) = (end.max(found.at.end), masked.max(found.at.end));
    }
    if end < later {
        now.push_str(&text[end..later]);
        end = later;
    }
    let is_mask = masked > later;
    let from = if is_mask { later } else { masked.max(later - last_bytes(&text[..later]).len()) };
    (now, Shown { bytes: end - from, is_mask }, from)
}

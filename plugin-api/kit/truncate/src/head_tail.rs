//! Bounds bytes that are still arriving.

use crate::{Decoder, keep::notice};

/// Collects a stream of bytes as text, of which it keeps the first `head_bytes` and the last `tail_bytes`.
///
/// Memory stays under `head_bytes + 2 * (head_bytes + tail_bytes)` however much is pushed, and the work is linear in it.
/// The bytes are made text first ([`Decoder`]), so a cut never falls into a character; all counts are bytes of that text.
#[derive(Clone, Debug)]
pub struct HeadTail {
    decoder: Decoder,
    kept: Kept,
}

#[derive(Clone, Debug)]
struct Kept {
    head: String,
    head_bytes: usize,
    /// Set by the first character that does not fit: what comes later belongs to the tail, even if it would fit.
    head_full: bool,
    /// The tail, and before it what has left the tail since it was last tidied.
    recent: String,
    tail_bytes: usize,
    total_bytes: u64,
}

impl HeadTail {
    /// Keeps at most `head_bytes` of the beginning and `tail_bytes` of the end; a text of both together is kept whole.
    pub fn new(head_bytes: usize, tail_bytes: usize) -> Self {
        let kept = Kept {
            head: String::new(),
            head_bytes,
            head_full: false,
            recent: String::new(),
            tail_bytes,
            total_bytes: 0,
        };
        Self { decoder: Decoder::default(), kept }
    }

    /// Takes the next bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        self.decoder.push(bytes, |text| self.kept.push(text));
    }

    /// The text, with the line that says the cut where there is one, and the number of bytes left out.
    pub fn finish(self) -> (String, u64) {
        let Self { decoder, mut kept } = self;
        decoder.finish(|text| kept.push(text));
        kept.tidy();
        let cut_bytes = kept.total_bytes - (kept.head.len() + kept.recent.len()) as u64;
        let mut text = kept.head;
        if cut_bytes > 0 {
            text.push_str(&notice(cut_bytes, kept.total_bytes, "bytes"));
        }
        text.push_str(&kept.recent);
        (text, cut_bytes)
    }
}

impl Kept {
    fn push(&mut self, mut text: &str) {
        self.total_bytes += text.len() as u64;
        if !self.head_full {
            let room = text.floor_char_boundary(self.head_bytes - self.head.len());
            self.head.push_str(&text[..room]);
            text = &text[room..];
            self.head_full = !text.is_empty();
        }
        // Text beyond the tail's size would only be pushed to be dropped again.
        let tail = self.tail();
        if text.len() > tail {
            self.recent.clear();
            text = &text[text.ceil_char_boundary(text.len() - tail)..];
        } else if self.recent.len() + text.len() > 2 * tail {
            self.tidy();
        }
        self.recent.push_str(text);
    }

    /// What the tail may hold: bytes that no whole character of the head could use are not lost.
    fn tail(&self) -> usize {
        self.tail_bytes + (self.head_bytes - self.head.len())
    }

    fn tidy(&mut self) {
        let surplus = self.recent.len().saturating_sub(self.tail());
        self.recent.drain(..self.recent.ceil_char_boundary(surplus));
    }
}

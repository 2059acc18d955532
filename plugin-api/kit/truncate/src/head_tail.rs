//! Bounds bytes that are still arriving.

use std::borrow::Cow;

use crate::{Decoder, keep::notice};

/// How far beyond a cut text is looked at, in bytes: more than what is masked in one piece, a private key for one.
pub const MARGIN_BYTES: usize = 8 << 10;

/// Collects a stream of bytes as text, of which it keeps the first `head_bytes` and the last `tail_bytes`.
///
/// Memory stays under three times both together and some margin, however much is pushed, and the work is linear in it.
/// The bytes are made text first ([`Decoder`]), so a cut never falls into a character; all counts are bytes of that text.
#[derive(Clone, Debug)]
pub struct HeadTail {
    decoder: Decoder,
    kept: Kept,
    head_bytes: usize,
    tail_bytes: usize,
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
        // Beyond the margin, room for a character: so much of the head is there whatever does not fit behind it.
        let kept = Kept {
            head: String::new(),
            head_bytes: head_bytes + MARGIN_BYTES + 4,
            head_full: false,
            recent: String::new(),
            tail_bytes: head_bytes + tail_bytes + MARGIN_BYTES,
            total_bytes: 0,
        };
        Self { decoder: Decoder::default(), kept, head_bytes, tail_bytes }
    }

    /// Takes the next bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        self.decoder.push(bytes, |text| self.kept.push(text));
    }

    /// The text, with the line that says the cut where there is one, and the number of bytes left out.
    pub fn finish(self) -> (String, u64) {
        self.finish_masked(|text| Cow::Borrowed(text))
    }

    /// The same, of the text as `mask` has it: it sees what lies around a cut before anything is cut, so that no half of what it
    /// masks stays. It must need no more than [`MARGIN_BYTES`] to know what it masks.
    ///
    /// ```
    /// let mut output = kit_truncate::HeadTail::new(12, 4);
    /// output.push(b"password: hunter2, and more");
    /// let (text, _) = output.finish_masked(|text| text.replace("hunter2", "*").into());
    /// assert_eq!(text, "password: *,\n… [cut: 5 of 21 bytes left out of the middle] …\nmore");
    /// ```
    pub fn finish_masked(self, mask: impl Fn(&str) -> Cow<'_, str>) -> (String, u64) {
        let Self { decoder, mut kept, head_bytes, tail_bytes } = self;
        decoder.finish(|text| kept.push(text));
        kept.tidy();
        let is_whole = kept.total_bytes == (kept.head.len() + kept.recent.len()) as u64;
        if is_whole {
            kept.head.push_str(&kept.recent);
        }
        let masked = mask(&kept.head);
        if is_whole && masked.len() <= head_bytes + tail_bytes {
            let text = masked.into_owned();
            return (text, 0);
        }
        // Where text is missing, what stands next to the gap may be half of what would have been masked.
        let margin = if is_whole { 0 } else { MARGIN_BYTES };
        let head = masked.floor_char_boundary(head_bytes.min(masked.len().saturating_sub(margin)));
        let recent = if is_whole { Cow::Borrowed(&masked[head..]) } else { mask(&kept.recent) };
        // Bytes that no whole character of the head could use are not lost.
        let tail_bytes = tail_bytes + head_bytes - head;
        let tail =
            recent.ceil_char_boundary(recent.len().saturating_sub(tail_bytes).max(margin.min(recent.len())));
        let (head, tail) = (&masked[..head], &recent[tail..]);
        let total_bytes = if is_whole { masked.len() as u64 } else { kept.total_bytes };
        let cut_bytes = total_bytes.saturating_sub((head.len() + tail.len()) as u64);
        ([head, &notice(cut_bytes, total_bytes, "bytes"), tail].concat(), cut_bytes)
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
        if text.len() > self.tail_bytes {
            self.recent.clear();
            text = &text[text.ceil_char_boundary(text.len() - self.tail_bytes)..];
        } else if self.recent.len() + text.len() > 2 * self.tail_bytes {
            self.tidy();
        }
        self.recent.push_str(text);
    }

    fn tidy(&mut self) {
        let surplus = self.recent.len().saturating_sub(self.tail_bytes);
        self.recent.drain(..self.recent.ceil_char_boundary(surplus));
    }
}

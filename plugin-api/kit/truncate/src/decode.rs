//! Bytes that arrive in pieces, as text that can be shown.

/// Turns bytes into text, piece by piece, never splitting a character at the end of a piece.
///
/// What is not UTF-8 becomes U+FFFD, exactly where and as often as [`String::from_utf8_lossy`] would put it for the whole.
/// A NUL becomes `␀` (U+2400), because C programs, terminals and some JSON readers stop at it. Everything else stays,
/// escape sequences and carriage returns too.
///
/// ```
/// let mut decoder = kit_truncate::Decoder::default();
/// let mut text = String::new();
/// for piece in [&b"caf\xC3"[..], b"\xA9\0", b"\xFF"] {
///     decoder.push(piece, |part| text.push_str(part));
/// }
/// decoder.finish(|part| text.push_str(part));
/// assert_eq!(text, "café␀\u{FFFD}");
/// ```
#[derive(Clone, Debug, Default)]
pub struct Decoder {
    /// The beginning of a character whose other bytes have not come.
    open: [u8; 4],
    open_bytes: usize,
}

impl Decoder {
    /// Takes the next bytes and calls `emit` with the text they complete, in order, never with an empty part.
    pub fn push(&mut self, mut bytes: &[u8], mut emit: impl FnMut(&str)) {
        while self.open_bytes > 0 {
            let Some((first, rest)) = bytes.split_first() else { return };
            self.open[self.open_bytes] = *first;
            let open = &self.open[..=self.open_bytes];
            match std::str::from_utf8(open) {
                Ok(character) => {
                    emit(character);
                    (self.open_bytes, bytes) = (0, rest);
                }
                Err(e) if e.error_len().is_none() => {
                    (self.open_bytes, bytes) = (self.open_bytes + 1, rest);
                }
                // The new byte is not part of that character: it is looked at again on its own.
                Err(_) => {
                    emit("\u{FFFD}");
                    self.open_bytes = 0;
                }
            }
        }
        loop {
            match std::str::from_utf8(bytes) {
                Ok(valid) => return visible(valid, &mut emit),
                Err(e) => {
                    let (valid, rest) = bytes.split_at(e.valid_up_to());
                    // Proven valid a moment ago; a second look costs nothing on a path this rare.
                    visible(std::str::from_utf8(valid).unwrap_or_default(), &mut emit);
                    match e.error_len() {
                        Some(len) => {
                            emit("\u{FFFD}");
                            bytes = &rest[len..];
                        }
                        None => {
                            self.open[..rest.len()].copy_from_slice(rest);
                            self.open_bytes = rest.len();
                            return;
                        }
                    }
                }
            }
        }
    }

    /// Ends the text: the beginning of a character that never became one is replaced.
    pub fn finish(self, mut emit: impl FnMut(&str)) {
        if self.open_bytes > 0 {
            emit("\u{FFFD}");
        }
    }
}

fn visible(text: &str, emit: &mut impl FnMut(&str)) {
    for (i, part) in text.split('\0').enumerate() {
        if i > 0 {
            emit("\u{2400}");
        }
        if !part.is_empty() {
            emit(part);
        }
    }
}

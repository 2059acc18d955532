//! The arguments of one call as they grow, and whether they are a whole object by now.
use serde::de::IgnoredAny;

/// JSON text that comes in pieces. It is looked through once, however often it is asked whether it is whole.
#[derive(Debug, Default)]
pub(super) struct Arguments {
    text: String,
    /// How far it has been looked through, in bytes.
    seen: usize,
    depth: usize,
    quoted: bool,
    escaped: bool,
    /// Known from the brace on that closes the outermost one.
    whole: Option<bool>,
}

impl Arguments {
    pub(super) fn push(&mut self, more: &str) {
        self.text.push_str(more);
    }

    pub(super) fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether the text so far is a JSON object, with nothing but white space behind it.
    pub(super) fn is_object(&mut self) -> bool {
        for at in self.seen..self.text.len() {
            let byte = self.text.as_bytes()[at];
            match (self.whole, byte) {
                // What follows a whole object makes it none, and what is none stays so.
                (Some(whole), _) => self.whole = Some(whole && byte.is_ascii_whitespace()),
                _ if self.escaped => self.escaped = false,
                (_, b'"') => self.quoted = !self.quoted,
                (_, b'\\') if self.quoted => self.escaped = true,
                (_, b'{') if !self.quoted => self.depth += 1,
                (_, b'}') if !self.quoted => {
                    self.depth = self.depth.saturating_sub(1);
                    if self.depth == 0 {
                        self.whole = Some(serde_json::from_str::<IgnoredAny>(&self.text[..=at]).is_ok());
                    }
                }
                _ => {}
            }
        }
        self.seen = self.text.len();
        self.whole == Some(true)
    }
}

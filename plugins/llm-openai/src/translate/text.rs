//! Text of a payload, borrowed from it where it has no escapes, and half characters that two payloads share.
use serde::{
    Deserialize, Deserializer,
    de::{Error, SeqAccess, Visitor},
};
use std::{borrow::Cow, fmt};

/// A JSON string, or a list of text parts in its place, as bytes: a server that cuts an escaped pair of surrogates in two sends
/// what is JSON but not Unicode, and only as bytes does serde_json let it through (each half in three bytes, WTF-8).
#[derive(Debug, Default)]
pub(super) struct Text<'a>(Cow<'a, [u8]>);

impl Text<'_> {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// As text, half characters replaced.
    pub(super) fn as_str(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.0)
    }

    /// As text of its own, half characters replaced.
    pub(super) fn into_string(self) -> String {
        utf8(self.0).unwrap_or_else(|bytes| String::from_utf8_lossy(&bytes).into_owned())
    }
}

fn utf8(bytes: Cow<'_, [u8]>) -> Result<String, Cow<'_, [u8]>> {
    match bytes {
        Cow::Borrowed(bytes) => match std::str::from_utf8(bytes) {
            Ok(text) => Ok(text.to_owned()),
            Err(_) => Err(Cow::Borrowed(bytes)),
        },
        Cow::Owned(bytes) => String::from_utf8(bytes).map_err(|error| Cow::Owned(error.into_bytes())),
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_bytes(TextVisitor)
    }
}

struct TextVisitor;

impl<'de> Visitor<'de> for TextVisitor {
    type Value = Text<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text")
    }

    fn visit_borrowed_bytes<E: Error>(self, bytes: &'de [u8]) -> Result<Text<'de>, E> {
        Ok(Text(Cow::Borrowed(bytes)))
    }

    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Text<'de>, E> {
        Ok(Text(Cow::Owned(bytes.to_owned())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> Result<Text<'de>, A::Error> {
        #[derive(Deserialize)]
        struct Part<'a> {
            #[serde(borrow)]
            text: Option<Text<'a>>,
            #[serde(borrow)]
            summary: Option<Text<'a>>,
        }
        let mut all = Vec::new();
        while let Some(part) = parts.next_element::<Part<'de>>()? {
            for text in [part.text, part.summary].into_iter().flatten() {
                all.extend_from_slice(&text.0);
            }
        }
        Ok(Text(Cow::Owned(all)))
    }
}

/// Joins the texts of one block, and keeps a half character back until its other half comes.
#[derive(Debug, Default)]
pub(super) struct Joiner {
    high: Option<u16>,
}

impl Joiner {
    /// What can be said now.
    pub(super) fn push(&mut self, text: Text<'_>) -> String {
        if self.high.is_some() {
            return self.joined(&text.0);
        }
        utf8(text.0).unwrap_or_else(|bytes| self.joined(&bytes))
    }

    /// What was kept back and will not be completed.
    pub(super) fn end(&mut self) -> Option<String> {
        self.high.take().map(|_| char::REPLACEMENT_CHARACTER.into())
    }

    fn joined(&mut self, mut bytes: &[u8]) -> String {
        let mut text = String::new();
        while let Some(chunk) = bytes.utf8_chunks().next() {
            if !chunk.valid().is_empty() {
                text.extend(self.end());
                text.push_str(chunk.valid());
            }
            bytes = &bytes[chunk.valid().len()..];
            if bytes.is_empty() {
                break;
            }
            let unit = surrogate(bytes);
            match unit {
                Some(low @ 0xDC00..) => match self.high.take() {
                    Some(high) => text.extend(char::decode_utf16([high, low]).flatten()),
                    None => text.push(char::REPLACEMENT_CHARACTER),
                },
                high => {
                    text.extend(self.end());
                    self.high = high;
                }
            }
            // What is neither text nor half a character does not occur in JSON; it is passed over.
            bytes = &bytes[if unit.is_some() { 3 } else { 1 }..];
        }
        text
    }
}

/// The surrogate that stands at the front in WTF-8.
fn surrogate(bytes: &[u8]) -> Option<u16> {
    match bytes {
        [0xED, second @ 0xA0..=0xBF, third @ 0x80..=0xBF, ..] => {
            Some(0xD000 | (u16::from(second & 0x3F) << 6) | u16::from(third & 0x3F))
        }
        _ => None,
    }
}

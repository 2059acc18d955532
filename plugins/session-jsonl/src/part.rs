//! Parts in a line, byte for byte: JSON as it is, other text as a string, bytes as base64.
use base64::{Engine as _, engine::general_purpose::STANDARD};
use plugin_sdk::Part;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::borrow::Cow;

/// One of the three.
#[derive(Serialize, Deserialize)]
pub(crate) struct PartLine<'a> {
    /// An object or a list on one line, so that a log can be read with the tools for JSON.
    #[serde(borrow, skip_serializing_if = "Option::is_none")]
    json: Option<&'a RawValue>,
    #[serde(borrow, skip_serializing_if = "Option::is_none")]
    text: Option<Cow<'a, str>>,
    #[serde(borrow, skip_serializing_if = "Option::is_none")]
    base64: Option<Cow<'a, str>>,
}

impl<'a> PartLine<'a> {
    pub(crate) fn of(part: &'a Part) -> Self {
        let Some(text) = part.text() else {
            let base64 = Some(STANDARD.encode(part.bytes()).into());
            return PartLine { json: None, text: None, base64 };
        };
        match raw(text) {
            Some(json) => PartLine { json: Some(json), text: None, base64: None },
            None => PartLine { json: None, text: Some(text.into()), base64: None },
        }
    }

    pub(crate) fn part(self) -> Option<Part> {
        match (self.json, self.text, self.base64) {
            (Some(json), None, None) => Some(Part::new(json.get())),
            (None, Some(text), None) => Some(Part::new(text.into_owned())),
            (None, None, Some(base64)) => STANDARD.decode(base64.as_bytes()).ok().map(Part::new),
            _ => None,
        }
    }
}

/// The text as the JSON it is, if it would come back as it is: a reader takes away the space around a value.
fn raw(text: &str) -> Option<&RawValue> {
    let closed =
        (text.starts_with('{') && text.ends_with('}')) || (text.starts_with('[') && text.ends_with(']'));
    let on_one_line = !text.bytes().any(|byte| byte == b'\n' || byte == b'\r');
    if closed && on_one_line { serde_json::from_str(text).ok() } else { None }
}

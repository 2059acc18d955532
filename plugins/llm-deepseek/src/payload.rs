//! A payload of the stream as JSON has it: DeepSeek API docs, "Create Chat Completion", the chunk object.
//!
//! Everything may be missing or null. What is not known is ignored.
use serde::{Deserialize, Deserializer};
use serde_json::{Value, value::RawValue};

#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct Payload {
    #[serde(deserialize_with = "or_default")]
    pub(crate) choices: Vec<Choice>,
    pub(crate) usage: Value,
    /// In the place of an answer that fails when it has begun.
    pub(crate) error: Value,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct Choice {
    #[serde(deserialize_with = "or_default")]
    pub(crate) delta: Delta,
    #[serde(deserialize_with = "or_default")]
    pub(crate) finish_reason: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct Delta {
    #[serde(deserialize_with = "or_default")]
    pub(crate) reasoning_content: String,
    /// What some servers of DeepSeek's models call it.
    #[serde(deserialize_with = "or_default")]
    pub(crate) reasoning: String,
    #[serde(deserialize_with = "or_default")]
    pub(crate) content: String,
    #[serde(deserialize_with = "or_default")]
    pub(crate) refusal: String,
    #[serde(deserialize_with = "or_default")]
    pub(crate) tool_calls: Vec<Fragment>,
}

/// A piece of a tool call.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct Fragment {
    index: Value,
    #[serde(deserialize_with = "or_default")]
    pub(crate) id: String,
    #[serde(deserialize_with = "or_default")]
    pub(crate) function: Function,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct Function {
    #[serde(deserialize_with = "or_default")]
    name: String,
    arguments: Option<Box<RawValue>>,
}

impl Fragment {
    /// Which call it is a piece of, where a number says so, or the text of one.
    pub(crate) fn index(&self) -> Option<i64> {
        self.index.as_i64().or_else(|| self.index.as_str()?.parse().ok())
    }
}

impl Function {
    /// The name; the text `null` is how some servers write that there is none.
    pub(crate) fn name(&self) -> &str {
        if self.name == "null" { "" } else { &self.name }
    }

    /// The arguments: a text that holds JSON, or the JSON itself.
    pub(crate) fn into_arguments(self) -> String {
        let json = self.arguments.map(|json| Box::<str>::from(json).into_string()).unwrap_or_default();
        serde_json::from_str(&json).unwrap_or(json)
    }
}

/// Reads a payload.
///
/// # Errors
/// It is no JSON, or of other types than documented.
pub(crate) fn read(json: &str) -> serde_json::Result<Payload> {
    serde_json::from_str(json).or_else(|error| match error.classify() {
        // The one fault that can be mended: half of an escaped surrogate pair, which is no character.
        serde_json::error::Category::Syntax if json.contains("\\u") => serde_json::from_str(&paired(json)),
        _ => Err(error),
    })
}

/// The JSON with U+FFFD for each escaped half of a pair that stands alone.
fn paired(json: &str) -> String {
    let unit = |text: &str| u16::from_str_radix(text.strip_prefix("\\u")?.get(..4)?, 16).ok();
    let (mut text, mut rest) = (String::with_capacity(json.len()), json);
    while let Some(at) = rest.find('\\') {
        text.push_str(&rest[..at]);
        rest = &rest[at..];
        let length = match (unit(rest), rest.get(6..).and_then(unit)) {
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => 12,
            (Some(0xD800..=0xDFFF), _) => {
                text.push_str("\\ufffd");
                rest = &rest[6..];
                continue;
            }
            _ => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
        };
        text.push_str(&rest[..length]);
        rest = &rest[length..];
    }
    text + rest
}

fn or_default<'de, D: Deserializer<'de>, T: Default + Deserialize<'de>>(value: D) -> Result<T, D::Error> {
    Ok(Option::deserialize(value)?.unwrap_or_default())
}

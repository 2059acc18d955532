//! A payload as it is on the wire, borrowed from the event. What is not known is ignored; what is rare stays raw until it is
//! looked at, so that a delta of text is small and is read once.
use super::text::Text;
use serde::{
    Deserialize, Deserializer,
    de::{SeqAccess, Visitor},
};
use serde_json::value::RawValue;
use std::{fmt, iter, marker::PhantomData, option, vec};

#[derive(Deserialize)]
pub(super) struct Chunk<'a> {
    #[serde(borrow)]
    pub(super) choices: Option<Few<Choice<'a>>>,
    #[serde(borrow)]
    pub(super) usage: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) error: Option<&'a RawValue>,
}

#[derive(Deserialize)]
pub(super) struct Choice<'a> {
    #[serde(borrow)]
    pub(super) delta: Option<Delta<'a>>,
    /// The whole of it, in an answer that is not streamed. Some servers repeat a delta here.
    #[serde(borrow)]
    pub(super) message: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) finish_reason: Option<Text<'a>>,
}

/// `reasoning_content` is DeepSeek's, `reasoning` vLLM's and Ollama's, `reasoning_details` OpenRouter's.
#[derive(Deserialize)]
pub(super) struct Delta<'a> {
    #[serde(borrow)]
    pub(super) content: Option<Text<'a>>,
    #[serde(borrow)]
    pub(super) refusal: Option<Text<'a>>,
    #[serde(borrow)]
    pub(super) reasoning_content: Option<Text<'a>>,
    #[serde(borrow)]
    pub(super) reasoning: Option<Text<'a>>,
    #[serde(borrow)]
    pub(super) reasoning_details: Option<Text<'a>>,
    #[serde(borrow)]
    pub(super) tool_calls: Option<&'a RawValue>,
    /// What `tool_calls` was before there could be several.
    #[serde(borrow)]
    pub(super) function_call: Option<&'a RawValue>,
}

/// A piece of a tool call.
#[derive(Deserialize)]
pub(super) struct Fragment<'a> {
    #[serde(borrow)]
    index: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) id: Option<Text<'a>>,
    #[serde(borrow)]
    pub(super) function: Option<Function<'a>>,
}

#[derive(Default, Deserialize)]
pub(super) struct Function<'a> {
    #[serde(borrow)]
    pub(super) name: Option<Text<'a>>,
    /// A text that holds JSON; some send the JSON itself.
    #[serde(borrow)]
    pub(super) arguments: Option<&'a RawValue>,
}

impl<'a> Fragment<'a> {
    /// A fragment that is nothing but a function.
    pub(super) fn of(function: Function<'a>) -> Self {
        Fragment { index: None, id: None, function: Some(function) }
    }

    /// Which call of the response it belongs to, where that is said by a number, or by one in quotes.
    pub(super) fn index(&self) -> Option<i64> {
        self.index?.get().trim_matches('"').parse().ok()
    }
}

/// A list that usually has one element, which then needs no room of its own.
pub(super) struct Few<T> {
    pub(super) first: Option<T>,
    pub(super) more: Vec<T>,
}

impl<T> IntoIterator for Few<T> {
    type Item = T;
    type IntoIter = iter::Chain<option::IntoIter<T>, vec::IntoIter<T>>;
    fn into_iter(self) -> Self::IntoIter {
        self.first.into_iter().chain(self.more)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Few<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ListVisitor<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for ListVisitor<T> {
            type Value = Few<T>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Few<T>, A::Error> {
                let mut few = Few { first: list.next_element()?, more: Vec::new() };
                while let Some(next) = list.next_element()? {
                    few.more.push(next);
                }
                Ok(few)
            }
        }
        deserializer.deserialize_seq(ListVisitor(PhantomData))
    }
}

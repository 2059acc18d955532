//! An answer that is no event stream: an error, a whole completion, or somebody else's page.
use crate::{
    decode::malformed,
    report::Report,
    translate::{Translator, reported},
};
use contracts::llm::{Failure, Finish, StreamChunk};
use plugin_sdk::contracts;
use serde::Deserialize;
use serde::de::IgnoredAny;

/// Which of them it is.
#[derive(Deserialize)]
struct Shape {
    #[serde(default)]
    error: serde_json::Value,
    choices: Option<Vec<IgnoredAny>>,
}

/// Reads the whole of it.
pub(crate) fn read(
    document: &[u8],
    content_type: &str,
    translator: &mut Translator,
    out: &mut Vec<StreamChunk>,
) -> Finish {
    let text = String::from_utf8_lossy(document);
    if let Ok(shape) = serde_json::from_str::<Shape>(&text) {
        if crate::report::said(&shape.error) {
            return reported(&text);
        }
        // Some servers do not stream what they are asked to stream.
        if shape.choices.is_some_and(|choices| !choices.is_empty()) {
            return translator.completion(&text, out);
        }
    }
    let said = Report::read(&text).message;
    let kind = if content_type.is_empty() { "no content type" } else { content_type };
    match malformed(&format!("the answer ({kind}) is no event stream: {said}")) {
        Finish::Error { failure } => {
            let hint = "check LLM_BASE_URL, and what stands between here and there".into();
            Finish::Error { failure: Failure { hint, ..failure } }
        }
        finish => finish,
    }
}

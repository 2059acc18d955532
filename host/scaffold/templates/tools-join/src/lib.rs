//! `template-tools-join`: one more tool, beside those that are there.
//!
//! A join lists and runs what is its own. The host puts its list behind that of the rows below, and sends every other call to them.
mod count;

use contracts::tools::{self, ToolCall, ToolEvent, ToolList, ToolResult, ToolSchema, Tools, code};
use plugin_sdk::*;
use serde::Deserialize;

const NAME: &str = "word_count";
/// All that the model knows of the tool.
const DESCRIPTION: &str =
    "Counts the lines, words and characters of a text. Use it in place of counting by yourself.";
const PARAMETERS: &str = r#"{"type":"object","properties":{"text":{"type":"string","description":"The text to count in."}},"required":["text"],"additionalProperties":false}"#;
/// Names the list, which never changes.
const GENERATION: &str = "1";

/// The row's `config`; `config.schema.json` says what each key means, and gives the defaults.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "described once, in the schema")]
pub struct Config {
    pub text_bytes_max: usize,
}

/// One mounted row.
#[derive(Debug)]
pub struct WordCount {
    text_bytes_max: usize,
    tools: Parts,
}

impl WordCount {
    /// # Errors
    /// `BAD_PAYLOAD` when the schema is no JSON.
    pub fn new(config: Config) -> Result<Self> {
        let schema = ToolSchema::new(NAME, DESCRIPTION, PARAMETERS)?;
        Ok(WordCount { text_bytes_max: config.text_bytes_max, tools: schema.part().into() })
    }
}

impl Plugin for WordCount {
    type Config = Config;
    async fn create(_: Ctx, config: Config) -> Result<Self> {
        WordCount::new(config)
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    text: String,
}

impl Tools for WordCount {
    async fn list(&self, known: Option<String>, _: &Cx) -> Result<ToolList> {
        if known.as_deref() == Some(GENERATION) {
            return Ok(ToolList::Unchanged);
        }
        Ok(ToolList::Tools { generation: GENERATION.into(), tools: self.tools.clone() })
    }

    fn execute(&self, call: ToolCall, _: Cx) -> impl Stream<Item = ToolEvent> + Send + 'static {
        let result = answer(&call, self.text_bytes_max).unwrap_or_else(ToolResult::from);
        emit(|out| async move { out.send(ToolEvent::Result(result)).await })
    }
}

/// # Errors
/// What becomes an error result: the model reads it and can do better.
fn answer(call: &ToolCall, bytes_max: usize) -> Result<ToolResult> {
    let invalid = |why: String| Error::new(code::INVALID_ARGS, format!("the arguments of `{NAME}`: {why}"));
    let Arguments { text } =
        serde_json::from_str(call.arguments_text()).map_err(|error| invalid(error.to_string()))?;
    if text.len() > bytes_max {
        return Err(invalid(format!("the text has {} bytes, and {bytes_max} are the most", text.len())));
    }
    Ok(ToolResult::ok(count::told(&text)))
}

export_plugins! {
    plugin "template-tools-join": WordCount {
        services: [join tools],
        config: include_str!("../config.schema.json"),
        runtime: none,
    }
}

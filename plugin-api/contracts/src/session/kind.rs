//! The kinds of events, and the data of those that readers look into.
//!
//! A kind that carries a message has it as its first part, byte for byte as the model was sent it; the data beside it is for readers
//! that do not want to open it. A plugin's own kinds begin with its service or name, such as `tools-todo/list`.
use crate::{Usage, agent_loop::TurnEnd, llm::Finish};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A turn begins: [`Turn`].
pub const TURN_START: &str = "turn/start";
/// A turn ends: [`TurnEnded`].
pub const TURN_END: &str = "turn/end";
/// A model request is about to be made: [`Step`].
pub const STEP_START: &str = "step/start";
/// What a step was: [`StepEnded`].
pub const STEP_END: &str = "step/end";
/// The person's message.
pub const USER_MESSAGE: &str = "user/message";
/// A piece of a response as it streams: [`Delta`].
pub const ASSISTANT_DELTA: &str = "assistant/delta";
/// A whole response, or the part of it that had come: [`Said`].
pub const ASSISTANT_MESSAGE: &str = "assistant/message";
/// A tool is about to be started: [`Called`].
pub const TOOL_CALL: &str = "tool/call";
/// A piece of a tool's output as it comes: `{"call_id", "text"}`.
pub const TOOL_PROGRESS: &str = "tool/progress";
/// What a tool has to say beside its result: `{"call_id", "kind", "data"}`.
pub const TOOL_NOTE: &str = "tool/note";
/// A call's one result, as a message: [`Observed`].
pub const TOOL_RESULT: &str = "tool/result";
/// What requests carry beside messages, when it is first known and when it changes: [`Header`]. Its parts are the system prompt, where
/// it says so, and the schema of each tool.
pub const REQUEST_HEADER: &str = "request/header";
/// A message that the context service added.
pub const CONTEXT_MESSAGE: &str = "context/message";
/// A stretch of the history has given way to one message: [`Replaced`].
pub const CONTEXT_REPLACE: &str = "context/replace";
/// A message that a policy added.
pub const POLICY_MESSAGE: &str = "policy/message";
/// A request is made again: `{"n", "discard", "code", "wait_ms"}`.
pub const LLM_ATTEMPT: &str = "llm/attempt";
/// A kept value: [`Put`].
pub const SESSION_PUT: &str = "session/put";

/// All of the above.
pub const KNOWN: &[&str] = &[
    TURN_START,
    TURN_END,
    STEP_START,
    STEP_END,
    USER_MESSAGE,
    ASSISTANT_DELTA,
    ASSISTANT_MESSAGE,
    TOOL_CALL,
    TOOL_PROGRESS,
    TOOL_NOTE,
    TOOL_RESULT,
    REQUEST_HEADER,
    CONTEXT_MESSAGE,
    CONTEXT_REPLACE,
    POLICY_MESSAGE,
    LLM_ATTEMPT,
    SESSION_PUT,
];

/// Whether events of that kind carry a message of the history.
pub fn is_message(kind: &str) -> bool {
    matches!(kind, USER_MESSAGE | ASSISTANT_MESSAGE | TOOL_RESULT | CONTEXT_MESSAGE | POLICY_MESSAGE)
}

/// Which turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Turn {
    /// From 1, counted over the session.
    pub turn: u32,
}

/// Which step of which turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Step {
    /// The turn.
    pub turn: u32,
    /// From 1, counted in the turn.
    pub step: u32,
}

/// How a turn ended; the fields of [`crate::agent_loop::End`] but for the session.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TurnEnded {
    /// The turn.
    pub turn: u32,
    /// The turn end.
    pub status: TurnEnd,
    /// The word behind it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// One sentence, `""` for a plain success.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub message: String,
    /// Model requests made, `None` where nobody has counted: a turn that recovery ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steps: Option<u32>,
    /// Tokens over all steps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// Money, where somebody knows; in US dollars.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
}

/// How a step ended.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct StepEnded {
    /// The turn.
    pub turn: u32,
    /// The step.
    pub step: u32,
    /// Why the response ended, `None` when the process did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finish: Option<Finish>,
    /// Its tokens, where the provider said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
}

/// A piece of a response.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Delta {
    /// The turn.
    pub turn: u32,
    /// The step.
    pub step: u32,
    /// The block, from 0.
    pub index: u32,
    /// `text`, `reasoning` or `tool-call`.
    #[serde(rename = "type")]
    pub block: String,
    /// The piece.
    pub text: String,
}

/// Whose response a message is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Said {
    /// The turn.
    pub turn: u32,
    /// The step.
    pub step: u32,
    /// The response was cut short, by a cancel or a failure.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub interrupted: bool,
}

/// A call whose tool is about to be started.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Called {
    /// The call id.
    pub id: String,
    /// The tool.
    pub name: String,
    /// The arguments as the model wrote them.
    pub arguments: String,
}

/// Whose result a message is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Observed {
    /// The call id.
    pub call_id: String,
    /// Whether the call failed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_error: bool,
    /// The failure's code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// Not the tool's own answer.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub synthetic: bool,
}

/// What requests carry beside messages.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Header {
    /// `initial`, `change` or `resume`.
    pub reason: String,
    /// The settings: [`crate::llm::Settings`], as JSON.
    #[serde(skip_serializing_if = "Value::is_null")]
    pub settings: Value,
    /// The names of the tools, in order; `None` when this event does not speak of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<String>>,
    /// Whether the first part is the system prompt.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub system: bool,
}

/// The messages of the history that one message has taken the place of, by position. A stretch that parts a call from its result is widened
/// until it holds both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Replaced {
    /// The first.
    pub from_seq: u64,
    /// Behind the last.
    pub to_seq: u64,
}

/// A kept value.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Put {
    /// Its name.
    pub key: String,
    /// The value; `null` takes it away.
    pub value: Value,
}

//! Why the model stopped.
use contracts::llm::{Failure, Finish, code};
use plugin_sdk::contracts;

/// How much of an unknown reason becomes a code.
const CODE_CHARS_MAX: usize = 64;

/// What a response ends with that gave this `finish_reason`, or none. `empty`: it has no block at all.
///
/// Whether there are calls decides between stop and tool-calls: servers say either one for the other, and a loop that believed
/// them would leave a call unanswered, or ask again for nothing.
pub(super) fn of(reason: Option<&str>, empty: bool, has_calls: bool) -> Finish {
    match reason {
        None | Some("stop" | "tool_calls" | "function_call") if empty => Finish::Error {
            failure: Failure::new(
                code::EMPTY_RESPONSE,
                "llm-openai: the model returned a completed response with no content",
            ),
        },
        None | Some("stop" | "tool_calls" | "function_call") if has_calls => Finish::ToolCalls,
        None | Some("stop" | "tool_calls" | "function_call") => Finish::Stop,
        Some("length") => Finish::MaxTokens,
        Some("error") => Finish::Error {
            failure: Failure::new(code::SERVER, "llm-openai: the provider failed and did not say why"),
        },
        Some(other) => {
            let message = format!("llm-openai: model stopped: {other}");
            Finish::Error { failure: Failure::new(screaming(other), message) }
        }
    }
}

fn screaming(reason: &str) -> String {
    let word = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' };
    reason.chars().take(CODE_CHARS_MAX).map(word).collect()
}

//! A turn without I/O: what was said so far, and what follows from a response.
use plugin_sdk::{
    Block, Error, Message, Parts, Usage,
    contracts::{
        agent_loop::{End, TurnEnd},
        llm::{Assembler, Failure, Finish, code::STREAM_CLOSED},
        tools::{ToolCall, ToolResult, code::INVALID_ARGS},
    },
    truncate,
};
use serde::de::IgnoredAny;

const LIMIT_STEPS: &str = "LIMIT_STEPS";
/// How much of a result the model gets to see, whatever the tool lets through.
const OBSERVATION_BYTES_MAX: usize = 64_000;

/// One turn: steps until there is an end.
#[derive(Debug)]
pub struct Turn {
    history: Parts,
    steps: u32,
    max_steps: u32,
    usage: Usage,
}

/// What follows from a response.
#[derive(Debug, PartialEq)]
pub enum Next {
    /// The calls are to be answered, in this order, and then the model asked again.
    Run(Vec<ToolCall>),
    /// The turn is over.
    End(End),
}

impl Turn {
    /// A turn that begins with a task.
    pub fn new(task: &str, max_steps: u32) -> Self {
        let history = Message::user(task).part().into();
        Turn { history, steps: 0, max_steps, usage: Usage::default() }
    }

    /// All that was said, one part a message: every request carries it whole.
    pub fn history(&self) -> &Parts {
        &self.history
    }

    /// The end, if no step may begin any more.
    pub fn limit(&self) -> Option<End> {
        let most = self.max_steps;
        (self.steps >= most).then(|| End {
            code: Some(LIMIT_STEPS.into()),
            hint: "raise it with --max-steps, or split the task".into(),
            ..self.end(TurnEnd::Blocked, format!("the turn reached its limit of {most} steps"))
        })
    }

    /// Takes the response of a step. Its finish is the control signal, and each has an obligation of its own.
    pub fn take(&mut self, response: Assembler) -> Next {
        self.steps += 1;
        self.usage += response.usage().unwrap_or_default();
        let finish = response.finish().cloned().unwrap_or_else(|| Finish::Error {
            failure: Failure::new(STREAM_CLOSED, "the response has no end"),
        });
        let mut blocks = response.into_blocks();
        let calls = self.calls(&mut blocks);
        if !blocks.is_empty() && !matches!(finish, Finish::Error { .. }) {
            self.history.push(Message::assistant(blocks).part());
        }
        match finish {
            Finish::Stop | Finish::ToolCalls if !calls.is_empty() => Next::Run(calls),
            Finish::Stop | Finish::ToolCalls => Next::End(self.end(TurnEnd::Completed, String::new())),
            // What was cut may look whole: nothing of it is run.
            Finish::MaxTokens => {
                let message = "the model's response was cut at its token limit".to_owned();
                Next::End(self.end(TurnEnd::MaxTokens, message))
            }
            Finish::Aborted { failure } => Next::End(self.end(TurnEnd::Aborted, failure.message)),
            Finish::Error { failure } => {
                let end = self.end(TurnEnd::Error, failure.message);
                Next::End(End { code: Some(failure.code), hint: failure.hint, ..end })
            }
        }
    }

    /// The calls among the blocks. The result has to cite an id: one that is missing is made, in the block as well.
    fn calls(&self, blocks: &mut [Block]) -> Vec<ToolCall> {
        let mut calls: Vec<ToolCall> = Vec::new();
        for block in blocks {
            if let Block::ToolCall { id, name, arguments } = block {
                if id.is_empty() || calls.iter().any(|call| call.id == *id) {
                    *id = format!("call-{}-{}", self.steps, calls.len() + 1);
                }
                calls.push(ToolCall::new(id.as_str(), name.as_str(), arguments));
            }
        }
        calls
    }

    /// The answer to a call that cannot be run; arguments are read only here, where they are complete.
    pub fn refusal(call: &ToolCall) -> Option<ToolResult> {
        let error = serde_json::from_str::<IgnoredAny>(call.arguments_text()).err()?;
        Some(ToolResult::error(INVALID_ARGS, format!("Error: the arguments are not JSON: {error}")))
    }

    /// Takes the answer to a call. One that failed is an observation like any other: the model can do better.
    pub fn observe(&mut self, call: &ToolCall, mut result: ToolResult) {
        result.text = truncate::keep_bytes(&result.text, OBSERVATION_BYTES_MAX).into_owned();
        self.history.push(result.message(&call.id).part());
    }

    /// The end of a turn that could not go on.
    pub fn failed(&self, error: Error) -> End {
        let end = self.end(TurnEnd::Error, error.message);
        End { code: Some(error.code.into_owned()), hint: error.hint, ..end }
    }

    fn end(&self, status: TurnEnd, message: String) -> End {
        End { status, message, steps: self.steps, usage: self.usage, ..End::default() }
    }
}

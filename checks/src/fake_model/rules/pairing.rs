//! Every tool call is answered exactly once, directly after its message and in the model's order.

use crate::fake_model::breach::Breach;
use crate::fake_model::request::{Message, Request, ToolCall};

pub(super) fn check(request: &Request<'_>) -> Result<(), Breach> {
    let mut open: Option<Open<'_>> = None;
    for (n, message) in request.messages.iter().enumerate() {
        if message.is("tool") {
            let Some(open) = &mut open else {
                let said = format!("answers `{}`, and no call stands before it", answered_id(message));
                return Err(Breach::new("ANSWER_WITHOUT_CALL", format!("messages[{n}]"), said));
            };
            open.take(n, message)?;
            continue;
        }
        close(open.take())?;
        if !message.calls().is_empty() {
            open = Some(Open { at: n, calls: message.calls(), answers: 0 });
        }
    }
    close(open)
}

/// The calls of one assistant message and how many of them have been answered.
struct Open<'a> {
    at: usize,
    calls: &'a [ToolCall],
    answers: usize,
}

impl Open<'_> {
    fn take(&mut self, n: usize, message: &Message<'_>) -> Result<(), Breach> {
        let id = answered_id(message);
        let at = format!("messages[{n}]");
        if self.calls.get(self.answers).is_some_and(|call| call.id == id) {
            self.answers += 1;
            return Ok(());
        }
        let place = self.calls.iter().position(|call| call.id == id);
        let owner = self.at;
        Err(match (place, self.calls.get(self.answers)) {
            (None, _) => {
                let said = format!("answers `{id}`, and messages[{owner}] has no such call");
                Breach::new("ANSWER_WITHOUT_CALL", at, said)
            }
            (Some(place), _) if place < self.answers => {
                let said = format!("answers `{id}` of messages[{owner}] a second time");
                Breach::new("ANSWER_REPEATED", at, said)
            }
            (Some(_), next) => {
                let next = next.map_or("", |call| &call.id);
                let said = format!("answers `{id}`, but the next call of messages[{owner}] is `{next}`");
                Breach::new("ANSWERS_REORDERED", at, said)
            }
        })
    }
}

fn close(open: Option<Open<'_>>) -> Result<(), Breach> {
    let Some(open) = open else { return Ok(()) };
    let Some(call) = open.calls.get(open.answers) else { return Ok(()) };
    let at = format!("messages[{}].tool_calls[{}]", open.at, open.answers);
    let said = format!("the call `{}` has no tool message after it", call.id);
    Err(Breach::new("CALL_NOT_ANSWERED", at, said))
}

fn answered_id<'a>(message: &'a Message<'_>) -> &'a str {
    message.fields.tool_call_id.as_deref().unwrap_or_default()
}

//! The calls of the latest response that have no result yet, and what is said in the place of a result that never came.
use super::{
    NewEvent,
    code::{TOOL_NOT_STARTED, TOOL_OUTCOME_UNKNOWN},
    kind::{Observed, TOOL_RESULT},
};
use crate::{Part, tools::ToolResult};

#[derive(Clone, Debug, Default)]
pub(super) struct Pending(Vec<Call>);

#[derive(Clone, Debug)]
struct Call {
    id: String,
    started: bool,
}

impl Pending {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn ask(&mut self, id: String) {
        self.0.push(Call { id, started: false });
    }

    /// A provider may use an id again in a later response, so the first of that id which was not started is meant.
    pub(super) fn start(&mut self, id: &str) {
        if let Some(call) = self.0.iter_mut().find(|call| call.id == id && !call.started) {
            call.started = true;
        }
    }

    /// Takes the call that a result answers; whether there was one.
    pub(super) fn answer(&mut self, id: &str) -> bool {
        let place = self.0.iter().position(|call| call.id == id);
        place.map(|place| self.0.remove(place)).is_some()
    }

    /// What is said for each that is left, in the order of the calls.
    pub(super) fn results(&self) -> impl Iterator<Item = (&str, Part)> {
        self.0.iter().map(|call| (call.id.as_str(), unanswered(call.started).message(&call.id).part()))
    }

    /// The same as events.
    pub(super) fn closers(&self) -> impl Iterator<Item = NewEvent> {
        self.0.iter().zip(self.results()).map(|(call, (id, part))| {
            let code = unanswered(call.started).code;
            let data = Observed { call_id: id.to_owned(), is_error: true, code, synthetic: true };
            NewEvent::new(TOOL_RESULT, data).part(part)
        })
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}

/// States only what is known.
fn unanswered(started: bool) -> ToolResult {
    let (code, text) = if started {
        let text = "Error: the harness stopped after this tool was started, and its outcome is unknown. Look at what \
                    it may have changed before you call it again.";
        (TOOL_OUTCOME_UNKNOWN, text)
    } else {
        let text =
            "Error: the harness stopped before this tool was started. Call it again if it is still needed.";
        (TOOL_NOT_STARTED, text)
    };
    ToolResult::synthetic(code, text)
}

//! What a conversation has come to: the last request that was answered, and what was answered.

use std::collections::BTreeMap;

use super::request::Request;
use super::script::Changes;

/// The state of one named conversation.
#[derive(Debug, Default)]
pub(super) struct Conversation {
    last: Option<Answered>,
    /// The serial number of the reply that `last` belongs to, so that a late answer never replaces a newer one.
    serial: usize,
    /// Changes that were announced by replies which then failed: the request that comes again carries them.
    announced: Changes,
}

/// A request that got an answer, owned.
#[derive(Debug, Clone)]
pub(super) struct Answered {
    pub(super) messages: Vec<String>,
    /// How many of the first messages are system messages, which may be announced to change.
    pub(super) system: usize,
    pub(super) tools: Option<String>,
    pub(super) tool_names: Vec<String>,
    pub(super) settings: BTreeMap<String, String>,
    /// The turn that the next request must hold next; `None` when the answer was cut short by the model itself.
    pub(super) turn: Option<Turn>,
}

/// An assistant turn as it was sent.
#[derive(Debug, Clone)]
pub(super) struct Turn {
    pub(super) text: String,
    pub(super) reasoning: String,
    pub(super) calls: Vec<TurnCall>,
}

/// A tool call as it was sent; `arguments` is raw text.
#[derive(Debug, Clone)]
pub(super) struct TurnCall {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) arguments: String,
}

impl Answered {
    /// A copy of the request; its answer's turn is added when it has been sent.
    pub(super) fn to(request: &Request<'_>) -> Self {
        Self {
            messages: request.messages.iter().map(|message| message.raw.to_owned()).collect(),
            system: request.messages.iter().take_while(|message| message.is_system()).count(),
            tools: request.tools.map(str::to_owned),
            tool_names: request.tool_names.clone(),
            settings: request.settings.iter().map(|(key, raw)| (key.clone(), (*raw).to_owned())).collect(),
            turn: None,
        }
    }

    /// How many bytes of the prompt `request` repeats from the start of this one: what a prefix cache would hit.
    pub(super) fn shared_bytes(&self, request: &Request<'_>) -> usize {
        if self.tools.as_deref() != request.tools {
            return 0;
        }
        let same = self.messages.iter().zip(&request.messages).take_while(|(old, new)| *old == new.raw);
        self.tools.as_ref().map_or(0, String::len) + same.map(|(old, _)| old.len()).sum::<usize>()
    }
}

impl Conversation {
    /// What the next request must extend, with the changes it may make.
    pub(super) fn expects(&self, changes: Changes) -> Option<(&Answered, Changes)> {
        self.last.as_ref().map(|last| (last, changes.union(self.announced)))
    }

    /// Forgets everything: the next request is a first one.
    pub(super) fn restart(&mut self) {
        self.last = None;
        self.announced = Changes::default();
    }

    /// Notes the changes that a reply announced, until an answer succeeds.
    pub(super) fn announce(&mut self, changes: Changes) {
        self.announced = self.announced.union(changes);
    }

    /// Moves on: the reply `serial` has been sent in full.
    pub(super) fn advance(&mut self, serial: usize, answered: Answered) {
        if serial > self.serial {
            *self = Self { last: Some(answered), serial, announced: Changes::default() };
        }
    }
}

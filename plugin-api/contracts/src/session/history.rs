//! The model's history and the ends that a log lacks, derived from its events in one pass.
use super::{
    Event, NewEvent, code,
    kind::{self, CONTEXT_REPLACE, Called, Replaced, TOOL_CALL, TURN_START},
    pending::Pending,
    turn::{Latest, read},
};
use crate::{Block, Error, Message, Part, Parts, Result, Speaker};
use serde::Deserialize;
use serde_json::Value;

/// What the model is sent, kept up to date event by event: the state of a loop, and what a resumed one begins with.
///
/// Messages are the events' parts, untouched. Left out are responses without content and results that answer no call of the
/// response before them; a call whose result never came is answered with what is known. So every history is one that a
/// provider takes, whatever log it comes from.
#[derive(Clone, Debug, Default)]
pub struct History {
    parts: Parts,
    /// For each message whether it is a result: what must stay with the response before it.
    results: Vec<bool>,
    pending: Pending,
    /// What came while calls had no result: results stay with their response, so it is behind them.
    held: Vec<Part>,
    latest: Latest,
}

impl History {
    /// Nothing yet.
    pub fn new() -> Self {
        History::default()
    }

    /// Takes the next event, at that position.
    ///
    /// # Errors
    /// `SESSION_UNSUPPORTED` for an unknown kind that must be understood, `SESSION_CORRUPT` for a message that is none and
    /// a stretch that is not there. The history stays as it was.
    pub fn push(&mut self, event: &NewEvent, seq: u64) -> Result<()> {
        match event.kind.as_str() {
            TURN_START => self.settle(),
            TOOL_CALL => self.pending.start(&read::<Called>(event).id),
            CONTEXT_REPLACE => self.replace(event, seq)?,
            kind if kind::is_message(kind) => self.message(event, seq)?,
            kind if kind::KNOWN.contains(&kind) => {}
            kind if event.data.get("required") == Some(&Value::Bool(true)) => {
                return Err(unsupported(kind, seq));
            }
            _ => {}
        }
        self.latest.push(event);
        Ok(())
    }

    /// The messages: a handle on them, not a copy.
    pub fn parts(&self) -> Parts {
        let mut parts = self.parts.clone();
        self.unsettled().for_each(|part| parts.push(part));
        parts
    }

    /// The latest turn's number, 0 before the first.
    pub fn turn(&self) -> u32 {
        self.latest.turn
    }

    /// Whether the latest turn has no end.
    pub fn is_open(&self) -> bool {
        self.latest.is_open()
    }

    /// What an open turn lacks: a result for each call, the step's end, the turn's end as interrupted. Nothing for a log that
    /// is balanced, as it is once these are appended; the history they give is the one without them.
    pub fn closers(&self) -> Vec<NewEvent> {
        let ends = self.latest.closers();
        if ends.is_empty() { ends } else { self.pending.closers().chain(ends).collect() }
    }

    fn message(&mut self, event: &NewEvent, seq: u64) -> Result<()> {
        let Some(part) = event.parts.first() else { return Ok(()) };
        let Message { role, content, .. } = Message::from_part(part).map_err(|error| {
            corrupt(format!(
                "the message of event {seq} (`{}`) cannot be read: {}",
                event.kind, error.message
            ))
        })?;
        let answers: Vec<&str> = content.iter().filter_map(answered).collect();
        if role == Speaker::User && !answers.is_empty() {
            let answered = answers.into_iter().filter(|id| self.pending.answer(id)).count();
            if answered > 0 {
                self.add(part.clone(), true);
            }
            if self.pending.is_empty() {
                self.settle();
            }
            return Ok(());
        }
        if role == Speaker::User && !self.pending.is_empty() {
            self.held.push(part.clone());
            return Ok(());
        }
        self.settle();
        if role == Speaker::Assistant && content.iter().all(says_nothing) {
            return Ok(());
        }
        self.add(part.clone(), false);
        for block in content {
            if let (Speaker::Assistant, Block::ToolCall { id, .. }) = (role, block) {
                self.pending.ask(id);
            }
        }
        Ok(())
    }

    fn add(&mut self, part: Part, is_result: bool) {
        self.parts.push(part);
        self.results.push(is_result);
    }

    /// What stands for the results that are not there, and what waits for them.
    fn unsettled(&self) -> impl Iterator<Item = Part> {
        self.pending.results().map(|(_, part)| part).chain(self.held.iter().cloned())
    }

    /// No result comes any more: what stands for them becomes part of the history.
    fn settle(&mut self) {
        let (missing, all): (usize, Vec<Part>) = (self.pending.len(), self.unsettled().collect());
        for (at, part) in all.into_iter().enumerate() {
            self.add(part, at < missing);
        }
        self.pending.clear();
        self.held.clear();
    }

    fn replace(&mut self, event: &NewEvent, seq: u64) -> Result<()> {
        let len = self.parts.len() + self.unsettled().count();
        let stretch = Replaced::deserialize(&event.data).ok();
        let there = stretch.filter(|s| s.from_seq < s.to_seq && s.to_seq <= len as u64);
        let (Some(Replaced { from_seq, to_seq }), Some(with)) = (there, event.parts.first()) else {
            return Err(corrupt(format!("event {seq} (`{}`) replaces what is not there", event.kind)));
        };
        self.settle();
        let is_result = |at: &usize| self.results.get(*at).copied().unwrap_or_default();
        let (mut from, mut to) = (from_seq as usize, to_seq as usize);
        while from > 0 && is_result(&from) {
            from -= 1;
        }
        while is_result(&to) {
            to += 1;
        }
        let mut parts: Parts = self.parts.iter().take(from).cloned().collect();
        parts.push(with.clone());
        parts.append(&self.parts.tail(to));
        self.parts = parts;
        self.results.splice(from..to, [false]);
        Ok(())
    }
}

/// The history of a whole log.
///
/// # Errors
/// As [`History::push`].
pub fn history<'a>(events: impl IntoIterator<Item = &'a Event>) -> Result<Parts> {
    let mut history = History::new();
    events.into_iter().try_for_each(|event| history.push(&event.event, event.seq))?;
    Ok(history.parts())
}

/// What the log of these events lacks; see [`History::closers`].
///
/// # Errors
/// As [`History::push`].
pub fn closers<'a>(events: impl IntoIterator<Item = &'a Event>) -> Result<Vec<NewEvent>> {
    let mut history = History::new();
    events.into_iter().try_for_each(|event| history.push(&event.event, event.seq))?;
    Ok(history.closers())
}

fn answered(block: &Block) -> Option<&str> {
    if let Block::ToolResult { call_id, .. } = block { Some(call_id) } else { None }
}

fn says_nothing(block: &Block) -> bool {
    match block {
        Block::Text { text } => text.is_empty(),
        Block::Reasoning { text, data, .. } => text.is_empty() && data.is_null(),
        Block::ToolCall { .. } | Block::ToolResult { .. } | Block::Unknown => false,
    }
}

fn corrupt(message: String) -> Error {
    Error::new(code::SESSION_CORRUPT, message)
        .hint("fork the session before that event, and go on with the fork")
}

fn unsupported(kind: &str, seq: u64) -> Error {
    let message = format!(
        "event {seq} is a `{kind}`, which must be understood to go on, and no part of this harness does"
    );
    Error::new(code::SESSION_UNSUPPORTED, message).hint("go on with the harness that wrote the session")
}

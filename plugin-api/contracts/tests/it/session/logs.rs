//! Logs as text: an event a line, and the history that comes of them.
use contracts::{
    Block, Message, Parts,
    session::{Event, NewEvent},
};
use serde_json::{Value, json};

/// `user T`, `says T`, `calls A B`, `starts A`, `answers A`, `replace FROM TO`, `turn`, `end`, `step`, `step-end`; a `+` before it: the
/// event is there without its part; anything else is a kind that nobody knows.
pub(crate) fn event(line: &str) -> NewEvent {
    let mut words = line.split_whitespace();
    let verb = words.next().unwrap_or_default();
    let rest: Vec<&str> = words.collect();
    let text = rest.join(" ");
    let message = |kind: &str, message: Message| NewEvent::new(kind, json!({})).part(message.part());
    match verb {
        "user" => message("user/message", Message::user(text)),
        "says" => message("assistant/message", Message::assistant(vec![Block::text(text)])),
        "calls" => {
            let call =
                |id: &&str| Block::ToolCall { id: (*id).into(), name: "t".into(), arguments: "{}".into() };
            message("assistant/message", Message::assistant(rest.iter().map(call).collect()))
        }
        "starts" => NewEvent::new("tool/call", json!({ "id": text, "name": "t", "arguments": "{}" })),
        "answers" => message("tool/result", result(&text)),
        "replace" => {
            let at = |at: usize| rest[at].parse::<u64>().unwrap();
            NewEvent::new("context/replace", json!({ "from_seq": at(0), "to_seq": at(1) }))
                .part(Message::user("summary").part())
        }
        "turn" => NewEvent::new("turn/start", Value::Null),
        "end" => NewEvent::new("turn/end", json!({ "status": "completed" })),
        "step" => NewEvent::new("step/start", json!({ "step": 1 })),
        "step-end" => NewEvent::new("step/end", Value::Null),
        kind => NewEvent::new(kind, Value::Null),
    }
}

fn result(id: &str) -> Message {
    contracts::tools::ToolResult::ok("done").message(id)
}

/// A log of lines, or of what a `;` separates.
pub(crate) fn log(text: &str) -> Vec<Event> {
    let lines = text.split([';', '\n']).map(str::trim).filter(|line| !line.is_empty());
    events(lines.map(event))
}

pub(crate) fn events(events: impl IntoIterator<Item = NewEvent>) -> Vec<Event> {
    (0..).zip(events).map(|(seq, event)| Event { seq, at_ms: seq, event }).collect()
}

/// The messages as the same words.
pub(crate) fn shown(parts: &Parts) -> String {
    let line = |message: Message| {
        let content = message.content.iter().map(|block| match block {
            Block::Text { text } => match message.role {
                contracts::Speaker::User => format!("user {text}"),
                contracts::Speaker::Assistant => format!("says {text}"),
            },
            Block::ToolCall { id, .. } => format!("calls {id}"),
            Block::ToolResult { call_id, code, .. } => {
                format!("answers {call_id}{}", code.as_deref().map(|c| format!(" {c}")).unwrap_or_default())
            }
            other => format!("{other:?}"),
        });
        content.collect::<Vec<_>>().join(" + ")
    };
    parts.iter().map(|part| line(Message::from_part(part).unwrap())).collect::<Vec<_>>().join("; ")
}

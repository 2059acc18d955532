//! Streams as text: one chunk a clause, clauses parted by `; `.
//!
//! | clause | chunk |
//! |---|---|
//! | `text 0`, `reasoning 0 ADAPTER`, `call 0 ID NAME` | a block opens |
//! | `t 0 …`, `r 0 …`, `a 0 …` | a delta of text, reasoning, arguments |
//! | `end 0`, `end 0 = BLOCK` | a block ends, with a block of its own: `text …`, `reasoning …`, `call ID NAME ARGS`, `result`, `unknown` |
//! | `usage 3/1`, `attempt 2`, `discard 2`, `other 77` | usage, attempts, an unknown kind |
//! | `stop`, `tool-calls`, `max-tokens`, `aborted CODE …`, `error CODE …` | the finish; `-` is an empty code or message |
use contracts::{
    Block, Usage,
    llm::{BlockStart, Failure, Finish, StreamChunk},
    tools::ToolEvent,
};
use plugin_api::RChunk;
use serde_json::Value;

pub(crate) fn chunks(script: &str) -> Vec<StreamChunk> {
    script.split("; ").filter(|clause| !clause.is_empty()).map(chunk).collect()
}

fn chunk(clause: &str) -> StreamChunk {
    let (word, rest) = split(clause);
    let (at, tail) = split(rest);
    let index = || at.parse().unwrap_or_else(|_| panic!("`{clause}` needs a number"));
    match word {
        "text" => StreamChunk::BlockStart { index: index(), block: BlockStart::Text },
        "reasoning" => {
            StreamChunk::BlockStart { index: index(), block: BlockStart::Reasoning { adapter: tail.into() } }
        }
        "call" => {
            let (id, name) = split(tail);
            let block = BlockStart::ToolCall { id: id.into(), name: name.into() };
            StreamChunk::BlockStart { index: index(), block }
        }
        "t" => StreamChunk::TextDelta { index: index(), text: tail.into() },
        "r" => StreamChunk::ReasoningDelta { index: index(), text: tail.into() },
        "a" => StreamChunk::ToolCallDelta { index: index(), arguments: tail.into() },
        "end" => StreamChunk::BlockEnd { index: index(), block: tail.strip_prefix("= ").map(block) },
        "usage" => {
            let (input, output) = rest.split_once('/').unwrap();
            let (input_tokens, output_tokens) = (input.parse().unwrap(), output.parse().unwrap());
            StreamChunk::Usage(Usage { input_tokens, output_tokens, ..Usage::default() })
        }
        "attempt" | "discard" => StreamChunk::Attempt {
            n: index(),
            discard: word == "discard",
            code: "SERVER".into(),
            wait_ms: 10,
        },
        "other" => StreamChunk::Other(RChunk::text(at.parse().unwrap(), 0, tail)),
        "stop" => StreamChunk::Finish(Finish::Stop),
        "tool-calls" => StreamChunk::Finish(Finish::ToolCalls),
        "max-tokens" => StreamChunk::Finish(Finish::MaxTokens),
        "aborted" | "error" => {
            let filled = |text: &str| if text == "-" { String::new() } else { text.to_owned() };
            let failure = Failure::new(filled(at), filled(tail));
            StreamChunk::Finish(match word {
                "error" => Finish::Error { failure },
                _ => Finish::Aborted { failure },
            })
        }
        _ => panic!("no such clause: `{clause}`"),
    }
}

fn split(text: &str) -> (&str, &str) {
    text.split_once(' ').unwrap_or((text, ""))
}

fn block(text: &str) -> Block {
    let (word, rest) = split(text);
    match word {
        "text" => Block::text(rest),
        "reasoning" => Block::Reasoning { text: rest.into(), adapter: "a".into(), data: Value::Null },
        "call" => {
            let ((id, rest), owned) = (split(rest), str::to_owned);
            let (name, arguments) = split(rest);
            Block::ToolCall { id: owned(id), name: owned(name), arguments: owned(arguments) }
        }
        "result" => Block::ToolResult {
            call_id: "c".into(),
            content: vec![],
            is_error: false,
            code: None,
            synthetic: false,
        },
        "unknown" => Block::Unknown,
        _ => panic!("no such block: `{text}`"),
    }
}

/// The way back, for what a test compares.
pub(crate) fn shown(chunks: &[StreamChunk]) -> String {
    chunks.iter().map(shown_chunk).collect::<Vec<_>>().join("; ")
}

fn shown_chunk(chunk: &StreamChunk) -> String {
    let text = match chunk {
        StreamChunk::BlockStart { index, block } => match block {
            BlockStart::Text => format!("text {index}"),
            BlockStart::Reasoning { adapter } => format!("reasoning {index} {adapter}"),
            BlockStart::ToolCall { id, name } => format!("call {index} {id} {name}"),
        },
        StreamChunk::TextDelta { index, text } => format!("t {index} {text}"),
        StreamChunk::ReasoningDelta { index, text } => format!("r {index} {text}"),
        StreamChunk::ToolCallDelta { index, arguments } => format!("a {index} {arguments}"),
        StreamChunk::BlockEnd { index, block: None } => format!("end {index}"),
        StreamChunk::BlockEnd { index, block: Some(block) } => {
            format!("end {index} = {}", shown_block(block))
        }
        StreamChunk::Usage(usage) => format!("usage {}/{}", usage.input_tokens, usage.output_tokens),
        StreamChunk::Attempt { n, discard: true, .. } => format!("discard {n}"),
        StreamChunk::Attempt { n, .. } => format!("attempt {n}"),
        StreamChunk::Other(chunk) => format!("other {} {}", chunk.kind, chunk.text),
        StreamChunk::Finish(finish) => shown_finish(finish),
    };
    text.trim_end().to_owned()
}

pub(crate) fn shown_finish(finish: &Finish) -> String {
    match finish {
        Finish::Stop => "stop".into(),
        Finish::ToolCalls => "tool-calls".into(),
        Finish::MaxTokens => "max-tokens".into(),
        Finish::Aborted { failure } => format!("aborted {} {}", failure.code, failure.message),
        Finish::Error { failure } => format!("error {} {}", failure.code, failure.message),
    }
}

pub(crate) fn shown_block(block: &Block) -> String {
    match block {
        Block::Text { text } => format!("text {text}"),
        Block::Reasoning { text, .. } => format!("reasoning {text}"),
        Block::ToolCall { id, name, arguments } => format!("call {id} {name} {arguments}"),
        Block::ToolResult { .. } => "result".into(),
        Block::Unknown => "unknown".into(),
    }
}

/// The events of a call: `+ progress`, `note KIND DATA`, `ok …`, `failed CODE …`, `stated CODE …` (synthetic), `other KIND`.
pub(crate) fn shown_events(events: &[ToolEvent]) -> String {
    events.iter().map(shown_event).collect::<Vec<_>>().join("; ")
}

pub(crate) fn shown_event(event: &ToolEvent) -> String {
    match event {
        ToolEvent::Progress(text) => format!("+ {text}"),
        ToolEvent::Note { kind, data } => format!("note {kind} {data}"),
        ToolEvent::Result(r) => {
            assert_eq!(r.is_error, r.code.is_some(), "{r:?}");
            match (&r.code, r.synthetic) {
                (None, _) => format!("ok {}", r.text),
                (Some(code), false) => format!("failed {code} {}", r.text),
                (Some(code), true) => format!("stated {code} {}", r.text),
            }
        }
        ToolEvent::Other(chunk) => format!("other {}", chunk.kind),
    }
}

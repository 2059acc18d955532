//! L1.5 and L1.6: what an adapter makes of a response.
use crate::check::{Check, MODEL, Miss, Subject, Tried, Verdict, ensure, scripted};
use contracts::{
    Block, Message, Parts,
    llm::{Assembler, Finish, Invariant, LlmRequest, Settings, StreamChunk},
};
use std::time::Duration;

pub(super) const TEXT: &[Check] = &[
    Check {
        name: "rules",
        next: "open a text block at its first piece, send a delta for each piece, close it before the finish, and send nothing after that",
        run: rules,
    },
    Check {
        name: "usage",
        next: "send one usage chunk before the finish; input_tokens are those that no cache served",
        run: usage,
    },
    Check { name: "finish", next: "turn finish_reason stop into finish stop, the last chunk", run: finish },
    Check {
        name: "split",
        next: "keep what a read brings until an event is complete: reads end anywhere, within a line and within a character",
        run: split,
    },
    Check {
        name: "streams",
        next: "send `stream: true`, and hand on each piece when it arrives: do not collect the response first",
        run: streams,
    },
];

pub(super) const TOOL_CALLS: &[Check] = &[
    Check {
        name: "whole",
        next: "open a tool-call block with the id and the name of the first fragment, send the arguments' fragments as they are, and close it",
        run: whole,
    },
    Check {
        name: "interleaved",
        next: "keep one block for each `index` of tool_calls, and add each fragment to its own",
        run: interleaved,
    },
    Check {
        name: "beside-text",
        next: "keep text and call as two blocks, and the arguments as they came, whatever characters are in them",
        run: beside_text,
    },
    Check { name: "finish", next: "turn finish_reason tool_calls into finish tool-calls", run: calls_finish },
];

/// How long a held response waits for its first piece to be seen.
const HELD: Duration = Duration::from_secs(8);

const HELLO: &str = "replies: [{text: 'Hello, this is a check.', split: 5, usage: {prompt_tokens: 20, completion_tokens: 6, cached_tokens: 8}}]";

/// A request for `model` that a person might begin with.
pub(super) fn request() -> LlmRequest {
    LlmRequest {
        settings: Settings { model: MODEL.to_owned(), ..Settings::default() },
        ..LlmRequest::default()
    }
}

/// Asks the mounted llm service, as a loop would.
pub(super) fn ask(tried: &Tried<'_>, request: &LlmRequest) -> Result<Vec<StreamChunk>, Miss> {
    follow(tried, request, &mut |_| {})
}

/// The same with a history of several messages.
pub(super) fn ask_about(
    tried: &Tried<'_>,
    request: &LlmRequest,
    messages: &[Message],
) -> Result<Vec<StreamChunk>, Miss> {
    send(tried, request, &messages.iter().map(Message::part).collect(), &mut |_| {})
}

fn follow(
    tried: &Tried<'_>,
    request: &LlmRequest,
    see: &mut dyn FnMut(&StreamChunk),
) -> Result<Vec<StreamChunk>, Miss> {
    send(tried, request, &Message::user("Say hello.").part().into(), see)
}

fn send(
    tried: &Tried<'_>,
    request: &LlmRequest,
    history: &Parts,
    see: &mut dyn FnMut(&StreamChunk),
) -> Result<Vec<StreamChunk>, Miss> {
    let payload = request.payload(history);
    let head = serde_json::from_str(&payload.head).unwrap_or_default();
    let parts: Vec<String> =
        payload.parts.iter().map(|part| part.text().unwrap_or_default().to_owned()).collect();
    tried.follow("llm", "stream", &head, &parts, see)
}

/// What a script's one reply becomes, under the rules of the stream.
pub(super) fn reply(subject: &Subject, script: &str) -> Result<Assembler, Miss> {
    subject.once(script, || {
        let model = scripted(script)?;
        assembled(ask(&subject.with(&model)?, &request())?)
    })
}

/// The response of chunks that keep the rules.
pub(super) fn assembled(chunks: Vec<StreamChunk>) -> Result<Assembler, Miss> {
    let wanted = "a stream that keeps the rules of the llm contract";
    let (mut rules, mut response) = (Invariant::default(), Assembler::default());
    for (n, chunk) in chunks.into_iter().enumerate() {
        rules.check(&chunk).map_err(|broken| Miss::new(format!("chunk {}: {broken}", n + 1), wanted))?;
        response.push(chunk);
    }
    rules.ended().map_err(|broken| Miss::new(broken, wanted))?;
    Ok(response)
}

/// A finish in words; a failure with its hint as the remedy.
pub(super) fn unwanted(finish: Option<&Finish>, wanted: &str) -> Miss {
    match finish {
        Some(Finish::Error { failure } | Finish::Aborted { failure }) => {
            Miss::new(format!("a failure: {} ({})", failure.message, failure.code), wanted)
                .next(failure.hint.as_str())
        }
        Some(finish) => {
            let words = serde_json::to_value(finish).unwrap_or_default();
            Miss::new(format!("finish {}", words["reason"].as_str().unwrap_or_default()), wanted)
        }
        None => Miss::new("no finish", wanted),
    }
}

fn not_failed(response: &Assembler, wanted: &str) -> Verdict {
    match response.finish() {
        Some(Finish::Error { .. } | Finish::Aborted { .. }) | None => {
            Err(unwanted(response.finish(), wanted))
        }
        Some(Finish::Stop | Finish::ToolCalls | Finish::MaxTokens) => Ok(()),
    }
}

fn blocks(response: Assembler, wanted: &[Block]) -> Verdict {
    let words = shown(wanted);
    not_failed(&response, &words)?;
    let blocks = response.into_blocks();
    ensure(blocks == wanted, || shown(&blocks), &words)
}

fn shown(blocks: &[Block]) -> String {
    if blocks.is_empty() {
        return "no block".to_owned();
    }
    serde_json::to_string(blocks).unwrap_or_default()
}

fn rules(subject: &Subject) -> Verdict {
    blocks(reply(subject, HELLO)?, &[Block::text("Hello, this is a check.")])
}

fn usage(subject: &Subject) -> Verdict {
    let response = reply(subject, HELLO)?;
    let wanted = "usage with 12 input tokens, 8 read from a cache, and 6 output tokens";
    not_failed(&response, wanted)?;
    let Some(usage) = response.usage() else { return Err(Miss::new("no usage", wanted)) };
    let counts = (usage.input_tokens, usage.cache_read_tokens, usage.output_tokens);
    ensure(counts == (12, Some(8), 6), || serde_json::to_string(&usage).unwrap_or_default(), wanted)
}

fn finish(subject: &Subject) -> Verdict {
    let response = reply(subject, HELLO)?;
    match response.finish() {
        Some(Finish::Stop) => Ok(()),
        finish => Err(unwanted(finish, "finish stop")),
    }
}

fn streams(subject: &Subject) -> Verdict {
    let model = scripted("replies: [{deltas: ['first ', 'second ', 'third'], wait_for: seen, after: 3}]")?;
    let (mut seen, mut text) = (false, String::new());
    let chunks = follow(&subject.with(&model)?.within(HELD), &request(), &mut |chunk| {
        if let StreamChunk::TextDelta { text: more, .. } = chunk {
            // An endless response is looked at only in its beginning.
            if !seen && text.len() < 1000 {
                text.push_str(more);
            }
            if !seen && text.contains("second") {
                seen = true;
                model.release("seen");
            }
        }
    });
    let wanted = "each delta while the response is still open";
    match (chunks, seen) {
        (Ok(_), true) => Ok(()),
        // It ended by itself without the rest: whatever it says is the reason.
        (Ok(chunks), false) => Err(unwanted(assembled(chunks)?.finish(), wanted)),
        (Err(miss), false) if miss.got == "it did not end in time" => {
            let got = format!(
                "{text:?} within {} s of a response that holds two deltas and goes on",
                HELD.as_secs()
            );
            Err(Miss::new(got, wanted))
        }
        (Err(miss), _) => Err(miss),
    }
}

/// A response of which one read ends within an event, and the next within a character.
fn split(subject: &Subject) -> Verdict {
    let event = |text: &str| {
        format!(
            r#"data: {{"id":"c","object":"chat.completion.chunk","model":"m","choices":[{{"index":0,"delta":{{"content":"{text}"}},"finish_reason":null}}]}}"#
        )
    };
    let end = r#"data: {"id":"c","object":"chat.completion.chunk","model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#;
    let raw = format!("{}\n\n{}\n\n{end}\n\ndata: [DONE]\n\n", event("größe"), event(" zwölf"));
    let within = raw.find('ö').unwrap_or_default() + 1;
    let script = serde_json::json!({ "replies": [{ "raw": raw, "split_at": [9, within, within + 8, raw.len() - 20] }] });
    blocks(reply(subject, &script.to_string())?, &[Block::text("größe zwölf")])
}

const ONE_CALL: &str = r#"replies: [{calls: [{id: call_Check-7, name: read_file, arguments: '{"path":  "a b.txt"}', fragments: 4}]}]"#;

fn call(id: &str, name: &str, arguments: &str) -> Block {
    Block::ToolCall { id: id.to_owned(), name: name.to_owned(), arguments: arguments.to_owned() }
}

fn whole(subject: &Subject) -> Verdict {
    blocks(reply(subject, ONE_CALL)?, &[call("call_Check-7", "read_file", r#"{"path":  "a b.txt"}"#)])
}

fn beside_text(subject: &Subject) -> Verdict {
    let script = r#"replies: [{text: I look., calls: [{id: call_b, name: read_file, arguments: '{"path":"größe.txt"}', fragments: 3}]}]"#;
    let wanted = [Block::text("I look."), call("call_b", "read_file", r#"{"path":"größe.txt"}"#)];
    blocks(reply(subject, script)?, &wanted)
}

fn calls_finish(subject: &Subject) -> Verdict {
    let response = reply(subject, ONE_CALL)?;
    match response.finish() {
        Some(Finish::ToolCalls) => Ok(()),
        finish => Err(unwanted(finish, "finish tool-calls")),
    }
}

/// Two calls whose fragments alternate, as providers may send them.
fn interleaved(subject: &Subject) -> Verdict {
    let event = |calls: &str, finish: &str| {
        format!(
            r#"data: {{"id":"c","object":"chat.completion.chunk","model":"m","choices":[{{"index":0,"delta":{{{calls}}},"finish_reason":{finish}}}]}}"#
        )
    };
    let first = |n: u8, id: &str, name: &str| {
        let call = format!(
            r#""tool_calls":[{{"index":{n},"id":"{id}","type":"function","function":{{"name":"{name}","arguments":""}}}}]"#
        );
        event(&call, "null")
    };
    let more = |n: u8, text: &str| {
        event(
            &format!(
                r#""tool_calls":[{{"index":{n},"function":{{"arguments":{}}}}}]"#,
                serde_json::json!(text)
            ),
            "null",
        )
    };
    let events = [
        first(0, "call_a", "read_file"),
        first(1, "call_b", "run_shell"),
        more(0, r#"{"path":"#),
        more(1, r#"{"command":"#),
        more(0, r#""a.txt"}"#),
        more(1, r#""ls"}"#),
        event("", r#""tool_calls""#),
        "data: [DONE]".to_owned(),
    ];
    let script = serde_json::json!({ "replies": [{ "raw": format!("{}\n\n", events.join("\n\n")) }] });
    let wanted = [
        call("call_a", "read_file", r#"{"path":"a.txt"}"#),
        call("call_b", "run_shell", r#"{"command":"ls"}"#),
    ];
    blocks(reply(subject, &script.to_string())?, &wanted)
}

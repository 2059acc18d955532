//! Attempts and what comes of them, as text.
//!
//! An attempt is its batches, parted by `|`; a batch is its chunks, parted by `&`. `text`, `think` and `call` open their block where it is
//! not open; `stop` closes all.
use llm_retry::Config;
use plugin_sdk::{
    Cx, Error, Item as _, Out, Result, Stream, Usage,
    contracts::{
        Batch,
        llm::{BlockStart, Failure, Finish, StreamChunk},
    },
    emit,
};
use serde_json::{Value, json};
use std::{collections::BTreeSet, future::pending, time::Duration};

/// The config of a row that says this, with the defaults of the schema, but waits in whole seconds and nothing left to chance.
pub(crate) fn config(says: Value) -> Config {
    let schema: Value = serde_json::from_str(include_str!("../../config.schema.json")).unwrap();
    let defaults = schema["properties"].as_object().unwrap().iter();
    let mut config: Value = defaults.map(|(key, of)| (key.clone(), of["default"].clone())).collect();
    let round = json!({"jitter": 0, "backoff_ms": 1000, "backoff_max_ms": 20_000});
    config.as_object_mut().unwrap().extend(round.as_object().unwrap().clone());
    config.as_object_mut().unwrap().extend(says.as_object().unwrap().clone());
    serde_json::from_value(config).unwrap()
}

/// The stream of an attempt.
pub(crate) fn attempt(text: &str, cx: &Cx) -> std::pin::Pin<Box<dyn Stream<Item = Result<Batch>> + Send>> {
    let (text, cx) = (text.to_owned(), cx.clone());
    Box::pin(emit(|out| async move { play(&text, &cx, &out).await }))
}

async fn play(text: &str, cx: &Cx, out: &Out<Result<Batch>>) {
    let mut open = BTreeSet::new();
    for step in text.split('|').map(str::trim).filter(|step| !step.is_empty()) {
        let mut batch = Vec::new();
        for word in step.split('&').map(str::trim) {
            let (verb, rest) = word.split_once(' ').unwrap_or((word, ""));
            match verb {
                "" => {}
                "sleep" => cx.sleep(Duration::from_millis(rest.parse().unwrap())).await,
                "silent" => {
                    cx.cancelled().await;
                    let failure = Error::aborted(&cx.cancel_reason()).into();
                    batch.push(StreamChunk::Finish(Finish::Aborted { failure }));
                }
                "deaf" => pending().await,
                "error" => return out.send(Err(Error::new(rest.to_owned(), "it broke"))).await,
                verb => chunks(verb, rest, &mut open, &mut batch),
            }
        }
        if !batch.is_empty() {
            out.send(Ok(batch.into_iter().map(StreamChunk::into_chunk).collect())).await;
        }
    }
}

fn chunks(verb: &str, rest: &str, open: &mut BTreeSet<u32>, batch: &mut Vec<StreamChunk>) {
    let text = rest.to_owned();
    let (index, block) = match verb {
        "text" | "open" => (0, BlockStart::Text),
        "think" => (1, BlockStart::Reasoning { adapter: "a".into() }),
        "call" => (2, BlockStart::ToolCall { id: "c".into(), name: "t".into() }),
        "usage" => return batch.push(StreamChunk::Usage(Usage::default())),
        "other" => {
            let mut chunk = StreamChunk::Usage(Usage::default()).into_chunk();
            (chunk.kind, chunk.data) = (999, rest.into());
            return batch.push(StreamChunk::Other(chunk));
        }
        "stop" => {
            batch.extend(open.iter().map(|index| StreamChunk::BlockEnd { index: *index, block: None }));
            return batch.push(StreamChunk::Finish(Finish::Stop));
        }
        "length" => return batch.push(StreamChunk::Finish(Finish::MaxTokens)),
        "fail" => return batch.push(StreamChunk::Finish(Finish::Error { failure: failure(rest) })),
        other => panic!("`{other}` is no step"),
    };
    if open.insert(index) {
        batch.push(StreamChunk::BlockStart { index, block });
    }
    batch.push(match verb {
        "text" => StreamChunk::TextDelta { index, text },
        "think" => StreamChunk::ReasoningDelta { index, text },
        "call" => StreamChunk::ToolCallDelta { index, arguments: text },
        _ => return,
    });
}

/// `CODE`, a status from 100 to 599, and `after <ms>`.
fn failure(text: &str) -> Failure {
    let mut words = text.split(' ');
    let mut failure = Failure::new(words.next().unwrap(), "it failed");
    while let Some(word) = words.next() {
        match word {
            "after" => failure.retry_after_ms = Some(words.next().unwrap().parse().unwrap()),
            status => failure.status = Some(status.parse().unwrap()),
        }
    }
    failure
}

/// A chunk as one line.
pub(crate) fn line(chunk: &StreamChunk) -> String {
    match chunk {
        StreamChunk::BlockStart { index, .. } => format!("{index} opens"),
        StreamChunk::TextDelta { text, .. } => format!("text {text}"),
        StreamChunk::ReasoningDelta { text, .. } => format!("think {text}"),
        StreamChunk::ToolCallDelta { arguments, .. } => format!("call {arguments}"),
        StreamChunk::BlockEnd { index, .. } => format!("{index} ends"),
        StreamChunk::Usage(_) => "usage".to_owned(),
        StreamChunk::Finish(Finish::Error { failure }) => {
            format!("error {}: {}", failure.code, failure.message)
        }
        StreamChunk::Finish(Finish::Aborted { failure }) => format!("{}: {}", failure.code, failure.message),
        StreamChunk::Finish(finish) => json!(finish)["reason"].as_str().unwrap().to_owned(),
        StreamChunk::Attempt { n, discard, code, wait_ms } => {
            format!("attempt {n}, {code}, {wait_ms} ms{}", if *discard { ", discard" } else { "" })
        }
        StreamChunk::Other(chunk) => format!("other {}", chunk.data),
    }
}

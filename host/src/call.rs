//! `harness call`: one method of a mounted service, its answer as JSON.
use crate::{
    mount::Mounted,
    report::value,
    run::{Settings, context},
};
use plugin_api::{RChunk, RError, RPart, RParts, RPayload, abi_stable::std_types::RResult};
use rows::{Problem, names};
use serde_json::{Value, json};
use std::{future::poll_fn, process::ExitCode};
use tokio::select;

/// Calls, and prints one object for an answer, or one a line for each item of a stream.
pub(crate) async fn call(
    mounted: &Mounted,
    slot: &str,
    method: &str,
    head: String,
    parts: Vec<String>,
    settings: &Settings,
) -> Result<ExitCode, Problem> {
    let shape = shape(mounted, slot, method)?;
    if let Err(e) = serde_json::from_str::<Value>(&head) {
        return Err(Problem::new(
            "BAD_HEAD",
            format!("the payload's head is not JSON from line {} column {} on", e.line(), e.column()),
            "quote it for the shell, such as '{\"name\": 1}'",
        ));
    }
    let mut payload = RPayload::new(head, parts.into_iter().map(RPart::new).collect::<RParts>());
    mounted.slots.redactor().payload(&mut payload);
    let (cx, ..) = context(settings, mounted.slots.redactor());
    let service = mounted.slots.handle(slot);
    let done = async {
        if shape == "stream" {
            let mut stream = service.open(method.into(), payload, cx);
            while let Some(batch) = poll_fn(|cx| stream.poll_next(cx)).await {
                for chunk in RResult::into_result(batch)? {
                    if !terminal::print(&format!("{}\n", item(&chunk))) {
                        settings.cancel.cancel("nobody reads the output".into());
                    }
                }
            }
        } else {
            let answer = service.call(method.into(), payload, cx).await.into_result()?;
            let parts: Vec<Value> = answer.parts.iter().map(text).collect();
            if !terminal::print(&format!("{}\n", json!({ "head": value(&answer.head), "parts": parts }))) {
                return Err(RError::new("NOT_WRITTEN", "the answer could not be written"));
            }
        }
        Ok::<(), RError>(())
    };
    let done = select! {
        biased;
        () = settings.drop.notified() => return Ok(ExitCode::from(130)),
        done = done => done,
    };
    let code = |code| Ok(ExitCode::from(if settings.cancel.is_cancelled() { 130 } else { code }));
    match done {
        Ok(()) => code(0),
        Err(error) => {
            let what = format!("{slot}.{method}: {} ({})", error.message, error.code);
            terminal::complain(&what, &error.hint, settings.colour);
            code(1)
        }
    }
}

/// `call` or `stream`, as the service describes itself.
fn shape(mounted: &Mounted, slot: &str, method: &str) -> Result<String, Problem> {
    let chains = mounted.slots.chains();
    if !chains.iter().any(|(name, chain)| name == slot && !chain.is_empty()) {
        let known = names(chains.iter().map(|(name, _)| name.as_str()));
        return Err(Problem::new(
            "NOT_MOUNTED",
            format!("nothing is mounted in slot `{slot}`"),
            format!("there are {known}"),
        ));
    }
    let description = value(&mounted.slots.handle(slot).describe());
    let methods = description["methods"].as_object().cloned().unwrap_or_default();
    let shape = methods.get(method).and_then(Value::as_str).map(str::to_owned);
    shape.ok_or_else(|| {
        let known = names(methods.keys().map(String::as_str));
        Problem::new("NO_METHOD", format!("`{slot}` has no method `{method}`"), format!("there are {known}"))
    })
}

fn text(part: &RPart) -> Value {
    String::from_utf8_lossy(part.bytes()).into_owned().into()
}

fn item(chunk: &RChunk) -> Value {
    let parts: Vec<Value> = chunk.parts.iter().map(text).collect();
    json!({ "kind": chunk.kind, "index": chunk.index, "text": chunk.text.as_str(), "data": value(&chunk.data), "parts": parts })
}

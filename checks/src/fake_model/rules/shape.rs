//! Each message is one that providers accept: a known role, content of the right kind, calls that can be answered.

use serde::de::IgnoredAny;
use serde_json::Value;

use crate::fake_model::breach::Breach;
use crate::fake_model::request::{Message, Request};

const INVALID: &str = "MESSAGE_INVALID";

pub(super) fn check(request: &Request<'_>) -> Result<(), Breach> {
    if request.messages.is_empty() {
        return Err(Breach::new("REQUEST_INVALID", "messages", "the list is empty"));
    }
    for (n, message) in request.messages.iter().enumerate() {
        let said = match message.fields.role.as_str() {
            "system" | "developer" | "user" => spoken(message),
            "assistant" => assistant(message),
            "tool" => tool(message),
            other => Err(format!("the role `{other}` is none of system, developer, user, assistant, tool")),
        };
        said.map_err(|said| Breach::new(INVALID, format!("messages[{n}]"), said))?;
    }
    Ok(())
}

fn spoken(message: &Message<'_>) -> Result<(), String> {
    match &message.fields.content {
        Some(Value::String(_)) => Ok(()),
        Some(Value::Array(parts))
            if !parts.is_empty() && parts.iter().all(|part| part["type"].is_string()) =>
        {
            Ok(())
        }
        _ => Err(format!("a {} message has a text or a list of typed parts as content", message.fields.role)),
    }
}

fn assistant(message: &Message<'_>) -> Result<(), String> {
    if !matches!(message.fields.content, None | Some(Value::String(_) | Value::Array(_))) {
        return Err("the content of an assistant message is a text, or null beside tool_calls".to_owned());
    }
    let calls = message.calls();
    if message.fields.tool_calls.is_some() && calls.is_empty() {
        return Err("`tool_calls` is an empty list; leave the key out".to_owned());
    }
    if calls.is_empty() {
        return without_calls(message);
    }
    for (k, call) in calls.iter().enumerate() {
        let said = |what: &str| Err(format!("tool_calls[{k}]: {what}"));
        if call.kind != "function" {
            return said(&format!("`type` is `{}`, expected `function`", call.kind));
        }
        if call.id.is_empty() || call.function.name.is_empty() {
            return said("an id or a name is empty");
        }
        if calls[..k].iter().any(|earlier| earlier.id == call.id) {
            return said(&format!("a second call of this message has the id `{}`", call.id));
        }
        if !is_json_object(&call.function.arguments) {
            return said(&format!("`arguments` is no JSON object: `{}`", clipped(&call.function.arguments)));
        }
    }
    Ok(())
}

fn without_calls(message: &Message<'_>) -> Result<(), String> {
    let reasons = [&message.fields.reasoning_content, &message.fields.reasoning];
    let thought = reasons.into_iter().flatten().any(|text| !text.is_empty());
    match &message.fields.content {
        None => Err("the content is null and there are no tool_calls".to_owned()),
        Some(_) if message.text().is_empty() && !thought => {
            Err("the message says nothing: no text, no reasoning, no tool_calls".to_owned())
        }
        Some(_) => Ok(()),
    }
}

fn tool(message: &Message<'_>) -> Result<(), String> {
    if !message.fields.content.as_ref().is_some_and(Value::is_string) {
        return Err("the content of a tool message is a string".to_owned());
    }
    if message.fields.tool_call_id.is_none() {
        return Err("`tool_call_id` is missing".to_owned());
    }
    Ok(())
}

/// Reads without building values, so that neither depth nor a huge number makes valid text invalid.
fn is_json_object(text: &str) -> bool {
    text.trim_start().starts_with('{') && serde_json::from_str::<IgnoredAny>(text).is_ok()
}

fn clipped(text: &str) -> String {
    text.chars().take(60).collect()
}

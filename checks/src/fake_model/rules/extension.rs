//! A request extends the one before it byte for byte, and the first thing it adds is what the model said.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use crate::fake_model::breach::Breach;
use crate::fake_model::conversation::{Answered, Turn};
use crate::fake_model::request::{Message, Request};
use crate::fake_model::script::Changes;

pub(super) fn check(last: &Answered, request: &Request<'_>, changes: Changes) -> Result<(), Breach> {
    tools(last, request, changes)?;
    if !changes.settings {
        settings(&last.settings, &request.settings)?;
    }
    if changes.messages {
        return Ok(());
    }
    let next = history(last, request, changes)?;
    last.turn.as_ref().map_or(Ok(()), |turn| answer(turn, request, next))
}

/// Tools are the same bytes; announced changes may add and remove, but what stays keeps its order and comes first.
fn tools(last: &Answered, request: &Request<'_>, changes: Changes) -> Result<(), Breach> {
    let now: HashSet<&String> = request.tool_names.iter().collect();
    let kept: Vec<&String> = last.tool_names.iter().filter(|name| now.contains(name)).collect();
    let reordered = !request.tool_names.iter().zip(&kept).all(|(new, old)| new == *old);
    if reordered {
        let said = format!("the tools were {:?} and are {:?}", last.tool_names, request.tool_names);
        return Err(Breach::new("TOOLS_REORDERED", "tools", said));
    }
    if !changes.tools && last.tools.as_deref() != request.tools {
        let said = difference(last.tools.as_deref().unwrap_or("nothing"), request.tools.unwrap_or("nothing"));
        return Err(Breach::new("TOOLS_CHANGED", "tools", said));
    }
    Ok(())
}

fn settings(old: &BTreeMap<String, String>, new: &BTreeMap<String, &str>) -> Result<(), Breach> {
    let keys: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    for key in keys {
        let was = old.get(key).map_or("nothing", String::as_str);
        let is = new.get(key).map_or("nothing", |raw| *raw);
        if was != is {
            return Err(Breach::new("SETTINGS_CHANGED", key, difference(was, is)));
        }
    }
    Ok(())
}

/// The index of the first new message.
fn history(last: &Answered, request: &Request<'_>, changes: Changes) -> Result<usize, Breach> {
    let (old_start, new_start) = if changes.system {
        (last.system, request.messages.iter().take_while(|message| message.is_system()).count())
    } else {
        (0, 0)
    };
    let old = &last.messages[old_start..];
    for (k, was) in old.iter().enumerate() {
        let n = new_start + k;
        let at = format!("messages[{n}]");
        match request.messages.get(n) {
            None => {
                let said =
                    format!("the last request had {} messages, this one ends here", last.messages.len());
                return Err(Breach::new("HISTORY_CHANGED", at, said));
            }
            Some(is) if is.raw != was => {
                return Err(Breach::new("HISTORY_CHANGED", at, difference(was, is.raw)));
            }
            Some(_) => {}
        }
    }
    Ok(new_start + old.len())
}

fn answer(turn: &Turn, request: &Request<'_>, n: usize) -> Result<(), Breach> {
    let at = format!("messages[{n}]");
    let changed = |said: String| Err(Breach::new("TURN_CHANGED", at.clone(), said));
    let Some(message) = request.messages.get(n).filter(|message| message.is("assistant")) else {
        return Err(Breach::new("TURN_MISSING", at, "expected the assistant message that was answered last"));
    };
    if message.text() != turn.text {
        return changed(format!("the text: {}", difference(&turn.text, &message.text())));
    }
    if let Some(reasoning) = reasoning(message).filter(|reasoning| *reasoning != turn.reasoning) {
        return changed(format!("the reasoning: {}", difference(&turn.reasoning, reasoning)));
    }
    let calls = message.calls();
    if calls.len() != turn.calls.len() {
        return changed(format!(
            "{} tool calls were answered and {} are here",
            turn.calls.len(),
            calls.len()
        ));
    }
    // A model that repeats or forgets ids forces its caller to make up some.
    let ids: HashSet<&str> = turn.calls.iter().map(|call| call.id.as_str()).collect();
    let usable_ids = ids.len() == turn.calls.len() && !ids.contains("");
    for (k, (was, is)) in turn.calls.iter().zip(calls).enumerate() {
        if usable_ids && was.id != is.id {
            return changed(format!("tool_calls[{k}]: the id: {}", difference(&was.id, &is.id)));
        }
        if was.name != is.function.name {
            return changed(format!(
                "tool_calls[{k}]: the name: {}",
                difference(&was.name, &is.function.name)
            ));
        }
        // Providers refuse a history with broken arguments, so a caller must send something else for them.
        let usable = serde_json::from_str::<serde_json::Map<_, serde_json::Value>>(&was.arguments).is_ok();
        if usable && was.arguments != is.function.arguments {
            let said = difference(&was.arguments, &is.function.arguments);
            return changed(format!("tool_calls[{k}]: the arguments: {said}"));
        }
    }
    Ok(())
}

fn reasoning<'a>(message: &'a Message<'_>) -> Option<&'a str> {
    message.fields.reasoning_content.as_deref().or(message.fields.reasoning.as_deref())
}

/// Both texts from shortly before the first character that differs.
fn difference(was: &str, is: &str) -> String {
    let same = was.chars().zip(is.chars()).take_while(|(a, b)| a == b).count();
    let from = same.saturating_sub(20);
    let shown = |text: &str| text.chars().skip(from).take(60).collect::<String>();
    format!("from character {from} it was `{}` and is `{}`", shown(was), shown(is))
}

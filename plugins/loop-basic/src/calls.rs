//! The calls of a step: each gets exactly one observation, in the order the model asked.
use crate::turn::Turn;
use plugin_sdk::contracts::{
    agent_loop::LoopEvent,
    dispatch::{self, CallEvent},
    tools::{ToolCall, ToolEvent, ToolResult, code},
};
use plugin_sdk::{Block, next, truncate};
use serde::de::IgnoredAny;
use serde_json::json;
use std::collections::HashSet;

/// How much of a call's arguments a note shows.
const SHOWN_CHARS: usize = 100;

impl Turn {
    /// The calls among the blocks. An id that is missing or taken is replaced in the block as well: the result must cite it.
    pub(crate) fn calls(&self, blocks: &mut [Block]) -> Vec<ToolCall> {
        let (mut calls, mut taken) = (Vec::new(), HashSet::new());
        for block in blocks {
            if let Block::ToolCall { id, name, arguments } = block {
                if id.is_empty() || taken.contains(id) {
                    *id = format!("call-{}-{}", self.totals.steps, calls.len() + 1);
                }
                taken.insert(id.clone());
                calls.push(ToolCall::new(id.as_str(), name.as_str(), arguments));
            }
        }
        calls
    }

    /// Runs the calls and appends their results, whatever happens to them.
    pub(crate) async fn run_calls(&mut self, calls: Vec<ToolCall>) {
        for call in &calls {
            let (id, name, arguments) = (&call.id, &call.name, call.arguments_text());
            self.event("tool/call", &json!({ "id": id, "name": name, "arguments": arguments })).await;
            let shown: String = arguments.chars().take(SHOWN_CHARS).collect();
            let cut = if shown.len() < arguments.len() { "…" } else { "" };
            self.note("info", format!("→ {name} {shown}{cut}")).await;
        }
        let mut results: Vec<Option<ToolResult>> = calls.iter().map(|call| self.refused(call)).collect();
        let (places, allowed): (Vec<usize>, Vec<ToolCall>) = calls
            .iter()
            .enumerate()
            .filter(|(i, _)| results[*i].is_none())
            .map(|(i, call)| (i, call.clone()))
            .unzip();
        let mut running = if self.services.dispatch.is_mounted() {
            self.services.dispatch.run(&allowed, &self.cx)
        } else {
            dispatch::serial(&self.services.tools, &allowed, &self.cx)
        };
        while let Some(CallEvent { index, event }) = next(&mut running).await {
            let Some(place) = places.get(index as usize).copied() else { continue };
            let call = &calls[place];
            match event {
                ToolEvent::Progress(text) => {
                    self.event("tool/progress", &json!({ "call_id": call.id, "text": text })).await
                }
                ToolEvent::Note { kind, data } => {
                    self.event("tool/note", &json!({ "call_id": call.id, "kind": kind, "data": data })).await;
                }
                ToolEvent::Result(result) => results[place] = Some(result),
                ToolEvent::Other(other) => self.out.send(LoopEvent::Other(other)).await,
            }
        }
        for (call, result) in calls.into_iter().zip(results) {
            self.observe(&call, result.unwrap_or_else(dispatch::not_started)).await;
        }
    }

    /// Calls that are not run, and why. Arguments are looked at only here, where their block is complete.
    fn refused(&self, call: &ToolCall) -> Option<ToolResult> {
        if !self.names.contains(&call.name) {
            let known = self.names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
            let text = format!("Error: unknown tool `{}`; the tools are {known}", call.name);
            return Some(ToolResult::error(code::UNKNOWN_TOOL, text));
        }
        let parsed = serde_json::from_str::<IgnoredAny>(call.arguments_text());
        parsed
            .err()
            .map(|e| ToolResult::error(code::INVALID_ARGS, format!("Error: the arguments are not JSON: {e}")))
    }

    async fn observe(&mut self, call: &ToolCall, mut result: ToolResult) {
        result.text =
            truncate::keep_bytes(&result.text, self.services.config.observation_bytes_max).into_owned();
        self.recent.add(self.totals.steps, call, &result);
        self.totals.tool_calls += 1;
        if result.is_error {
            self.totals.tool_errors += 1;
            let first = result.text.lines().next().unwrap_or_default();
            let code = result.code.as_deref().map(|code| format!(" ({code})")).unwrap_or_default();
            self.note("warn", format!("{}{code}: {first}", call.name)).await;
        }
        self.say(result.message(&call.id), "tool/result").await;
    }

    async fn note(&self, level: &str, text: String) {
        self.out.send(LoopEvent::Note { level: level.into(), text }).await;
    }
}

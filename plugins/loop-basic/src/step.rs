//! A step: one request, its response, and the calls that it asks for.
use crate::turn::{Turn, shown};
use plugin_sdk::contracts::{
    agent_loop::LoopEvent,
    context::{Facts, Plan},
    llm::{Assembler, Failure, Finish, StreamChunk, code},
    message::text_of,
};
use plugin_sdk::{Block, Message, Parts, Result, Usage, next};
use serde_json::json;

/// What a step leaves the turn with.
pub(crate) enum Outcome {
    /// Tools were run; the model wants to see what came of it.
    Continue,
    /// The model has said all: its text.
    Completed(String),
    /// The response was cut.
    MaxTokens,
    /// The token was fired, or the adapter gave up: why.
    Aborted(String),
    /// A limit or a policy said no.
    Blocked { code: String, message: String, hint: String },
    /// The request failed.
    Failed(Failure),
}

impl Turn {
    pub(crate) async fn step(&mut self) -> Result<Outcome> {
        let step = self.totals.steps + 1;
        let mut overflow = false;
        loop {
            self.prepare(overflow).await?;
            self.event("step/start", &json!({ "turn": 1, "step": step })).await;
            let response = self.respond().await;
            self.totals.steps = step;
            let finish = response.finish().cloned().unwrap_or_else(|| Finish::Error {
                failure: Failure::new(code::STREAM_CLOSED, "the response has no end"),
            });
            self.count(response.usage(), &finish);
            let ended = json!({ "turn": 1, "step": step, "finish": finish, "usage": response.usage() });
            self.event("step/end", &ended).await;
            let too_long =
                matches!(&finish, Finish::Error { failure } if failure.code == code::CONTEXT_WINDOW_EXCEEDED);
            // Once: a context that cannot make the request shorter has nothing else to offer.
            if too_long && !overflow && self.services.context.is_mounted() {
                overflow = true;
                continue;
            }
            return self.conclude(finish, response.into_blocks()).await;
        }
    }

    /// A response without tokens is one of unknown size, unless it is none.
    fn count(&mut self, usage: Option<Usage>, finish: &Finish) {
        self.last_usage = usage;
        match (usage, finish) {
            (Some(usage), _) => self.totals.usage += usage,
            (None, Finish::Error { .. } | Finish::Aborted { .. }) => {}
            (None, Finish::Stop | Finish::ToolCalls | Finish::MaxTokens) => self.totals.unmetered_steps += 1,
        }
    }

    /// Streams the response: text to the person as it comes, everything into the assembler.
    async fn respond(&self) -> Assembler {
        let mut response = Assembler::default();
        let mut reply = self.services.llm.stream(&self.request, &self.history, &self.cx);
        while let Some(chunk) = next(&mut reply).await {
            match &chunk {
                StreamChunk::TextDelta { text, .. } => self.out.send(LoopEvent::Out(text.clone())).await,
                StreamChunk::Attempt { n, discard, code, wait_ms } => {
                    let data = json!({ "n": n, "discard": discard, "code": code, "wait_ms": wait_ms });
                    self.event("llm/attempt", &data).await;
                }
                StreamChunk::Other(other) => self.out.send(LoopEvent::Other(other.clone())).await,
                StreamChunk::BlockStart { .. }
                | StreamChunk::ReasoningDelta { .. }
                | StreamChunk::ToolCallDelta { .. }
                | StreamChunk::BlockEnd { .. }
                | StreamChunk::Usage(_)
                | StreamChunk::Finish(_) => {}
            }
            response.push(chunk);
        }
        response
    }

    /// The finish is the control signal: each has its own obligation.
    async fn conclude(&mut self, finish: Finish, mut blocks: Vec<Block>) -> Result<Outcome> {
        match finish {
            Finish::Error { failure } => return Ok(Outcome::Failed(failure)),
            Finish::Aborted { failure } => {
                if !blocks.is_empty() {
                    self.say(Message::assistant(blocks), "assistant/message").await;
                }
                return Ok(Outcome::Aborted(failure.message));
            }
            Finish::MaxTokens => {
                self.say(Message::assistant(blocks), "assistant/message").await;
                return Ok(Outcome::MaxTokens);
            }
            Finish::Stop | Finish::ToolCalls => {}
        }
        let text = text_of(&blocks);
        let calls = self.calls(&mut blocks);
        // A completed response without content leaves nothing to say to the model.
        if !blocks.is_empty() {
            self.say(Message::assistant(blocks), "assistant/message").await;
        }
        if calls.is_empty() {
            return Ok(Outcome::Completed(text));
        }
        if !text.is_empty() && !text.ends_with('\n') {
            self.out.send(LoopEvent::Out("\n".into())).await;
        }
        self.run_calls(calls).await;
        Ok(Outcome::Continue)
    }

    /// Applies what the context service plans for the next request.
    async fn prepare(&mut self, overflow: bool) -> Result<()> {
        let facts = Facts {
            session: self.cx.session(),
            turn: 1,
            step: self.totals.steps + 1,
            model: self.request.settings.model.clone(),
            overflow,
            usage: self.last_usage,
        };
        let planning = self.services.context.prepare(&facts, &self.history, &self.cx);
        let Plan { system, append, replace } = self.cx.until_cancelled(planning).await??;
        if let Some(system) = system.filter(|system| Some(system) != self.request.system.as_ref()) {
            self.event("request/header", &json!({ "reason": "change", "system": system.text() })).await;
            self.request.system = Some(system);
        }
        if let Some(replace) = replace {
            let (from, to, len) = (replace.from_seq, replace.to_seq, self.history.len());
            if from >= to || to > len as u64 {
                return Err(Turn::bad_plan(from, to, len));
            }
            let (from, to) = (from as usize, to as usize);
            let mut history: Parts = self.history.iter().take(from).cloned().collect();
            self.event(
                "context/replace",
                &json!({ "from_seq": from, "to_seq": to, "with": shown(&replace.with) }),
            )
            .await;
            history.push(replace.with);
            history.append(&self.history.tail(to));
            self.history = history;
        }
        for part in append {
            self.event("context/message", &json!({ "message": shown(&part) })).await;
            self.history.push(part);
        }
        Ok(())
    }
}

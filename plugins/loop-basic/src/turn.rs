//! A turn: steps until there is an end, and every end has a name.
use crate::{Services, step::Outcome};
use plugin_sdk::contracts::{
    agent_loop::{End, LoopEvent, TurnEnd},
    llm::{LlmRequest, Settings},
    tools::{ToolList, ToolSchema},
    turn_policy::{CONTINUES_MAX, Enter, RecentCalls, StepFacts, Stop, Totals, TurnFacts},
};
use plugin_sdk::{Cx, Error, Message, Out, Part, Parts, Result, Usage};
use serde::Serialize;
use serde_json::{json, value::RawValue};
use std::{sync::Arc, time::Duration};

const LIMIT_STEPS: &str = "LIMIT_STEPS";

pub(crate) struct Turn {
    pub(crate) services: Arc<Services>,
    pub(crate) cx: Cx,
    pub(crate) out: Out<LoopEvent>,
    pub(crate) history: Parts,
    pub(crate) request: LlmRequest,
    pub(crate) names: Vec<String>,
    pub(crate) totals: Totals,
    /// What they were when the last step was let in.
    previous: Option<Totals>,
    pub(crate) recent: RecentCalls,
    pub(crate) last_usage: Option<Usage>,
    generation: Option<String>,
    began: Duration,
}

impl Turn {
    pub(crate) fn new(services: Arc<Services>, cx: Cx, out: Out<LoopEvent>) -> Self {
        let config = &services.config;
        let settings = Settings {
            model: config.model.clone(),
            max_tokens: config.max_tokens,
            temperature: config.temperature,
            ..Settings::default()
        };
        let system = (!config.system.is_empty()).then(|| Part::new(config.system.as_str()));
        Turn {
            request: LlmRequest { settings, tools: Parts::new(), system },
            began: cx.now(),
            services,
            cx,
            out,
            history: Parts::new(),
            names: Vec::new(),
            totals: Totals::default(),
            previous: None,
            recent: RecentCalls::default(),
            last_usage: None,
            generation: None,
        }
    }

    /// Works on the task to its end.
    pub(crate) async fn run(mut self, task: &str) -> End {
        self.say(Message::user(task), "user/message").await;
        let ended = self.steps().await;
        let (status, code, message, hint) = match ended {
            Ok(Outcome::Completed(_)) => (TurnEnd::Completed, None, String::new(), String::new()),
            Ok(Outcome::MaxTokens) => {
                let message = "the model's response was cut at its token limit".to_owned();
                (TurnEnd::MaxTokens, None, message, "raise max_tokens of the loop row".to_owned())
            }
            Ok(Outcome::Blocked { code, message, hint }) => (TurnEnd::Blocked, Some(code), message, hint),
            Ok(Outcome::Failed(f)) => (TurnEnd::Error, Some(f.code), f.message, f.hint),
            Ok(Outcome::Aborted(why)) => (TurnEnd::Aborted, None, why, String::new()),
            Ok(Outcome::Continue) => (TurnEnd::Aborted, None, String::new(), String::new()),
            Err(e) if self.cx.is_cancelled() => (TurnEnd::Aborted, None, e.message, String::new()),
            Err(e) => (TurnEnd::Error, Some(e.code.into_owned()), e.message, e.hint),
        };
        // Whatever noticed the cancel first, its reason is the caller's.
        let cancelled = status == TurnEnd::Aborted && self.cx.is_cancelled();
        let message = if cancelled { self.cx.cancel_reason() } else { message };
        let (steps, usage) = (self.totals.steps, self.totals.usage);
        let input =
            usage.input_tokens + usage.cache_read_tokens.unwrap_or(0) + usage.cache_write_tokens.unwrap_or(0);
        let cached = usage.cache_read_tokens.map(|n| format!(" ({n} cached)")).unwrap_or_default();
        let text = format!(
            "{} step{}, {input} tokens in{cached}, {} out",
            steps,
            if steps == 1 { "" } else { "s" },
            usage.output_tokens
        );
        self.out.send(LoopEvent::Note { level: "info".into(), text }).await;
        let session = self.cx.session();
        End { status, code, message, hint, steps, usage, cost: None, session }
    }

    async fn steps(&mut self) -> Result<Outcome> {
        let mut continues = 0;
        loop {
            if self.cx.is_cancelled() {
                return Ok(Outcome::Aborted(String::new()));
            }
            if let Some(blocked) = self.enter().await? {
                return Ok(blocked);
            }
            self.list_tools().await?;
            let outcome = self.step().await?;
            let Outcome::Completed(text) = outcome else {
                if matches!(outcome, Outcome::Continue) {
                    continue;
                }
                return Ok(outcome);
            };
            let facts = TurnFacts { step: self.facts(), text, continues };
            let stop = self.cx.until_cancelled(self.services.policy.before_stop(&facts, &self.cx)).await??;
            match stop {
                Stop::Continue { inject } if continues < CONTINUES_MAX => {
                    continues += 1;
                    self.inject(inject).await;
                }
                Stop::Continue { .. } | Stop::Stop => return Ok(Outcome::Completed(facts.text)),
            }
        }
    }

    fn facts(&self) -> StepFacts {
        let elapsed = self.cx.now().saturating_sub(self.began);
        let elapsed_ms = u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX);
        StepFacts {
            session: self.cx.session(),
            turn: 1,
            step: self.totals.steps + 1,
            model: self.request.settings.model.clone(),
            totals: Totals { elapsed_ms, ..self.totals.clone() },
            previous: self.previous.clone(),
            // For nobody it need not be written.
            recent_calls: self.services.policy.is_mounted().then(|| self.recent.list()),
        }
    }

    /// Asks the row's own limit and the policy whether the next step may begin.
    async fn enter(&mut self) -> Result<Option<Outcome>> {
        let most = self.services.config.max_steps;
        if self.totals.steps >= most {
            let message =
                format!("the turn reached its limit of {most} step{}", if most == 1 { "" } else { "s" });
            let hint = "raise it with --max-steps, or split the task".to_owned();
            return Ok(Some(Outcome::Blocked { code: LIMIT_STEPS.into(), message, hint }));
        }
        let facts = self.facts();
        match self.cx.until_cancelled(self.services.policy.before_step(&facts, &self.cx)).await?? {
            Enter::Enter { inject } => {
                self.previous = Some(facts.totals);
                self.inject(inject).await;
                Ok(None)
            }
            Enter::Reject { code, message, hint, .. } => Ok(Some(Outcome::Blocked { code, message, hint })),
        }
    }

    async fn inject(&mut self, messages: Vec<Part>) {
        for part in messages {
            self.event("policy/message", &json!({ "message": shown(&part) })).await;
            self.history.push(part);
        }
    }

    /// Takes over a changed list: tools that were there before keep their place, so that the request stays an extension as far as it can.
    async fn list_tools(&mut self) -> Result<()> {
        let listing = self.services.tools.list(self.generation.clone(), &self.cx);
        let ToolList::Tools { generation, tools } = self.cx.until_cancelled(listing).await?? else {
            return Ok(());
        };
        let kept = self.request.tools.iter().filter(|old| tools.iter().any(|new| new == *old));
        let added = tools.iter().filter(|new| !self.request.tools.iter().any(|old| old == *new));
        let ordered: Parts = kept.chain(added).cloned().collect();
        if self.generation.is_none() || ordered != self.request.tools {
            self.names = ordered.iter().map(ToolSchema::name_of).collect();
            self.request.tools = ordered;
            let reason = if self.generation.is_none() { "initial" } else { "change" };
            let header = json!({ "reason": reason, "settings": self.request.settings, "tools": self.names });
            self.event("request/header", &header).await;
        }
        self.generation = Some(generation);
        Ok(())
    }

    /// Appends a message to the history, and tells of it.
    pub(crate) async fn say(&mut self, message: Message, kind: &str) {
        let part = message.part();
        self.event(kind, shown(&part)).await;
        self.history.push(part);
    }

    pub(crate) async fn event(&self, kind: &str, data: &(impl Serialize + ?Sized)) {
        self.out.send(LoopEvent::event(kind, data)).await;
    }

    /// The error of a plan that does not fit the history.
    pub(crate) fn bad_plan(from: u64, to: u64, len: usize) -> Error {
        Error::new("BAD_PAYLOAD", format!("context: messages {from}..{to} of {len} cannot be replaced"))
    }
}

/// A message part as the JSON it is.
pub(crate) fn shown(part: &Part) -> &RawValue {
    part.text().and_then(|text| serde_json::from_str(text).ok()).unwrap_or(RawValue::NULL)
}

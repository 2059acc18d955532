//! Plugins as their author wrote them for the first ABI: one for each role, and all that a call can do with its context.
use plugin_sdk::{
    contracts::{
        llm::{self, Llm, LlmRequest, StreamChunk},
        tools::{self, ToolCall, ToolEvent, ToolList, ToolResult, ToolSchema, Tools},
        turn_policy::{self, Enter, StepFacts, Stop, TurnFacts, TurnPolicy},
    },
    *,
};
use serde::Deserialize;
use std::time::Duration;

/// Joins tools: one that reports what it could do.
struct Reporter(Ctx);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Greeting {
    greeting: String,
}

impl Plugin for Reporter {
    type Config = NoConfig;
    async fn create(ctx: Ctx, _: NoConfig) -> Result<Self> {
        tracing::warn!(row = ctx.row(), "made");
        Ok(Reporter(ctx))
    }

    fn session_closed(&self, session: &str) {
        tracing::warn!(session, "closed");
    }

    async fn shutdown(&self) {
        tracing::warn!("shut down");
    }
}

impl Tools for Reporter {
    async fn list(&self, known: Option<String>, _: &Cx) -> Result<ToolList> {
        if known.as_deref() == Some("1") {
            return Ok(ToolList::Unchanged);
        }
        let tool = |name| ToolSchema::new(name, "Reports.", r#"{"type":"object"}"#).map(|schema| schema.part());
        let tools = [tool("report")?, tool("wait")?].into_iter().collect();
        Ok(ToolList::Tools { generation: "1".into(), tools })
    }

    fn execute(&self, call: ToolCall, cx: Cx) -> impl Stream<Item = ToolEvent> + Send + 'static {
        let ctx = self.0.clone();
        emit(|out| async move {
            out.send(ToolEvent::Progress(format!("{} started", call.name))).await;
            if call.name == "wait" {
                cx.cancelled().await;
                let text = format!("Error: stopped: {}", cx.cancel_reason());
                return out.send(ToolEvent::Result(ToolResult::error("ABORTED", text))).await;
            }
            let began = cx.now();
            cx.sleep(Duration::from_millis(2)).await;
            let slept = cx.now() - began >= Duration::from_millis(2);
            let blocked = blocking(|| 6 * 7).await.unwrap_or_default();
            let asked = cx.ask(&Question { id: "q".into(), title: "May I?".into(), ..Question::default() }).await;
            let asked = asked.map_or_else(|error| error.code.into_owned(), |answer| answer.choice);
            let child = cx.child_session("below");
            child.emit("first/report", &serde_json::json!({ "of": child.session(), "in": child.parent() }));
            cx.note("warn", "noted");
            let (mut own, token) = cx.child();
            token.cancel("enough".into());
            own = own.within(Duration::from_secs(9));
            let late = own.remaining().is_some_and(|left| left <= Duration::from_secs(9));
            let ended = own.until_cancelled(std::future::pending::<()>()).await.is_err();
            let masked = ctx.redact("a secret-of-eighteen");
            let undeclared = ctx.raw("session").err().map(|error| error.code.into_owned());
            let text = format!(
                "slept {slept}, blocked {blocked}, asked {asked}, late {late}, ended {ended} ({}), {masked}, {undeclared:?}, {}",
                own.cancel_reason(),
                call.arguments_text()
            );
            out.send(ToolEvent::Note { kind: "first".into(), data: serde_json::json!({ "n": 1 }) }).await;
            out.send(ToolEvent::Result(ToolResult::ok(text))).await;
        })
    }
}

/// Wraps llm: text in brackets.
struct Bracket(llm::Client);

impl Plugin for Bracket {
    type Config = NoConfig;
    async fn create(ctx: Ctx, _: NoConfig) -> Result<Self> {
        Ok(Bracket(ctx.below::<llm::Contract>()?))
    }
}

impl Llm for Bracket {
    fn stream(&self, request: LlmRequest, history: Parts, cx: Cx) -> impl Stream<Item = StreamChunk> + Send + 'static {
        let mut below = self.0.stream(&request, &history, &cx);
        emit(|out| async move {
            while let Some(mut chunk) = next(&mut below).await {
                if let StreamChunk::TextDelta { text, .. } = &mut chunk {
                    *text = format!("[{text}]");
                }
                out.send(chunk).await;
            }
        })
    }
}

/// Provides turn-policy: greets, and stops.
struct Greeter(Greeting, tools::Client);

impl Plugin for Greeter {
    type Config = Greeting;
    async fn create(ctx: Ctx, config: Greeting) -> Result<Self> {
        Ok(Greeter(config, ctx.need::<tools::Contract>()?))
    }
}

impl TurnPolicy for Greeter {
    async fn before_step(&self, facts: StepFacts, cx: &Cx) -> Result<Enter> {
        let ToolList::Tools { tools, .. } = self.1.list(None, cx).await? else {
            return Err(Error::new("NO_TOOLS", "the tools have not changed, and nothing was known"));
        };
        let names: Vec<String> = tools.iter().map(ToolSchema::name_of).collect();
        let greeting = Message::user(format!("{} ({})", self.0.greeting, names.join(" "))).part();
        Ok(Enter::Enter { inject: if facts.step == 1 { vec![greeting] } else { Vec::new() } })
    }

    async fn before_stop(&self, _: TurnFacts, _: &Cx) -> Result<Stop> {
        Ok(Stop::Stop)
    }
}

export_plugins! {
    plugin "first-tools": Reporter {
        services: [join tools],
        config: r#"{"type":"object","additionalProperties":false}"#,
        runtime: tokio,
    }
    plugin "first-llm": Bracket {
        services: [wrap llm],
        config: r#"{"type":"object","additionalProperties":false}"#,
        runtime: none,
    }
    plugin "first-policy": Greeter {
        services: [provide turn_policy],
        needs: [tools "^1" "add a row with tools"],
        config: r#"{"type":"object","required":["greeting"],"properties":{"greeting":{"type":"string"}}}"#,
        runtime: none,
    }
}

//! The consumer's side: exactly one result, whatever the tool does.
use super::{CallHead, ListAnswer, ListHead, ToolCall, ToolEvent, ToolList, ToolResult, ToolSchema, code};
use crate::{
    Cx, Error, Parts, Payload, Result,
    cx::GRACE,
    cx::patience,
    wire::{self, AT_FAULT, BoxFuture, Items, client, next},
};
use futures_core::Stream;
use std::{
    collections::HashSet,
    pin::Pin,
    task::{Context, Poll},
};

client!(
    /// A client of `tools`.
);

impl Client {
    /// The tools that there are, each with a name of its own; an empty slot has none.
    ///
    /// # Errors
    /// Those of the service; `BAD_PAYLOAD` for what is no schema, `DUPLICATE_TOOL` for a name that comes twice.
    pub async fn list(&self, known: Option<String>, cx: &Cx) -> Result<ToolList> {
        let (none, nothing) = (known.as_deref() == Some(""), known.is_none());
        let answer = self.0.json("list", &ListHead { known }, Parts::new(), cx).await;
        let (answer, tools): (ListAnswer, Parts) = match self.0.if_mounted(answer)? {
            Some(answer) => answer,
            None if none => return Ok(ToolList::Unchanged),
            None => (ListAnswer::default(), Parts::new()),
        };
        if answer.unchanged && nothing {
            let text = "tools: the list is said to be unchanged, and nothing of it was known";
            return Err(Error::new("BAD_PAYLOAD", text).hint(AT_FAULT));
        }
        if answer.unchanged {
            return Ok(ToolList::Unchanged);
        }
        named(&tools)?;
        Ok(ToolList::Tools { generation: answer.generation, tools })
    }

    /// Runs one call. Exactly one result comes, last: an error, a missing result and a tool that does not end within
    /// [`crate::cx::GRACE`] of a cancel become results that say so.
    pub fn execute(&self, call: &ToolCall, cx: &Cx) -> Execution {
        let payload = Payload::new(wire::write(&CallHead::of(call)), call.arguments.clone().into());
        Execution {
            items: Some(self.0.items("execute", payload, cx)),
            patience: patience(cx, GRACE),
            name: call.name.clone(),
            cx: cx.clone(),
        }
    }

    /// Runs one call and keeps only its result.
    pub async fn result(&self, call: &ToolCall, cx: &Cx) -> ToolResult {
        let mut events = self.execute(call, cx);
        while let Some(event) = next(&mut events).await {
            if let ToolEvent::Result(result) = event {
                return result;
            }
        }
        ToolResult::synthetic(code::NO_RESULT, no_result(&call.name))
    }
}

/// A model cannot be told of a tool without a name, nor say which of two it means; every provider refuses such a list.
fn named(tools: &Parts) -> Result<()> {
    let mut names = HashSet::new();
    for (number, part) in (1..).zip(tools.iter()) {
        let name = ToolSchema::name_of(part);
        if name.is_empty() {
            let text = format!("tools: number {number} of the list is no JSON object with a `name`");
            return Err(Error::new("BAD_PAYLOAD", text).hint(AT_FAULT));
        }
        if let Some(name) = names.replace(name) {
            return Err(Error::new("DUPLICATE_TOOL", format!("tools: two tools are named `{name}`"))
                .hint("disable one of the rows that offer them"));
        }
    }
    Ok(())
}

fn no_result(name: &str) -> String {
    format!("Error: `{name}` ended without a result; whether it had an effect is unknown")
}

/// A running call.
pub struct Execution {
    items: Option<Items<ToolEvent>>,
    patience: BoxFuture<()>,
    name: String,
    cx: Cx,
}

impl std::fmt::Debug for Execution {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Execution").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Execution {
    fn end(&mut self, result: ToolResult) -> ToolEvent {
        self.items = None;
        ToolEvent::Result(result)
    }

    fn failed(&mut self, error: Error) -> ToolEvent {
        let result = match error.is(plugin_api::run::NOT_MOUNTED) {
            true => ToolResult::error(code::UNKNOWN_TOOL, format!("Error: unknown tool `{}`", self.name)),
            false => ToolResult { synthetic: true, ..error.into() },
        };
        self.end(result)
    }
}

impl Stream for Execution {
    type Item = ToolEvent;
    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<ToolEvent>> {
        let this = &mut *self;
        let Some(items) = &mut this.items else { return Poll::Ready(None) };
        let event = Pin::new(items).poll_next(cx);
        // A tool that talks on after a cancel has no more time than one that is silent.
        let waits = match &event {
            Poll::Pending => true,
            Poll::Ready(Some(Ok(ToolEvent::Result(_)) | Err(_)) | None) => false,
            Poll::Ready(Some(Ok(_))) => this.cx.is_cancelled(),
        };
        if waits && this.patience.as_mut().poll(cx).is_ready() {
            let text = format!("Error: `{}` was aborted while it ran; its effect is unknown", this.name);
            return Poll::Ready(Some(this.end(ToolResult::synthetic(code::ABORTED, text))));
        }
        let Poll::Ready(event) = event else { return Poll::Pending };
        Poll::Ready(Some(match event {
            Some(Ok(ToolEvent::Result(result))) => this.end(result),
            Some(Ok(event)) => event,
            Some(Err(error)) => this.failed(error),
            None => {
                let text = no_result(&this.name);
                this.end(ToolResult::synthetic(code::NO_RESULT, text))
            }
        }))
    }
}

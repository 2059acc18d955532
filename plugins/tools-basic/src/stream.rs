//! A running call as the contract wants it: what it prints as it comes, and exactly one result, last.

use std::sync::Arc;

use contracts::tools::{ToolCall, ToolEvent, ToolResult, code};
use plugin_sdk::{Cx, Stream, contracts, emit};
use tokio::sync::mpsc;

use crate::Basic;

pub(crate) fn of(
    basic: Arc<Basic>,
    call: ToolCall,
    cx: Cx,
) -> impl Stream<Item = ToolEvent> + Send + 'static {
    emit(|out| async move {
        if cx.is_cancelled() {
            let text = "Error: the call was cancelled before it began";
            return out.send(ToolEvent::Result(ToolResult::error(code::ABORTED_BEFORE_DISPATCH, text))).await;
        }
        // Unbounded, but a call shows no more progress than its result may hold.
        let (send, mut printed) = mpsc::unbounded_channel();
        let progress = move |text: &str| drop(send.send(text.to_owned()));
        let mut result = Box::pin(basic.execute(&call.name, call.arguments_text(), cx.cancelled(), progress));
        let result = loop {
            tokio::select! {
                biased;
                Some(text) = printed.recv() => out.send(ToolEvent::Progress(text)).await,
                result = &mut result => break result,
            }
        };
        while let Ok(text) = printed.try_recv() {
            out.send(ToolEvent::Progress(text)).await;
        }
        out.send(ToolEvent::Result(result)).await;
    })
}

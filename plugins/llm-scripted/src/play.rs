//! Streams a response: blocks in order, piece by piece, with the pauses that the script asks for.
use crate::response::Response;
use contracts::{
    Block, Cx, Error, Result,
    llm::{BlockStart, Finish, StreamChunk},
};
use plugin_sdk::{Out, contracts};
use std::{iter, time::Duration};

/// Sends all of it, and one finish. Once the request is cancelled, that is `Finish::Aborted`.
pub(crate) async fn play(response: Response, cx: &Cx, out: &Out<StreamChunk>) {
    let finish = match speak(&response, cx, out).await {
        Ok(finish) => finish,
        Err(aborted) => Finish::Aborted { failure: aborted.into() },
    };
    out.send(StreamChunk::Finish(finish)).await;
}

async fn speak(response: &Response, cx: &Cx, out: &Out<StreamChunk>) -> Result<Finish> {
    pause(cx, response.first_delay).await?;
    // What fails or hangs breaks off: its last block stays open.
    let breaks_off = matches!(response.finish, None | Some(Finish::Error { .. } | Finish::Aborted { .. }));
    let closed = response.blocks.len().saturating_sub(usize::from(breaks_off));
    for (index, block) in response.blocks.iter().enumerate() {
        let at = u32::try_from(index).unwrap_or(u32::MAX);
        let (start, text) = opened(block);
        out.send(StreamChunk::BlockStart { index: at, block: start }).await;
        for piece in pieces(text, response.chunk_chars) {
            pause(cx, response.delay).await?;
            out.send(delta(block, at, piece.to_owned())).await;
        }
        if index < closed {
            out.send(StreamChunk::BlockEnd { index: at, block: None }).await;
        }
    }
    let Some(finish) = &response.finish else {
        cx.cancelled().await;
        return Err(Error::aborted(&cx.cancel_reason()));
    };
    if let Some(usage) = response.usage {
        out.send(StreamChunk::Usage(usage)).await;
    }
    Ok(finish.clone())
}

async fn pause(cx: &Cx, time: Duration) -> Result<()> {
    if cx.is_cancelled() {
        Err(Error::aborted(&cx.cancel_reason()))
    } else if time.is_zero() {
        Ok(())
    } else {
        cx.until_cancelled(cx.sleep(time)).await
    }
}

fn opened(block: &Block) -> (BlockStart, &str) {
    match block {
        Block::Reasoning { text, adapter, .. } => (BlockStart::Reasoning { adapter: adapter.clone() }, text),
        Block::ToolCall { id, name, arguments } => {
            (BlockStart::ToolCall { id: id.clone(), name: name.clone() }, arguments)
        }
        Block::Text { text } => (BlockStart::Text, text),
        Block::ToolResult { .. } | Block::Unknown => (BlockStart::Text, ""),
    }
}

fn delta(block: &Block, index: u32, text: String) -> StreamChunk {
    match block {
        Block::Reasoning { .. } => StreamChunk::ReasoningDelta { index, text },
        Block::ToolCall { .. } => StreamChunk::ToolCallDelta { index, arguments: text },
        Block::Text { .. } | Block::ToolResult { .. } | Block::Unknown => {
            StreamChunk::TextDelta { index, text }
        }
    }
}

/// The text in pieces of so many characters.
fn pieces(mut text: &str, chars: usize) -> impl Iterator<Item = &str> {
    iter::from_fn(move || {
        let end = text.char_indices().nth(chars).map_or(text.len(), |(at, _)| at);
        let (piece, rest) = text.split_at(end);
        text = rest;
        (!piece.is_empty()).then_some(piece)
    })
}

//! One request and its answer: what part 5 of the lab writes.

use plugin_sdk::{
    Out, Parts,
    contracts::llm::{Failure, Finish, LlmRequest, StreamChunk},
};

use crate::Adapter;

impl Adapter {
    /// Sends the request, streams what comes back through `out`, and returns why the model stopped. The frame sends the finish, so
    /// `out` gets everything but that.
    ///
    /// In this order:
    ///
    /// 1. The key. Trimmed; empty is a failure before anything is sent, unless [`crate::http::is_local`]; so is one that no header
    ///    can carry, which no message may repeat.
    /// 2. The request. `request.tools` has one part for each tool, `request.system` is a part of plain text, and `history` has one
    ///    part for each message: `Message::from_part(part)?`, then a `match` on its blocks.
    /// 3. The answer. A status that is no success is a failure. Else `response.chunk().await` yields bytes, cut anywhere, and
    ///    `plugin_sdk::sse::Parser` makes events of them. Collect what an event means in a `Vec<StreamChunk>`, then
    ///    `out.send(chunk).await` each: the parser's closure cannot wait.
    /// 4. The chunks. Each block is `BlockStart`, deltas, `BlockEnd`, under an index of its own; then `Usage`; what you return is
    ///    the finish. Tool calls come in fragments that belong together by the wire's own `index`.
    ///
    /// # Errors
    /// Whatever keeps the answer from being whole, with a code of [`plugin_sdk::contracts::llm::code`].
    pub async fn respond(
        &self,
        _request: &LlmRequest,
        _history: &Parts,
        _out: &Out<StreamChunk>,
    ) -> Result<Finish, Failure> {
        Err(Failure {
            hint: "write `respond` in plugins/stub-llm/src/respond.rs: lab 01, part 5".into(),
            ..Failure::new("NOT_WRITTEN", "stub-llm: `respond` is not written yet, so no request was sent")
        })
    }
}

//! A turn: what part 7 of the lab writes.

use plugin_sdk::{
    Cx, Error, Out, Result,
    contracts::agent_loop::{End, LoopEvent},
};

use crate::Services;

impl Services {
    /// Works on a task until there is an end, and says which.
    ///
    /// The history is a `Parts`: `Message::user(task).part()` first, then what the model and the tools say, pushed and never changed.
    /// `self.tools.list(None, cx)` is asked once. Then, at most `self.config.max_steps` times:
    ///
    /// 1. `self.llm.stream(&request, &history, cx)`, and `next(&mut reply).await` until there is no more. A text delta also goes to
    ///    the person: `out.send(LoopEvent::Out(text)).await`. Every chunk goes into an
    ///    [`Assembler`](plugin_sdk::contracts::llm::Assembler), which has usage, finish and the blocks in the end.
    /// 2. `match finish`: each of the five has an obligation of its own. Only `Stop` and `ToolCalls` leave something to execute.
    /// 3. The blocks become the assistant's message. Each `Block::ToolCall` among them becomes exactly one result that cites its id,
    ///    in the same order: `self.tools.result(&call, cx).await.message(&id)`. Arguments that are not JSON are answered with an error
    ///    and not executed.
    ///
    /// No call at all: the turn is completed. Steps and usage are summed over all requests.
    ///
    /// # Errors
    /// What keeps the turn from going on where no [`End`] says it better; the frame makes one of it.
    pub async fn turn(&self, _task: &str, _cx: &Cx, _out: &Out<LoopEvent>) -> Result<End> {
        Err(Error::new("NOT_WRITTEN", "stub-loop: `turn` is not written yet, so the task was not begun")
            .hint("write `turn` in plugins/stub-loop/src/turn.rs: lab 01, part 7"))
    }
}

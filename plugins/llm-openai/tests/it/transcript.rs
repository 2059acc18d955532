//! What a response comes to, as data that a case can name.
use contracts::{
    Block, Usage,
    llm::{Assembler, BlockStart, Failure, Finish, Invariant, StreamChunk},
};
use plugin_sdk::contracts;
use serde_json::{Value, json};
use std::collections::HashMap;

/// The blocks of a response as far as they came, complete or not.
#[derive(Default)]
pub(crate) struct Transcript {
    rules: Invariant,
    assembler: Assembler,
    /// Where in `blocks` the block of an index is.
    open: HashMap<u32, usize>,
    pub(crate) blocks: Vec<Block>,
    pub(crate) usage: Option<Usage>,
    pub(crate) finish: Option<Finish>,
}

impl Transcript {
    #[track_caller]
    pub(crate) fn push(&mut self, chunk: StreamChunk) {
        self.rules.check(&chunk).unwrap();
        self.assembler.push(chunk.clone());
        match chunk {
            StreamChunk::BlockStart { index, block } => {
                self.open.insert(index, self.blocks.len());
                self.blocks.push(match block {
                    BlockStart::Text => Block::text(""),
                    BlockStart::Reasoning { adapter } => {
                        Block::Reasoning { text: String::new(), adapter, data: Value::Null }
                    }
                    BlockStart::ToolCall { id, name } => {
                        Block::ToolCall { id, name, arguments: String::new() }
                    }
                });
            }
            StreamChunk::TextDelta { index, text: more }
            | StreamChunk::ReasoningDelta { index, text: more }
            | StreamChunk::ToolCallDelta { index, arguments: more } => {
                assert!(!more.is_empty(), "an empty delta of block {index}");
                let at = self.open[&index];
                let (Block::Text { text }
                | Block::Reasoning { text, .. }
                | Block::ToolCall { arguments: text, .. }) = &mut self.blocks[at]
                else {
                    unreachable!()
                };
                text.push_str(&more);
            }
            StreamChunk::BlockEnd { index, block: Some(block) } => {
                self.blocks[self.open[&index]] = block;
            }
            StreamChunk::BlockEnd { .. } => {}
            StreamChunk::Usage(usage) => self.usage = Some(usage),
            StreamChunk::Finish(finish) => self.finish = Some(finish),
            other => panic!("unexpected: {other:?}"),
        }
    }

    /// The stream is over: the rules hold, and a consumer comes to the same blocks.
    #[track_caller]
    pub(crate) fn ended(self) -> Self {
        self.rules.ended().unwrap();
        if matches!(self.finish, Some(Finish::Stop | Finish::ToolCalls)) {
            assert_eq!(self.assembler.clone().into_blocks(), self.blocks);
        }
        self
    }

    /// What failed.
    #[track_caller]
    pub(crate) fn failure(&self) -> &Failure {
        match &self.finish {
            Some(Finish::Error { failure } | Finish::Aborted { failure }) => failure,
            other => panic!("expected a failure, got {other:?}"),
        }
    }

    pub(crate) fn text(&self) -> String {
        contracts::message::text_of(&self.blocks)
    }

    /// As the cases have it. An id that the adapter made up is `<made-up>`.
    pub(crate) fn outcome(&self) -> Value {
        let mut blocks = json!(self.blocks);
        for block in blocks.as_array_mut().unwrap() {
            if block["id"].as_str().is_some_and(is_made_up) {
                block["id"] = json!("<made-up>");
            }
        }
        let mut finish = json!({ "reason": json!(self.finish)["reason"] });
        if let Some(Finish::Error { failure } | Finish::Aborted { failure }) = &self.finish {
            finish["code"] = json!(failure.code);
        }
        let mut outcome = json!({ "blocks": blocks, "finish": finish });
        if let Some(usage) = self.usage {
            outcome["usage"] = json!(usage);
        }
        outcome
    }
}

/// Whether an id is one that the adapter made up, different each time.
pub(crate) fn is_made_up(id: &str) -> bool {
    let random = id.strip_prefix("call_").and_then(|rest| rest.split_once('_')).map(|(random, _)| random);
    random.is_some_and(|random| random.len() == 16 && random.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

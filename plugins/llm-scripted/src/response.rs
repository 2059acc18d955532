//! What a reply says to a request, worked out before anything of it is sent.
use crate::{
    ADAPTER,
    choose::choose,
    format::UsageFormat,
    script::{Arguments, Call, Each, End, FailureText, Node, Reply, Script},
    template::{FUEL, Text},
    turn::Turn,
};
use contracts::{
    Block, Parts, Usage,
    llm::{Failure, Finish, LlmRequest},
};
use minijinja::{Value, context};
use plugin_sdk::contracts;
use serde_json::Value as Json;
use std::time::Duration;

/// How many bytes pass for one token.
const TOKEN_BYTES: usize = 4;

#[derive(Debug)]
pub(crate) struct Response {
    pub(crate) blocks: Vec<Block>,
    pub(crate) usage: Option<Usage>,
    /// `None`: it does not end by itself.
    pub(crate) finish: Option<Finish>,
    pub(crate) first_delay: Duration,
    pub(crate) delay: Duration,
    pub(crate) chunk_chars: usize,
}

/// The answer to a request. A script that does not work out answers with a failure.
pub(crate) fn answer(script: &Script, request: &LlmRequest, history: &Parts) -> Response {
    let answered = Turn::read(request, history).and_then(|turn| {
        let mut fuel = FUEL;
        let reply = choose(script, &turn, &mut fuel)?;
        let context = turn.context(turn.step, &script.vars);
        Render { turn: &turn, context, fuel, calls: 0 }.reply(reply)
    });
    answered.unwrap_or_else(|failure| Response {
        blocks: Vec::new(),
        usage: None,
        finish: Some(Finish::Error { failure }),
        first_delay: Duration::ZERO,
        delay: Duration::ZERO,
        chunk_chars: 1,
    })
}

struct Render<'a> {
    turn: &'a Turn,
    context: Value,
    fuel: u64,
    /// How many calls there are so far.
    calls: usize,
}

impl Render<'_> {
    fn reply(mut self, reply: &Reply) -> Result<Response, Failure> {
        let mut blocks = Vec::new();
        let reasoning = self.text(&reply.reasoning)?;
        if !reasoning.is_empty() {
            blocks.push(Block::Reasoning { text: reasoning, adapter: ADAPTER.into(), data: Json::Null });
        }
        let text = self.text(&reply.text)?;
        if !text.is_empty() {
            blocks.push(Block::text(text));
        }
        for call in &reply.calls {
            blocks.push(self.call(call)?);
        }
        if let Some(each) = &reply.each {
            self.each(each, &mut blocks)?;
        }
        let finish = self.finish(&reply.end)?;
        Ok(Response {
            usage: usage(reply.usage, finish.as_ref(), self.turn.input_bytes, &blocks),
            finish,
            blocks,
            first_delay: Duration::from_millis(reply.first_delay_ms.into()),
            delay: Duration::from_millis(reply.delay_ms.into()),
            chunk_chars: reply.chunk_chars,
        })
    }

    fn text(&mut self, text: &Text) -> Result<String, Failure> {
        text.render(&self.context, &mut self.fuel)
    }

    fn call(&mut self, call: &Call) -> Result<Block, Failure> {
        let name = self.text(&call.name)?;
        let arguments = match &call.arguments {
            Arguments::Raw(text) => self.text(text)?,
            Arguments::Json(node) => self.json(node)?.to_string(),
        };
        self.calls += 1;
        Ok(Block::ToolCall { id: format!("call_{}_{}", self.turn.request, self.calls), name, arguments })
    }

    fn json(&mut self, node: &Node) -> Result<Json, Failure> {
        Ok(match node {
            Node::Text(text) => Json::String(self.text(text)?),
            Node::List(items) => items.iter().map(|node| self.json(node)).collect::<Result<_, _>>()?,
            Node::Map(map) => {
                let entry = |(key, node): &(String, Node)| Ok((key.clone(), self.json(node)?));
                map.iter().map(entry).collect::<Result<_, Failure>>()?
            }
            Node::Plain(value) => value.clone(),
        })
    }

    fn each(&mut self, each: &Each, blocks: &mut Vec<Block>) -> Result<(), Failure> {
        let lines = self.text(&each.lines)?;
        let around = self.context.clone();
        let lines = lines.lines().map(str::trim).filter(|line| !line.is_empty());
        for (index, item) in lines.take(each.most).enumerate() {
            self.context = context! { item, index, ..around.clone() };
            blocks.push(self.call(&each.call)?);
        }
        self.context = around;
        Ok(())
    }

    fn finish(&mut self, end: &End) -> Result<Option<Finish>, Failure> {
        Ok(Some(match end {
            End::Hang => return Ok(None),
            End::ByContent if self.calls > 0 => Finish::ToolCalls,
            End::ByContent | End::Stop => Finish::Stop,
            End::ToolCalls => Finish::ToolCalls,
            End::MaxTokens => Finish::MaxTokens,
            End::Error(failure) => Finish::Error { failure: self.failure(failure)? },
            End::Aborted(failure) => Finish::Aborted { failure: self.failure(failure)? },
        }))
    }

    fn failure(&mut self, failure: &FailureText) -> Result<Failure, Failure> {
        let mut message = self.text(&failure.message)?;
        // A template may come to nothing, and a failure has to say something.
        if message.is_empty() {
            "script: the failure has no message".clone_into(&mut message);
        }
        Ok(Failure { message, ..failure.rest.clone() })
    }
}

/// The counts that the reply says, the others made of sizes. A response that fails has those that it says, or none.
fn usage(said: UsageFormat, finish: Option<&Finish>, input_bytes: usize, blocks: &[Block]) -> Option<Usage> {
    let counts = (said.input_tokens, said.output_tokens, said.cache_read_tokens, said.cache_write_tokens);
    let says_none = counts == (None, None, None, None) && said.reasoning_tokens.is_none();
    let fails = matches!(finish, Some(Finish::Error { .. } | Finish::Aborted { .. }));
    if said.omit || (fails && says_none) {
        return None;
    }
    let tokens = |bytes: usize| bytes.div_ceil(TOKEN_BYTES) as u64;
    let size = |block: &Block| match block {
        Block::Text { text } | Block::Reasoning { text, .. } => text.len(),
        Block::ToolCall { name, arguments, .. } => name.len() + arguments.len(),
        Block::ToolResult { .. } | Block::Unknown => 0,
    };
    let thought = |block: &&Block| matches!(block, Block::Reasoning { .. });
    let reasoning_bytes: usize = blocks.iter().filter(thought).map(size).sum();
    Some(Usage {
        input_tokens: said.input_tokens.unwrap_or_else(|| tokens(input_bytes)),
        output_tokens: said.output_tokens.unwrap_or_else(|| tokens(blocks.iter().map(size).sum())),
        cache_read_tokens: said.cache_read_tokens,
        cache_write_tokens: said.cache_write_tokens,
        reasoning_tokens: said.reasoning_tokens.or((reasoning_bytes > 0).then(|| tokens(reasoning_bytes))),
    })
}

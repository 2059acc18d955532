//! What an adapter may do wrong with a request or a response, and a loop with the history that it sends.
use crate::Config;
use plugin_sdk::contracts::llm::{
    BlockStart, Client, Contract, Failure, Finish, Llm, LlmRequest, StreamChunk, code,
};
use plugin_sdk::*;
use std::io::Write as _;

pub(crate) struct Model {
    below: Client,
    config: Config,
}

impl Plugin for Model {
    type Config = Config;
    async fn create(ctx: Ctx, config: Config) -> Result<Self> {
        Ok(Model { below: ctx.below::<Contract>()?, config })
    }
}

impl Llm for Model {
    fn stream(
        &self,
        request: LlmRequest,
        history: Parts,
        cx: Cx,
    ) -> impl Stream<Item = StreamChunk> + 'static {
        let (request, history) = asked(&self.config.defect, request, history);
        let (below, config) = (self.below.clone(), self.config.clone());
        emit(|out| async move {
            if config.defect == "prints" {
                // A closed stdout is no concern of a plugin that should not have it.
                std::io::stdout().write_all(b"noise\n").ok();
            }
            if config.defect == "asks-twice" && !request.tools.is_empty() && mentions(&history, "\"call_1\"")
            {
                let mut first = below.stream(&request, &history, &cx);
                while next(&mut first).await.is_some() {}
            }
            if let Some(failure) = refusal(&config.defect, &history).filter(|_| !request.tools.is_empty()) {
                out.send(StreamChunk::Finish(Finish::Error { failure })).await;
                return;
            }
            let mut response = Response::new(&config, request.tools.is_empty());
            let mut reply = below.stream(&request, &history, &cx);
            let mut held = Vec::new();
            while let Some(chunk) = next(&mut reply).await {
                let chunks = response.told(chunk);
                if collects(&config.defect, &response) {
                    held.extend(chunks);
                    continue;
                }
                for chunk in chunks {
                    out.send(chunk).await;
                }
            }
            for chunk in held {
                out.send(chunk).await;
            }
        })
    }
}

/// Whether a chunk waits for the end of the response.
fn collects(defect: &str, response: &Response<'_>) -> bool {
    match defect {
        "collects-first" => true,
        "collects-the-rest" => response.deltas > 1,
        _ => false,
    }
}

/// A request as the defect leaves it. One without tools is the suite's own; a loop's has some.
fn asked(defect: &str, mut request: LlmRequest, history: Parts) -> (LlmRequest, Parts) {
    let is_direct = request.tools.is_empty();
    match defect {
        "model-ignored" => request.settings.model = String::new(),
        "system-dropped" => request.system = None,
        "tools-reordered" => {
            let mut tools: Vec<Part> = request.tools.iter().cloned().collect();
            tools.reverse();
            request.tools = tools.into_iter().collect();
        }
        "message-added" if is_direct => {
            let mut longer: Parts = Message::user("Be brief.").part().into();
            longer.append(&history);
            return (request, longer);
        }
        "history-cut" if history.len() == 3 && mentions(&history, "call_Facts-1") => {
            return (request, history.tail(1));
        }
        "result-dropped" if is_direct && history.len() == 5 => {
            return (
                request,
                history
                    .iter()
                    .filter(|part| !part.text().is_some_and(|text| text.contains("it says")))
                    .cloned()
                    .collect(),
            );
        }
        "tools-once" if history.len() == 3 && mentions(&history, "call_Facts-1") => {
            request.tools = Parts::new()
        }
        "other-id" => return (request, history.iter().map(other_id).collect()),
        _ => {}
    }
    (request, history)
}

fn mentions(history: &Parts, word: &str) -> bool {
    history.iter().any(|part| part.text().is_some_and(|text| text.contains(word)))
}

/// A result that cites another call than the one it answers.
fn other_id(part: &Part) -> Part {
    let text = part.text().unwrap_or_default();
    Part::new(text.replace(r#""call_id":"call_Facts-1""#, r#""call_id":"call_Facts-2""#))
}

/// What makes a careless loop or wrap give up.
fn refusal(defect: &str, history: &Parts) -> Option<Failure> {
    let messages = || {
        history.iter().filter_map(|part| Message::from_part(part).ok()).flat_map(|message| message.content)
    };
    match defect {
        "knows-its-adapter" => messages()
            .any(|block| matches!(block, Block::Reasoning { adapter, .. } if adapter != "llm-openai"))
            .then(|| Failure::new("UNKNOWN_ADAPTER", "reasoning of an adapter that is not llm-openai")),
        "gives-up-early" => (history.len() > 5 && mentions(history, "call_C"))
            .then(|| Failure::new("TOO_LONG", "the conversation is too long for this adapter")),
        "arguments-trusted" => messages()
            .any(|block| matches!(block, Block::ToolCall { arguments, .. } if serde_json::from_str::<serde_json::Value>(&arguments).is_err()))
            .then(|| Failure::new("BAD_ARGUMENTS", "the arguments of a call are no JSON")),
        _ => None,
    }
}

/// A response as the defect leaves it.
struct Response<'a> {
    config: &'a Config,
    is_direct: bool,
    /// Whether it is the suite's greeting.
    greets: bool,
    /// The first tool-call block.
    first_call: Option<u32>,
    /// How many text deltas have come.
    deltas: usize,
    /// The text block that is left out.
    dropped: Option<u32>,
}

impl<'a> Response<'a> {
    fn new(config: &'a Config, is_direct: bool) -> Self {
        Response { config, is_direct, greets: false, first_call: None, deltas: 0, dropped: None }
    }

    fn told(&mut self, mut chunk: StreamChunk) -> Vec<StreamChunk> {
        if let StreamChunk::TextDelta { text, .. } = &chunk {
            self.greets |= text.starts_with("Hello");
            self.deltas += 1;
        }
        let (greets, is_direct) = (self.greets, self.is_direct);
        match (self.config.defect.as_str(), &mut chunk) {
            ("block-left-open", StreamChunk::BlockEnd { .. }) | ("no-usage", StreamChunk::Usage(_))
                if greets =>
            {
                return Vec::new();
            }
            ("characters-lost", StreamChunk::TextDelta { text, .. }) => {
                *text = text.replace(|c: char| !c.is_ascii(), "?");
            }
            ("text-dropped-beside-calls", StreamChunk::TextDelta { index, text })
                if is_direct && text.contains("I look") =>
            {
                self.dropped = Some(*index);
                return Vec::new();
            }
            ("text-dropped-beside-calls", StreamChunk::BlockEnd { index, block })
                if self.dropped == Some(*index) =>
            {
                *block = Some(Block::text(""));
            }
            ("stop-as-max-tokens", StreamChunk::Finish(finish)) if greets => *finish = Finish::MaxTokens,
            ("usage-not-disjoint", StreamChunk::Usage(usage)) if greets => {
                usage.input_tokens += usage.cache_read_tokens.unwrap_or_default();
            }
            ("own-ids", StreamChunk::BlockStart { block: BlockStart::ToolCall { id, .. }, .. })
                if is_direct =>
            {
                *id = id.replace("call_Check-7", "call_1");
            }
            ("own-ids", StreamChunk::BlockEnd { block: Some(Block::ToolCall { id, .. }), .. })
                if is_direct =>
            {
                *id = id.replace("call_Check-7", "call_1");
            }
            ("one-block-for-all", StreamChunk::BlockStart { index, block: BlockStart::ToolCall { .. } })
                if is_direct =>
            {
                self.first_call.get_or_insert(*index);
            }
            ("one-block-for-all", StreamChunk::ToolCallDelta { index, .. }) if is_direct => {
                *index = self.first_call.unwrap_or(*index);
            }
            ("one-block-for-all", StreamChunk::BlockEnd { block, .. }) if is_direct => *block = None,
            ("calls-as-stop", StreamChunk::Finish(finish @ Finish::ToolCalls)) if is_direct => {
                *finish = Finish::Stop
            }
            ("length-as-stop", StreamChunk::Finish(finish @ Finish::MaxTokens)) if is_direct => {
                *finish = Finish::Stop
            }
            ("runs-truncated", StreamChunk::Finish(finish @ Finish::MaxTokens)) if !is_direct => {
                *finish = Finish::ToolCalls;
            }
            (_, StreamChunk::Finish(finish)) => self.failed(finish),
            _ => {}
        }
        vec![chunk]
    }

    fn failed(&self, finish: &mut Finish) {
        let Finish::Error { failure } = finish else { return };
        match (self.config.defect.as_str(), failure.code.as_str()) {
            ("status-as-code", code::AUTH) => failure.code = "HTTP_401".to_owned(),
            ("key-unnamed", code::MISSING_CREDENTIAL) => {
                *failure = Failure::new(code::MISSING_CREDENTIAL, "there is no key");
            }
            ("key-shown", code::INVALID_CREDENTIAL) => {
                failure.message = format!("the key {} is no key", self.config.api_key);
            }
            ("end-of-key-shown", code::INVALID_CREDENTIAL) => {
                let end: String = self.config.api_key.chars().rev().take(9).collect();
                failure.message =
                    format!("a key that ends in {} is no key", end.chars().rev().collect::<String>());
            }
            ("refusals-as-stop", code::RATE_LIMIT)
            | ("cut-as-stop", code::STREAM_CLOSED)
            | ("filter-as-stop", "CONTENT_FILTER") => {
                *finish = Finish::Stop;
            }
            ("reason-withheld", _) if failure.message.contains("overloaded") => {
                failure.message = "it failed".to_owned()
            }
            ("unusable-as-transport", code::INVALID_CREDENTIAL) => failure.code = code::TRANSPORT.to_owned(),
            ("empty-as-stop", code::EMPTY_RESPONSE) => *finish = Finish::Stop,
            _ => {}
        }
    }
}

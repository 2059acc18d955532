//! A script, checked and compiled.
use crate::{
    format::{
        CallFormat, EachFormat, FailureFormat, FinishWord, ReplyFormat, ScriptFormat, Then, UsageFormat,
    },
    template::{Text, environment},
};
use contracts::llm::{self, Failure};
use minijinja::{Environment, Value, value::Serde};
use plugin_sdk::{Error, Result, contracts};
use serde_json::Value as Json;

/// The code of a script that cannot be used.
pub(crate) const INVALID: &str = "SCRIPT_INVALID";
/// The code of a request for which a template of the script does not work out.
pub(crate) const FAILED: &str = "SCRIPT_FAILED";
/// The code of a request for which no reply is left.
pub(crate) const EXHAUSTED: &str = "SCRIPT_EXHAUSTED";

const CHUNK_CHARS: usize = 24;
const EACH_DEFAULT: usize = 16;
const EACH_MAX: usize = 256;

/// The error of a script that cannot be used.
pub(crate) fn invalid(message: String, hint: &str) -> Error {
    Error::new(INVALID, message).hint(hint)
}

#[derive(Debug)]
pub(crate) struct Script {
    pub(crate) vars: Value,
    /// Never empty.
    pub(crate) replies: Vec<Reply>,
    pub(crate) then: Then,
}

#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) when: Option<Text>,
    pub(crate) repeat: u32,
    pub(crate) reasoning: Text,
    pub(crate) text: Text,
    pub(crate) calls: Vec<Call>,
    pub(crate) each: Option<Each>,
    pub(crate) end: End,
    pub(crate) usage: UsageFormat,
    pub(crate) first_delay_ms: u32,
    pub(crate) delay_ms: u32,
    pub(crate) chunk_chars: usize,
}

#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) name: Text,
    pub(crate) arguments: Arguments,
}

#[derive(Debug)]
pub(crate) enum Arguments {
    /// Sent as it is, JSON or not.
    Raw(Text),
    Json(Node),
}

/// A JSON value whose strings are templates.
#[derive(Debug)]
pub(crate) enum Node {
    Text(Text),
    List(Vec<Node>),
    Map(Vec<(String, Node)>),
    Plain(Json),
}

#[derive(Debug)]
pub(crate) struct Each {
    pub(crate) lines: Text,
    pub(crate) most: usize,
    pub(crate) call: Call,
}

/// How a reply ends.
#[derive(Debug)]
pub(crate) enum End {
    /// As its content says: with tool calls, or it stops.
    ByContent,
    Stop,
    ToolCalls,
    MaxTokens,
    Error(FailureText),
    Aborted(FailureText),
    /// Not by itself.
    Hang,
}

#[derive(Debug)]
pub(crate) struct FailureText {
    pub(crate) message: Text,
    pub(crate) rest: Failure,
}

impl Script {
    /// Reads and compiles.
    ///
    /// # Errors
    /// `SCRIPT_INVALID` naming the place.
    pub(crate) fn read(script: &Json) -> Result<Self> {
        let ScriptFormat { vars, replies, then } = ScriptFormat::read(script)?;
        if replies.is_empty() {
            return Err(invalid("script: `replies` is empty".into(), "add a reply, such as `- text: done`"));
        }
        let base = environment();
        let compile =
            |(index, reply)| Compile { env: &base, place: format!("replies[{index}]") }.reply(reply);
        let replies = replies.into_iter().enumerate().map(compile).collect::<Result<_>>()?;
        Ok(Script { vars: Value::from(Serde(vars)), replies, then })
    }
}

struct Compile<'a> {
    env: &'a Environment<'static>,
    place: String,
}

impl Compile<'_> {
    fn below(&self, key: impl std::fmt::Display) -> Self {
        Compile { env: self.env, place: format!("{}{key}", self.place) }
    }

    fn text(&self, source: &str) -> Result<Text> {
        Text::new(self.env, self.place.clone(), source)
    }

    fn reply(&self, reply: ReplyFormat) -> Result<Reply> {
        let end = self.end(&reply)?;
        let calls = reply.calls.into_iter().enumerate();
        Ok(Reply {
            when: reply.when.map(|when| self.below(".when").text(&when)).transpose()?,
            repeat: reply.repeat.map_or(1, u32::from),
            reasoning: self.below(".reasoning").text(&reply.reasoning)?,
            text: self.below(".text").text(&reply.text)?,
            calls: calls
                .map(|(n, call)| self.below(format_args!(".calls[{n}]")).call(call))
                .collect::<Result<_>>()?,
            each: reply.each.map(|each| self.below(".each").each(each)).transpose()?,
            end,
            usage: reply.usage.unwrap_or_default(),
            first_delay_ms: reply.first_delay_ms,
            delay_ms: reply.delay_ms,
            chunk_chars: reply.chunk.map_or(CHUNK_CHARS, usize::from),
        })
    }

    fn call(&self, call: CallFormat) -> Result<Call> {
        let arguments = self.below(".arguments");
        let arguments = match call.arguments {
            Json::String(raw) => Arguments::Raw(arguments.text(&raw)?),
            map @ Json::Object(_) => Arguments::Json(arguments.node(map)?),
            _ => {
                let message = format!("script: {} is neither a mapping nor a string", arguments.place);
                return Err(invalid(message, "write the arguments as a mapping"));
            }
        };
        Ok(Call { name: self.below(".name").text(&call.name)?, arguments })
    }

    fn node(&self, value: Json) -> Result<Node> {
        Ok(match value {
            Json::String(text) => Node::Text(self.text(&text)?),
            Json::Array(items) => {
                let items = items.into_iter().enumerate();
                Node::List(
                    items.map(|(n, v)| self.below(format_args!("[{n}]")).node(v)).collect::<Result<_>>()?,
                )
            }
            Json::Object(map) => {
                let entry = |(key, v)| {
                    let node = self.below(format_args!(".{key}")).node(v)?;
                    Ok((key, node))
                };
                Node::Map(map.into_iter().map(entry).collect::<Result<_>>()?)
            }
            plain => Node::Plain(plain),
        })
    }

    fn each(&self, each: EachFormat) -> Result<Each> {
        let most = each.most.map_or(EACH_DEFAULT, usize::from);
        if most > EACH_MAX {
            let message = format!("script: {}.most is {most}, more than {EACH_MAX}", self.place);
            return Err(invalid(message, "make it smaller"));
        }
        Ok(Each {
            lines: self.below(".in").text(&each.r#in)?,
            most,
            call: self.below(".call").call(each.call)?,
        })
    }

    fn end(&self, reply: &ReplyFormat) -> Result<End> {
        let failure = reply.failure.as_ref().map(|f| self.below(".failure").failure(f)).transpose()?;
        let contradiction =
            |what: &str, hint: &str| Err(invalid(format!("script: {}: {what}", self.place), hint));
        Ok(match (reply.hang, reply.finish, failure) {
            (true, None, None) => End::Hang,
            (true, ..) => {
                return contradiction("a reply that hangs has no `finish` and no `failure`", "remove `hang`");
            }
            (_, None, None) => End::ByContent,
            (_, Some(FinishWord::Stop), None) => End::Stop,
            (_, Some(FinishWord::ToolCalls), None) => End::ToolCalls,
            (_, Some(FinishWord::MaxTokens), None) => End::MaxTokens,
            (_, None | Some(FinishWord::Error), Some(failure)) => End::Error(failure),
            (_, Some(FinishWord::Aborted), Some(failure)) => End::Aborted(failure),
            (_, Some(FinishWord::Aborted), None) => End::Aborted(FailureText {
                message: self.below(".failure").text("aborted: the script says so")?,
                rest: Failure::new(llm::code::ABORTED, ""),
            }),
            (_, Some(FinishWord::Error), None) => {
                return contradiction(
                    "`finish: error` has no `failure`",
                    "add `failure: {code: SERVER, message: …}`",
                );
            }
            (_, Some(_), Some(_)) => {
                return contradiction(
                    "a `failure` goes with `finish: error` or `finish: aborted`",
                    "remove `finish`",
                );
            }
        })
    }

    fn failure(&self, failure: &FailureFormat) -> Result<FailureText> {
        if failure.code.is_empty() || failure.message.is_empty() {
            let message = format!("script: {} has an empty `code` or `message`", self.place);
            return Err(invalid(message, "say both"));
        }
        let rest = Failure {
            code: failure.code.clone(),
            message: String::new(),
            status: failure.status,
            retry_after_ms: failure.retry_after_ms,
            request_id: failure.request_id.clone(),
            hint: failure.hint.clone(),
        };
        Ok(FailureText { message: self.below(".message").text(&failure.message)?, rest })
    }
}

//! L1.7: what an adapter sends.
use super::llm::{ask, ask_about};
use crate::check::{Check, KEY, MODEL, Miss, Subject, Verdict, ensure, scripted};
use checks::fake_model::Recorded;
use contracts::{
    Block, Message, Part,
    llm::{LlmRequest, Settings},
    tools::ToolResult,
};
use serde_json::{Value, json};

pub(super) const REQUESTS: &[Check] = &[
    Check {
        name: "key",
        next: "send the header `authorization: Bearer <api_key>`, without white space around the key",
        run: key,
    },
    Check {
        name: "model",
        next: "send the request's model where it names one, else the row's, which is LLM_MODEL",
        run: model,
    },
    Check {
        name: "user-agent",
        next: "send a `user-agent` of the form product/version, such as harness/0.1.0",
        run: user_agent,
    },
    Check { name: "system", next: "send the system prompt as the first message, role system", run: system },
    Check {
        name: "tools",
        next: "send each tool schema as {type: function, function: {name, description, parameters}}, in their order",
        run: tools,
    },
    Check {
        name: "messages",
        next: "send the history as messages, `stream: true` and `stream_options: {include_usage: true}`",
        run: messages,
    },
    Check {
        name: "history",
        next: "send a call as tool_calls of the assistant's message, its result as a tool message with tool_call_id, and arguments that are no JSON object as one that is",
        run: history,
    },
    Check {
        name: "base-url",
        next: "take slashes off the end of the base URL before adding /chat/completions",
        run: base_url,
    },
];

const SYSTEM: &str = "Answer in one word.";
const OK: &str = "replies: [{text: ok}]";
const PARAMETERS: &str = r#"{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}"#;

/// The request for all that may be asked for at once; several checks look at it.
fn full(subject: &Subject) -> Result<Recorded, Miss> {
    let tools = schemas().iter().map(|schema| Part::new(schema.to_string())).collect();
    let asked = LlmRequest {
        settings: Settings { model: "asked-for".to_owned(), ..Settings::default() },
        system: Some(Part::new(SYSTEM)),
        tools,
    };
    subject.once("full", || sent_to(subject, &asked, "", KEY))
}

/// The plainest request: no model, no system prompt, no tools.
fn plain(subject: &Subject) -> Result<Recorded, Miss> {
    subject.once("plain", || sent_to(subject, &LlmRequest::default(), "/", &format!(" {KEY}\t")))
}

fn schemas() -> Vec<Value> {
    let parameters: Value = serde_json::from_str(PARAMETERS).unwrap_or_default();
    let schema = |(name, description): (&str, &str)| json!({ "name": name, "description": description, "parameters": parameters });
    [("read_file", "Reads a file."), ("list_files", "Lists a folder."), ("count", "Counts words.")]
        .map(schema)
        .to_vec()
}

/// The one request that is sent, with a base URL that ends so and this key.
fn sent_to(subject: &Subject, asked: &LlmRequest, behind: &str, key: &str) -> Result<Recorded, Miss> {
    let model = scripted(OK)?;
    let url = format!("{}{behind}", model.base_url());
    let chunks = ask(&subject.with(&model)?.env("LLM_BASE_URL", url).env("LLM_API_KEY", key), asked)?;
    let mut requests = model.requests();
    match (requests.pop(), requests.len()) {
        (Some(request), 0) => Ok(request),
        (Some(_), more) => Err(Miss::new(format!("{} requests", more + 1), "one request")),
        (None, _) => {
            let response = super::llm::assembled(chunks)?;
            let Miss { got, next, .. } = super::llm::unwanted(response.finish(), "");
            Err(Miss::new(format!("no request; {got}"), "one request").next(next.unwrap_or_default()))
        }
    }
}

fn key(subject: &Subject) -> Verdict {
    for request in [full(subject)?, plain(subject)?] {
        let got = request.header("authorization");
        let wanted = format!("authorization: Bearer {KEY}");
        ensure(got == Some(&format!("Bearer {KEY}")), || header("authorization", got), &wanted)?;
    }
    Ok(())
}

fn header(name: &str, value: Option<&str>) -> String {
    value.map_or_else(|| format!("no {name} header"), |value| format!("{name}: {value}"))
}

fn model(subject: &Subject) -> Verdict {
    field(&full(subject)?, "/model", &json!("asked-for"))?;
    field(&plain(subject)?, "/model", &json!(MODEL))
}

fn user_agent(subject: &Subject) -> Verdict {
    let request = full(subject)?;
    let got = request.header("user-agent");
    let is_product = |value: &str| {
        let first = value.split(' ').next().unwrap_or_default();
        first.split_once('/').is_some_and(|(product, version)| !product.is_empty() && !version.is_empty())
    };
    ensure(got.is_some_and(is_product), || header("user-agent", got), "user-agent: product/version")
}

fn system(subject: &Subject) -> Verdict {
    field(&full(subject)?, "/messages/0", &json!({ "role": "system", "content": SYSTEM }))
}

fn tools(subject: &Subject) -> Verdict {
    let wanted: Vec<Value> =
        schemas().iter().map(|schema| json!({ "type": "function", "function": schema })).collect();
    field(&full(subject)?, "/tools", &wanted.into())
}

fn messages(subject: &Subject) -> Verdict {
    let request = plain(subject)?;
    if let Some(broken) = &request.violation {
        return Err(Miss::new(broken.as_str(), "a request that keeps the rules of checks/SCRIPTS.md"));
    }
    field(&request, "/messages", &json!([{ "role": "user", "content": "Say hello." }]))?;
    field(&request, "/stream", &json!(true))?;
    field(&request, "/stream_options/include_usage", &json!(true))
}

/// The value at a place of the body.
fn field(request: &Recorded, pointer: &str, wanted: &Value) -> Verdict {
    let body = request.json();
    let got = body.pointer(pointer).unwrap_or(&Value::Null);
    let name = pointer.trim_start_matches('/').replace('/', ".");
    ensure(got == wanted, || format!("{name}: {got}"), &format!("{name}: {wanted}"))
}

fn base_url(subject: &Subject) -> Verdict {
    for (request, end) in [(full(subject)?, "/v1"), (plain(subject)?, "/v1/")] {
        let got = format!("{} {}", request.method, request.path);
        let wanted = "POST /v1/chat/completions";
        ensure(got == wanted, || format!("{got} for a base URL that ends in `{end}`"), wanted)?;
    }
    Ok(())
}

/// A conversation in which a call was answered, and another had arguments that are no JSON.
fn history(subject: &Subject) -> Verdict {
    let call = |id: &str, arguments: &str| Block::ToolCall {
        id: id.to_owned(),
        name: "read_file".to_owned(),
        arguments: arguments.to_owned(),
    };
    let messages = [
        Message::user("Look."),
        Message::assistant(vec![Block::text("I look."), call("call_1", r#"{"path":"a.txt"}"#)]),
        ToolResult::ok("it says größe").message("call_1"),
        Message::assistant(vec![call("call_2", r#"{"path": "b"#)]),
        ToolResult::error("INVALID_ARGS", "the arguments are no JSON").message("call_2"),
    ];
    let model = scripted(OK)?;
    ask_about(&subject.with(&model)?, &LlmRequest::default(), &messages)?;
    let Some(request) = model.requests().pop() else { return Err(Miss::new("no request", "one request")) };
    if let Some(broken) = &request.violation {
        return Err(Miss::new(broken.as_str(), "a conversation that a provider takes"));
    }
    field(&request, "/messages/1/content", &json!("I look."))?;
    field(&request, "/messages/1/tool_calls/0/id", &json!("call_1"))?;
    field(
        &request,
        "/messages/1/tool_calls/0/function",
        &json!({ "name": "read_file", "arguments": r#"{"path":"a.txt"}"# }),
    )?;
    field(
        &request,
        "/messages/2",
        &json!({ "role": "tool", "tool_call_id": "call_1", "content": "it says größe" }),
    )?;
    field(&request, "/messages/4/tool_call_id", &json!("call_2"))
}

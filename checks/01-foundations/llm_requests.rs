//! L1.7: what an adapter sends.
use super::llm::{ask, request};
use crate::check::{Check, KEY, Miss, Subject, Verdict, ensure, scripted};
use checks::fake_model::Recorded;
use contracts::{
    Part,
    llm::{LlmRequest, Settings},
};
use serde_json::{Value, json};

pub(super) const REQUESTS: &[Check] = &[
    Check { name: "key", next: "send the header `authorization: Bearer <api_key>`", run: key },
    Check { name: "model", next: "send the request's model where it names one, else the row's", run: model },
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
        name: "base-url",
        next: "take slashes off the end of the base URL before adding /chat/completions",
        run: base_url,
    },
];

const OK: &str = "replies: [{text: ok}]";
const PARAMETERS: &str = r#"{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}"#;

/// The one request that is sent for `asked`.
fn sent(subject: &Subject, asked: &LlmRequest) -> Result<Recorded, Miss> {
    sent_to(subject, asked, "")
}

fn sent_to(subject: &Subject, asked: &LlmRequest, behind: &str) -> Result<Recorded, Miss> {
    let model = scripted(OK)?;
    let url = format!("{}{behind}", model.base_url());
    let chunks = ask(&subject.with(&model)?.env("LLM_BASE_URL", url), asked)?;
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
    let request = sent(subject, &request())?;
    let got = request.header("authorization");
    let wanted = format!("authorization: Bearer {KEY}");
    ensure(got == Some(&format!("Bearer {KEY}")), || header("authorization", got), &wanted)
}

fn header(name: &str, value: Option<&str>) -> String {
    value.map_or_else(|| format!("no {name} header"), |value| format!("{name}: {value}"))
}

fn model(subject: &Subject) -> Verdict {
    let settings = Settings { model: "asked-for".to_owned(), ..Settings::default() };
    let request = sent(subject, &LlmRequest { settings, ..LlmRequest::default() })?;
    field(&request, "/model", &json!("asked-for"))
}

fn user_agent(subject: &Subject) -> Verdict {
    let request = sent(subject, &request())?;
    let got = request.header("user-agent");
    let is_product = |value: &str| {
        let first = value.split(' ').next().unwrap_or_default();
        first.split_once('/').is_some_and(|(product, version)| !product.is_empty() && !version.is_empty())
    };
    ensure(got.is_some_and(is_product), || header("user-agent", got), "user-agent: product/version")
}

fn system(subject: &Subject) -> Verdict {
    let asked = LlmRequest { system: Some(Part::new("Answer in one word.")), ..request() };
    let request = sent(subject, &asked)?;
    field(&request, "/messages/0", &json!({ "role": "system", "content": "Answer in one word." }))
}

fn tools(subject: &Subject) -> Verdict {
    let parameters: Value = serde_json::from_str(PARAMETERS).unwrap_or_default();
    let schema = |name: &str, description: &str| json!({ "name": name, "description": description, "parameters": parameters });
    let schemas = [schema("read_file", "Reads a file."), schema("list_files", "Lists a folder.")];
    let tools = schemas.iter().map(|schema| Part::new(schema.to_string())).collect();
    let request = sent(subject, &LlmRequest { tools, ..request() })?;
    let wanted: Vec<Value> =
        schemas.iter().map(|schema| json!({ "type": "function", "function": schema })).collect();
    field(&request, "/tools", &wanted.into())
}

fn messages(subject: &Subject) -> Verdict {
    let request = sent(subject, &request())?;
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
    for behind in ["", "/"] {
        let request = sent_to(subject, &request(), behind)?;
        let got = format!("{} {}", request.method, request.path);
        let wanted = "POST /v1/chat/completions";
        ensure(got == wanted, || format!("{got} for a base URL that ends in `/v1{behind}`"), wanted)?;
    }
    Ok(())
}

//! Responses that are no success: which failure each becomes, and that the key is in none of them.
use crate::{
    list,
    run::{KEY, adapter, ask},
    server::{Answer, Server, Then},
};
use serde::Deserialize;
use serde_json::json;
use std::collections::BTreeMap;

/// The cases that this table holds.
pub(crate) const CASES: &[&str] = &[
    "401-no-retry",
    "408-server-timeout",
    "413-too-large",
    "429-bad-retry-after",
    "429-ms-header",
    "429-retry-after-date",
    "429-retry-after-hour",
    "429-retry-after-seconds",
    "5xx-mixed-then-ok",
    "context-overflow-negative",
    "error-body-shapes",
    "key-reflected",
];

#[derive(Deserialize)]
struct Row {
    /// Which case of the list it is a row of.
    #[serde(default)]
    case: Option<String>,
    name: String,
    status: u16,
    #[serde(default)]
    headers: BTreeMap<String, String>,
    #[serde(default)]
    body: String,
    body_hex: Option<String>,
    body_repeat: Option<usize>,
    #[serde(default)]
    stays_open: bool,
    code: String,
    #[serde(default)]
    says: String,
    retry_after_ms: Option<u64>,
    request_id: Option<String>,
}

impl Row {
    fn answer(&self) -> Answer {
        let headers: Vec<(&str, &str)> = self.headers.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect();
        let hex = |hex: &String| {
            (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect()
        };
        let body: Vec<u8> = self
            .body_hex
            .as_ref()
            .map_or_else(|| self.body.repeat(self.body_repeat.unwrap_or(1)).into(), hex);
        let then = if self.stays_open { Then::Nothing } else { Then::Complete };
        Answer::new(self.status, &headers, &body).then(then)
    }
}

#[tokio::test]
async fn each_refusal_becomes_its_failure() {
    let rows: Vec<Row> = serde_json::from_str(include_str!("cases/http/refusals.json")).unwrap();
    let mut ran = Vec::new();
    for row in &rows {
        let server = Server::start([row.answer()]);
        let got = ask(&adapter(&server, json!({}))).await;
        let (failure, name) = (got.failure(), &row.name);
        assert_eq!(failure.code, row.code, "{name}: {failure:?}");
        assert_eq!(failure.status, Some(row.status), "{name}");
        assert_eq!(failure.retry_after_ms, row.retry_after_ms, "{name}");
        assert_eq!(failure.request_id, row.request_id, "{name}");
        assert!(failure.message.contains(&row.says), "{name}: {}", failure.message);
        assert!(failure.message.contains(&format!("answered {}", row.status)), "{name}: {}", failure.message);
        assert!(failure.message.len() < 4096, "{name}: {} bytes", failure.message.len());
        assert!(!failure.hint.is_empty(), "{name}");
        assert!(!format!("{:?}", got.finish).contains(KEY), "{name}");
        assert!(got.blocks.is_empty(), "{name}");
        assert_eq!(server.asked().len(), 1, "{name}");
        ran.extend(row.case.as_deref());
    }
    list::assert_all_ran(CASES, ran);
}

#[tokio::test]
async fn the_key_is_masked_in_what_a_stream_reports() {
    let body = format!(
        "data: {}\n\n",
        json!({ "error": { "message": format!("bad key {KEY}"), "code": "invalid_api_key" } })
    );
    let answer = Answer::new(200, &[("x-request-id", "req-3")], body.as_bytes());
    let server = Server::start([answer]);
    let got = ask(&adapter(&server, json!({}))).await;
    assert_eq!(got.failure().code, "AUTH");
    assert!(got.failure().message.ends_with("bad key [redacted]"), "{}", got.failure().message);
    assert_eq!(got.failure().request_id.as_deref(), Some("req-3"));
    assert_eq!(got.failure().status, None);
}

#[tokio::test]
async fn each_failure_has_one_thing_to_do() {
    let broken = |body: &str| Answer::new(200, &[("content-type", "text/event-stream")], body.as_bytes());
    let refused = |status, headers: &[(&str, &str)]| Answer::new(status, headers, b"{}");
    for (answer, code, hint) in [
        (refused(401, &[]), "AUTH", "check LLM_API_KEY: it is not accepted there"),
        (refused(402, &[]), "QUOTA", "top up the account, or use another key"),
        (refused(404, &[]), "HTTP_404", "check LLM_BASE_URL, and that the model exists there"),
        (refused(400, &[]), "INVALID_REQUEST", "check the model and the config of the llm-adapter row"),
        (refused(429, &[]), "RATE_LIMIT", "run it again"),
        (refused(429, &[("retry-after", "7")]), "RATE_LIMIT", "wait 7 s, then run it again"),
        (refused(503, &[("retry-after-ms", "1200")]), "SERVER", "wait 2 s, then run it again"),
        (refused(409, &[]), "HTTP_409", "run it again"),
        (
            broken("data: {\n\n"),
            "MALFORMED_RESPONSE",
            "check that LLM_BASE_URL leads to an API like OpenAI's",
        ),
        (broken(": nothing\n\n"), "STREAM_CLOSED", "run it again"),
        (broken("data: [DONE]\n\n"), "EMPTY_RESPONSE", "put the task in other words, or take another model"),
    ] {
        let server = Server::start([answer]);
        let got = ask(&adapter(&server, json!({}))).await;
        let failure = got.failure();
        assert_eq!((failure.code.as_str(), failure.hint.as_str()), (code, hint));
    }
}

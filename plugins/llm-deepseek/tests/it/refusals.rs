//! Responses that are no success.
use crate::{
    chunks::failure,
    row::{KEY, ask, row},
};
use checks::fake_model::FakeModel;
use contracts::llm::Failure;
use plugin_sdk::contracts;
use serde_json::{Value, json};

/// How a reply of the script fails.
async fn refused(reply: Value) -> Failure {
    let model = FakeModel::start(&json!({ "replies": [reply] }).to_string());
    let chunks = ask(&row(model.base_url(), json!({}))).await;
    assert_eq!((chunks.len(), model.requests().len()), (1, 1), "{reply}");
    let failure = failure(&chunks).clone();
    assert!(!failure.hint.is_empty() && !failure.hint.contains('\n'), "{failure:?}");
    assert!(failure.message.len() < 4096, "{} bytes", failure.message.len());
    failure
}

/// An error as DeepSeek writes one.
fn error(message: &str) -> Value {
    json!({ "error": { "message": message, "type": "t", "param": null, "code": "c" } })
}

#[tokio::test]
async fn each_status_has_its_code() {
    let cases = [
        (400, "field x is wrong", "INVALID_REQUEST"),
        (400, "This model's maximum context length is 65536 tokens", "CONTEXT_WINDOW_EXCEEDED"),
        (400, "context_length_exceeded", "CONTEXT_WINDOW_EXCEEDED"),
        (400, "context-window-overflowed", "CONTEXT_WINDOW_EXCEEDED"),
        (400, "input is too long for this model", "CONTEXT_WINDOW_EXCEEDED"),
        (400, "request too large for model context", "CONTEXT_WINDOW_EXCEEDED"),
        (422, "input exceeds the model context window limit", "CONTEXT_WINDOW_EXCEEDED"),
        (400, "prompt is too long: 213423 tokens", "CONTEXT_WINDOW_EXCEEDED"),
        (400, "temperature exceeds maximum allowed value", "INVALID_REQUEST"),
        (400, "input exceeds maximum allowed value", "INVALID_REQUEST"),
        (400, "temperature exceeds what this context allows", "INVALID_REQUEST"),
        (400, "context window size must be positive", "INVALID_REQUEST"),
        (400, "the request is too large for this server", "INVALID_REQUEST"),
        (401, "Authentication Fails", "AUTH"),
        (402, "Insufficient Balance", "QUOTA"),
        (403, "no", "AUTH"),
        (404, "no such model", "HTTP_404"),
        (408, "", "TIMEOUT"),
        (413, "insufficient_quota", "INVALID_REQUEST"),
        (418, "", "HTTP_418"),
        (422, "Invalid Parameters", "INVALID_REQUEST"),
        (429, "Rate Limit Reached", "RATE_LIMIT"),
        (429, "quota resets in one minute", "RATE_LIMIT"),
        (429, "Request too large for the tokens-per-minute limit", "RATE_LIMIT"),
        (429, "You exceeded your current quota", "QUOTA"),
        (429, "insufficient_quota", "QUOTA"),
        (400, "account balance depleted", "QUOTA"),
        (400, "usage-limit-exceeded", "QUOTA"),
        (400, "out of credits", "QUOTA"),
        (500, "Server Error", "SERVER"),
        (503, "Server Overloaded", "SERVER"),
        (307, "", "HTTP_307"),
    ];
    for (status, said, code) in cases {
        let failure = refused(json!({ "status": status, "body": error(said) })).await;
        assert_eq!((failure.code.as_str(), failure.status), (code, Some(status)), "{said}: {failure:?}");
        assert!(failure.message.contains(said), "{said}: {failure:?}");
    }
}

#[tokio::test]
async fn what_is_said_is_shown_in_whatever_form() {
    let long = "E".repeat(200_000);
    for (body, shown) in [
        (json!("no JSON"), "HTTP 400: no JSON"),
        (json!(""), "HTTP 400 and nothing else"),
        (json!("<html><head><title>Bad Gateway</title></head></html>"), "HTTP 400: Bad Gateway"),
        (json!("<p>no</p>"), "HTTP 400: a page without a title"),
        (json!(long), "HTTP 400: EEE"),
        (json!({ "error": "a text" }), "HTTP 400: a text"),
        (json!({ "error": { "message": { "detail": "deep" } } }), r#"HTTP 400: {"detail":"deep"}"#),
        (json!({ "error": null }), "HTTP 400 and nothing else"),
        (json!({ "error": {} }), "HTTP 400 and nothing else"),
        (json!({ "detail": "no such field" }), "HTTP 400: no such field"),
        (json!(r#"[{"error": {"message": "in a list"}}]"#), "HTTP 400: in a list"),
        (json!("[]"), "HTTP 400 and nothing else"),
    ] {
        let failure = refused(json!({ "status": 400, "body": body })).await;
        assert!(failure.message.contains(shown), "{failure:?}");
    }
}

#[tokio::test]
async fn a_wait_is_told_where_one_was_asked_for() {
    let now = "Wed, 21 Oct 2015 07:28:00 GMT";
    for (headers, wait) in [
        (json!({ "retry-after": "2" }), Some(2000)),
        (json!({ "retry-after": " 2 " }), Some(2000)),
        (json!({ "retry-after": "Wed, 21 Oct 2015 07:28:30 GMT", "date": now }), Some(30_000)),
        (json!({ "retry-after": "Wed, 21 Oct 2015 07:27:59 GMT", "date": now }), None),
        (json!({ "retry-after": now }), None),
        (json!({ "retry-after": "0" }), None),
        (json!({ "retry-after": "+2" }), None),
        (json!({ "retry-after": "-2" }), None),
        (json!({ "retry-after": "2.5" }), None),
        (json!({ "retry-after": "soon" }), None),
        (json!({ "retry-after": "9".repeat(400) }), None),
        (json!({ "retry-after": "9", "retry-after-ms": "1500" }), Some(1500)),
        (json!({}), None),
    ] {
        let failure = refused(json!({ "status": 429, "headers": headers })).await;
        assert_eq!(failure.retry_after_ms, wait, "{headers}");
        let hint =
            wait.map_or("try again".to_owned(), |ms: u64| format!("try again in {} s", ms.div_ceil(1000)));
        assert_eq!(failure.hint, hint, "{headers}");
    }
    let later = httpdate::fmt_http_date(std::time::SystemTime::now() + std::time::Duration::from_secs(7200));
    let failure = refused(json!({ "status": 503, "headers": { "retry-after": later } })).await;
    assert!(
        failure.retry_after_ms.is_some_and(|wait| (3_600_000..=7_200_000).contains(&wait)),
        "{failure:?}"
    );
}

#[tokio::test]
async fn a_request_id_is_passed_on() {
    let (ours, deepseeks) = ("x-request-id", "x-deepseek-request-id");
    for (headers, id) in [
        (json!({ ours: "one" }), Some("one")),
        (json!({ deepseeks: "two" }), Some("two")),
        (json!({ ours: "one", deepseeks: "two" }), Some("one")),
        (json!({ ours: "", deepseeks: "two" }), Some("two")),
        (json!({}), None),
    ] {
        for reply in [
            json!({ "status": 500, "headers": headers }),
            json!({ "raw": "data: {\n\n", "headers": headers }),
        ] {
            assert_eq!(refused(reply).await.request_id.as_deref(), id);
        }
    }
}

#[tokio::test]
async fn the_key_is_not_repeated() {
    let echo = error(&format!("no such key: {KEY}."));
    for reply in [
        json!({ "status": 401, "body": echo }),
        json!({ "raw": format!("data: {echo}\n\n") }),
        json!({ "body": format!("<title>{KEY}</title>") }),
    ] {
        let failure = refused(reply).await;
        assert!(failure.message.contains("[redacted]"), "{failure:?}");
        assert!(!format!("{failure:?}").contains(KEY));
    }
}

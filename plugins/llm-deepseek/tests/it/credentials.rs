//! Keys and addresses that can be used, and what is said of the others before anything is sent.
use crate::{
    chunks::failure,
    row::{ask, row_of},
};
use checks::fake_model::FakeModel;
use serde_json::json;

#[tokio::test]
async fn a_key_is_sent_without_the_space_around_it() {
    for (key, sent) in [
        ("sk-abc", Some("Bearer sk-abc")),
        ("  sk-abc\t\r\n", Some("Bearer sk-abc")),
        ("!~", Some("Bearer !~")),
        ("", None),
        (" \n", None),
    ] {
        let model = FakeModel::start("replies: [{text: ok}]");
        ask(&row_of(json!({ "base_url": model.base_url(), "api_key": key })).unwrap()).await;
        assert_eq!(model.requests()[0].header("authorization"), sent, "{key:?}");
    }
}

#[tokio::test]
async fn a_key_that_no_header_can_carry_is_not_sent() {
    for key in [
        "sk-🔑🔑🔑🔑",
        "密钥密钥密钥",
        "sk-ab，cd",
        "sk-ab cd",
        "sk-ab\u{1}cd",
        "sk-abé",
        "sk\nab",
        "\u{feff}sk-ab",
    ] {
        let model = FakeModel::start("replies: [{text: ok}]");
        let chunks = ask(&row_of(json!({ "base_url": model.base_url(), "api_key": key })).unwrap()).await;
        let failure = failure(&chunks);
        assert_eq!(failure.code, "INVALID_CREDENTIAL", "{key:?}");
        assert!(
            failure.message.contains("LLM_API_KEY") && failure.hint.contains("LLM_API_KEY"),
            "{failure:?}"
        );
        assert!(!format!("{failure:?}").contains(key), "{failure:?}");
        assert!(model.requests().is_empty());
    }
}

#[tokio::test]
async fn a_missing_key_is_missed_before_anything_is_sent() {
    // Nothing could be reached there: the failure would be another one.
    for base_url in ["", "https://h.invalid/v1", "http://192.0.2.1"] {
        let chunks = ask(&row_of(json!({ "base_url": base_url })).unwrap()).await;
        let failure = failure(&chunks);
        assert_eq!((chunks.len(), failure.code.as_str()), (1, "MISSING_CREDENTIAL"), "{base_url}");
        assert_eq!(failure.hint, "export LLM_API_KEY, or write it into .env");
        let origin =
            if base_url.is_empty() { "https://api.deepseek.com" } else { base_url.trim_end_matches("/v1") };
        assert!(failure.message.contains(origin), "{failure:?}");
    }
}

#[test]
fn an_address_that_is_none_does_not_mount() {
    for base_url in [
        "h.example/v1",
        "ftp://h.example",
        "file:///etc/passwd",
        "https://",
        "https://user:pw@h.example",
        "localhost:80",
    ] {
        let error = row_of(json!({ "base_url": base_url })).err().expect(base_url);
        assert_eq!(error.code, "INVALID_BASE_URL", "{base_url}");
        assert!(!error.hint.is_empty() && !error.message.contains("pw"), "{error:?}");
    }
    for base_url in ["", "https://h.example", "http://[::1]:9/v1", "HTTPS://H.example:8443/a%20b/?x=y"] {
        assert!(row_of(json!({ "base_url": base_url })).is_ok(), "{base_url}");
    }
}

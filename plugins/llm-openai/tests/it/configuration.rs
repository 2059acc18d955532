//! What a row may say, and what is said of a row that does not say enough.
use crate::{
    list,
    run::{KEY, OK, adapter, ask, mounted},
    server::{Answer, Server},
};
use serde::Deserialize;
use serde_json::{Value, json};

/// The cases whose tables are here, all rows of a file to one case.
pub(crate) const CASES: &[&str] = &["api-key-variants", "base-url-variants"];

#[derive(Deserialize)]
struct Table<T> {
    rows: Vec<T>,
}

#[derive(Deserialize)]
struct BaseUrl {
    base_url: String,
    #[serde(default)]
    refused: bool,
    /// The row mounts, and lacks an endpoint once it is asked.
    #[serde(default)]
    unset: bool,
    #[serde(default)]
    path: String,
}

#[tokio::test]
async fn base_urls_become_request_urls() {
    let table: Table<BaseUrl> = serde_json::from_str(include_str!("cases/http/base_urls.json")).unwrap();
    let mut ran = 0;
    for row in table.rows {
        ran += 1;
        if row.unset {
            let got = ask(&mounted(json!({ "base_url": row.base_url, "model": "m" })).unwrap()).await;
            assert_eq!(got.failure().code, "NO_ENDPOINT", "{:?}", row.base_url);
            continue;
        }
        if row.refused {
            let error = mounted(json!({ "base_url": row.base_url })).err().expect(&row.base_url);
            assert_eq!(error.code, "INVALID_BASE_URL", "{}", row.base_url);
            assert!(!error.message.contains("user:pw"), "{}", error.message);
            continue;
        }
        // The same URL, with the server in the place of the host.
        let server = Server::start([Answer::stream(OK)]);
        let (before, rest) = row.base_url.split_once("://").unwrap();
        let at = rest.find(['/', '\n', ' ']).unwrap_or(rest.len());
        let white = &before[..before.len() - before.trim_start().len()];
        let base_url = format!("{white}HTTP://127.0.0.1:{}{}", server.port(), &rest[at..]);
        let got = ask(&adapter(&server, json!({ "base_url": base_url }))).await;
        assert_eq!(got.text(), "ok", "{base_url:?}");
        assert_eq!(server.asked()[0].path, row.path, "{base_url:?}");
    }
    list::assert_all_ran(&["base-url-variants"], vec!["base-url-variants"; ran]);
}

#[derive(Deserialize)]
struct KeyRow {
    key: String,
    authorization: Option<String>,
    code: Option<String>,
}

#[tokio::test]
async fn keys_are_trimmed_sent_or_refused() {
    let table: Table<KeyRow> = serde_json::from_str(include_str!("cases/http/keys.json")).unwrap();
    let mut ran = 0;
    for row in table.rows {
        ran += 1;
        let server = Server::start([Answer::stream(OK)]);
        if let Some(code) = row.code {
            // A port of this machine would do without a key.
            let missing = row.key.trim().is_empty();
            let base_url = if missing { "https://h.invalid/v1".into() } else { server.base_url() };
            let got = ask(&adapter(&server, json!({ "base_url": base_url, "api_key": row.key }))).await;
            assert_eq!(got.failure().code, code, "{:?}", row.key);
            assert!(got.failure().message.contains("LLM_API_KEY"));
            assert!(!format!("{:?}", got.finish).contains("dummy"), "{:?}", got.finish);
            assert_eq!(server.accepted(), 0);
        } else {
            ask(&adapter(&server, json!({ "api_key": row.key }))).await;
            assert_eq!(server.asked()[0].header("authorization"), row.authorization.as_deref());
        }
    }
    list::assert_all_ran(&["api-key-variants"], vec!["api-key-variants"; ran]);
}

#[tokio::test]
async fn what_is_missing_is_named_before_anything_is_sent() {
    let rows = [
        (json!({}), "NO_ENDPOINT", "LLM_PROVIDER nor LLM_BASE_URL"),
        (json!({ "provider": " ", "base_url": " " }), "NO_ENDPOINT", "LLM_PROVIDER"),
        (
            json!({ "provider": "deepseek" }),
            "MISSING_CREDENTIAL",
            "LLM_API_KEY is not set, and https://api.deepseek.com",
        ),
        (json!({ "provider": "openrouter", "api_key": " " }), "MISSING_CREDENTIAL", "LLM_API_KEY"),
        (json!({ "provider": "ollama" }), "NO_MODEL", "http://localhost:11434"),
        (
            json!({ "provider": "vllm", "base_url": "http://gpu.invalid:8000/v1" }),
            "NO_MODEL",
            "http://gpu.invalid:8000",
        ),
        (
            json!({ "base_url": "https://h.invalid", "headers": { "Api-Key": "k" } }),
            "NO_MODEL",
            "https://h.invalid",
        ),
        (json!({ "base_url": "http://[::1]:9/v1" }), "NO_MODEL", "http://[::1]:9"),
        (json!({ "base_url": "http://127.9.9.9:9/v1" }), "NO_MODEL", "http://127.9.9.9:9"),
        (
            json!({ "base_url": "http://127.0.0.1.example/v1" }),
            "MISSING_CREDENTIAL",
            "http://127.0.0.1.example",
        ),
    ];
    for (config, code, says) in rows {
        let got = ask(&mounted(config.clone()).unwrap()).await;
        assert_eq!(got.failure().code, code, "{config}");
        assert!(got.failure().message.contains(says), "{config}: {}", got.failure().message);
        assert!(!got.failure().hint.is_empty(), "{config}");
    }
}

#[test]
fn a_row_that_makes_no_sense_does_not_mount() {
    let rows = [
        (json!({ "provider": "openal" }), "UNKNOWN_PROVIDER", "openal"),
        (json!({ "headers": { "a b": "c" } }), "INVALID_HEADER", "`a b`"),
        (json!({ "headers": { "authorization": "a\nb" } }), "INVALID_HEADER", "`authorization`"),
        (json!({ "user_agent": "a\nb" }), "INVALID_HEADER", "`user-agent`"),
        (json!({ "base_url": "https://h/v1?key=hidden@" }), "", ""),
        (json!({ "base_url": "h.invalid?key=hidden" }), "INVALID_BASE_URL", "`h.invalid`"),
    ];
    for (config, code, says) in rows {
        let error = mounted(config.clone()).err();
        assert_eq!(error.as_ref().map_or("", |error| &error.code), code, "{config}");
        let message = error.map(|error| error.message).unwrap_or_default();
        assert!(message.contains(says) && !message.contains("hidden"), "{config}: {message}");
    }
    assert!(serde_json::from_value::<llm_openai::Config>(json!({ "modle": "m" })).is_err());
}

#[tokio::test]
async fn a_local_server_is_asked_without_a_key() {
    let server = Server::start([Answer::stream(OK)]);
    ask(&adapter(&server, json!({ "api_key": "" }))).await;
    assert_eq!(server.asked()[0].header("authorization"), None);
}

#[tokio::test]
async fn headers_of_the_row_win() {
    let server = Server::start([Answer::stream(OK), Answer::stream(OK)]);
    ask(&adapter(&server, json!({}))).await;
    let headers = json!({ "X-Title": "t", "Authorization": "Basic abcdefgh", "user-agent": "other" });
    ask(&adapter(&server, json!({ "user_agent": "mine/1", "headers": headers }))).await;
    let asked = server.asked();
    let all =
        |at: usize, names: [&str; 5]| names.map(|name| asked[at].header(name).unwrap_or("-").to_owned());
    let names = ["accept", "content-type", "user-agent", "authorization", "x-title"];
    let ours = concat!("harness/", env!("CARGO_PKG_VERSION"));
    let bearer = format!("Bearer {KEY}");
    assert_eq!(all(0, names), ["text/event-stream", "application/json", ours, &*bearer, "-"]);
    assert_eq!(all(1, names), ["text/event-stream", "application/json", "other", "Basic abcdefgh", "t"]);
}

/// The schema that the host checks a row against knows the same keys as the plugin.
#[test]
fn the_schema_and_the_config_agree() {
    let schema: Value = serde_json::from_str(include_str!("../../config.schema.json")).unwrap();
    let readme = include_str!("../../README.md");
    for (key, property) in schema["properties"].as_object().unwrap() {
        let example = property.get("default").cloned().unwrap_or_else(|| match property["type"].as_str() {
            Some("string") => json!("x"),
            Some("object") => json!({}),
            _ => json!(1),
        });
        mounted(json!({ key.as_str(): example })).unwrap();
        assert!(readme.contains(&format!("| `{key}` |")), "the README does not describe `{key}`");
    }
    let unknown = mounted(json!({ "provider": "?" })).err().unwrap();
    let names =
        unknown.hint.strip_prefix("name one of ").unwrap().split(", ").take_while(|name| !name.contains(' '));
    assert_eq!(names.clone().count(), 7);
    for provider in names {
        mounted(json!({ "provider": provider })).unwrap();
        assert!(readme.contains(&format!("| `{provider}` |")), "the README does not describe `{provider}`");
    }
}

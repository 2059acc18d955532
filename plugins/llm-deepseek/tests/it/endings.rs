//! Ends that no payload tells of: no connection, a broken one, silence, too much, and a caller that wants no more.
use crate::{
    chunks::{failure, of, text},
    row::{answer, ask, go, open, row, soon},
};
use checks::fake_model::FakeModel;
use contracts::llm::{Finish, LlmRequest, StreamChunk};
use llm_deepseek::Reader;
use plugin_sdk::{contracts, testing};
use serde_json::json;

#[tokio::test]
async fn a_refused_connection_names_the_place_and_no_more() {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let origin = format!("http://127.0.0.1:{port}");
    let chunks = ask(&row(&format!("{origin}/hidden?key=hidden"), json!({}))).await;
    let failure = failure(&chunks);
    assert_eq!((chunks.len(), failure.code.as_str()), (1, "TRANSPORT"));
    assert!(failure.message.contains(&origin) && failure.message.contains("refused"), "{failure:?}");
    assert_eq!(failure.hint, "start a server there, or set LLM_BASE_URL");
    assert!(!format!("{failure:?}").contains("hidden"), "{failure:?}");
}

#[tokio::test]
async fn a_server_without_tls_gets_no_request_over_https() {
    let model = FakeModel::start("replies: [{text: ok}]");
    let chunks = ask(&row(&model.base_url().replace("http:", "https:"), json!({}))).await;
    let failure = failure(&chunks);
    assert_eq!((failure.code.as_str(), failure.hint.is_empty()), ("TRANSPORT", false), "{failure:?}");
    assert!(model.requests().is_empty());
}

#[tokio::test]
async fn a_broken_connection_keeps_what_came_before() {
    for fault in ["cut", "reset"] {
        let model = FakeModel::start(&format!("replies: [{{deltas: [a, b, c], fault: {fault}, after: 3}}]"));
        let chunks = ask(&row(model.base_url(), json!({}))).await;
        assert_eq!(failure(&chunks).code, "TRANSPORT", "{fault}: {}", text(&chunks));
        assert!(!failure(&chunks).hint.is_empty());
        if fault == "cut" {
            assert!(
                text(&chunks).starts_with("0 opens {\"type\":\"text\"}\n0 + \"a\"\n"),
                "{}",
                text(&chunks)
            );
        }
    }
}

#[tokio::test]
async fn other_faults_of_a_server_have_their_codes() {
    for (fault, code) in [
        ("garbage", "STREAM_CLOSED"),
        ("bad_json", "MALFORMED_RESPONSE"),
        ("no_done", "STREAM_CLOSED"),
        ("html", "MALFORMED_RESPONSE"),
    ] {
        let model = FakeModel::start(&format!("replies: [{{deltas: [a, b], fault: {fault}}}]"));
        let chunks = ask(&row(model.base_url(), json!({}))).await;
        assert_eq!(failure(&chunks).code, code, "{fault}: {}", text(&chunks));
    }
    let model = FakeModel::start("replies: [{text: ok, fault: wrong_content_type}]");
    let chunks = ask(&row(model.base_url(), json!({}))).await;
    assert!(matches!(chunks.last(), Some(StreamChunk::Finish(Finish::Stop))), "{}", text(&chunks));
}

#[tokio::test]
async fn silence_is_a_timeout_and_closes_the_connection() {
    for reply in [
        "{text: x, fault: stall}",
        "{text: x, fault: stall, after: 0}",
        "{text: x, fault: stall, after: 2}",
        r#"{raw: ": comment\n\n: comment\n\n", split_at: [11], fault: stall, after: 1}"#,
    ] {
        let model = FakeModel::start(&format!("replies: [{reply}]"));
        let chunks = ask(&row(model.base_url(), json!({ "idle_timeout_ms": 50 }))).await;
        let failure = failure(&chunks);
        assert_eq!((failure.code.as_str(), failure.hint.as_str()), ("TIMEOUT", "try again"), "{reply}");
        assert!(failure.message.contains("silent for 50 ms"), "{failure:?}");
        model.wait_until_closed();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_fired_token_aborts_and_closes_the_connection() {
    for reply in [
        "{text: x, fault: stall}",
        "{text: x, fault: stall, after: 0}",
        "{text: x, fault: stall, after: 2}",
        "{status: 500, body: some words, fault: stall, after: 0}",
    ] {
        let model = FakeModel::start(&format!("replies: [{reply}]"));
        let (cx, cancel, _) = testing::cx();
        let row = row(model.base_url(), json!({}));
        let fire = async {
            // The answer has been asked for first, and is read by a thread of the library.
            tokio::task::block_in_place(|| model.wait_for_requests(1));
            cancel.cancel("enough".into());
        };
        let (chunks, ()) = tokio::join!(answer(&row, LlmRequest::default(), go(), cx), fire);
        assert!(matches!(chunks.last(), Some(StreamChunk::Finish(Finish::Aborted { .. }))), "{reply}");
        let failure = failure(&chunks);
        assert_eq!((failure.code.as_str(), failure.message.as_str()), ("ABORTED", "aborted: enough"));
        model.wait_until_closed();
    }
}

#[tokio::test]
async fn a_token_fired_before_is_one_finish_and_no_request() {
    let model = FakeModel::start("replies: [{text: ok}]");
    let (cx, cancel, _) = testing::cx();
    cancel.cancel("enough".into());
    let chunks = answer(&row(model.base_url(), json!({})), LlmRequest::default(), go(), cx).await;
    assert!(matches!(chunks[..], [StreamChunk::Finish(Finish::Aborted { .. })]), "{}", text(&chunks));
    assert_eq!((model.requests().len(), model.connections_open()), (0, 0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn deltas_come_while_the_response_goes_on_and_dropping_it_ends_it() {
    let model = FakeModel::start("replies: [{deltas: [first, second], fault: stall, after: 2}]");
    let row = row(model.base_url(), json!({}));
    let mut stream = open(&row, LlmRequest::default(), go(), testing::cx().0);
    assert!(matches!(soon(&mut stream).await, Some(StreamChunk::BlockStart { index: 0, .. })));
    assert_eq!(soon(&mut stream).await, Some(StreamChunk::TextDelta { index: 0, text: "first".into() }));
    drop(stream);
    model.wait_until_closed();
}

/// A payload whose delta is that JSON.
fn payload(delta: &str) -> Vec<u8> {
    format!("data: {{\"choices\":[{{\"delta\":{delta}}}]}}\n\n").into_bytes()
}

#[test]
fn everything_that_is_kept_of_a_response_counts() {
    let megabyte = "x".repeat(1 << 20);
    let said = |what: &str| payload(&format!(r#"{{"{what}":"{megabyte}"}}"#));
    let call = |index: usize, function: &str| {
        payload(&format!(r#"{{"tool_calls":[{{"index":{index},"function":{function}}}]}}"#))
    };
    let part = |index: usize, what: &str| call(index, &format!(r#"{{"{what}":"{megabyte}"}}"#));
    let pieces: Vec<Vec<u8>> = (0..17)
        .map(|index| call(index, "{}"))
        .chain((0..17).map(|_| said("content")))
        .chain((0..17).map(|_| said("reasoning_content")))
        .chain((0..17).map(|index| part(index, "name")))
        .chain((0..17).map(|index| part(index, "arguments")))
        .collect();
    let chunks = of(pieces.iter().map(Vec::as_slice));
    assert_eq!(failure(&chunks).code, "RESPONSE_TOO_LARGE");
    // Only with the last kind is it too much.
    assert!(chunks.iter().any(|chunk| matches!(chunk, StreamChunk::ToolCallDelta { .. })));
}

#[test]
fn calls_without_end_are_too_large() {
    for end in ["}", r#","id":"a"}"#] {
        let thousand = |n: usize| {
            let fragments = (0..1000).map(|index| format!(r#"{{"index":{}{end}"#, n * 1000 + index));
            let fragments: Vec<String> = fragments.collect();
            payload(&format!(r#"{{"tool_calls":[{}]}}"#, fragments.join(",")))
        };
        let pieces: Vec<Vec<u8>> = (0..70).map(thousand).collect();
        assert_eq!(failure(&of(pieces.iter().map(Vec::as_slice))).code, "RESPONSE_TOO_LARGE");
    }
}

#[test]
fn a_line_and_a_page_without_end_are_too_large() {
    let megabyte = "x".repeat(1 << 20).into_bytes();
    assert_eq!(failure(&of(vec![&*megabyte; 17])).code, "RESPONSE_TOO_LARGE");
    let page = [b"{".to_vec(), megabyte].concat();
    // It is not waited for the end of it.
    let mut chunks = Vec::new();
    Reader::default().read(&page, &mut chunks);
    assert_eq!(failure(&chunks).code, "MALFORMED_RESPONSE");
}

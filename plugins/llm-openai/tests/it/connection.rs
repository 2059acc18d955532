//! Connections: used again, refused, broken.
use crate::{
    run::{Chunks, OK, adapter, ask, mounted},
    server::{Answer, Server, Then, gate},
};
use contracts::{
    Message,
    llm::{LlmRequest, StreamChunk},
};
use plugin_sdk::{contracts, testing};
use serde_json::json;

#[tokio::test]
async fn a_connection_is_used_again() {
    const REQUESTS_MAX: usize = 1000;
    let (gates, answers): (Vec<_>, Vec<_>) = (0..REQUESTS_MAX)
        .map(|_| {
            let (open, then) = gate();
            (open, Answer::stream(OK).then(then))
        })
        .unzip();
    let server = Server::start(answers);
    let adapter = adapter(&server, json!({}));
    for open in gates {
        // The finish is here although the body is not complete; its last bytes come only now.
        assert_eq!(ask(&adapter).await.text(), "ok");
        open.send(()).unwrap();
        // The rest is read by another thread, and nobody tells when a connection is back in the pool: the next request may be
        // too early for it, but not each of them, for the same thread sends the requests.
        if server.accepted() < server.asked().len() {
            return;
        }
    }
    panic!("{} connections for {REQUESTS_MAX} requests", server.accepted());
}

#[tokio::test]
async fn a_refused_connection_names_the_place() {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let origin = format!("http://127.0.0.1:{port}");
    let got =
        ask(&mounted(json!({ "base_url": format!("{origin}/v1?key=hidden"), "model": "m" })).unwrap()).await;
    assert_eq!(got.failure().code, "TRANSPORT");
    assert!(
        got.failure().message.contains(&origin) && got.failure().message.contains("refused"),
        "{:?}",
        got.failure()
    );
    assert!(!format!("{:?}", got.failure()).contains("hidden"));
    assert!(!got.failure().hint.is_empty());
}

#[tokio::test]
async fn a_broken_body_is_a_transport_failure_with_what_came_before() {
    let body = b"data: {\"choices\":[{\"delta\":{\"content\":\"half\"}}]}\n\n";
    let answer = Answer::new(200, &[("x-request-id", "req-4")], body).then(Then::Break);
    let server = Server::start([answer]);
    let got = ask(&adapter(&server, json!({}))).await;
    assert_eq!((got.text().as_str(), got.failure().code.as_str()), ("half", "TRANSPORT"));
    assert_eq!(got.failure().request_id.as_deref(), Some("req-4"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn deltas_are_here_before_the_response_ends() {
    let body = b"data: {\"choices\":[{\"delta\":{\"content\":\"first\"}}]}\n\n";
    let server = Server::start([Answer::stream(body).then(Then::Nothing)]);
    let adapter = adapter(&server, json!({}));
    let mut chunks =
        Chunks::open(&adapter, LlmRequest::default(), Message::user("go").part().into(), testing::cx().0);
    assert!(matches!(chunks.next().await, Some(StreamChunk::BlockStart { index: 0, .. })));
    assert_eq!(chunks.next().await, Some(StreamChunk::TextDelta { index: 0, text: "first".into() }));
    // Dropping the stream is the second step of a cancel: the connection goes with it.
    drop(chunks);
    server.wait_for_closed(1);
}

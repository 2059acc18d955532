//! Ends that come from this side: the token, and the watchdog.
use crate::{
    run::{Chunks, OK, adapter, ask},
    server::{Answer, SILENT, Server, Then},
};
use contracts::{
    Message,
    llm::{Finish, LlmRequest},
};
use plugin_sdk::{contracts, testing};
use serde_json::json;

const DELTA: &[u8] = b"data: {\"choices\":[{\"delta\":{\"content\":\"half\"}}]}\n\n";

fn history() -> contracts::Parts {
    Message::user("go").part().into()
}

#[tokio::test]
async fn a_token_fired_before_is_one_finish_and_no_request() {
    let server = Server::start([Answer::stream(OK)]);
    let (cx, cancel, _) = testing::cx();
    cancel.cancel("enough".into());
    let got =
        Chunks::open(&adapter(&server, json!({})), LlmRequest::default(), history(), cx).transcript().await;
    assert!(matches!(got.finish, Some(Finish::Aborted { .. })));
    assert_eq!(got.failure().code, "ABORTED");
    assert!(got.failure().message.contains("enough"));
    assert_eq!((got.blocks.len(), server.accepted()), (0, 0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_token_fired_meanwhile_closes_the_connection() {
    let waiting = [
        Answer::new(SILENT, &[], b""),
        Answer::stream(b""),
        Answer::stream(DELTA),
        Answer::new(500, &[], b"hm"),
    ];
    for answer in waiting {
        let server = Server::start([answer.then(Then::Nothing)]);
        let (cx, cancel, _) = testing::cx();
        let adapter = adapter(&server, json!({}));
        let chunks = Chunks::open(&adapter, LlmRequest::default(), history(), cx);
        let firing = async {
            while server.asked().is_empty() {
                tokio::task::yield_now().await;
            }
            cancel.cancel("".into());
        };
        let (got, ()) = tokio::join!(chunks.transcript(), firing);
        assert!(matches!(got.finish, Some(Finish::Aborted { .. })), "{:?}", got.finish);
        server.wait_for_closed(1);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn silence_is_a_timeout() {
    let waiting = [
        Answer::new(SILENT, &[], b""),
        Answer::stream(b""),
        Answer::stream(DELTA),
        Answer::stream(b": comment\n\n"),
    ];
    for answer in waiting {
        let server = Server::start([answer.then(Then::Nothing)]);
        let got = ask(&adapter(&server, json!({ "idle_timeout_ms": 50 }))).await;
        assert_eq!(got.failure().code, "TIMEOUT");
        assert!(got.failure().message.contains("50 ms"), "{}", got.failure().message);
        server.wait_for_closed(1);
    }
}

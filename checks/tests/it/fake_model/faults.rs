//! Every fault, as a client meets it on the wire.

use checks::fake_model::{FakeModel, Outcome};
use expect_test::expect;

use super::client::{Client, End, Received, post};

const STREAM: &str = r#"{"model":"m","messages":[{"role":"user","content":"hi"}],"stream":true}"#;
const PLAIN: &str = r#"{"model":"m","messages":[{"role":"user","content":"hi"}]}"#;

/// The answer has five events: role, two deltas, finish, `[DONE]`.
fn faulty(fault: &str, request: &str) -> (Received, FakeModel) {
    let model = FakeModel::start(&format!("replies: [{{deltas: [ab, cd], {fault}}}]"));
    (post(model.base_url(), request), model)
}

#[test]
fn connections_break_where_the_script_says() {
    // fault, request, status, chunks, end; status 0 = no byte of a response
    let table = [
        ("fault: cut", STREAM, 0, 0, End::Closed),
        ("fault: cut, after: 0", STREAM, 200, 0, End::Closed),
        ("fault: cut, after: 2", STREAM, 200, 2, End::Closed),
        ("fault: cut, after: 99", STREAM, 200, 5, End::Closed),
        ("fault: reset", STREAM, 0, 0, End::Reset),
        ("fault: reset, after: 0", STREAM, 200, 0, End::Reset),
        ("fault: reset, after: 3", STREAM, 200, 3, End::Reset),
        ("fault: cut", PLAIN, 0, 0, End::Closed),
        ("fault: cut, after: 0", PLAIN, 200, 0, End::Closed),
        ("fault: cut, after: 1", PLAIN, 200, 1, End::Closed),
        ("fault: reset, after: 1", PLAIN, 200, 1, End::Reset),
        ("fault: no_done", STREAM, 200, 4, End::Complete),
        ("fault: bad_json, after: 2", STREAM, 200, 6, End::Complete),
        ("fault: garbage, after: 2", STREAM, 200, 3, End::Complete),
        ("fault: garbage", STREAM, 200, 1, End::Complete),
        ("fault: garbage", PLAIN, 200, 1, End::Complete),
        ("fault: bad_json", PLAIN, 200, 1, End::Complete),
        ("fault: html", STREAM, 200, 1, End::Complete),
        ("fault: wrong_content_type", STREAM, 200, 5, End::Complete),
    ];
    for (fault, request, status, chunks, end) in table {
        let (received, model) = faulty(fault, request);
        let got = (received.status, received.chunks.len(), received.end);
        assert_eq!(got, (status, chunks, end), "{fault}\n{}", received.shown());
        model.wait_until_idle();
        let outcome = if end == End::Complete { Outcome::Sent } else { Outcome::BrokenOff };
        assert_eq!(model.requests()[0].outcome, outcome, "{fault}");
        model.assert_done();
    }
}

#[test]
fn wrong_bytes_are_wrong() {
    let table = [
        (
            "fault: garbage, after: 1",
            STREAM,
            expect![[r#"
                200
                content-type: text/event-stream
                [data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":0,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}\n\n]
                [\0��{{{ no event, no JSON, no UTF-8 �\n\n]
                Complete
            "#]],
        ),
        (
            "fault: bad_json, after: 1",
            STREAM,
            expect![[r#"
                200
                content-type: text/event-stream
                [data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":0,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}\n\n]
                [data: {"id":"chatcmpl-broken","choices":[{\n\n]
                [data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":0,"model":"m","choices":[{"index":0,"delta":{"content":"ab"},"finish_reason":null}]}\n\n]
                [data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":0,"model":"m","choices":[{"index":0,"delta":{"content":"cd"},"finish_reason":null}]}\n\n]
                [data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":0,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n]
                [data: [DONE]\n\n]
                Complete
            "#]],
        ),
        (
            "fault: bad_json",
            PLAIN,
            expect![[r#"
                200
                content-type: application/json
                [{"id":"chatcmpl-1","object":"chat.completion","created":0,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"abcd"},"finish_reason":"stop"}]
                Complete
            "#]],
        ),
        (
            "fault: html",
            PLAIN,
            expect![[r#"
            200
            content-type: text/html; charset=utf-8
            [<!doctype html>\n<title>Sign in</title>\n<p>This network asks you to sign in.</p>\n]
            Complete
        "#]],
        ),
        (
            "fault: wrong_content_type",
            PLAIN,
            expect![[r#"
                200
                content-type: text/plain; charset=utf-8
                [{"id":"chatcmpl-1","object":"chat.completion","created":0,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"abcd"},"finish_reason":"stop"}],"usage":{"prompt_tokens":8,"completion_tokens":1,"total_tokens":9,"prompt_tokens_details":{"cached_tokens":0},"completion_tokens_details":{"reasoning_tokens":0}}}]
                Complete
            "#]],
        ),
    ];
    for (fault, request, expected) in table {
        expected.assert_eq(&faulty(fault, request).0.shown());
    }
}

#[test]
fn faults_apply_to_raw_bodies_and_statuses_too() {
    let model = FakeModel::start(
        r#"replies: [{raw: "abcdef", split_at: [2, 4], fault: cut, after: 1}, {status: 500, fault: reset}]"#,
    );
    let received = post(model.base_url(), STREAM);
    assert_eq!((received.body().as_str(), received.end), ("ab", End::Closed));
    assert_eq!(post(model.base_url(), STREAM).end, End::Reset);
}

#[test]
fn a_client_that_cannot_keep_up_gets_all_up_to_the_cut() {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("script.yml");
    let size = 100_000;
    // Whether the server is held up by the very last part depends on the sizes of the kernel's buffers.
    for parts in 100..110 {
        std::fs::write(folder.path().join("body.sse"), vec![b'x'; parts * size]).unwrap();
        let bounds: Vec<usize> = (1..parts).map(|part| part * size).collect();
        let reply = format!("{{raw_file: body.sse, split_at: {bounds:?}, fault: cut, after: {parts}}}");
        std::fs::write(&script, format!("replies: [{reply}]")).unwrap();
        let model = FakeModel::start_file(&script);
        let received = Client::connect_with_small_buffer(model.base_url()).post(STREAM);
        assert_eq!((received.chunks.len(), received.end), (parts, End::Closed));
    }
}

#[test]
fn a_stall_keeps_the_socket_open_and_silent_until_the_client_leaves() {
    for (place, head, chunks) in [("", false, 0), (", after: 0", true, 0), (", after: 2", true, 2)] {
        let model = FakeModel::start(&format!("replies: [{{deltas: [ab, cd], fault: stall{place}}}]"));
        let mut client = Client::connect(model.base_url());
        client.start_post(STREAM);
        let mut received =
            Received { status: 0, headers: Vec::new(), chunks: Vec::new(), end: End::Complete };
        if head {
            client.head(&mut received).unwrap();
        }
        for _ in 0..chunks {
            client.chunk().unwrap().unwrap();
        }
        model.wait_for_requests(1);
        assert!(client.is_open_and_silent(), "stall{place}");
        assert_eq!((model.requests()[0].outcome, model.connections_open()), (Outcome::Open, 1));
        drop(client);
        model.wait_until_idle();
        model.wait_until_closed();
        assert_eq!(model.requests()[0].outcome, Outcome::ClientLeft, "stall{place}");
    }
}

#[test]
fn a_retry_after_any_failure_gets_the_next_reply() {
    let model = FakeModel::start(
        "replies: [{text: a}, {status: 500}, {text: b, fault: cut, after: 1}, {text: b, fault: reset}, {text: b}]",
    );
    let first =
        PLAIN.replace("}]", r#"},{"role":"assistant","content":"a"},{"role":"user","content":"go on"}]"#);
    assert_eq!(post(model.base_url(), PLAIN).status, 200);
    for end in [End::Complete, End::Closed, End::Reset, End::Complete] {
        assert_eq!(post(model.base_url(), &first).end, end);
    }
    model.assert_done();
}

//! What a test of a client waits for, without a clock.

use checks::fake_model::{FakeModel, Outcome};

use super::client::{Client, End, Received, post};

const STREAM: &str = r#"{"model":"m","messages":[{"role":"user","content":"hi"}],"stream":true}"#;

fn nothing() -> Received {
    Received { status: 0, headers: Vec::new(), chunks: Vec::new(), end: End::Complete }
}

#[test]
fn a_gate_holds_the_whole_response() {
    let model = FakeModel::start("replies: [{text: hello, wait_for: go}]");
    let mut client = Client::connect(model.base_url());
    client.start_post(STREAM);
    model.wait_for_requests(1);
    assert!(client.is_open_and_silent());
    model.release("go");
    assert_eq!(client.receive().end, End::Complete);
    model.assert_done();
}

#[test]
fn a_gate_holds_the_rest_of_a_stream_and_opens_over_http() {
    let model = FakeModel::start("replies: [{deltas: [ab, cd], wait_for: go, after: 2}]");
    let mut client = Client::connect(model.base_url());
    client.start_post(STREAM);
    client.head(&mut nothing()).unwrap();
    for _ in 0..2 {
        client.chunk().unwrap().unwrap();
    }
    assert!(client.is_open_and_silent());
    let mut control = Client::connect(model.base_url());
    assert_eq!(control.request("POST", "/_control/release/stop", "", "").status, 404);
    assert_eq!(control.request("POST", "/_control/release/go", "", "").status, 200);
    while client.chunk().unwrap().is_some() {}
    model.wait_until_idle();
    assert_eq!(model.requests().len(), 1, "the control requests are no requests to the model");
    assert_eq!(model.requests()[0].outcome, Outcome::Sent);
}

#[test]
fn a_client_that_leaves_at_a_gate_is_seen_and_its_answer_does_not_count() {
    let model = FakeModel::start("replies: [{text: hello, wait_for: go, after: 1}, {text: again}]");
    let mut client = Client::connect(model.base_url());
    client.start_post(STREAM);
    client.head(&mut nothing()).unwrap();
    client.chunk().unwrap().unwrap();
    drop(client);
    model.wait_until_idle();
    assert_eq!(model.requests()[0].outcome, Outcome::ClientLeft);
    assert_eq!(post(model.base_url(), STREAM).status, 200);
    model.assert_done();
}

#[test]
fn dropping_the_model_closes_held_connections() {
    let model = FakeModel::start("replies: [{text: hello, wait_for: go}]");
    let mut client = Client::connect(model.base_url());
    client.start_post(STREAM);
    model.wait_for_requests(1);
    drop(model);
    assert_ne!(client.receive().end, End::Complete);
}

#[test]
fn requests_are_recorded_with_path_headers_and_body() {
    let model = FakeModel::start("replies: [{text: hello}]");
    let headers = "Content-Type: application/json\r\nAuthorization: Bearer dummy-key-0000\r\n";
    Client::connect(model.base_url()).post_with(STREAM, headers);
    let request = &model.requests()[0];
    assert_eq!((request.method.as_str(), request.path.as_str()), ("POST", "/v1/chat/completions"));
    assert_eq!(request.header("authorization"), Some("Bearer dummy-key-0000"));
    assert_eq!((request.body.as_str(), &request.json()["stream"]), (STREAM, &true.into()));
}

#[test]
fn it_serves_an_async_test_on_a_single_thread() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        let model = FakeModel::start("replies: [{text: hello}]");
        assert_eq!(post(model.base_url(), STREAM).status, 200);
        model.assert_done();
    });
}

#[test]
fn assert_done_names_what_is_missing_and_what_was_broken() {
    let said = |model: FakeModel| {
        let failed =
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| model.assert_done())).unwrap_err();
        failed.downcast_ref::<String>().unwrap().clone()
    };
    let model = FakeModel::start("replies: [{text: a}, {text: b}]");
    post(model.base_url(), STREAM);
    assert_eq!(said(model), "fake model: the caller asked for 1 of 2 replies");
    let model = FakeModel::start("replies: [{text: a}]");
    post(model.base_url(), "{}");
    assert_eq!(
        said(model),
        "fake model: the caller broke rules:\n  REQUEST_INVALID: model: the key is missing"
    );
}

//! A POST that is redirected: nothing goes to another origin, and nothing becomes a GET.
use crate::{
    run::{KEY, OK, adapter, ask},
    server::{Answer, Server},
};
use serde_json::json;

fn to(status: u16, location: &str) -> Answer {
    Answer::new(status, &[("location", location)], b"")
}

#[tokio::test]
async fn another_origin_gets_nothing() {
    for (host, scheme) in [("127.0.0.1", "http"), ("localhost", "http"), ("127.0.0.1", "https")] {
        let other = Server::start([Answer::stream(OK)]);
        let location = format!("{scheme}://{host}:{}/v1/chat/completions", other.port());
        let server = Server::start([to(307, &location)]);
        let got = ask(&adapter(&server, json!({}))).await;
        assert_eq!(got.failure().code, "HTTP_307");
        assert!(
            got.failure().message.contains(&format!("{scheme}://{host}:{}", other.port())),
            "{:?}",
            got.failure()
        );
        assert_eq!((server.asked().len(), other.accepted()), (1, 0));
    }
}

#[tokio::test]
async fn the_same_origin_gets_the_same_again() {
    for status in [307, 308] {
        let server = Server::start([to(status, "/v2/chat/completions"), Answer::stream(OK)]);
        assert_eq!(ask(&adapter(&server, json!({}))).await.text(), "ok");
        let asked = server.asked();
        assert_eq!((asked[1].method.as_str(), asked[1].path.as_str()), ("POST", "/v2/chat/completions"));
        assert_eq!(asked[1].header("authorization"), Some(&*format!("Bearer {KEY}")));
        assert_eq!(asked[0].body, asked[1].body);
    }
}

#[tokio::test]
async fn no_other_redirect_is_followed() {
    let same = |status: u16| to(status, "/login");
    let rows = [
        (same(301), "HTTP_301"),
        (same(302), "HTTP_302"),
        (same(303), "HTTP_303"),
        (Answer::new(307, &[], b""), "HTTP_307"),
        (to(308, "http://user@[::bad"), "HTTP_308"),
    ];
    for (answer, code) in rows {
        let server = Server::start([answer, Answer::new(200, &[], b"<html>")]);
        assert_eq!(ask(&adapter(&server, json!({}))).await.failure().code, code);
        assert_eq!(server.asked().len(), 1);
    }
}

#[tokio::test]
async fn a_circle_ends() {
    let server = Server::start((0..40).map(|_| to(307, "/v1/chat/completions")));
    assert_eq!(ask(&adapter(&server, json!({}))).await.failure().code, "HTTP_307");
    assert_eq!(server.asked().len(), 4);
}

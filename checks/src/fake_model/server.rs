//! The HTTP side: accepts connections, routes requests and turns what the script says into responses.
//!
//! hyper is used bare because a fault must be real: each connection is ours, so that a response can end it.

use std::net::TcpListener as StdListener;
use std::sync::Arc;

use http_body_util::{BodyExt, Limited};
use hyper::body::Incoming;
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;

use super::answer::Rendered;
use super::body::{BrokenOff, FedBody, fed_body};
use super::breach::Breach;
use super::delivery::{Delivery, before_head};
use super::exchange::Exchange;
use super::record::{Outcome, Recorded};
use super::script::Reply;
use super::shared::Shared;
use super::wire::{Wire, WireControl};

/// The largest request body that is read; far above any context window.
const BODY_BYTES_MAX: usize = 64 * 1024 * 1024;

/// Serves until `stop` resolves; then every connection is closed as it is.
pub(super) async fn serve(listener: StdListener, shared: Arc<Shared>, mut stop: oneshot::Receiver<()>) {
    let Ok(listener) = TcpListener::from_std(listener) else { return };
    loop {
        tokio::select! {
            _ = &mut stop => return,
            accepted = listener.accept() => {
                // A client that was gone before it was accepted asks for nothing.
                if let Ok((stream, _)) = accepted {
                    tokio::spawn(connection(stream, Arc::clone(&shared)));
                }
            }
        }
    }
}

/// Counts a connection as open while it exists.
struct Open(Arc<Shared>);

impl Open {
    fn new(shared: &Arc<Shared>) -> Self {
        shared.connections(|open| open + 1);
        Self(Arc::clone(shared))
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.0.connections(|open| open.saturating_sub(1));
    }
}

async fn connection(stream: TcpStream, shared: Arc<Shared>) {
    let (wire, control) = Wire::new(stream, Open::new(&shared));
    let service = service_fn(|request| answer(request, Arc::clone(&shared), Arc::clone(&control)));
    // An error is a client that left or a fault of the script; both are in the record.
    let _ = http1::Builder::new().serve_connection(TokioIo::new(wire), service).await;
}

async fn answer(
    request: Request<Incoming>,
    shared: Arc<Shared>,
    wire: Arc<WireControl>,
) -> Result<Response<FedBody>, BrokenOff> {
    let method = request.method().clone();
    let path = request.uri().path().to_owned();
    if let Some(name) = path.strip_prefix("/_control/release/").filter(|_| method == Method::POST) {
        return Ok(release(&shared, name));
    }
    let (recorded, whole) = read(request).await;
    let body = recorded.body.clone();
    let media = recorded.header("content-type").unwrap_or_default().to_ascii_lowercase();
    let mut exchange = shared.record(recorded);
    let chat = matches!(path.as_str(), "/v1/chat/completions" | "/chat/completions");
    let (status, breach) = match (method, path.as_str()) {
        (Method::GET, "/v1/models" | "/models") => {
            return Ok(finish(exchange, StatusCode::OK, &models(&shared)));
        }
        (Method::POST, _) if chat && !whole => {
            let said = format!("it broke off, or is over {BODY_BYTES_MAX} bytes");
            (StatusCode::PAYLOAD_TOO_LARGE, Breach::new("REQUEST_INVALID", "body", said))
        }
        (Method::POST, _) if chat && !media.starts_with("application/json") => {
            let said = format!("expected `application/json`, got `{media}`");
            (StatusCode::BAD_REQUEST, Breach::new("REQUEST_INVALID", "header content-type", said))
        }
        (Method::POST, _) if chat => match shared.admit(&mut exchange, &body) {
            Ok((reply, rendered)) => return deliver(exchange, reply, rendered, wire).await,
            Err(refusal) => refusal,
        },
        (method, _) => {
            let said =
                format!("{method} {path}: the routes are POST /v1/chat/completions and GET /v1/models");
            (StatusCode::NOT_FOUND, Breach::new("NO_SUCH_ROUTE", "path", said))
        }
    };
    shared.update(exchange.request, |recorded| recorded.violation = Some(breach.to_string()));
    Ok(finish(exchange, status, &breach.body()))
}

/// The request as recorded, and whether its body could be read to the end.
async fn read(request: Request<Incoming>) -> (Recorded, bool) {
    let (head, body) = request.into_parts();
    let body = Limited::new(body, BODY_BYTES_MAX).collect().await;
    let whole = body.is_ok();
    let bytes = body.map(http_body_util::Collected::to_bytes).unwrap_or_default();
    let header = |value: &HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    let recorded = Recorded {
        method: head.method.to_string(),
        path: head.uri.to_string(),
        headers: head.headers.iter().map(|(name, value)| (name.to_string(), header(value))).collect(),
        body: String::from_utf8_lossy(&bytes).into_owned(),
        reply: None,
        status: None,
        violation: None,
        outcome: Outcome::Open,
    };
    (recorded, whole)
}

async fn deliver(
    mut exchange: Exchange,
    reply: Reply,
    rendered: Rendered,
    wire: Arc<WireControl>,
) -> Result<Response<FedBody>, BrokenOff> {
    before_head(&mut exchange, &wire, &reply).await?;
    exchange.head(rendered.status);
    let length = rendered.pieces.iter().map(|piece| piece.len() as u64).sum();
    let (feed, body) = fed_body(rendered.sized.then_some(length));
    let mut response = Response::new(body);
    *response.status_mut() = rendered.status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(rendered.content_type));
    for (name, value) in &reply.headers {
        response.headers_mut().insert(name, value.clone());
    }
    tokio::spawn(Delivery { exchange, wire, reply, rendered }.run(feed));
    Ok(response)
}

fn finish(mut exchange: Exchange, status: StatusCode, body: &Value) -> Response<FedBody> {
    exchange.head(status);
    exchange.end(Outcome::Sent);
    json_response(status, body)
}

fn json_response(status: StatusCode, body: &Value) -> Response<FedBody> {
    let mut response = Response::new(FedBody::whole(body.to_string()));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

fn models(shared: &Shared) -> Value {
    let entry = |id: &String| json!({"id": id, "object": "model", "created": 0, "owned_by": "script"});
    json!({"object": "list", "data": shared.script.models.iter().map(entry).collect::<Vec<_>>()})
}

fn release(shared: &Shared, name: &str) -> Response<FedBody> {
    if shared.release(name) {
        return json_response(StatusCode::OK, &json!({"released": name}));
    }
    let said = format!("no reply waits for `{name}`; the gates are {:?}", shared.script.gates());
    json_response(StatusCode::NOT_FOUND, &Breach::new("NO_SUCH_GATE", "path", said).body())
}

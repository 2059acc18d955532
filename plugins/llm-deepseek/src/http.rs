//! The HTTP client of a row, and what its errors mean.
use crate::{address::Address, failure::failure};
use contracts::llm::{Failure, code};
use plugin_sdk::{blocking, contracts};
use reqwest::{
    Client,
    header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderValue, USER_AGENT},
    redirect,
};
use std::{error::Error, time::Duration};

/// How long a connection may take to come about.
const CONNECT: Duration = Duration::from_secs(30);
const AGENT: &str = concat!("harness/", env!("CARGO_PKG_VERSION"));

/// A client for that address. It follows no redirect, which would carry the conversation to somebody else.
///
/// # Errors
/// `TRANSPORT` when there is no TLS to be had.
pub(crate) async fn client(to: &Address) -> Result<Client, Failure> {
    let fixed = [(ACCEPT, "text/event-stream"), (CONTENT_TYPE, "application/json"), (USER_AGENT, AGENT)];
    let headers: HeaderMap =
        fixed.into_iter().map(|(name, value)| (name, HeaderValue::from_static(value))).collect();
    let mut builder = Client::builder()
        .default_headers(headers)
        .redirect(redirect::Policy::none())
        .connect_timeout(CONNECT);
    if to.loopback {
        builder = builder.no_proxy();
    }
    if to.url.scheme() == "http" {
        // Without certificates to read a client is made in no time.
        builder = builder.tls_certs_only([]);
    }
    let built = blocking(|| {
        // Fails where there is one, which is all that is wanted.
        let _ = rustls::crypto::ring::default_provider().install_default();
        builder.build()
    });
    let told = |why: String| Failure {
        hint: "install the CA certificates of the system".to_owned(),
        ..failure(code::TRANSPORT, format_args!("no client for {to}: {why}"))
    };
    built.await.map_err(|error| told(error.message))?.map_err(|error| told(cause(&error)))
}

/// There was no response, or not all of it.
pub(crate) fn lost(to: &Address, error: &reqwest::Error) -> Failure {
    let why = cause(error);
    if !error.is_connect() {
        return failure(code::TRANSPORT, format_args!("{to} went away: {why}"));
    }
    let hint = match to.loopback {
        _ if why.contains("certificate") => "install the authority of its certificate in the system",
        true => "start a server there, or set LLM_BASE_URL",
        false => "see whether the network is up, and LLM_BASE_URL right",
    };
    let failure = failure(code::TRANSPORT, format_args!("{to} cannot be reached: {why}"));
    Failure { hint: hint.to_owned(), ..failure }
}

/// What the error at the bottom says. Those above name the URL, which may hold a secret.
fn cause(error: &reqwest::Error) -> String {
    let mut cause = error.source();
    while let Some(next) = cause.and_then(Error::source) {
        cause = Some(next);
    }
    cause.map_or_else(|| "for no reason that was told".to_owned(), ToString::to_string)
}

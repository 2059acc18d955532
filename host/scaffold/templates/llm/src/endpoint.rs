//! Where requests go, with which key, and what is known before one is sent.
use crate::failure;
use contracts::llm::{Failure, code};
use plugin_sdk::{Error, Result, contracts};
use reqwest::{
    Client, Response, Url,
    header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderValue},
    redirect::Policy,
};
use serde::Deserialize;
use std::net::IpAddr;

/// The row's `config`; `config.schema.json` says what each key means, and gives the defaults.
///
/// Not `Debug`: it holds the key.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "described once, in the schema")]
pub struct Config {
    pub base_url: String,
    pub model: String,
    pub api_key: String,
}

pub(crate) struct Endpoint {
    url: Url,
    /// Scheme, host and port, which messages may show: a query may hold a secret.
    origin: String,
    is_local: bool,
    model: String,
    key: String,
    client: Client,
}

impl Endpoint {
    pub(crate) fn new(config: Config) -> Result<Self> {
        let url = request_url(config.base_url.trim())?;
        let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
        let is_local =
            host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
        Ok(Endpoint {
            client: client(&url, is_local)?,
            origin: url.origin().ascii_serialization(),
            is_local,
            model: config.model.trim().to_owned(),
            key: config.api_key.trim().to_owned(),
            url,
        })
    }

    pub(crate) fn origin(&self) -> &str {
        &self.origin
    }

    /// The model asked for, else the row's.
    pub(crate) fn model<'a>(&'a self, asked: &'a str) -> Result<&'a str, Failure> {
        match (asked, self.model.as_str()) {
            ("", "") => Err(Failure {
                hint: "set LLM_MODEL, or `model` of the row".into(),
                ..Failure::new("NO_MODEL", "template-llm: neither the request nor the row names a model")
            }),
            ("", own) => Ok(own),
            (asked, _) => Ok(asked),
        }
    }

    /// Sends a body. What comes back is a success that is worth reading.
    pub(crate) async fn post(&self, body: Vec<u8>) -> Result<Response, Failure> {
        let mut request = self.client.post(self.url.clone()).body(body);
        request = request.header(CONTENT_TYPE, "application/json").header(ACCEPT, "text/event-stream");
        if let Some(bearer) = self.bearer()? {
            request = request.header(AUTHORIZATION, bearer);
        }
        let response = request.send().await.map_err(|error| failure::lost(&self.origin, error))?;
        if response.status().is_success() { Ok(response) } else { Err(failure::refused(response).await) }
    }

    /// The key as a header; none where there is no key and none is needed. No message ever shows it.
    fn bearer(&self) -> Result<Option<HeaderValue>, Failure> {
        if self.key.is_empty() && self.is_local {
            return Ok(None);
        }
        if self.key.is_empty() {
            let message = format!("template-llm: LLM_API_KEY is not set, and {} needs a key", self.origin);
            let hint = "export LLM_API_KEY, or put it in .env".into();
            return Err(Failure { hint, ..Failure::new(code::MISSING_CREDENTIAL, message) });
        }
        let bearer = HeaderValue::from_str(&format!("Bearer {}", self.key)).ok();
        let mut bearer =
            bearer.filter(|_| self.key.bytes().all(|byte| byte.is_ascii_graphic())).ok_or_else(|| {
                let message =
                    "template-llm: LLM_API_KEY holds a character that no HTTP header can carry in a key";
                let hint =
                    "set LLM_API_KEY to the bare key: no quotes, no `Bearer`, nothing behind it".into();
                Failure { hint, ..Failure::new(code::INVALID_CREDENTIAL, message) }
            })?;
        bearer.set_sensitive(true);
        Ok(Some(bearer))
    }

    /// The failure without the key, which some providers repeat.
    pub(crate) fn masked(&self, mut failure: Failure) -> Failure {
        if !self.key.is_empty() {
            failure.message = failure.message.replace(&self.key, "[redacted]");
        }
        failure
    }
}

/// The base may end in a slash or not.
fn request_url(base_url: &str) -> Result<Url> {
    let refused = |why: String| {
        Error::new("INVALID_BASE_URL", format!("template-llm: base_url {why}"))
            .hint("write it as https://host/v1")
    };
    let mut url = Url::parse(base_url).map_err(|error| refused(format!("is no URL: {error}")))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(refused("is neither http nor https".into()));
    }
    url.set_path(&format!("{}/chat/completions", url.path().trim_end_matches('/')));
    Ok(url)
}

/// Follows no redirect, because a request carries the key, and asks no proxy for what is on this machine.
fn client(url: &Url, is_local: bool) -> Result<Client> {
    // This fails only where a provider of cryptography is installed already, which is as good.
    rustls::crypto::ring::default_provider().install_default().ok();
    let agent = concat!(env!("CARGO_PKG_NAME"), "/", env!("CARGO_PKG_VERSION"));
    let client = Client::builder().redirect(Policy::none()).user_agent(agent);
    let client = if is_local { client.no_proxy() } else { client };
    // Plain HTTP needs no certificates, and reading the system's takes longer than all else here.
    let client = if url.scheme() == "http" { client.tls_certs_only([]) } else { client };
    Ok(client.build()?)
}

//! Where requests go.
use plugin_sdk::{Error, Result};
use reqwest::Url;
use std::{fmt, net::IpAddr};

/// DeepSeek API docs, "Your First API Call".
const DEEPSEEK: &str = "https://api.deepseek.com";
const ROUTE: [&str; 2] = ["chat", "completions"];

/// The URL of a row's requests. It is shown as its origin, because a path or a query may hold a secret.
pub(crate) struct Address {
    pub(crate) url: Url,
    /// On this machine: reached directly, and without a key.
    pub(crate) loopback: bool,
    origin: String,
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.origin)
    }
}

impl Address {
    /// The address below a base URL, which may end in slashes, or in the route itself; nothing is DeepSeek's own.
    ///
    /// # Errors
    /// `INVALID_BASE_URL`. What is wrong is said without showing it.
    pub(crate) fn below(base: &str) -> Result<Self> {
        let base = if base.trim().is_empty() { DEEPSEEK } else { base.trim() };
        let invalid = |why: &str| {
            Error::new("INVALID_BASE_URL", format!("llm-deepseek: base_url {why}"))
                .hint("set it to something like https://api.deepseek.com, and the key as api_key")
        };
        let mut url = Url::parse(base).map_err(|error| invalid(&format!("cannot be read: {error}")))?;
        if !["https", "http"].contains(&url.scheme()) {
            return Err(invalid("begins with neither https:// nor http://"));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(invalid("has a name or a password before its host"));
        }
        let mut path: Vec<String> = url.path().split('/').map(str::to_owned).collect();
        path.retain(|part| !part.is_empty());
        if !path.ends_with(&ROUTE.map(str::to_owned)) {
            path.extend(ROUTE.map(str::to_owned));
        }
        url.set_path(&path.join("/"));
        url.set_fragment(None);
        let host = url.host_str().unwrap_or_default();
        let ip = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
        let loopback = ip.map_or(host == "localhost", |ip| ip.is_loopback());
        Ok(Address { loopback, origin: url.origin().ascii_serialization(), url })
    }
}

//! The HTTP client, and which hosts are this machine.

use std::net::IpAddr;

use plugin_sdk::Result;
use reqwest::{Client, Url, redirect::Policy};

/// A client for that base URL. It follows no redirect, because the request carries a key, and uses no proxy for this machine.
///
/// # Errors
/// `INTERNAL` when the system's certificates cannot be read.
pub fn client(base_url: &str) -> Result<Client> {
    // This fails only where a provider of cryptography is installed already, which is as good.
    rustls::crypto::ring::default_provider().install_default().ok();
    let client = Client::builder().redirect(Policy::none());
    let client = if is_local(base_url) { client.no_proxy() } else { client };
    // Plain HTTP needs no certificates, and reading the system's takes most of the start.
    let client = if base_url.starts_with("https:") { client } else { client.tls_certs_only([]) };
    Ok(client.build()?)
}

/// Whether the base URL is on this machine: such a model needs no key.
pub fn is_local(base_url: &str) -> bool {
    let url = Url::parse(base_url).ok();
    let host = url.as_ref().and_then(Url::host_str).unwrap_or_default().trim_matches(['[', ']']);
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

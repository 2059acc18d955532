//! HTTPS: trusted by a file of authorities, and by nothing else.
use crate::{
    run::{KEY, OK, ask, mounted},
    server::{Answer, Server, Wire},
};
use rustls::{
    ServerConfig, ServerConnection, StreamOwned,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject as _},
};
use serde_json::json;
use std::{
    io,
    net::TcpStream,
    path::{Path, PathBuf},
    sync::Arc,
};

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/certs").join(name)
}

/// `server.pem` is for `localhost`, made by `authority.pem`.
fn encrypted(stream: TcpStream) -> io::Result<Box<dyn Wire>> {
    let chain = CertificateDer::pem_file_iter(file("server.pem")).unwrap().map(Result::unwrap).collect();
    let key = PrivateKeyDer::from_pem_file(file("server.key")).unwrap();
    let config = ServerConfig::builder_with_provider(rustls::crypto::ring::default_provider().into())
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .unwrap();
    let connection = ServerConnection::new(Arc::new(config)).map_err(io::Error::other)?;
    Ok(Box::new(StreamOwned::new(connection, stream)))
}

#[tokio::test]
async fn an_authority_of_the_row_is_trusted() {
    let server = Server::start_with([Answer::stream(OK)], encrypted);
    let base_url = format!("https://localhost:{}/v1", server.port());
    let config =
        json!({ "base_url": base_url, "model": "m", "api_key": KEY, "ca_file": file("authority.pem") });
    let got = ask(&mounted(config).unwrap()).await;
    assert_eq!(got.text(), "ok", "{:?}", got.finish);
}

#[tokio::test]
async fn a_stranger_is_not() {
    let server = Server::start_with([Answer::stream(OK)], encrypted);
    let base_url = format!("https://localhost:{}/v1", server.port());
    // The server's own certificate is no authority.
    let config =
        json!({ "base_url": base_url, "model": "m", "api_key": KEY, "ca_file": file("../../../README.md") });
    assert_eq!(ask(&mounted(config).unwrap()).await.failure().code, "INVALID_CA_FILE");
    let config = json!({ "base_url": base_url, "model": "m", "api_key": KEY });
    let got = ask(&mounted(config).unwrap()).await;
    // Where the system has no authorities at all, there is no client.
    assert_eq!(got.failure().code, "TRANSPORT");
    assert!(got.failure().hint.contains("ca_file"), "{:?}", got.failure());
    assert!(server.asked().is_empty());
}

#[tokio::test]
async fn a_file_that_is_missing_is_named() {
    let config = json!({ "base_url": "https://localhost:9/v1", "model": "m", "api_key": KEY, "ca_file": "missing.pem" });
    let got = ask(&mounted(config).unwrap()).await;
    assert_eq!(got.failure().code, "INVALID_CA_FILE");
    assert!(got.failure().message.contains("`missing.pem`"));
}

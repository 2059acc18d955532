//! A forwarder on loopback that spoils the head of each connection's first request.
use plugin_sdk::{Error, Result};
use std::sync::Arc;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _, copy_bidirectional},
    net::{TcpListener, TcpStream},
};

/// What is done to a request's head.
#[derive(Clone, Copy)]
pub(crate) enum Spoil {
    /// This header is left out.
    Header(&'static str),
    /// A base URL's last slash is kept.
    Slashes,
}

pub(crate) struct Forwarder {
    to: String,
    spoil: Spoil,
    /// Whether the base URL ended in a slash.
    slash: bool,
}

impl Forwarder {
    /// The base URL that stands for `base_url`, `http://127.0.0.1:PORT/PATH`.
    pub(crate) async fn start(base_url: &str, spoil: Spoil) -> Result<String> {
        let behind = base_url.trim_start_matches("http://");
        let (to, path) = behind.split_once('/').unwrap_or((behind, ""));
        let slash = path.ends_with('/');
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let port = listener.local_addr()?.port();
        let forwarder = Arc::new(Forwarder { to: to.to_owned(), spoil, slash });
        tokio::spawn(async move {
            while let Ok((from, _)) = listener.accept().await {
                let forwarder = Arc::clone(&forwarder);
                // That a connection breaks is for the adapter to see.
                tokio::spawn(async move { forwarder.forward(from).await.ok() });
            }
        });
        Ok(format!("http://127.0.0.1:{port}/{path}"))
    }

    async fn forward(&self, mut from: TcpStream) -> Result<()> {
        let mut request = Vec::new();
        let end = loop {
            if from.read_buf(&mut request).await? == 0 {
                return Err(Error::new("CLOSED", "the request's head has no end"));
            }
            if let Some(end) = request.windows(4).position(|four| four == b"\r\n\r\n") {
                break end;
            }
        };
        // One request a connection, so that each is spoilt.
        let head = format!("{}\r\nconnection: close", self.spoilt(&String::from_utf8_lossy(&request[..end])));
        let mut to = TcpStream::connect(&self.to).await?;
        to.write_all(head.as_bytes()).await?;
        to.write_all(&request[end..]).await?;
        copy_bidirectional(&mut from, &mut to).await?;
        Ok(())
    }

    fn spoilt(&self, head: &str) -> String {
        let kept = |line: &&str| match self.spoil {
            Spoil::Header(name) => !line.to_ascii_lowercase().starts_with(&format!("{name}:")),
            Spoil::Slashes => true,
        };
        let head = head.split("\r\n").filter(kept).collect::<Vec<_>>().join("\r\n");
        match self.spoil {
            Spoil::Slashes if self.slash => head.replacen("/chat/completions", "//chat/completions", 1),
            Spoil::Slashes | Spoil::Header(_) => head,
        }
    }
}

//! A server that gives one answer, and tells what it was asked.
use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpListener,
    thread::{self, JoinHandle},
};

/// One request.
#[derive(Debug)]
pub(crate) struct Asked {
    /// The request line and the headers, in lower case.
    pub(crate) head: String,
    pub(crate) body: String,
}

/// Answers one request with that status line and body; the base URL, and what was asked.
pub(crate) fn answering(status: &'static str, body: &str) -> (String, JoinHandle<Asked>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let (base, body) = (format!("http://{}/v1", listener.local_addr().unwrap()), body.to_owned());
    let serving = thread::spawn(move || {
        let (mut socket, _) = listener.accept().unwrap();
        let mut reader = BufReader::new(socket.try_clone().unwrap());
        let (mut head, mut length) = (String::new(), 0);
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).unwrap();
            if line.trim().is_empty() {
                break;
            }
            head += &line.to_lowercase();
            if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().unwrap();
            }
        }
        let mut asked = vec![0; length];
        reader.read_exact(&mut asked).unwrap();
        let answer = format!(
            "HTTP/1.1 {status}\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n{body}"
        );
        socket.write_all(answer.as_bytes()).unwrap();
        Asked { head, body: String::from_utf8(asked).unwrap() }
    });
    (base, serving)
}

/// A streamed response: one event a line.
pub(crate) fn events(lines: &str) -> String {
    lines.lines().map(|line| format!("data: {line}\n\n")).collect()
}

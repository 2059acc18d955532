//! An HTTP client on a bare socket: it shows what is on the wire, chunk by chunk, and how the connection ended.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use tokio::net::TcpSocket;

/// Long enough for a busy machine; reached only when a test fails.
const READ_MAX: Duration = Duration::from_secs(20);

pub(crate) struct Client {
    stream: BufReader<TcpStream>,
    path: String,
}

/// What came back.
pub(crate) struct Received {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    /// The chunks of a chunked body, or the one part of a sized body.
    pub(crate) chunks: Vec<Vec<u8>>,
    pub(crate) end: End,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// The body is complete by its own framing.
    Complete,
    /// The connection was closed before.
    Closed,
    /// The connection was reset before.
    Reset,
}

/// One request to a fresh connection.
pub(crate) fn post(base_url: &str, body: &str) -> Received {
    Client::connect(base_url).post(body)
}

impl Client {
    pub(crate) fn connect(base_url: &str) -> Self {
        let (authority, path) = parts(base_url);
        Self::over(TcpStream::connect(authority).unwrap(), path)
    }

    /// A client into whose socket little fits, so that the server has to wait for it.
    pub(crate) fn connect_with_small_buffer(base_url: &str) -> Self {
        let (authority, path) = parts(base_url);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build().unwrap();
        let stream = runtime.block_on(async {
            let socket = TcpSocket::new_v4().unwrap();
            socket.set_recv_buffer_size(16 * 1024).unwrap();
            socket.connect(authority.parse().unwrap()).await.unwrap().into_std().unwrap()
        });
        stream.set_nonblocking(false).unwrap();
        Self::over(stream, path)
    }

    fn over(stream: TcpStream, path: &str) -> Self {
        stream.set_read_timeout(Some(READ_MAX)).unwrap();
        stream.set_write_timeout(Some(READ_MAX)).unwrap();
        Self { stream: BufReader::new(stream), path: format!("{path}/chat/completions") }
    }

    pub(crate) fn post(&mut self, body: &str) -> Received {
        self.post_with(body, "content-type: application/json\r\n")
    }

    pub(crate) fn post_with(&mut self, body: &str, headers: &str) -> Received {
        let path = self.path.clone();
        self.request("POST", &path, headers, body)
    }

    pub(crate) fn request(&mut self, method: &str, path: &str, headers: &str, body: &str) -> Received {
        self.send(method, path, headers, body);
        self.receive()
    }

    pub(crate) fn start_post(&mut self, body: &str) {
        let path = self.path.clone();
        self.send("POST", &path, "content-type: application/json\r\n", body);
    }

    fn send(&mut self, method: &str, path: &str, headers: &str, body: &str) {
        let length = body.len();
        let head =
            format!("{method} {path} HTTP/1.1\r\nhost: test\r\n{headers}content-length: {length}\r\n\r\n");
        self.stream.get_mut().write_all(format!("{head}{body}").as_bytes()).unwrap();
    }

    pub(crate) fn receive(&mut self) -> Received {
        let mut received =
            Received { status: 0, headers: Vec::new(), chunks: Vec::new(), end: End::Complete };
        if let Err(end) = self.head(&mut received).and_then(|()| self.body(&mut received)) {
            received.end = end;
        }
        received
    }

    /// Reads the status and the headers, when there are some.
    pub(crate) fn head(&mut self, received: &mut Received) -> Result<(), End> {
        let status = self.line()?;
        received.status = status.split(' ').nth(1).unwrap().parse().unwrap();
        loop {
            let line = self.line()?;
            let Some((name, value)) = line.split_once(": ") else { return Ok(()) };
            received.headers.push((name.to_owned(), value.to_owned()));
        }
    }

    fn body(&mut self, received: &mut Received) -> Result<(), End> {
        if let Some(length) = received.header("content-length") {
            let mut left: usize = length.parse().unwrap();
            while left > 0 {
                let mut part = vec![0; left];
                let read = self.stream.read(&mut part).map_err(|error| end_of(&error))?;
                part.truncate(read);
                left -= read;
                if read == 0 {
                    return Err(End::Closed);
                }
                match received.chunks.last_mut() {
                    Some(body) => body.extend(part),
                    None => received.chunks.push(part),
                }
            }
            return Ok(());
        }
        while let Some(chunk) = self.chunk()? {
            received.chunks.push(chunk);
        }
        Ok(())
    }

    /// One chunk of a chunked body; `None` at its end.
    pub(crate) fn chunk(&mut self) -> Result<Option<Vec<u8>>, End> {
        let length = usize::from_str_radix(&self.line()?, 16).unwrap();
        let mut chunk = vec![0; length];
        self.stream.read_exact(&mut chunk).map_err(|error| end_of(&error))?;
        self.line()?;
        Ok((length > 0).then_some(chunk))
    }

    fn line(&mut self) -> Result<String, End> {
        let mut line = String::new();
        match self.stream.read_line(&mut line) {
            Ok(_) if line.ends_with("\r\n") => Ok(line.trim_end().to_owned()),
            Ok(_) => Err(End::Closed),
            Err(error) => Err(end_of(&error)),
        }
    }

    /// Whether the connection is open and nothing waits to be read.
    pub(crate) fn is_open_and_silent(&mut self) -> bool {
        assert!(self.stream.buffer().is_empty(), "bytes were left unread");
        let stream = self.stream.get_mut();
        stream.set_nonblocking(true).unwrap();
        let peeked = stream.peek(&mut [0]);
        stream.set_nonblocking(false).unwrap();
        peeked.is_err_and(|error| error.kind() == ErrorKind::WouldBlock)
    }
}

/// The address and the path of a base URL.
fn parts(base_url: &str) -> (&str, &str) {
    let rest = base_url.strip_prefix("http://").unwrap();
    rest.split_at(rest.find('/').unwrap_or(rest.len()))
}

fn end_of(error: &std::io::Error) -> End {
    match error.kind() {
        ErrorKind::UnexpectedEof => End::Closed,
        ErrorKind::ConnectionReset => End::Reset,
        other => panic!("{other:?}: {error}"),
    }
}

impl Received {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn body(&self) -> String {
        String::from_utf8_lossy(&self.chunks.concat()).into_owned()
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.body()).unwrap()
    }

    /// The whole response as text; the headers that name its length and time are left out.
    pub(crate) fn shown(&self) -> String {
        let mut shown = format!("{}\n", self.status);
        let volatile = ["date", "content-length", "transfer-encoding"];
        for (name, value) in self.headers.iter().filter(|(name, _)| !volatile.contains(&name.as_str())) {
            writeln!(shown, "{name}: {value}").unwrap();
        }
        for chunk in &self.chunks {
            writeln!(
                shown,
                "[{}]",
                String::from_utf8_lossy(chunk).escape_debug().to_string().replace("\\\"", "\"")
            )
            .unwrap();
        }
        writeln!(shown, "{:?}", self.end).unwrap();
        shown
    }
}

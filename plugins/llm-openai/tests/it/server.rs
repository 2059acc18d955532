//! A server that answers from a list, and keeps what it was asked.
use std::{
    collections::VecDeque,
    io::{self, BufRead, BufReader, Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc, Condvar, Mutex,
        mpsc::{Receiver, channel},
    },
    thread::JoinHandle,
    time::Duration,
};

/// What happens after the last byte of an answer.
pub(crate) enum Then {
    /// The body is complete; the connection can be used again.
    Complete,
    /// The body is complete once this says so.
    CompleteAfter(Receiver<()>),
    /// The connection is closed where no length told that the body is complete.
    Close,
    /// The connection is closed in the middle of a chunked body.
    Break,
    /// Nothing, until the client goes.
    Nothing,
}

/// The status of an answer that never comes.
pub(crate) const SILENT: u16 = 0;

pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    /// Written one by one.
    pub(crate) pieces: Vec<Vec<u8>>,
    pub(crate) then: Then,
}

impl Answer {
    pub(crate) fn stream(body: &[u8]) -> Self {
        Answer::new(200, &[("content-type", "text/event-stream")], body)
    }

    pub(crate) fn new(status: u16, headers: &[(&str, &str)], body: &[u8]) -> Self {
        let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        Answer { status, headers, pieces: vec![body.to_owned()], then: Then::Complete }
    }

    pub(crate) fn then(self, then: Then) -> Self {
        Answer { then, ..self }
    }
}

/// One request as it came.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Asked {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(n, _)| n == name).map(|(_, value)| value.as_str())
    }
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    answers: VecDeque<Answer>,
    asked: Vec<Asked>,
    accepted: usize,
    closed: usize,
    stopped: bool,
}

pub(crate) struct Server {
    address: SocketAddr,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

/// What a connection is wrapped in: nothing, or TLS.
pub(crate) type Wrap = fn(TcpStream) -> io::Result<Box<dyn Wire>>;

pub(crate) trait Wire: Read + Write + Send {}
impl<T: Read + Write + Send> Wire for T {}

impl Server {
    pub(crate) fn start(answers: impl IntoIterator<Item = Answer>) -> Self {
        Server::start_with(answers, |stream| Ok(Box::new(stream)))
    }

    pub(crate) fn start_with(answers: impl IntoIterator<Item = Answer>, wrap: Wrap) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::new(Shared::default());
        shared.state.lock().unwrap().answers.extend(answers);
        let serving = Arc::clone(&shared);
        let thread = std::thread::spawn(move || {
            for stream in listener.incoming() {
                if serving.state.lock().unwrap().stopped {
                    break;
                }
                let (Ok(stream), shared) = (stream, Arc::clone(&serving)) else { break };
                // What is written is with the client at once, and not when it has confirmed what came before.
                stream.set_nodelay(true).unwrap();
                serving.update(|state| state.accepted += 1);
                // Detached: it ends with its client.
                std::thread::spawn(move || {
                    // A client that leaves in the middle is part of the tests.
                    drop(wrap(stream).and_then(|stream| shared.serve(stream)));
                    shared.update(|state| state.closed += 1);
                });
            }
        });
        Server { address, shared, thread: Some(thread) }
    }

    pub(crate) fn origin(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(crate) fn base_url(&self) -> String {
        format!("{}/v1", self.origin())
    }

    pub(crate) fn port(&self) -> u16 {
        self.address.port()
    }

    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.shared.state.lock().unwrap().asked.clone()
    }

    pub(crate) fn accepted(&self) -> usize {
        self.shared.state.lock().unwrap().accepted
    }

    /// Blocks until so many connections are closed.
    pub(crate) fn wait_for_closed(&self, count: usize) {
        let state = self.shared.state.lock().unwrap();
        let wait =
            self.shared.changed.wait_timeout_while(state, Duration::from_secs(20), |s| s.closed < count);
        assert!(!wait.unwrap().1.timed_out(), "the client keeps its connection");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.update(|state| state.stopped = true);
        drop(TcpStream::connect(self.address));
        drop(self.thread.take().map(JoinHandle::join));
    }
}

impl Shared {
    fn update(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.state.lock().unwrap());
        self.changed.notify_all();
    }

    fn serve(&self, stream: Box<dyn Wire>) -> io::Result<()> {
        let mut stream = BufReader::new(stream);
        while let Some(asked) = read(&mut stream)? {
            let mut answer = None;
            self.update(|state| {
                state.asked.push(asked);
                answer = state.answers.pop_front();
            });
            let answer = answer.unwrap_or_else(|| Answer::new(599, &[], b"no answer is left"));
            if !write(&mut stream, answer)? {
                break;
            }
        }
        Ok(())
    }
}

fn read(stream: &mut BufReader<Box<dyn Wire>>) -> io::Result<Option<Asked>> {
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        match line.trim_end() {
            "" => break,
            line => lines.push(line.to_owned()),
        }
    }
    let mut words = lines[0].split(' ').map(str::to_owned);
    let (method, path) = (words.next().unwrap(), words.next().unwrap());
    let pair = |line: &String| line.split_once(": ").map(|(n, v)| (n.to_lowercase(), v.to_owned()));
    let headers: Vec<_> = lines[1..].iter().filter_map(pair).collect();
    let length =
        headers.iter().find(|(name, _)| name == "content-length").map(|(_, value)| value.parse().unwrap());
    let mut body = vec![0; length.expect("a request with a length")];
    stream.read_exact(&mut body)?;
    Ok(Some(Asked { method, path, headers, body }))
}

/// Whether the connection is still good.
fn write(stream: &mut BufReader<Box<dyn Wire>>, answer: Answer) -> io::Result<bool> {
    let to = stream.get_mut();
    let chunked = !matches!(answer.then, Then::Close);
    let mut head = format!("HTTP/1.1 {} Whatever\r\n", answer.status);
    for (name, value) in &answer.headers {
        head += &format!("{name}: {value}\r\n");
    }
    head += if chunked { "transfer-encoding: chunked\r\n\r\n" } else { "connection: close\r\n\r\n" };
    if answer.status != SILENT {
        to.write_all(head.as_bytes())?;
    }
    for piece in answer.pieces.iter().filter(|piece| !piece.is_empty()) {
        if chunked {
            to.write_all(format!("{:x}\r\n", piece.len()).as_bytes())?;
        }
        to.write_all(piece)?;
        if chunked {
            to.write_all(b"\r\n")?;
        }
        to.flush()?;
    }
    match answer.then {
        Then::Complete => {}
        Then::CompleteAfter(go) => drop(go.recv_timeout(Duration::from_secs(20))),
        Then::Close | Then::Break => return Ok(false),
        Then::Nothing => {
            to.flush()?;
            // Returns when the client has closed.
            let _ = stream.read(&mut [0; 1])?;
            return Ok(false);
        }
    }
    to.write_all(b"0\r\n\r\n")?;
    to.flush()?;
    Ok(true)
}

/// A way for a test to let an answer complete.
pub(crate) fn gate() -> (std::sync::mpsc::Sender<()>, Then) {
    let (open, go) = channel();
    (open, Then::CompleteAfter(go))
}

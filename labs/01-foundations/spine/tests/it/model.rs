//! A chat-completions server with scripted answers, one per request, that keeps what it was asked.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

/// The server; it answers until its script is used up and then hangs up on every request.
pub(crate) struct Model {
    /// What `LLM_BASE_URL` must be, with a trailing slash that the caller has to cope with.
    pub(crate) base_url: String,
    bodies: Arc<Mutex<Vec<String>>>,
}

impl Model {
    pub(crate) fn start(answers: Vec<Answer>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base_url = format!("http://{}/v1/", listener.local_addr().unwrap());
        let bodies = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&bodies);
        std::thread::spawn(move || {
            for (answer, stream) in answers.into_iter().zip(listener.incoming()) {
                let stream = stream.unwrap();
                let body = read_request(&stream);
                seen.lock().unwrap().push(body);
                answer.write(stream);
            }
        });
        Self { base_url, bodies }
    }

    pub(crate) fn bodies(&self) -> Vec<String> {
        self.bodies.lock().unwrap().clone()
    }
}

fn read_request(stream: &TcpStream) -> String {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        assert_ne!(reader.read_line(&mut head).unwrap(), 0, "the request ended inside its head: {head}");
    }
    assert!(head.starts_with("POST /v1/chat/completions HTTP/1.1\r\n"), "{head}");
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap();
    let mut body = vec![0; length.parse().unwrap()];
    reader.read_exact(&mut body).unwrap();
    String::from_utf8(body).unwrap()
}

/// One scripted answer.
#[derive(Clone)]
pub(crate) struct Answer {
    status: u16,
    events: Vec<String>,
    finish: String,
    prompt_tokens: u64,
}

/// An answer of plain text, streamed a character at a time.
pub(crate) fn text(text: &str, finish: &str) -> Answer {
    let deltas = text.chars().map(|character| json!({ "content": character }));
    Answer::of(deltas.collect(), finish)
}

/// An answer of tool calls `(name, arguments)` with ids `call-0`, `call-1` …; arguments come in two fragments.
pub(crate) fn calls(calls: &[(&str, &str)]) -> Answer {
    let mut deltas = vec![json!({ "role": "assistant", "content": null })];
    for (index, (name, arguments)) in calls.iter().enumerate() {
        let (first, second) = arguments.split_at(arguments.len() / 2);
        let function = json!({ "name": name, "arguments": first });
        let call = json!({ "index": index, "id": format!("call-{index}"), "type": "function", "function": function });
        deltas.push(json!({ "tool_calls": [call] }));
        let rest = json!({ "index": index, "function": { "arguments": second } });
        deltas.push(json!({ "tool_calls": [rest] }));
    }
    Answer::of(deltas, "tool_calls")
}

impl Answer {
    fn of(deltas: Vec<Value>, finish: &str) -> Self {
        let chunk = |delta| json!({ "choices": [{ "index": 0, "delta": delta, "finish_reason": null }] });
        let events = deltas.into_iter().map(|delta| chunk(delta).to_string()).collect();
        Self { status: 200, events, finish: finish.to_owned(), prompt_tokens: 10 }
    }

    /// An HTTP error with `body`.
    pub(crate) fn status(status: u16, body: &str) -> Self {
        Self { status, events: vec![body.to_owned()], finish: String::new(), prompt_tokens: 0 }
    }

    /// Ends with `finish` in place of the usual reason; with none at all where it is empty.
    pub(crate) fn finish(self, finish: &str) -> Self {
        Self { finish: finish.to_owned(), ..self }
    }

    /// Sends `event` after the deltas.
    pub(crate) fn event(mut self, event: &str) -> Self {
        self.events.push(event.to_owned());
        self
    }

    pub(crate) fn prompt_tokens(self, prompt_tokens: u64) -> Self {
        Self { prompt_tokens, ..self }
    }

    fn write(self, mut stream: TcpStream) {
        let (reason, body) = match self.status {
            200 => ("OK", self.stream()),
            _ => ("Unauthorized", self.events.concat()),
        };
        let head = format!("HTTP/1.1 {} {reason}\r\nconnection: close\r\n\r\n", self.status);
        // The client may hang up on an error it has read, so a broken pipe is no failure of the test.
        stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body.as_bytes())).ok();
    }

    fn stream(&self) -> String {
        let mut events = self.events.clone();
        if !self.finish.is_empty() {
            let choice = json!({ "index": 0, "delta": {}, "finish_reason": self.finish });
            events.push(json!({ "choices": [choice] }).to_string());
        }
        let usage = json!({ "prompt_tokens": self.prompt_tokens, "completion_tokens": 5 });
        events.push(json!({ "choices": [], "usage": usage }).to_string());
        events.push("[DONE]".to_owned());
        events.iter().map(|event| format!("data: {event}\n\n")).collect()
    }
}

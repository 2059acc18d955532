//! What the terminal is told: a run's events, its end, and the host's own errors.
use clap::ValueEnum;
use plugin_api::{RBatch, RError, run};
use rows::Problem;
use secrets::Redactor;
use serde::Deserialize;
use serde_json::{Value, json};
use std::{
    borrow::Cow,
    io::{self, IsTerminal as _},
    process::ExitCode,
    sync::Arc,
};
use terminal::{complain, print, printable, say};

/// What a run prints to stdout.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Output {
    /// The text, as it comes.
    #[default]
    Text,
    /// One JSON object, at the end.
    Json,
    /// One JSON object a line for each event; the last is the end.
    StreamJson,
}

/// How a run ended, as far as the host reads it.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
struct End {
    status: String,
    code: Option<String>,
    message: String,
    hint: String,
}

/// Writes a run's events.
pub(crate) struct Report {
    output: Output,
    redactor: Arc<Redactor>,
    /// All of it, for the end.
    text: String,
    /// What stdout has yet to see.
    unwritten: String,
    line_open: bool,
    colour: bool,
    screen: bool,
    closed: bool,
    end: Option<Value>,
    finished: Option<u8>,
}

impl Report {
    pub(crate) fn new(output: Output, redactor: &Arc<Redactor>, colour: bool) -> Report {
        let screen = io::stdout().is_terminal();
        let redactor = Arc::clone(redactor);
        Report {
            output,
            redactor,
            text: String::new(),
            unwritten: String::new(),
            line_open: false,
            colour,
            screen,
            closed: false,
            end: None,
            finished: None,
        }
    }

    /// The items of the stream that a run is.
    pub(crate) fn batch(&mut self, batch: RBatch) {
        for chunk in batch {
            match chunk.kind {
                run::OUT => self.out(&chunk.text),
                run::NOTE => self.note(&chunk.data),
                run::END => self.end = Some(value(&chunk.data)),
                run::EVENT => self.event(&chunk.text, || value(&chunk.data)),
                kind => self.event(
                    &format!("kind-{kind}"),
                    || json!({ "text": chunk.text.as_str(), "data": value(&chunk.data) }),
                ),
            }
        }
        // What came together is written together.
        self.flush();
    }

    /// An event from deeper inside. After the end there is none.
    pub(crate) fn emitted(&mut self, kind: &str, head: &str) {
        if self.finished.is_some() {
            return;
        }
        match kind {
            "out" => self.out(value(head)["text"].as_str().unwrap_or_default()),
            "note" => self.note(head),
            kind => self.event(kind, || value(head)),
        }
        self.flush();
    }

    /// Whether nobody reads stdout any more.
    pub(crate) fn is_closed(&self) -> bool {
        self.closed
    }

    fn out(&mut self, text: &str) {
        match self.output {
            Output::Text => {
                let text = if self.screen { Cow::Owned(printable(text)) } else { Cow::Borrowed(text) };
                self.line_open = text.chars().next_back().map_or(self.line_open, |last| last != '\n');
                self.unwritten.push_str(&text);
            }
            Output::Json => self.text.push_str(text),
            Output::StreamJson => self.line(&json!({ "type": "out", "text": text })),
        }
    }

    fn note(&mut self, json: &str) {
        let data = value(json);
        if self.output == Output::StreamJson {
            return self.line(&json!({ "type": "note", "level": data["level"], "text": data["text"] }));
        }
        self.close_line();
        self.flush();
        let level = data["level"].as_str().unwrap_or("info");
        say(level, data["text"].as_str().unwrap_or(json), self.colour);
    }

    fn event(&mut self, kind: &str, data: impl FnOnce() -> Value) {
        if self.output == Output::StreamJson {
            self.line(&json!({ "type": "event", "kind": kind, "data": data() }));
        }
    }

    fn line(&mut self, value: &Value) {
        self.unwritten.push_str(&format!("{value}\n"));
    }

    fn close_line(&mut self) {
        if std::mem::take(&mut self.line_open) {
            self.unwritten.push('\n');
        }
    }

    fn flush(&mut self) {
        if !self.unwritten.is_empty() {
            self.closed |= !print(&self.unwritten);
            self.unwritten.clear();
        }
    }

    /// Writes the end, once; `error` is what happened when the run did not say one itself.
    pub(crate) fn finish(&mut self, error: Option<(&str, RError)>, session: &str) -> ExitCode {
        if let Some(code) = self.finished {
            if let Some((_, error)) = error {
                say("warn", &self.redactor.text(&error.message), self.colour);
            }
            return ExitCode::from(code);
        }
        let unsaid = match self.end.take() {
            Some(end) if end["status"].is_string() => Ok(end),
            Some(_) => Err(("BAD_PAYLOAD", "the run's end cannot be read")),
            None => Err(("NO_END", "the run ended without saying how")),
        };
        // What went wrong after the end was said changes nothing of it.
        let late = error
            .as_ref()
            .filter(|_| unsaid.is_ok())
            .map(|(_, error)| self.redactor.text(&error.message).into_owned());
        let mut end = unsaid.unwrap_or_else(|(code, message)| {
            let hint = "look at the row behind this command: `harness rows`";
            let (status, error) = error.unwrap_or_else(|| ("error", RError::new(code, message).hint(hint)));
            json!({ "status": status, "code": error.code.as_str(), "message": error.message.as_str(), "hint": error.hint.as_str(),
                    "steps": null, "usage": null, "cost": null, "session": session })
        });
        if let Ok(masked) = serde_json::from_str(&self.redactor.text(&end.to_string())) {
            end = masked;
        }
        let read: End = serde_json::from_value(end.clone()).unwrap_or_default();
        match self.output {
            Output::Text => {
                self.close_line();
                self.flush();
                self.say_end(&read);
            }
            Output::Json => {
                end["text"] = std::mem::take(&mut self.text).into();
                self.line(&end);
            }
            Output::StreamJson => {
                end["type"] = "end".into();
                self.line(&end);
            }
        }
        self.flush();
        late.iter().for_each(|what| say("warn", what, self.colour));
        let mut code = exit_code(&read);
        if self.closed && code == 0 {
            complain(
                "the output could not be written",
                "look at the disk or the reader that standard output goes to",
                self.colour,
            );
            code = 1;
        }
        self.finished = Some(code);
        ExitCode::from(code)
    }

    fn say_end(&self, end: &End) {
        let words = [if end.status == "error" { "" } else { &end.status }, &end.message];
        let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
        let code = end.code.as_deref().map(|code| format!(" ({code})")).unwrap_or_default();
        let what = format!("{}{code}", words.join(": "));
        match end.status.as_str() {
            "completed" => say("info", &what, self.colour),
            _ => complain(&what, &end.hint, self.colour),
        }
    }
}

/// JSON of the wire; what cannot be read is null.
pub(crate) fn value(json: &str) -> Value {
    serde_json::from_str(json).unwrap_or_default()
}

/// The documented exit codes.
fn exit_code(end: &End) -> u8 {
    match end.status.as_str() {
        "completed" => 0,
        "blocked" if end.code.as_deref().is_some_and(|code| code.starts_with("LIMIT_")) => 5,
        "blocked" => 3,
        "max-tokens" => 4,
        "aborted" => 130,
        _ => 1,
    }
}

/// The host's own error.
pub(crate) fn problem(problem: &Problem, redactor: &Redactor, colour: bool) {
    let what = format!("{} ({})", problem.message, problem.code);
    complain(&redactor.text(&what), &redactor.text(&problem.hint), colour);
}

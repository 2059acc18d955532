//! `harness-check serve`: the fake model as a process, for clients that are no Rust test.

use std::fs::File;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Mutex;

use checks::failure::Failure;
use checks::fake_model::{FakeModel, Observer, Outcome, Recorded, Script};
use clap::Args;
use serde::Serialize;
use serde_json::{Value, json};
use tokio::signal::unix::{SignalKind, signal};

#[derive(Args)]
pub(crate) struct Serve {
    /// The script: what the model answers, in YAML
    #[arg(long, value_name = "FILE")]
    script: PathBuf,
    /// The port to listen on; 0 takes a free one
    #[arg(long, value_name = "N", default_value_t = 0)]
    port: u16,
    /// Write each request with its headers and body to this file, one JSON object a line
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
}

/// The line that says the port is open.
#[derive(Serialize)]
struct Ready<'a> {
    ready: bool,
    base_url: &'a str,
}

/// The line of one request, printed when its exchange has ended.
#[derive(Serialize)]
struct Request<'a> {
    request: usize,
    method: &'a str,
    path: &'a str,
    reply: Option<usize>,
    status: Option<u16>,
    outcome: Outcome,
    violation: Option<&'a str>,
}

/// The last line.
#[derive(Serialize)]
struct Ended {
    ready: bool,
    served: usize,
    replies: usize,
    violations: usize,
}

impl Serve {
    /// Serves until SIGINT or SIGTERM. The exit code is 1 when a request broke a rule.
    pub(crate) fn run(self) -> Result<ExitCode, Failure> {
        let script = Script::load(&self.script)?;
        let log = self.log.map(|file| create(&file)).transpose()?;
        let signals = Signals::new()?;
        let model = FakeModel::serve(script, self.port, Some(reporter(log)))?;
        say(&Ready { ready: true, base_url: model.base_url() });
        signals.wait();
        let violations = model.violations().len();
        let (served, replies) = model.progress();
        drop(model);
        say(&Ended { ready: false, served, replies, violations });
        Ok(if violations == 0 { ExitCode::SUCCESS } else { ExitCode::from(1) })
    }
}

fn create(file: &std::path::Path) -> Result<File, Failure> {
    File::create(file).map_err(|error| {
        let message = format!("log {}: {error}", file.display());
        Failure::new("LOG_UNWRITABLE", message, "name a file in a directory that exists and is yours")
    })
}

/// One line on stdout for each request, and its whole content in the log.
fn reporter(log: Option<File>) -> Observer {
    let log = log.map(Mutex::new);
    Box::new(move |number, recorded| {
        let Recorded { method, path, reply, status, outcome, violation, .. } = recorded;
        let violation = violation.as_deref();
        say(&Request {
            request: number,
            method,
            path,
            reply: *reply,
            status: *status,
            outcome: *outcome,
            violation,
        });
        if let Some(Ok(mut log)) = log.as_ref().map(Mutex::lock) {
            // A full disk must not stop the model; the lines on stdout go on.
            let _ = writeln!(log, "{}", logged(number, recorded));
        }
    })
}

/// The request for the log, without the key that a real client may have sent.
fn logged(number: usize, recorded: &Recorded) -> Value {
    let mut recorded = recorded.clone();
    for (name, value) in &mut recorded.headers {
        if matches!(name.as_str(), "authorization" | "api-key" | "x-api-key" | "cookie") {
            *value = "[redacted]".to_owned();
        }
    }
    let mut line = json!(recorded);
    line["request"] = number.into();
    line
}

fn say(line: &impl Serialize) {
    let line = serde_json::to_string(line).unwrap_or_default();
    let mut stdout = std::io::stdout().lock();
    // Whoever closed our stdout does not want the lines; the server goes on.
    let _ = writeln!(stdout, "{line}").and_then(|()| stdout.flush());
}

/// The signals that end the process in good order, caught from before the port is announced.
struct Signals {
    runtime: tokio::runtime::Runtime,
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
}

impl Signals {
    fn new() -> Result<Self, Failure> {
        let no_signals = |error: std::io::Error| {
            Failure::new("NO_SIGNALS", format!("signals: {error}"), "raise the limit on open files")
        };
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(no_signals)?;
        let entered = runtime.enter();
        let interrupt = signal(SignalKind::interrupt()).map_err(no_signals)?;
        let terminate = signal(SignalKind::terminate()).map_err(no_signals)?;
        drop(entered);
        Ok(Self { runtime, interrupt, terminate })
    }

    fn wait(mut self) {
        self.runtime.block_on(async {
            tokio::select! {
                _ = self.interrupt.recv() => {}
                _ = self.terminate.recv() => {}
            }
        });
    }
}

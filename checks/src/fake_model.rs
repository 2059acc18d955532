//! A scripted OpenAI-compatible model on loopback that checks its caller.
//!
//! It serves chat completions over real HTTP, streamed and plain, from a YAML script with one reply a request.
//! Faults are real on the wire. Each request is checked: every tool call is answered once, and a request extends the
//! one before it byte for byte by the very turn that was answered. A request that breaks a rule gets HTTP 400 with
//! the rule and the place, and is recorded. SCRIPTS.md describes script and rules.
//!
//! ```
//! use checks::fake_model::FakeModel;
//!
//! let model = FakeModel::start("replies: [{text: hello}]");
//! assert!(model.base_url().starts_with("http://127.0.0.1:"));
//! assert!(model.requests().is_empty());
//! ```

mod script;
mod request;
mod conversation;
mod breach;
mod rules;
mod record;
mod shared;
mod exchange;
mod answer;
mod sse;
mod usage;
mod body;
mod wire;
mod delivery;
mod server;

use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::sync::oneshot;

use crate::failure::Failure;
pub use record::{Outcome, Recorded};
pub use script::Script;
pub use shared::Observer;
use shared::Shared;

/// How long the waiting methods wait before they call it a failure.
const WAIT_MAX: Duration = Duration::from_secs(20);

/// A running server on a thread of its own, so that it serves blocking and async tests alike. Dropping it closes
/// every connection and ends the thread.
pub struct FakeModel {
    shared: Arc<Shared>,
    base_url: String,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl FakeModel {
    /// Starts on a free port with a script given as YAML text.
    ///
    /// # Panics
    /// With the place and the remedy when the text is no script: for tests.
    pub fn start(script: &str) -> Self {
        started(Script::parse(script).and_then(|script| Self::serve(script, 0, None)))
    }

    /// Starts on a free port with a script file.
    ///
    /// # Panics
    /// As [`FakeModel::start`].
    pub fn start_file(script: &Path) -> Self {
        started(Script::load(script).and_then(|script| Self::serve(script, 0, None)))
    }

    /// Starts on 127.0.0.1 and `port`, 0 for any; `observer` is called at the end of each exchange.
    ///
    /// # Errors
    /// `PORT_UNAVAILABLE` when the port cannot be listened on, `NO_RUNTIME` when the system has no thread or no
    /// event queue left.
    pub fn serve(script: Script, port: u16, observer: Option<Observer>) -> Result<Self, Failure> {
        let unavailable = |error: std::io::Error| {
            let message = format!("port {port} on 127.0.0.1: {error}");
            Failure::new("PORT_UNAVAILABLE", message, "name a free port, or 0 for any")
        };
        let no_runtime = |error: std::io::Error| {
            let message = format!("the server's thread: {error}");
            Failure::new("NO_RUNTIME", message, "raise the limits on threads and open files")
        };
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(unavailable)?;
        listener.set_nonblocking(true).map_err(unavailable)?;
        let port = listener.local_addr().map_err(unavailable)?.port();
        let shared = Shared::new(script, observer);
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(no_runtime)?;
        let (stop, stopped) = oneshot::channel();
        let serving = server::serve(listener, Arc::clone(&shared), stopped);
        let thread = std::thread::Builder::new()
            .name("fake-model".to_owned())
            .spawn(move || runtime.block_on(serving))
            .map_err(no_runtime)?;
        let base_url = format!("http://127.0.0.1:{port}/v1");
        Ok(Self { shared, base_url, stop: Some(stop), thread: Some(thread) })
    }

    /// What a client takes as its base URL: `http://127.0.0.1:PORT/v1`.
    pub fn base_url(&self) -> &str {
        &self.base_url
    }

    /// Every request so far, in the order of arrival.
    pub fn requests(&self) -> Vec<Recorded> {
        self.shared.state().requests.clone()
    }

    /// The rules broken so far, one sentence a request.
    pub fn violations(&self) -> Vec<String> {
        self.shared.state().requests.iter().filter_map(|request| request.violation.clone()).collect()
    }

    /// Opens the gate `name` for every reply that waits for it, now and later.
    ///
    /// # Panics
    /// When no reply of the script names this gate.
    pub fn release(&self, name: &str) {
        if !self.shared.release(name) {
            fail(&format!("no reply waits for `{name}`; the gates are {:?}", self.shared.script.gates()));
        }
    }

    /// Blocks until `count` requests have arrived in full.
    ///
    /// # Panics
    /// When they do not arrive within 20 s.
    pub fn wait_for_requests(&self, count: usize) {
        if !self.shared.wait_until(WAIT_MAX, |state| state.requests.len() >= count) {
            self.fail_waiting(&format!("{count} requests"));
        }
    }

    /// How many client connections are open, kept-alive ones included.
    pub fn connections_open(&self) -> usize {
        self.shared.state().connections_open
    }

    /// Blocks until no response is awaited or being sent. A response that the script holds ends when its client
    /// closes the connection, so this is how a test sees that a cancelled client did; the request's outcome is then
    /// [`Outcome::ClientLeft`].
    ///
    /// # Panics
    /// When that takes longer than 20 s.
    pub fn wait_until_idle(&self) {
        let open = |request: &Recorded| request.outcome == Outcome::Open;
        if !self.shared.wait_until(WAIT_MAX, |state| !state.requests.iter().any(open)) {
            self.fail_waiting("all responses to end");
        }
    }

    /// Blocks until no connection is open: the client is gone, its kept-alive connections too.
    ///
    /// # Panics
    /// When that takes longer than 20 s.
    pub fn wait_until_closed(&self) {
        if !self.shared.wait_until(WAIT_MAX, |state| state.connections_open == 0) {
            self.fail_waiting("all connections to close");
        }
    }

    /// How many replies of the script have been given, repetitions included, and how many it has.
    pub fn progress(&self) -> (usize, usize) {
        (self.shared.state().served, self.shared.script.replies.len())
    }

    /// Asserts that every reply was used and no rule was broken.
    ///
    /// # Panics
    /// With every broken rule, or with the number of replies that nobody asked for.
    #[track_caller]
    pub fn assert_done(&self) {
        let violations = self.violations();
        if !violations.is_empty() {
            fail(&format!("the caller broke rules:\n  {}", violations.join("\n  ")));
        }
        let (served, replies) = self.progress();
        if served < replies {
            fail(&format!("the caller asked for {served} of {replies} replies"));
        }
    }

    #[track_caller]
    fn fail_waiting(&self, awaited: &str) {
        let outcomes: Vec<Outcome> = self.requests().iter().map(|request| request.outcome).collect();
        let open = self.connections_open();
        fail(&format!("waited {WAIT_MAX:?} for {awaited}; {open} connections open, requests: {outcomes:?}"));
    }
}

impl Drop for FakeModel {
    fn drop(&mut self) {
        if let Some(stop) = self.stop.take() {
            // The receiver is gone only when the thread has ended already.
            let _ = stop.send(());
        }
        if let Some(thread) = self.thread.take() {
            // A panic of the server's thread was printed when it happened.
            let _ = thread.join();
        }
    }
}

#[track_caller]
fn started(started: Result<FakeModel, Failure>) -> FakeModel {
    match started {
        Ok(model) => model,
        Err(failure) => fail(&failure.to_string()),
    }
}

#[track_caller]
#[expect(clippy::panic, reason = "the in-process API serves tests, and this is how a test fails")]
fn fail(said: &str) -> ! {
    panic!("fake model: {said}");
}

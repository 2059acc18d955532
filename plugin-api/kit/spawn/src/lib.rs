//! Runs a child process and everything it starts as one group: read together, stopped together, left behind never.
//!
//! The child leads a new session, so it has no terminal to wait at, and Ctrl-C goes to the harness alone. Its stdin is
//! empty; its stdout and stderr are one pipe, so their bytes arrive in the order they were written. [`run`] ends soon after
//! the child does, whatever a background process still holds open, and dropping it kills the group at once.
//!
//! A process that starts a session of its own (`setsid`, a daemon) leaves the group and is out of reach; one that only starts
//! a process group of its own does not.
//!
//! Why process-wrap and no more of it: it starts a session without `unsafe` code here. Its child, though, waits for the
//! whole group (a background process would hold the result), signals without asking whether anyone is left, and on drop
//! kills the leader only; so the group is handled here, on nix.
//!
//! ```
//! # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
//! let mut spec = kit_spawn::Spec::new("/bin/sh", "/");
//! spec.args = ["-c", "echo out; echo err >&2; exit 3"].map(Into::into).to_vec();
//!
//! let mut output = Vec::new();
//! let ran = kit_spawn::run(&spec, std::future::pending(), |bytes| output.extend_from_slice(bytes)).await?;
//! assert_eq!(output, b"out\nerr\n");
//! assert_eq!(ran.exit, kit_spawn::Exit::Code(3));
//! # Ok::<(), std::io::Error>(()) })?;
//! # Ok::<(), std::io::Error>(())
//! ```

mod exit;
mod group;
mod output;
mod run;

use std::{ffi::OsString, path::PathBuf, time::Duration};

pub use exit::Exit;
pub use group::Group;
pub use run::run;

/// What to run, where, and how long.
#[derive(Clone, Debug)]
pub struct Spec {
    /// The program, looked up in `PATH` unless it has a slash.
    pub program: OsString,
    /// Its arguments, each as it is: no shell reads them.
    pub args: Vec<OsString>,
    /// The folder to run in.
    pub cwd: PathBuf,
    /// Names of inherited variables that the child does not get.
    pub env_remove: Vec<OsString>,
    /// Variables that the child gets on top of the inherited ones, also if listed in `env_remove`.
    pub env: Vec<(OsString, OsString)>,
    /// How long the child may run; without, for ever.
    pub timeout: Option<Duration>,
    /// How long the group has between SIGTERM and SIGKILL after a timeout; 2 s.
    pub timeout_grace: Duration,
    /// The same after a cancellation; 500 ms.
    pub cancel_grace: Duration,
    /// How long output is waited for once the child is gone and others hold its pipe open; 250 ms.
    pub drain: Duration,
}

impl Spec {
    /// A program without arguments, in the inherited environment, without a timeout.
    pub fn new(program: impl Into<OsString>, cwd: impl Into<PathBuf>) -> Self {
        Self {
            program: program.into(),
            args: Vec::new(),
            cwd: cwd.into(),
            env_remove: Vec::new(),
            env: Vec::new(),
            timeout: None,
            timeout_grace: Duration::from_secs(2),
            cancel_grace: Duration::from_millis(500),
            drain: Duration::from_millis(250),
        }
    }
}

/// How it went.
#[derive(Debug)]
pub struct Ran {
    /// How the child itself ended, also if that is how it answered our SIGTERM.
    pub exit: Exit,
    /// Why we ended it; none if it ended by itself.
    pub stopped: Option<Stopped>,
    /// What the child left running when it ended by itself.
    pub background: Option<Group>,
}

/// Why a process was stopped before it ended by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// [`Spec::timeout`] had passed.
    TimedOut,
    /// The caller's `cancelled` future was ready.
    Cancelled,
}

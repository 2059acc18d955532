//! A contender that runs: its processor time so far, and what is known of it at its end.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, ChildStdout, Stdio};
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use nix::time::clock_getcpuclockid;
use nix::unistd::Pid;

use crate::contender::Contender;
use crate::launcher::Ended;
use crate::scene::Scene;

/// Between two looks at a clock that should stand still.
const STILL: Duration = Duration::from_micros(500);
/// A process that works while it waits is taken as it is after that many looks.
const LOOKS_MAX: usize = 40;

pub(crate) struct Running {
    name: &'static str,
    launcher: Child,
    lines: BufReader<ChildStdout>,
    pid: Pid,
}

impl Running {
    /// Starts a contender for a model at `base_url`.
    pub(crate) fn start(contender: Contender<'_>, scene: &Scene, base_url: &str) -> Result<Self> {
        let mut command = contender.command(scene, base_url, true)?;
        let mut launcher = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn()?;
        let mut lines = BufReader::new(launcher.stdout.take().context("no stdout")?);
        let mut pid = String::new();
        lines.read_line(&mut pid)?;
        let pid = Pid::from_raw(
            pid.trim().parse().with_context(|| format!("{} does not start", contender.name()))?,
        );
        Ok(Running { name: contender.name(), launcher, lines, pid })
    }

    pub(crate) fn name(&self) -> &'static str {
        self.name
    }

    pub(crate) fn pid(&self) -> i32 {
        self.pid.as_raw()
    }

    pub(crate) fn has_ended(&mut self) -> Result<bool> {
        Ok(self.launcher.try_wait()?.is_some())
    }

    /// Its processor time by now, once it has come to rest.
    pub(crate) fn cpu(&self) -> Result<Duration> {
        cpu_at_rest(self.pid)
    }

    /// Waits for its end.
    ///
    /// # Errors
    /// It did not end well, with what it said.
    pub(crate) fn end(mut self) -> Result<Ended> {
        let mut line = String::new();
        self.lines.read_line(&mut line)?;
        self.launcher.wait()?;
        let ended: Ended = serde_json::from_str(&line)?;
        ensure!(ended.code == Some(0), "{} ended with {:?}: {}", self.name, ended.code, ended.stderr);
        Ok(ended)
    }
}

/// The processor time of a process and its threads, once it does not grow any more.
pub(crate) fn cpu_at_rest(pid: Pid) -> Result<Duration> {
    let clock = clock_getcpuclockid(pid)?;
    let mut before = Duration::from(clock.now()?);
    for _ in 0..LOOKS_MAX {
        std::thread::park_timeout(STILL);
        let now = Duration::from(clock.now()?);
        if now == before {
            break;
        }
        before = now;
    }
    Ok(before)
}

/// A number of `/proc/PID/status`.
pub(crate) fn process_status(pid: i32, key: &str) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':'))?;
    line.split_whitespace().next()?.parse().ok()
}

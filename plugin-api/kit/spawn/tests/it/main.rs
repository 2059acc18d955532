//! Real processes: what a command prints, how it ended, and that nothing of it stays.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test fails where it stands")]

mod background;
mod ends;
mod stopping;

use std::cell::RefCell;

use kit_spawn::{Ran, Spec, run};
use nix::{errno::Errno, sys::signal::kill, unistd::Pid};
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    process::{PidfdFlags, pidfd_open},
};
use tokio::sync::Notify;

/// Longer than any test waits, so that a process nobody stops is found out.
const FOR_EVER: &str = "1000";

fn bash(script: &str) -> Spec {
    let mut spec = Spec::new("bash", "/");
    spec.args = ["-c", script].map(Into::into).to_vec();
    spec
}

/// Runs to the end and gives back how it went and what was printed.
async fn ran(spec: &Spec) -> (Ran, String) {
    stopped_at("\0", spec).await
}

/// The same, cancelled as soon as `word` has been printed.
async fn stopped_at(word: &str, spec: &Spec) -> (Ran, String) {
    let (text, seen) = (RefCell::new(String::new()), Notify::new());
    let sink = |bytes: &[u8]| {
        text.borrow_mut().push_str(&String::from_utf8_lossy(bytes));
        if text.borrow().contains(word) {
            seen.notify_one();
        }
    };
    let ran = run(spec, seen.notified(), sink).await.unwrap();
    (ran, text.into_inner())
}

/// The numbers a script has printed: process ids.
fn numbers(text: &str) -> Vec<i32> {
    text.split_ascii_whitespace().filter_map(|word| word.parse().ok()).collect()
}

fn is_running(pid: i32) -> bool {
    if kill(Pid::from_raw(pid), None) == Err(Errno::ESRCH) {
        return false;
    }
    // Nobody may be there to reap it; that is not running.
    std::fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| !stat.contains(") Z "))
}

/// Waits until none of `pids` runs, for a bounded time: of each the kernel tells when it ends (pidfd_open(2)).
fn assert_gone(pids: &[i32]) {
    assert!(!pids.is_empty());
    for pid in pids {
        match pidfd_open(rustix::process::Pid::from_raw(*pid).unwrap(), PidfdFlags::empty()) {
            Err(rustix::io::Errno::SRCH) => {}
            process => {
                let process = process.unwrap();
                let mut wanted = [PollFd::new(&process, PollFlags::IN)];
                let most = Timespec { tv_sec: 20, tv_nsec: 0 };
                assert_eq!(poll(&mut wanted, Some(&most)), Ok(1), "still running: {pid}");
            }
        }
    }
}

//! A FIFO that a command and all it starts hold open: its end is the end of the last of them.

use crate::sandbox::Sandbox;
use nix::{sys::stat::Mode, unistd::mkfifo};
use std::{
    fs,
    sync::mpsc::{Receiver, channel},
    thread,
    time::Duration,
};

pub(crate) struct Lifeline(Receiver<()>);

impl Lifeline {
    /// Makes it, under the name `lifeline`; a shell takes it with `exec 9>lifeline`.
    pub(crate) fn new(sandbox: &Sandbox) -> Lifeline {
        let path = sandbox.path("lifeline");
        mkfifo(&path, Mode::S_IRWXU).unwrap();
        let (send, ended) = channel();
        // Opens once somebody writes, ends once nobody can.
        thread::spawn(move || fs::read(path).map(|_| send.send(())));
        Lifeline(ended)
    }

    /// Waits until nobody holds it any more.
    pub(crate) fn assert_gone(self) {
        assert!(self.0.recv_timeout(Duration::from_secs(20)).is_ok(), "something is still running");
    }
}

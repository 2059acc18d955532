//! The reading end of the pipe that a child's stdout and stderr share.

use std::io;

use tokio::{net::unix::pipe, task};

/// What is read at once, also the size of a pipe on Linux.
const CHUNK_BYTES: usize = 64 << 10;

/// A process that writes for ever may hold the pipe: what has been read by then was there when the child ended.
const DRAIN_BYTES_MAX: usize = 1 << 20;

pub(crate) struct Output<F> {
    pipe: Option<pipe::Receiver>,
    buffer: Vec<u8>,
    sink: F,
}

impl<F: FnMut(&[u8])> Output<F> {
    pub(crate) fn new(pipe: io::PipeReader, sink: F) -> io::Result<Self> {
        let pipe = pipe::Receiver::from_owned_fd(pipe.into())?;
        Ok(Self { pipe: Some(pipe), buffer: vec![0; CHUNK_BYTES], sink })
    }

    /// Whether someone may still write.
    pub(crate) fn is_open(&self) -> bool {
        self.pipe.is_some()
    }

    /// Waits for bytes and hands them on, one chunk; may be dropped at any point without loss.
    ///
    /// The caller's executor may not be tokio's, whose budget would make a busy loop pause: it pauses here by itself, so
    /// that a flood leaves room for the clock and for a cancellation.
    pub(crate) async fn read(&mut self) {
        let Some(pipe) = &self.pipe else { return };
        if pipe.readable().await.is_err() {
            self.pipe = None;
            return;
        }
        self.read_now();
        task::yield_now().await;
    }

    /// Reads until someone closes the last writing end.
    pub(crate) async fn read_to_end(&mut self) {
        while self.is_open() {
            self.read().await;
        }
    }

    /// Hands on what is in the pipe, without waiting for more.
    pub(crate) fn drain(&mut self) {
        let mut bytes = 0;
        while bytes < DRAIN_BYTES_MAX {
            match self.read_now() {
                0 => return,
                n => bytes += n,
            }
        }
    }

    fn read_now(&mut self) -> usize {
        let Some(pipe) = &self.pipe else { return 0 };
        match pipe.try_read(&mut self.buffer) {
            Ok(n) if n > 0 => {
                (self.sink)(&self.buffer[..n]);
                n
            }
            Err(e) if e.kind() == io::ErrorKind::WouldBlock => 0,
            _ => {
                self.pipe = None;
                0
            }
        }
    }
}

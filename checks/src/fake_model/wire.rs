//! A connection that can be watched and broken: it is counted while open, can end with RST, and tells when the
//! client does not keep up.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::sync::watch;

/// A socket; dropping it closes it, then `open` is dropped.
pub(super) struct Wire<G> {
    stream: TcpStream,
    control: Arc<WireControl>,
    // Declared after the stream: the socket is closed before it stops being counted.
    _open: G,
}

/// What a response can do to the connection under it.
#[derive(Debug)]
pub(super) struct WireControl {
    reset: AtomicBool,
    blocked: watch::Sender<bool>,
}

impl WireControl {
    /// Makes the coming close a reset: the client gets `ECONNRESET` and no end of stream.
    pub(super) fn reset_on_close(&self) {
        self.reset.store(true, Ordering::Relaxed);
    }

    /// Returns once the kernel has taken everything that was written.
    pub(super) async fn unblocked(&self) {
        // The sender lives in `self`, so waiting cannot fail.
        let _ = self.blocked.subscribe().wait_for(|blocked| !blocked).await;
    }
}

impl<G> Wire<G> {
    pub(super) fn new(stream: TcpStream, open: G) -> (Self, Arc<WireControl>) {
        // Without it the kernel would hold back small events; a socket that is closed already has no use for it.
        let _ = stream.set_nodelay(true);
        let control =
            Arc::new(WireControl { reset: AtomicBool::new(false), blocked: watch::Sender::new(false) });
        (Self { stream, control: Arc::clone(&control), _open: open }, control)
    }
}

impl<G> Drop for Wire<G> {
    fn drop(&mut self) {
        if self.control.reset.load(Ordering::Relaxed) {
            // When the client was faster there is nothing left to reset.
            let _ = self.stream.set_zero_linger();
        }
    }
}

impl<G: Unpin> AsyncRead for Wire<G> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buf)
    }
}

impl<G: Unpin> AsyncWrite for Wire<G> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.control.blocked.send_replace(written.is_pending());
        written
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, slices);
        self.control.blocked.send_replace(written.is_pending());
        written
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

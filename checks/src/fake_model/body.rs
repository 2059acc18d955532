//! A response body that is fed piece by piece from elsewhere, and can fail in the middle.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};

use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};
use tokio::sync::mpsc;

use super::wire::WireControl;

/// How many pieces may wait to be written: enough to keep writes few when nothing asks for pauses.
const PIECES_WAITING_MAX: usize = 32;

/// The script closes the connection here; hyper drops it without the end of the body.
#[derive(Debug)]
pub(super) struct BrokenOff;

impl fmt::Display for BrokenOff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the script breaks the connection off here")
    }
}

impl std::error::Error for BrokenOff {}

/// The client is gone: nothing that is written arrives.
#[derive(Debug)]
pub(super) struct ClientLeft;

/// The end of a body that hyper reads.
pub(super) struct FedBody {
    pieces: mpsc::Receiver<Result<Bytes, BrokenOff>>,
    taken: Arc<AtomicUsize>,
    /// Bytes still to come when the length is announced; `None` = chunked.
    left: Option<u64>,
}

/// The end of a body that a delivery writes; dropping it ends the body.
pub(super) struct Feed {
    pieces: mpsc::Sender<Result<Bytes, BrokenOff>>,
    taken: Arc<AtomicUsize>,
    sent: usize,
}

/// A body of `length` bytes, or a chunked one; each piece of a chunked body is a chunk of its own.
pub(super) fn fed_body(length: Option<u64>) -> (Feed, FedBody) {
    let (sender, pieces) = mpsc::channel(PIECES_WAITING_MAX);
    let taken = Arc::new(AtomicUsize::new(0));
    (Feed { pieces: sender, taken: Arc::clone(&taken), sent: 0 }, FedBody { pieces, taken, left: length })
}

impl FedBody {
    /// A body that is there already.
    pub(super) fn whole(text: String) -> Self {
        let (feed, body) = fed_body(Some(text.len() as u64));
        // The channel is new and has room for more than one piece.
        let _ = feed.pieces.try_send(Ok(Bytes::from(text)));
        body
    }
}

impl Body for FedBody {
    type Data = Bytes;
    type Error = BrokenOff;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BrokenOff>>> {
        let piece = self.pieces.poll_recv(cx);
        if let Poll::Ready(Some(Ok(bytes))) = &piece {
            self.taken.fetch_add(1, Ordering::Relaxed);
            let length = bytes.len() as u64;
            self.left = self.left.map(|left| left.saturating_sub(length));
        }
        piece.map(|piece| piece.map(|piece| piece.map(Frame::data)))
    }

    fn size_hint(&self) -> SizeHint {
        self.left.map_or_else(SizeHint::default, SizeHint::with_exact)
    }
}

impl Feed {
    pub(super) async fn send(&mut self, piece: Bytes) -> Result<(), ClientLeft> {
        self.sent += 1;
        self.pieces.send(Ok(piece)).await.map_err(|_closed| ClientLeft)
    }

    /// Returns once the kernel has every piece.
    pub(super) async fn flush(&self, wire: &WireControl) -> Result<(), ClientLeft> {
        // Room for all is room for none waiting. A body of announced length is dropped with its last piece, so a
        // closed channel is no sign by itself.
        let room = self.pieces.reserve_many(self.pieces.max_capacity()).await.map(drop);
        if room.is_err() && self.taken.load(Ordering::Relaxed) < self.sent {
            return Err(ClientLeft);
        }
        tokio::select! {
            () = wire.unblocked() => Ok(()),
            () = self.pieces.closed(), if room.is_ok() => Err(ClientLeft),
        }
    }

    /// Waits for something while the client stays.
    pub(super) async fn stay<T>(&self, event: impl Future<Output = T>) -> Result<T, ClientLeft> {
        tokio::select! {
            happened = event => Ok(happened),
            () = self.pieces.closed() => Err(ClientLeft),
        }
    }

    /// Makes hyper drop the connection as it is.
    pub(super) async fn break_off(self) {
        // A client that has left already sees the same.
        let _ = self.pieces.send(Err(BrokenOff)).await;
    }
}

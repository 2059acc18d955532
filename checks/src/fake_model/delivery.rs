//! Sends one response: its pauses, its gate and the faults that happen while sending.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::sleep;

use super::answer::Rendered;
use super::body::{BrokenOff, ClientLeft, Feed};
use super::exchange::Exchange;
use super::record::Outcome;
use super::script::{Fault, Place, Reply};
use super::wire::WireControl;

/// How long a stalled response keeps its socket before it is cut, should the client never leave.
const STALL_MAX: Duration = Duration::from_secs(30);

/// A response whose head is on its way.
pub(super) struct Delivery {
    pub(super) exchange: Exchange,
    pub(super) wire: Arc<WireControl>,
    pub(super) reply: Reply,
    pub(super) rendered: Rendered,
}

/// Everything that happens before the first byte of the response.
///
/// # Errors
/// `BrokenOff` when the script ends the connection here.
pub(super) async fn before_head(
    exchange: &mut Exchange,
    wire: &WireControl,
    reply: &Reply,
) -> Result<(), BrokenOff> {
    pause(reply.delay).await;
    if reply.place != Place::BeforeHead {
        return Ok(());
    }
    if let Some(gate) = &reply.wait_for {
        exchange.gate(gate).await;
    }
    match reply.fault {
        Some(Fault::Stall) => sleep(STALL_MAX).await,
        Some(Fault::Reset) => wire.reset_on_close(),
        Some(Fault::Cut) => {}
        _ => return Ok(()),
    }
    exchange.end(Outcome::BrokenOff);
    Err(BrokenOff)
}

impl Delivery {
    /// Feeds the body to its end.
    pub(super) async fn run(mut self, mut feed: Feed) {
        let outcome = self.send(&mut feed).await.unwrap_or(Outcome::ClientLeft);
        // First the record, then the end on the wire: whoever sees the end finds the record complete.
        self.exchange.end(outcome);
        if outcome == Outcome::BrokenOff {
            feed.break_off().await;
        }
    }

    async fn send(&mut self, feed: &mut Feed) -> Result<Outcome, ClientLeft> {
        let pieces = std::mem::take(&mut self.rendered.pieces);
        let apart = self.rendered.pieces_apart || !self.reply.tick.is_zero();
        let place = match self.reply.place {
            Place::BeforeHead => None,
            Place::AfterEvents(events) => Some(events.min(pieces.len())),
        };
        let mut pieces = pieces.into_iter().enumerate().peekable();
        let mut sent = 0;
        loop {
            if place == Some(sent) && self.is_broken_off(feed).await? {
                return Ok(Outcome::BrokenOff);
            }
            let Some((n, piece)) = pieces.next() else { break };
            if n > 0 {
                feed.stay(pause(self.reply.tick)).await?;
            }
            feed.send(piece).await?;
            sent = n + 1;
            if let Some((_, said)) = self.rendered.said.take_if(|(at, _)| *at == n) {
                self.exchange.said(said);
            }
            if apart {
                feed.flush(&self.wire).await?;
            }
        }
        feed.flush(&self.wire).await?;
        Ok(Outcome::Sent)
    }

    /// The gate and the fault in the middle of a body.
    async fn is_broken_off(&self, feed: &Feed) -> Result<bool, ClientLeft> {
        // What was sent before must arrive, whatever happens next.
        feed.flush(&self.wire).await?;
        if let Some(gate) = &self.reply.wait_for {
            feed.stay(self.exchange.gate(gate)).await?;
        }
        match self.reply.fault {
            Some(Fault::Stall) => feed.stay(sleep(STALL_MAX)).await?,
            Some(Fault::Reset) => self.wire.reset_on_close(),
            Some(Fault::Cut) => {}
            _ => return Ok(false),
        }
        Ok(true)
    }
}

/// No pause is no trip to the timer, which rounds up.
async fn pause(length: Duration) {
    if !length.is_zero() {
        sleep(length).await;
    }
}

//! One request that is being answered: it ends exactly once, at the latest when it is dropped.

use std::sync::Arc;

use hyper::StatusCode;

use super::answer::Said;
use super::conversation::Answered;
use super::record::Outcome;
use super::shared::Shared;

/// The tie between a response and the record of its request.
pub(super) struct Exchange {
    pub(super) shared: Arc<Shared>,
    /// The index of the request in the record.
    pub(super) request: usize,
    /// What the conversation comes to when the answer has been said; `None` for anything but a model's answer.
    pub(super) advance: Option<Advance>,
    pub(super) ended: bool,
}

/// A step of a conversation that is not yet made.
pub(super) struct Advance {
    pub(super) conversation: String,
    pub(super) serial: usize,
    pub(super) answered: Answered,
}

impl Exchange {
    /// Waits until the gate is open.
    pub(super) async fn gate(&self, name: &str) {
        self.shared.gate(name).await;
    }

    /// The head of the response is on its way.
    pub(super) fn head(&self, status: StatusCode) {
        self.shared.update(self.request, |recorded| recorded.status = Some(status.as_u16()));
    }

    /// The model has said all it says.
    pub(super) fn said(&mut self, said: Said) {
        if let Some(Advance { conversation, serial, mut answered }) = self.advance.take() {
            answered.turn = match said {
                Said::Turn(turn) => Some(turn),
                Said::Unfinished => None,
            };
            self.shared.advance(&conversation, serial, answered);
        }
    }

    /// Notes how it ended; the first time counts.
    pub(super) fn end(&mut self, outcome: Outcome) {
        if !self.ended {
            self.ended = true;
            self.shared.end(self.request, outcome);
        }
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        self.end(Outcome::ClientLeft);
    }
}

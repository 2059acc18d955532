//! The state that all connections of one fake model share: the script's position, the conversations and the record.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hyper::StatusCode;
use tokio::sync::watch;

use super::answer::{Asked, Rendered, render};
use super::breach::Breach;
use super::conversation::{Answered, Conversation};
use super::exchange::{Advance, Exchange};
use super::record::{Outcome, Recorded};
use super::request::Request;
use super::rules;
use super::script::{OnEnd, Reply, Script};

/// Called once for each request, with its number counted from 1, when its exchange has ended.
pub type Observer = Box<dyn Fn(usize, &Recorded) + Send + Sync>;

pub(super) struct Shared {
    pub(super) script: Script,
    observer: Option<Observer>,
    state: Mutex<State>,
    changed: Condvar,
    released: watch::Sender<BTreeSet<String>>,
}

#[derive(Default)]
pub(super) struct State {
    pub(super) requests: Vec<Recorded>,
    pub(super) connections_open: usize,
    /// Replies handed out, repetitions included.
    pub(super) served: usize,
    conversations: HashMap<String, Conversation>,
}

/// A request that gets no reply of the script: the status it is refused with, and why.
pub(super) type Refusal = (StatusCode, Breach);

impl Shared {
    pub(super) fn new(script: Script, observer: Option<Observer>) -> Arc<Self> {
        let released = watch::Sender::new(BTreeSet::new());
        Arc::new(Self { script, observer, state: Mutex::default(), changed: Condvar::new(), released })
    }

    /// The state; a thread that panicked with the lock left whole values behind.
    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until `done` holds; false when `bound` has passed before.
    pub(super) fn wait_until(&self, bound: Duration, mut done: impl FnMut(&State) -> bool) -> bool {
        let waited = self.changed.wait_timeout_while(self.state(), bound, |state| !done(state));
        !waited.unwrap_or_else(PoisonError::into_inner).1.timed_out()
    }

    fn change<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        let changed = change(&mut self.state());
        self.changed.notify_all();
        changed
    }

    /// Records a request; its exchange is open from here on.
    pub(super) fn record(self: &Arc<Self>, recorded: Recorded) -> Exchange {
        let request = self.change(|state| {
            state.requests.push(recorded);
            state.requests.len() - 1
        });
        Exchange { shared: Arc::clone(self), request, advance: None, ended: false }
    }

    pub(super) fn update(&self, request: usize, update: impl FnOnce(&mut Recorded)) {
        self.change(|state| state.requests.get_mut(request).map(update));
    }

    pub(super) fn end(&self, request: usize, outcome: Outcome) {
        let ended = self.change(|state| {
            let recorded = state.requests.get_mut(request)?;
            recorded.outcome = outcome;
            self.observer.is_some().then(|| recorded.clone())
        });
        if let (Some(observer), Some(recorded)) = (&self.observer, ended) {
            observer(request + 1, &recorded);
        }
    }

    pub(super) fn connections(&self, change: impl FnOnce(usize) -> usize) {
        self.change(|state| state.connections_open = change(state.connections_open));
    }

    pub(super) fn advance(&self, conversation: &str, serial: usize, answered: Answered) {
        self.change(|state| {
            if let Some(conversation) = state.conversations.get_mut(conversation) {
                conversation.advance(serial, answered);
            }
        });
    }

    pub(super) async fn gate(&self, name: &str) {
        // The sender lives as long as `self`, so waiting cannot fail.
        let _ = self.released.subscribe().wait_for(|released| released.contains(name)).await;
    }

    /// Opens a gate for good; false when no reply waits for it.
    pub(super) fn release(&self, name: &str) -> bool {
        let known = self.script.has_gate(name);
        if known {
            self.released.send_modify(|released| {
                released.insert(name.to_owned());
            });
        }
        known
    }

    /// Checks a request against the rules and the script, and takes the reply that answers it.
    ///
    /// The reply stays where it is when the request broke a rule.
    pub(super) fn admit(&self, exchange: &mut Exchange, body: &str) -> Result<(Reply, Rendered), Refusal> {
        let request = Request::parse(body).map_err(bad_request)?;
        rules::check_alone(&request).map_err(bad_request)?;
        let mut state = self.state();
        let state = &mut *state;
        let (index, reply) = self.next_reply(state.served)?;
        let recorded = &mut state.requests[exchange.request];
        rules::check_expected(&reply.expect, &request, recorded).map_err(bad_request)?;
        let conversation = state.conversations.entry(reply.conversation.clone()).or_default();
        if reply.new_conversation {
            conversation.restart();
        }
        let mut shared_bytes = 0;
        if let Some((last, changes)) = conversation.expects(reply.changes) {
            rules::check_extends(last, &request, changes).map_err(bad_request)?;
            shared_bytes = last.shared_bytes(&request);
        }
        conversation.announce(reply.changes);
        state.served += 1;
        recorded.reply = Some(index);
        let asked = Asked {
            model: &request.model,
            stream: request.stream,
            include_usage: request.include_usage,
            sent_bytes: request.prompt_bytes(),
            shared_bytes,
        };
        let rendered = render(reply, &asked, state.served);
        exchange.advance = Some(Advance {
            conversation: reply.conversation.clone(),
            serial: state.served,
            answered: Answered::to(&request),
        });
        Ok((reply.clone(), rendered))
    }

    fn next_reply(&self, served: usize) -> Result<(usize, &Reply), Refusal> {
        let replies = &self.script.replies;
        let index = match self.script.on_end {
            OnEnd::Error => served,
            OnEnd::RepeatLast => served.min(replies.len() - 1),
        };
        replies.get(index).map(|reply| (index, reply)).ok_or_else(|| {
            let said = format!("the script has {} replies and all of them have been given", replies.len());
            (StatusCode::INTERNAL_SERVER_ERROR, Breach::new("SCRIPT_ENDED", "script", said))
        })
    }
}

fn bad_request(breach: Breach) -> Refusal {
    (StatusCode::BAD_REQUEST, breach)
}

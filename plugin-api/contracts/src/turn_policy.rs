//! `turn-policy`: whether a turn may take its next step, and whether it may stop.
//!
//! `before_step` takes [`StepFacts`] and answers `{"enter": {"inject": n}}` with n message parts, or `{"reject": {"code", "message",
//! "hint", "resumable"}}`. `before_stop` takes [`TurnFacts`] and answers `{"stop": {}}`, or `{"continue": {"inject": n}}` with n > 0. Facts are
//! derived from the log; a policy keeps no counters. An empty slot enters and stops.
//!
//! 1.1 added to the facts what came before, the latest calls, money and unmetered steps, and to a rejection its hint. A policy that needs one
//! which an older loop leaves out says so.
mod facts;
mod recent;

pub use facts::{StepFacts, Totals, TurnFacts};
pub use recent::{RECENT_CALLS_MAX, RecentCall, RecentCalls};

use crate::{
    Contract as _, Cx, Error, Part, Parts, Payload, Result, Serve, Shape, contract,
    wire::{self, Batch, BoxFuture, BoxStream, client},
};
use serde::{Deserialize, Serialize};
use std::{future::Future, sync::Arc};

/// How often a policy may make one turn go on.
pub const CONTINUES_MAX: u32 = 8;

/// May the step begin?
#[derive(Clone, Debug, PartialEq)]
pub enum Enter {
    /// Yes, with these messages before it.
    Enter {
        /// Message parts.
        inject: Vec<Part>,
    },
    /// No: the turn ends `blocked`.
    Reject {
        /// A word; one that starts with `LIMIT_` is a limit.
        code: String,
        /// One sentence: which limit or rule, and how the turn stands to it.
        message: String,
        /// The one thing to do to go on, `""` for none.
        hint: String,
        /// Whether the turn may be taken up again.
        resumable: bool,
    },
}

/// May the turn stop?
#[derive(Clone, Debug, PartialEq)]
pub enum Stop {
    /// Yes.
    Stop,
    /// No: it goes on with these messages, at least one.
    Continue {
        /// Message parts, not empty.
        inject: Vec<Part>,
    },
}

#[derive(Serialize, Deserialize, Default)]
struct Inject {
    #[serde(default)]
    inject: usize,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum EnterHead {
    Enter(Inject),
    Reject {
        code: String,
        #[serde(default)]
        message: String,
        #[serde(default, skip_serializing_if = "String::is_empty")]
        hint: String,
        #[serde(default)]
        resumable: bool,
    },
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum StopHead {
    Stop {},
    Continue(Inject),
}

/// What a policy implements.
pub trait TurnPolicy: Send + Sync + 'static {
    /// Before each model request.
    fn before_step(&self, facts: StepFacts, cx: &Cx) -> impl Future<Output = Result<Enter>> + Send;
    /// Before a turn ends `completed`.
    fn before_stop(&self, facts: TurnFacts, cx: &Cx) -> impl Future<Output = Result<Stop>> + Send;
}

/// The contract.
#[derive(Debug)]
pub struct Contract;

impl contract::Contract for Contract {
    const NAME: &'static str = "turn-policy";
    const VERSION: &'static str = "1.1.0";
    const METHODS: &'static [(&'static str, Shape)] =
        &[("before_step", Shape::Call), ("before_stop", Shape::Call)];
    type Client = Client;
}

impl<T: TurnPolicy> Serve<T> for Contract {
    fn call(plugin: &Arc<T>, method: &str, payload: Payload, cx: Cx) -> Option<BoxFuture<Result<Payload>>> {
        let plugin = Arc::clone(plugin);
        if method == Self::METHODS[0].0 {
            return Some(Box::pin(async move {
                let facts = wire::read("before_step", &payload.head)?;
                Ok(match plugin.before_step(facts, &cx).await? {
                    Enter::Enter { inject } => {
                        let head = EnterHead::Enter(Inject { inject: inject.len() });
                        Payload::new(wire::write(&head), inject.into_iter().collect())
                    }
                    Enter::Reject { code, message, hint, resumable } => Payload::new(
                        wire::write(&EnterHead::Reject { code, message, hint, resumable }),
                        Parts::new(),
                    ),
                })
            }));
        }
        if method == Self::METHODS[1].0 {
            return Some(Box::pin(async move {
                let facts = wire::read("before_stop", &payload.head)?;
                Ok(match plugin.before_stop(facts, &cx).await? {
                    Stop::Stop => Payload::new(wire::write(&StopHead::Stop {}), Parts::new()),
                    Stop::Continue { inject } => {
                        let head = StopHead::Continue(Inject { inject: inject.len() });
                        Payload::new(wire::write(&head), inject.into_iter().collect())
                    }
                })
            }));
        }
        None
    }

    fn open(_: &Arc<T>, _: &str, _: Payload, _: Cx) -> Option<BoxStream<Result<Batch>>> {
        None
    }
}

client!(
    /// A client of `turn-policy`.
);

impl Client {
    /// May the step begin? An empty slot says yes.
    ///
    /// # Errors
    /// Those of the policy: a turn whose policy fails does not go on.
    pub async fn before_step(&self, facts: &StepFacts, cx: &Cx) -> Result<Enter> {
        let answer =
            self.0.if_mounted(self.0.json::<EnterHead>("before_step", facts, Parts::new(), cx).await)?;
        Ok(match answer {
            None => Enter::Enter { inject: Vec::new() },
            Some((EnterHead::Enter(n), parts)) => Enter::Enter { inject: take(&parts, n.inject)? },
            Some((EnterHead::Reject { code, message, hint, resumable }, _)) => {
                Enter::Reject { code, message, hint, resumable }
            }
        })
    }

    /// May the turn stop? An empty slot says yes.
    ///
    /// # Errors
    /// Those of the policy; `BAD_PAYLOAD` when it continues with nothing.
    pub async fn before_stop(&self, facts: &TurnFacts, cx: &Cx) -> Result<Stop> {
        let answer =
            self.0.if_mounted(self.0.json::<StopHead>("before_stop", facts, Parts::new(), cx).await)?;
        match answer {
            None | Some((StopHead::Stop {}, _)) => Ok(Stop::Stop),
            Some((StopHead::Continue(n), _)) if n.inject == 0 => {
                Err(Error::new("BAD_PAYLOAD", "turn-policy: a turn was made to go on with no message"))
            }
            Some((StopHead::Continue(n), parts)) => Ok(Stop::Continue { inject: take(&parts, n.inject)? }),
        }
    }
}

fn take(parts: &Parts, n: usize) -> Result<Vec<Part>> {
    if parts.len() < n {
        return Err(Error::new(
            "BAD_PAYLOAD",
            format!("turn-policy: {n} messages said, {} sent", parts.len()),
        ));
    }
    Ok(parts.iter().take(n).cloned().collect())
}

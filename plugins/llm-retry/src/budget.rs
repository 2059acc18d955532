//! What all requests of one run may spend on retries together.
use crate::{Config, decision::Why};
use plugin_sdk::Cx;
use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

/// A run that has not tried anything again for so long has ended, or may begin anew.
const FORGOTTEN: Duration = Duration::from_secs(3600);

/// The retries and waits of the runs that had any.
#[derive(Debug, Default)]
pub(crate) struct Budget(Mutex<HashMap<String, Spent>>);

#[derive(Clone, Copy, Debug, Default)]
struct Spent {
    retries: u32,
    waited: Duration,
    at: Duration,
}

impl Budget {
    /// Takes one retry and its wait, or says what there is too little of.
    pub(crate) fn take(&self, config: &Config, wait: Duration, cx: &Cx) -> Result<(), Why> {
        let now = cx.now();
        let mut runs = self.runs();
        runs.retain(|_, spent| now.saturating_sub(spent.at) < FORGOTTEN);
        let spent = runs.entry(key(cx)).or_default();
        let waited = spent.waited.saturating_add(wait);
        if spent.retries >= config.run_retries_max {
            return Err(Why::RunRetries);
        }
        if waited > Duration::from_millis(config.run_wait_max_ms) {
            return Err(Why::RunWait);
        }
        *spent = Spent { retries: spent.retries + 1, waited, at: now };
        Ok(())
    }

    pub(crate) fn forget(&self, session: &str) {
        self.runs().remove(session);
    }

    fn runs(&self) -> MutexGuard<'_, HashMap<String, Spent>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A run by its trace, which runs below it share; without one by its session.
fn key(cx: &Cx) -> String {
    let trace = cx.traceparent().and_then(|parent| Some(parent.split('-').nth(1)?.to_owned()));
    trace.unwrap_or_else(|| cx.session())
}

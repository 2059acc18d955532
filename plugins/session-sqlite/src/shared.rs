//! The logs behind their one lock: the database takes one writer at a time, so one is enough. It is held for the time of one operation.
use crate::sessions::Sessions;
use std::{
    mem::take,
    sync::{Mutex, MutexGuard, PoisonError, TryLockError},
};

pub(crate) struct Shared {
    sessions: Mutex<Sessions>,
    /// Sessions that have ended while an operation was going on.
    ended: Mutex<Vec<String>>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    pub(crate) fn new(sessions: Sessions) -> Self {
        Shared { sessions: Mutex::new(sessions), ended: Mutex::default() }
    }

    /// Does something with them; blocks while others do.
    pub(crate) fn with<T>(&self, work: impl FnOnce(&mut Sessions) -> T) -> T {
        let answer = work(&mut locked(&self.sessions));
        self.release_ended();
        answer
    }

    /// Gives a session's lock back, without waiting: at once, or when the operation that is going on has ended.
    pub(crate) fn end(&self, session: &str) {
        locked(&self.ended).push(session.to_owned());
        self.release_ended();
    }

    fn release_ended(&self) {
        let mut sessions = match self.sessions.try_lock() {
            Ok(sessions) => sessions,
            Err(TryLockError::Poisoned(sessions)) => sessions.into_inner(),
            // Whoever has them looks here once it has let go of them.
            Err(TryLockError::WouldBlock) => return,
        };
        take(&mut *locked(&self.ended)).iter().for_each(|session| sessions.release(session));
    }
}

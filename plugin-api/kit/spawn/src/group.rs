//! The processes that a child started, itself included: whether any is left, and signals to all of them.

use std::{collections::BTreeSet, fs, mem};

use nix::{
    errno::Errno,
    sys::signal::{Signal, killpg},
    unistd::Pid,
};

/// All processes of a child's session, killed when this is dropped.
///
/// Most share the process group that the child leads. Some, such as everything under coreutils' `timeout`, make a group of
/// their own and stay in the session; where there is a `/proc` they are found there.
#[derive(Debug)]
pub struct Group {
    /// The id of the session, of its first group and of the process that leads both.
    id: Pid,
}

impl Group {
    pub(crate) fn of(leader: i32) -> Self {
        Self { id: Pid::from_raw(leader) }
    }

    /// The number that `kill -- -<id>` takes.
    pub fn id(&self) -> i32 {
        self.id.as_raw()
    }

    /// Whether any of the processes still runs. One that has ended and waits to be reaped does not.
    pub fn alive(&self) -> bool {
        self.groups().map_or_else(|| self.leads_a_group(), |groups| !groups.is_empty())
    }

    /// What is left after the leader has ended, if anything: a look through `/proc` only if there is a sign of it, because
    /// this is asked after every command.
    pub(crate) fn left_behind(self, pipe_is_open: bool) -> Option<Self> {
        if (pipe_is_open || self.leads_a_group()) && self.alive() {
            return Some(self);
        }
        mem::forget(self);
        None
    }

    /// Sends `signal` to every process that still runs.
    ///
    /// The kernel gives a number to nobody else while it names a session or group with a member. Looking for members before
    /// each signal keeps it from a stranger that got the number after the last of ours had gone.
    pub(crate) fn signal(&self, signal: Signal) {
        for group in self.groups().unwrap_or_else(|| [self.id].into()) {
            // It may have ended since; that is what the signal was for.
            let _ = killpg(group, signal);
        }
    }

    fn leads_a_group(&self) -> bool {
        killpg(self.id, None) != Err(Errno::ESRCH)
    }

    /// The process groups of the session that have a running process; none where there is no `/proc` to find them in.
    fn groups(&self) -> Option<BTreeSet<Pid>> {
        let mut groups = BTreeSet::new();
        let mut seen_any = false;
        for process in fs::read_dir("/proc").ok()?.flatten() {
            if !process.file_name().as_encoded_bytes().iter().all(u8::is_ascii_digit) {
                continue;
            }
            if let Ok(stat) = fs::read_to_string(process.path().join("stat")) {
                seen_any = true;
                groups.extend(group_of_member(&stat, self.id()).map(Pid::from_raw));
            }
        }
        seen_any.then_some(groups)
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.signal(Signal::SIGKILL);
    }
}

/// The group of a running process, if it is of `session`. The line reads `pid (name) state parent group session …`, and the
/// name may hold anything, parentheses too (proc(5)).
fn group_of_member(stat: &str, session: i32) -> Option<i32> {
    let (_, after_name) = stat.rsplit_once(')')?;
    let mut fields = after_name.split_ascii_whitespace();
    let (state, _parent, group) = (fields.next()?, fields.next()?, fields.next()?);
    let runs = !matches!(state, "Z" | "X");
    (runs && fields.next()?.parse() == Ok(session)).then(|| group.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_member_is_told_from_strangers_and_from_the_dead() {
        const TABLE: &[(&str, Option<i32>)] = &[
            ("7 (sh) S 1 42 42 0 -1", Some(42)),
            ("42 (a b) R 1 42 42 0 -1", Some(42)),
            ("7 (timeout) S 1 7 42 0 -1", Some(7)),
            ("7 (evil) S 1 42 42) R 1 9 9 0", None),
            ("7 (sh) Z 1 42 42 0 -1", None),
            ("7 (sh) X 1 42 42 0 -1", None),
            ("7 (sh) S 1 42 9 0 -1", None),
            ("42 (sh) S 42 420 420 0", None),
            ("", None),
            ("7 (sh)", None),
        ];
        for (stat, group) in TABLE {
            assert_eq!(group_of_member(stat, 42), *group, "{stat}");
        }
    }
}

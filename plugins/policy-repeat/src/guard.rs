//! What is done about calls that repeat: told once, then no more.
use crate::{
    Config,
    cycle::{Cycle, last_cycle},
};
use plugin_sdk::{
    Error, Message, Part, Result,
    contracts::turn_policy::{Enter, RECENT_CALLS_MAX, RecentCall, StepFacts},
};

/// What a turn that is ended for it ended with. It is no limit: more of the same would not help.
const NO_PROGRESS: &str = "NO_PROGRESS";

/// When a row nudges and blocks, and which tools it does not look at.
#[derive(Debug)]
pub struct Guard(Config);

/// What it has to say of a step.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// Nothing.
    Fine,
    /// The loop says nothing of its calls, so neither can we.
    Blind,
    /// The model is told, before the step.
    Nudge(String),
    /// The step does not begin.
    Block(String),
}

impl Guard {
    /// The guard of a row.
    ///
    /// # Errors
    /// `BAD_CONFIG` when it would block before it has nudged, or at every call, or what it waits for is more than a loop remembers.
    pub fn new(config: Config) -> Result<Self> {
        let (nudge, block) = (config.nudge_at, config.block_at);
        let wrong = |message: String, hint: &str| Err(Error::new("BAD_CONFIG", message).hint(hint));
        if nudge == 1 || block == 1 {
            let key = if nudge == 1 { "nudge_at" } else { "block_at" };
            return wrong(
                format!("`{key}` is 1, and every call is made once"),
                "take 2 or more, or 0 for never",
            );
        }
        if nudge > 0 && block > 0 && block <= nudge {
            let message = format!("`block_at` is {block}, which is no more than `nudge_at` with {nudge}");
            return wrong(message, "raise `block_at`");
        }
        let calls = nudge.max(block) * config.cycle_calls_max;
        if calls > RECENT_CALLS_MAX {
            let (key, times) = if block > nudge { ("block_at", block) } else { ("nudge_at", nudge) };
            let message = format!(
                "`{key}` with {times} times `cycle_calls_max` with {} is {calls} calls, and a loop remembers {RECENT_CALLS_MAX}",
                config.cycle_calls_max
            );
            return wrong(message, "lower `cycle_calls_max`");
        }
        Ok(Guard(config))
    }

    /// What the calls so far mean for the step that is about to begin.
    pub fn judge(&self, facts: &StepFacts) -> Verdict {
        let Some(recent) = &facts.recent_calls else {
            // Said once: at the first step it is already known.
            return if facts.step <= 1 { Verdict::Blind } else { Verdict::Fine };
        };
        let calls: Vec<&RecentCall> = recent.iter().filter(|call| !self.ignores(&call.name)).collect();
        let last_step = facts.step.saturating_sub(1);
        let before = calls.iter().take_while(|call| call.step < last_step).count();
        let now = self.cycle(&calls);
        let nudged_at = self.cycle(&calls[..before]).times;
        let has_been_nudged = self.0.nudge_at == 0
            || nudged_at >= self.0.nudge_at
            // The last step made so many calls that those before, which they went on from, are forgotten.
            || (last_step > 1
                && recent.len() >= RECENT_CALLS_MAX
                && before < self.0.nudge_at * now.length
                && now.times == calls.len() / now.length.max(1));
        if self.0.block_at > 0 && now.times >= self.0.block_at && has_been_nudged {
            return Verdict::Block(self.said(&calls, now));
        }
        if self.0.nudge_at > 0 && now.times >= self.0.nudge_at && !has_been_nudged {
            return Verdict::Nudge(self.said(&calls, now));
        }
        Verdict::Fine
    }

    /// The decision from below with ours.
    pub fn decide(&self, decided: Enter, verdict: &Verdict) -> Enter {
        let Enter::Enter { mut inject } = decided else { return decided };
        match verdict {
            Verdict::Fine | Verdict::Blind => {}
            Verdict::Nudge(said) => inject.push(nudge(said)),
            Verdict::Block(said) => {
                return Enter::Reject {
                    code: NO_PROGRESS.into(),
                    message: format!("the model has made {said}"),
                    hint: "say what it should do differently".into(),
                    resumable: true,
                };
            }
        }
        Enter::Enter { inject }
    }

    fn cycle(&self, calls: &[&RecentCall]) -> Cycle {
        let same: Vec<_> = calls.iter().map(|c| (&c.name, &c.arguments, &c.result, c.is_error)).collect();
        last_cycle(&same, self.0.cycle_calls_max)
    }

    fn ignores(&self, name: &str) -> bool {
        self.0.ignore.iter().any(|ignored| match ignored.strip_suffix('*') {
            Some(start) => name.starts_with(start),
            None => name == ignored,
        })
    }

    /// `the same call of …`: of a sentence about whoever made it.
    fn said(&self, calls: &[&RecentCall], cycle: Cycle) -> String {
        let Cycle { length, times } = cycle;
        let last = calls[calls.len() - length..].iter().map(|call| format!("`{}`", call.name));
        let names = last.collect::<Vec<_>>().join(", ");
        if length == 1 {
            return format!(
                "the same call of {names} {times} times in a row, with the same result each time"
            );
        }
        format!("the same {length} calls ({names}) {times} times in a row, with the same results each time")
    }
}

fn nudge(said: &str) -> Part {
    let text = format!(
        "You have made {said}: nothing has changed. Do something else, or say what stands in your way."
    );
    // Whoever reads the conversation can tell that no person said it.
    Message { source: Some(env!("CARGO_PKG_NAME").to_owned()), ..Message::user(text) }.part()
}

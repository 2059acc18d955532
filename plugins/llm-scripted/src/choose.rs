//! Which reply answers a request: a function of the request alone, so a retried or resumed one gets the same answer.
//!
//! The replies stand in a line. Each step takes the one at its head, `repeat` times in a row; one whose `when` does not hold is passed over
//! for good. Nothing is remembered from step to step: the steps before are gone through again, each with what was known then.
use crate::{
    format::Then,
    script::{EXHAUSTED, Reply, Script},
    turn::Turn,
};
use contracts::llm::Failure;
use plugin_sdk::contracts;

/// The reply for the step that the turn is at.
///
/// # Errors
/// `SCRIPT_EXHAUSTED`, or `SCRIPT_FAILED` when a `when` does not work out.
pub(crate) fn choose<'a>(script: &'a Script, turn: &Turn, fuel: &mut u64) -> Result<&'a Reply, Failure> {
    let (mut at, mut used) = (0, 0);
    for step in 1..=turn.step {
        while let Some(reply) = script.replies.get(at) {
            let holds = match &reply.when {
                Some(when) if used < reply.repeat => when.is_true(&turn.context(step, &script.vars), fuel)?,
                _ => used < reply.repeat,
            };
            if holds {
                break;
            }
            (at, used) = (at + 1, 0);
        }
        used += 1;
    }
    let count = script.replies.len();
    let at = match script.then {
        Then::Last => at.min(count - 1),
        Then::Error => at,
    };
    script.replies.get(at).ok_or_else(|| Failure {
        hint: "add a reply to the script, or `then: last`".into(),
        ..Failure::new(EXHAUSTED, format!("script: no reply is left for step {} ({count} in all)", turn.step))
    })
}

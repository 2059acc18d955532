//! When the reminder comes, and where.
#![expect(clippy::unwrap_used, reason = "this is how a test fails")]

use plugin_sdk::{
    Message,
    contracts::turn_policy::{Enter, StepFacts},
};

use template_turn_policy_wrap::{Config, Reminder};

/// What is said before that step, after a policy below has said "below".
fn said(step: u32) -> Vec<(Option<String>, String)> {
    let reminder = Reminder::new(Config { at_step: 3, text: "enough?".into() });
    let decided = Enter::Enter { inject: vec![Message::user("below").part()] };
    let facts = StepFacts { step, ..StepFacts::default() };
    let Enter::Enter { inject } = reminder.added_to(decided, &facts) else { unreachable!("it was let in") };
    let messages = inject.iter().map(|part| Message::from_part(part).unwrap());
    messages.map(|message| (message.source.clone(), message.text())).collect()
}

#[test]
fn the_reminder_comes_once_and_behind_what_was_said_below() {
    let below = (None, "below".to_owned());
    assert_eq!(said(2), std::slice::from_ref(&below));
    assert_eq!(said(3), [below.clone(), (Some("template-turn-policy-wrap".into()), "enough?".into())]);
    assert_eq!(said(4), [below]);
}

#[test]
fn a_step_that_was_rejected_stays_rejected() {
    let reminder = Reminder::new(Config { at_step: 1, text: "enough?".into() });
    let rejected =
        Enter::Reject { code: "LIMIT_X".into(), message: "no".into(), hint: String::new(), resumable: false };
    let facts = StepFacts { step: 1, ..StepFacts::default() };
    assert_eq!(reminder.added_to(rejected.clone(), &facts), rejected);
}

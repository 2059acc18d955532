//! The limit: which step is one too many, and what is said of it. How it is mounted and stacked is tested with the program.
use plugin_sdk::{
    Message,
    contracts::turn_policy::{Enter, StepFacts, Totals},
};
use policy_steps::{Config, StepLimit};

fn decide(most: u32, taken: u32, decided: Enter) -> Enter {
    let facts = StepFacts {
        step: taken + 1,
        totals: Totals { steps: taken, ..Totals::default() },
        ..StepFacts::default()
    };
    StepLimit::new(Config { max_steps: most }, "steps").decide(decided, &facts)
}

#[test]
fn a_step_begins_until_the_limit_is_reached() {
    let below = Enter::Enter { inject: vec![Message::user("below").part()] };
    for (most, taken, ends) in [
        (1, 0, None),
        (1, 1, Some("the turn has taken 1 of 1 step")),
        (50, 49, None),
        (50, 50, Some("the turn has taken 50 of 50 steps")),
        // Raised less than what was taken before.
        (50, 60, Some("the turn has taken 60 of 50 steps")),
        (0, u32::MAX - 1, None),
    ] {
        let expected = match ends {
            None => below.clone(),
            Some(message) => Enter::Reject {
                code: "LIMIT_STEPS".into(),
                message: message.into(),
                hint: "raise `max_steps` of the row `steps` to go on".into(),
                resumable: true,
            },
        };
        assert_eq!(decide(most, taken, below.clone()), expected, "{taken} of {most}");
    }
}

#[test]
fn what_was_rejected_below_stays_rejected_as_it_was() {
    let below =
        Enter::Reject { code: "NO".into(), message: "no".into(), hint: String::new(), resumable: false };
    assert_eq!(decide(1, 1, below.clone()), below);
}

//! The warning comes before the step at which a share of a limit is first used, and names what is near.
use super::{budget, facts, said};
use plugin_sdk::contracts::turn_policy::{StepFacts, Totals};
use policy_budget::{Config, Verdict};

fn config() -> Config {
    Config { steps_max: 10, tool_calls_max: 20, warn_percent: 80, ..Config::default() }
}

fn totals(steps: u32, tool_calls: u32) -> Totals {
    Totals { steps, tool_calls, ..Totals::default() }
}

#[test]
fn each_limit_is_said_to_be_near_once() {
    let turn =
        [(0, 0), (6, 2), (7, 15), (8, 16), (9, 19), (10, 19)].map(|(steps, calls)| totals(steps, calls));
    let heard: Vec<String> =
        turn.windows(2).map(|w| said(budget(config()).judge(&facts(w[0].clone(), w[1].clone())))).collect();
    let end =
        "LIMIT_STEPS: the turn has used 10 of 10 steps (raise `steps_max` of the row `budget` to go on)";
    assert_eq!(heard, ["fine", "fine", "near: 8 of 10 steps and 16 of 20 tool calls", "fine", end]);
}

#[test]
fn nobody_is_warned_where_that_is_off() {
    let config = Config { warn_percent: 0, ..config() };
    assert_eq!(budget(config).judge(&facts(totals(1, 1), totals(9, 19))), Verdict::Fine);
}

#[test]
fn a_loop_that_does_not_say_what_came_before_gets_ends_alone() {
    let of =
        |steps, calls| StepFacts { step: steps + 1, totals: totals(steps, calls), ..StepFacts::default() };
    assert_eq!(budget(config()).judge(&of(9, 19)), Verdict::Fine);
    assert!(matches!(budget(config()).judge(&of(10, 19)), Verdict::Block { .. }));
}

//! The policy through its contract.

use plugin_sdk::{
    contracts::turn_policy::{Enter, StepFacts, Stop, Totals, TurnFacts, TurnPolicy},
    testing::cx,
};

use template_turn_policy::{CallLimit, Config};

#[tokio::test]
async fn a_step_begins_until_the_limit_is_reached() {
    let (cx, ..) = cx();
    for (made, most, enters) in [(0, 1, true), (1, 1, false), (2, 1, false), (0, 0, false), (99, 100, true)] {
        let facts =
            StepFacts { totals: Totals { tool_calls: made, ..Totals::default() }, ..StepFacts::default() };
        let policy = CallLimit::new(Config { tool_calls_max: most });
        let answer = policy.before_step(facts, &cx).await.unwrap();
        let expected = if enters {
            Enter::Enter { inject: Vec::new() }
        } else {
            let message = format!("the turn has made {made} tool calls, and {most} are the most");
            let hint = "raise `tool_calls_max` of this row".to_owned();
            Enter::Reject { code: "LIMIT_TOOL_CALLS".into(), message, hint, resumable: true }
        };
        assert_eq!(answer, expected);
    }
}

#[tokio::test]
async fn a_turn_may_always_stop() {
    let (cx, ..) = cx();
    let policy = CallLimit::new(Config { tool_calls_max: 0 });
    assert_eq!(policy.before_stop(TurnFacts::default(), &cx).await.unwrap(), Stop::Stop);
}

//! A limit holds from the amount on that it names.
use super::{budget, facts, judge, said, usage};
use plugin_sdk::{
    Message, Usage,
    contracts::turn_policy::{Enter, Totals},
};
use policy_budget::{Config, Verdict};
use proptest::prelude::*;

fn with(set: impl FnOnce(&mut Config)) -> Config {
    let mut config = Config::default();
    set(&mut config);
    config
}

fn cached() -> Totals {
    let usage = Usage { cache_read_tokens: Some(60), cache_write_tokens: Some(30), ..usage(10, 5) };
    Totals { steps: 2, usage, ..Totals::default() }
}

fn priced(config: &mut Config) {
    (config.input_usd_per_million, config.output_usd_per_million) = (Some(1000.0), Some(10_000.0));
}

#[test]
fn each_limit_ends_the_turn_and_says_which_and_how_to_go_on() {
    let most = |totals: Totals, set: fn(&mut Config)| said(judge(with(set), totals));
    let turn = || Totals {
        steps: 3,
        tool_calls: 7,
        usage: usage(1000, 50),
        elapsed_ms: 61_250,
        ..Totals::default()
    };
    let to_go_on = |key: &str| format!("(raise `{key}` of the row `budget` to go on)");
    for (set, fine, expected) in [
        (
            (|c| c.steps_max = 3) as fn(&mut Config),
            (|c| c.steps_max = 4) as fn(&mut Config),
            "LIMIT_STEPS: the turn has used 3 of 3 steps (steps_max)",
        ),
        (
            |c| c.tool_calls_max = 7,
            |c| c.tool_calls_max = 8,
            "LIMIT_TOOL_CALLS: the turn has used 7 of 7 tool calls (tool_calls_max)",
        ),
        (
            |c| c.tool_calls_max = 1,
            |c| c.tool_calls_max = 0,
            "LIMIT_TOOL_CALLS: the turn has used 7 of 1 tool call (tool_calls_max)",
        ),
        (
            |c| c.input_tokens_max = 999,
            |c| c.input_tokens_max = 1001,
            "LIMIT_INPUT_TOKENS: the turn has used 1000 of 999 input tokens (input_tokens_max)",
        ),
        (
            |c| c.output_tokens_max = 50,
            |c| c.output_tokens_max = 51,
            "LIMIT_OUTPUT_TOKENS: the turn has used 50 of 50 output tokens (output_tokens_max)",
        ),
        (
            |c| c.elapsed_ms_max = 60_000,
            |c| c.elapsed_ms_max = 61_251,
            "LIMIT_TIME: the turn has used 61.2 of 60 seconds (elapsed_ms_max)",
        ),
        (
            |c| c.elapsed_ms_max = 1,
            |c| c.elapsed_ms_max = 0,
            "LIMIT_TIME: the turn has used 61.2 of 0.001 seconds (elapsed_ms_max)",
        ),
    ] {
        let (expected, key) = expected.rsplit_once(' ').unwrap();
        let key = key.trim_matches(['(', ')']);
        assert_eq!(most(turn(), set), format!("{expected} {}", to_go_on(key)));
        assert_eq!(most(turn(), fine), "fine", "{expected}");
    }
}

#[test]
fn input_is_what_is_billed() {
    let limit = |most| with(|config| config.input_tokens_max = most);
    assert_eq!(judge(limit(101), cached()), Verdict::Fine);
    assert!(said(judge(limit(100), cached())).contains("100 of 100 input tokens"));
}

#[test]
fn the_loops_cost_counts_and_else_the_tokens_at_the_rows_prices() {
    let dollars = |totals: Totals, most: f64, set: fn(&mut Config)| {
        said(judge(with(|config| (config.cost_usd_max = most, set(config)).1), totals))
    };
    let to_go_on = "(raise `cost_usd_max` of the row `budget` to go on)";
    let known = Totals { cost: Some(0.123_456), ..cached() };
    assert_eq!(
        dollars(known.clone(), 0.12, |_| {}),
        format!("LIMIT_COST: the turn has used $0.1235 of $0.12 {to_go_on}")
    );
    assert_eq!(dollars(known, 0.13, priced), "fine");
    // 100 tokens of input at 0.001, 5 of output at 0.01.
    assert_eq!(
        dollars(cached(), 0.15, priced),
        format!("LIMIT_COST: the turn has used $0.15 of $0.15 {to_go_on}")
    );
    assert_eq!(dollars(cached(), 0.151, priced), "fine");
    let cheap_cache = |config: &mut Config| {
        priced(config);
        (config.cache_read_usd_per_million, config.cache_write_usd_per_million) = (Some(0.0), Some(2000.0));
    };
    // 10 at 0.001, 60 at nothing, 30 at 0.002, 5 at 0.01.
    assert_eq!(
        dollars(cached(), 0.12, cheap_cache),
        format!("LIMIT_COST: the turn has used $0.12 of $0.12 {to_go_on}")
    );
    let tiny = Totals { cost: Some(0.000_02), ..cached() };
    assert_eq!(
        dollars(tiny, 0.000_01, |_| {}),
        format!("LIMIT_COST: the turn has used $0.00002 of $0.00001 {to_go_on}")
    );
}

#[test]
fn limits_that_are_reached_together_are_all_named() {
    let config =
        with(|c| (c.steps_max, c.tool_calls_max, c.elapsed_ms_max, c.output_tokens_max) = (2, 3, 1000, 9));
    let turn = Totals { steps: 2, tool_calls: 4, elapsed_ms: 2000, usage: usage(1, 1), ..Totals::default() };
    assert_eq!(
        said(judge(config, turn)),
        "LIMIT_STEPS: the turn has used 2 of 2 steps, 4 of 3 tool calls and 2 of 1 seconds \
         (raise `steps_max`, `tool_calls_max` and `elapsed_ms_max` of the row `budget` to go on)"
    );
}

#[test]
fn what_was_decided_below_is_kept_or_ended() {
    let below = || Enter::Enter { inject: vec![Message::user("below").part()] };
    let rejected =
        || Enter::Reject { code: "NO".into(), message: "no".into(), hint: String::new(), resumable: false };
    let block = || judge(with(|c| c.steps_max = 1), Totals { steps: 1, ..Totals::default() });
    assert_eq!(Verdict::Fine.with(below()), below());
    assert!(
        matches!(block().with(below()), Enter::Reject { code, resumable: true, .. } if code == "LIMIT_STEPS")
    );
    assert_eq!(block().with(rejected()), rejected());
    assert_eq!(Verdict::Warn("much".into()).with(rejected()), rejected());
    let Enter::Enter { inject } = Verdict::Warn("8 of 10 steps".into()).with(below()) else { unreachable!() };
    let said: Vec<(Option<String>, String)> =
        inject.iter().map(|p| Message::from_part(p).unwrap()).map(|m| (m.source.clone(), m.text())).collect();
    let warning =
        "This turn has used 8 of 10 steps. Do what matters most, and say what is left before it ends.";
    assert_eq!(said, [(None, "below".into()), (Some("policy-budget".into()), warning.into())]);
}

proptest! {
    #[test]
    fn a_turn_is_warned_once_at_most_and_then_ended_once_the_limit_is_used(
        most in 1u64..200, percent in 0u64..100, steps in proptest::collection::vec(0u64..40, 1..60),
    ) {
        let budget = budget(Config { output_tokens_max: most, warn_percent: percent, ..Config::default() });
        let (mut totals, mut previous, mut warned) = (Totals::default(), Totals::default(), 0);
        for tokens in steps {
            let verdict = budget.judge(&facts(previous.clone(), totals.clone()));
            let used = totals.usage.output_tokens;
            prop_assert_eq!(matches!(verdict, Verdict::Block { .. }), used >= most);
            if matches!(verdict, Verdict::Warn(_)) {
                warned += 1;
                prop_assert!(percent > 0 && used * 100 >= most * percent);
            }
            previous = totals.clone();
            totals.steps += 1;
            totals.usage.output_tokens += tokens;
        }
        prop_assert!(warned <= 1);
    }
}

//! A limit on what nobody measures ends the turn: one that does not hold is worse than none.
use super::{judge, said, usage};
use plugin_sdk::contracts::turn_policy::Totals;
use policy_budget::{Config, Verdict};

/// Three responses, of which two did not say what they used.
fn silent() -> Totals {
    Totals { steps: 3, unmetered_steps: 2, usage: usage(10, 10), ..Totals::default() }
}

#[test]
fn tokens_that_the_provider_does_not_say() {
    for (key, config) in [
        ("input_tokens_max", Config { input_tokens_max: 100, ..Config::default() }),
        ("output_tokens_max", Config { output_tokens_max: 100, ..Config::default() }),
        (
            "cost_usd_max",
            Config {
                cost_usd_max: 1.0,
                input_usd_per_million: Some(1.0),
                output_usd_per_million: Some(1.0),
                ..Config::default()
            },
        ),
    ] {
        let expected = format!(
            "LIMIT_UNMEASURED: `{key}` cannot be kept: the provider does not say how many tokens a response used \
             (set `{key}` of the row `budget` to 0, and limit its steps)"
        );
        assert_eq!(said(judge(config, silent())), expected);
    }
    // What is reached is reached, whatever else there was.
    let config = Config { output_tokens_max: 10, ..Config::default() };
    assert!(said(judge(config, silent())).starts_with("LIMIT_OUTPUT_TOKENS: "));
}

#[test]
fn money_without_a_price_before_any_is_spent() {
    let one = Config { cost_usd_max: 1.0, input_usd_per_million: Some(1.0), ..Config::default() };
    assert_eq!(
        said(judge(one, Totals::default())),
        "LIMIT_UNMEASURED: `cost_usd_max` cannot be kept: nobody knows what a token costs \
         (set `input_usd_per_million` and `output_usd_per_million` of the row `budget`)"
    );
}

#[test]
fn what_is_not_limited_or_known_otherwise_need_not_be_measured() {
    let config = Config { steps_max: 9, tool_calls_max: 9, elapsed_ms_max: 9, ..Config::default() };
    assert_eq!(judge(config, silent()), Verdict::Fine);
    let config = Config { cost_usd_max: 1.0, ..Config::default() };
    assert_eq!(judge(config, Totals { cost: Some(0.5), ..silent() }), Verdict::Fine);
}

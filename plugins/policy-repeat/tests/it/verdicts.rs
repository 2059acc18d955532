//! When the model is told, when the turn ends, and with which words.
use super::{config, heard, verdicts};
use plugin_sdk::{
    Message,
    contracts::turn_policy::{Enter, StepFacts},
};
use policy_repeat::{Config, Guard, Verdict};
use proptest::prelude::*;

#[test]
fn one_nudge_and_then_a_block() {
    for (steps, expected) in [
        ("A A A A A A A", "..n..BB"),
        ("A B C D E F G", "......."),
        // Another call is another matter.
        ("A A B A A B A", "......."),
        // Pairs, and a stretch of three.
        ("A B A B A B A B A B A B", ".....n.....B"),
        ("AB AB AB AB AB AB", "..n..B"),
        ("A B C A B C A B C", "........n"),
        // A result that changes is progress.
        ("A1 A2 A3 A4 A5 A6 A7", "......."),
        ("A1 A1 A2 A2 A2 A2", "....n."),
        // Told again when it begins again.
        ("A A A B A A A", "..n...n"),
    ] {
        assert_eq!(heard(config(), steps), expected, "{steps}");
    }
}

#[test]
fn the_same_tool_with_other_arguments_is_another_call() {
    let alone = |cycle_calls_max| Config { cycle_calls_max, ..config() };
    assert_eq!(heard(alone(1), "A a A a A a"), "......");
    assert_eq!(heard(alone(2), "A a A a A a"), ".....n");
}

#[test]
fn a_turn_ends_only_after_the_model_was_told_however_many_calls_a_step_makes() {
    let (six, seventy) = ("A".repeat(6), "A".repeat(70));
    assert_eq!(heard(config(), &six), "n");
    assert_eq!(heard(config(), &format!("{six} A")), "nB");
    assert_eq!(heard(config(), &format!("{six} B A")), "n..");
    // More calls in a step than are remembered, and just about as many.
    assert_eq!(heard(config(), &format!("{seventy} {seventy}")), "nB");
    for (step, expected) in
        [("A".repeat(31), "nBB"), ("AB".repeat(15), "nBB"), (format!("B{}", "A".repeat(30)), "nnn")]
    {
        assert_eq!(heard(config(), &[step.as_str(); 3].join(" ")), expected, "{step}");
    }
}

#[test]
fn either_may_be_left_out() {
    let steps = "A A A A A A A A A A A A A A";
    assert_eq!(heard(Config { block_at: 0, ..config() }, steps), "..n...........");
    assert_eq!(heard(Config { nudge_at: 0, ..config() }, &steps[..13]), ".....BB");
    assert_eq!(heard(Config { nudge_at: 0, block_at: 0, ..config() }, steps), "..............");
    let late = Config { nudge_at: 2, block_at: 12, cycle_calls_max: 2, ..config() };
    assert_eq!(heard(late, &steps[..23]), ".n.........B");
}

#[test]
fn tools_that_are_ignored_neither_count_nor_interrupt() {
    let ignoring = |name: &str| Config { ignore: vec![name.into()], ..config() };
    assert_eq!(heard(ignoring("tool_w"), "W W W W W W"), "......");
    assert_eq!(heard(ignoring("tool_w"), "AW WA W A"), "...n");
    assert_eq!(heard(ignoring("tool_*"), "A A A A A A"), "......");
    assert_eq!(heard(ignoring("tool"), "A A A"), "..n");
}

#[test]
fn the_words_name_the_calls() {
    assert_eq!(
        verdicts(config(), &["A", "A", "A"])[2],
        Verdict::Nudge("the same call of `tool_a` 3 times in a row, with the same result each time".into())
    );
    let twice = "the same 2 calls (`tool_a`, `tool_b`) 3 times in a row, with the same results each time";
    let nudge = verdicts(config(), &["AB", "AB", "AB"]).remove(2);
    assert_eq!(nudge, Verdict::Nudge(twice.into()));

    let guard = Guard::new(config()).unwrap();
    let below = || Enter::Enter { inject: vec![Message::user("below").part()] };
    let Enter::Enter { inject } = guard.decide(below(), &nudge) else { unreachable!() };
    let said: Vec<(Option<String>, String)> =
        inject.iter().map(|p| Message::from_part(p).unwrap()).map(|m| (m.source.clone(), m.text())).collect();
    let told = format!(
        "You have made {twice}: nothing has changed. Do something else, or say what stands in your way."
    );
    assert_eq!(said, [(None, "below".into()), (Some("policy-repeat".into()), told)]);
    assert_eq!(guard.decide(below(), &Verdict::Fine), below());

    let block = verdicts(config(), &["AB"; 6]).remove(5);
    let expected = Enter::Reject {
        code: "NO_PROGRESS".into(),
        message: format!("the model has made {}", twice.replace('3', "6")),
        hint: "say what it should do differently".into(),
        resumable: true,
    };
    assert_eq!(guard.decide(below(), &block), expected);
    let rejected =
        Enter::Reject { code: "NO".into(), message: "no".into(), hint: String::new(), resumable: false };
    assert_eq!(guard.decide(rejected.clone(), &block), rejected);
    assert_eq!(guard.decide(rejected.clone(), &nudge), rejected);
}

#[test]
fn a_loop_that_does_not_say_its_calls_is_noticed_once() {
    let guard = Guard::new(config()).unwrap();
    let at = |step| guard.judge(&StepFacts { step, ..StepFacts::default() });
    assert_eq!([at(1), at(2), at(3)], [Verdict::Blind, Verdict::Fine, Verdict::Fine]);
}

#[test]
fn a_config_that_would_block_first_or_always_is_refused() {
    for (nudge_at, block_at, expected) in [
        (3, 6, ""),
        (0, 2, ""),
        (2, 0, ""),
        (2, 8, ""),
        (
            2,
            9,
            "`block_at` with 9 times `cycle_calls_max` with 4 is 36 calls, and a loop remembers 32 (lower `cycle_calls_max`)",
        ),
        (
            9,
            0,
            "`nudge_at` with 9 times `cycle_calls_max` with 4 is 36 calls, and a loop remembers 32 (lower `cycle_calls_max`)",
        ),
        (1, 6, "`nudge_at` is 1, and every call is made once (take 2 or more, or 0 for never)"),
        (0, 1, "`block_at` is 1, and every call is made once (take 2 or more, or 0 for never)"),
        (3, 3, "`block_at` is 3, which is no more than `nudge_at` with 3 (raise `block_at`)"),
    ] {
        let error = Guard::new(Config { nudge_at, block_at, ..config() }).err();
        let said = error.map(|e| format!("{} ({})", e.message, e.hint)).unwrap_or_default();
        assert_eq!(said, expected);
    }
}

proptest! {
    #[test]
    fn there_is_no_block_without_a_nudge_before_and_none_for_what_changes(
        steps in proptest::collection::vec("([ab][01]){1,5}", 1..30),
    ) {
        let heard = heard(config(), &steps.join(" "));
        if let Some(block) = heard.find('B') {
            prop_assert!(heard[..block].contains('n'), "{}", heard);
        }
        let changing: Vec<String> = (0..steps.len().min(20)).map(|n| format!("{}{}", (b'a' + n as u8) as char, n % 10)).collect();
        prop_assert!(!super::heard(config(), &changing.join(" ")).contains(['n', 'B']));
    }
}

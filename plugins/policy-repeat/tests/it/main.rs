//! Which calls go round in circles, and what is done about it. How it is mounted and stacked is tested with the program.
#![expect(clippy::unwrap_used, reason = "this is how a test fails")]

mod cycles;
mod verdicts;

use plugin_sdk::contracts::{
    tools::{ToolCall, ToolResult},
    turn_policy::{RecentCalls, StepFacts, Totals},
};
use policy_repeat::{Config, Guard, Verdict};

fn config() -> Config {
    Config { nudge_at: 3, block_at: 6, cycle_calls_max: 4, ignore: Vec::new() }
}

/// What the guard says before each step of a turn, whose steps are written as words: a letter is a call, the digit behind it its result.
fn verdicts(config: Config, steps: &[&str]) -> Vec<Verdict> {
    let guard = Guard::new(config).unwrap();
    let (mut recent, mut verdicts) = (RecentCalls::default(), Vec::new());
    let (mut taken, mut tool_calls) = (0, 0);
    for step in steps {
        taken += 1;
        let letters: Vec<char> = step.chars().collect();
        for (at, letter) in letters.iter().enumerate().filter(|(_, letter)| letter.is_alphabetic()) {
            let result = letters.get(at + 1).filter(|next| next.is_numeric());
            let call =
                ToolCall::new("call", format!("tool_{}", letter.to_lowercase()), &format!("[\"{letter}\"]"));
            recent.add(taken, &call, &ToolResult::ok(result.map(char::to_string).unwrap_or_default()));
            tool_calls += 1;
        }
        let totals = Totals { steps: taken, tool_calls, ..Totals::default() };
        let facts =
            StepFacts { step: taken + 1, totals, recent_calls: Some(recent.list()), ..StepFacts::default() };
        verdicts.push(guard.judge(&facts));
    }
    verdicts
}

/// The same, a letter each: `.` nothing, `n` a nudge, `B` a block.
fn heard(config: Config, steps: &str) -> String {
    let steps: Vec<&str> = steps.split(' ').collect();
    let letter = |verdict: &Verdict| match verdict {
        Verdict::Fine => '.',
        Verdict::Nudge(_) => 'n',
        Verdict::Block(_) => 'B',
        Verdict::Blind => '?',
    };
    verdicts(config, &steps).iter().map(letter).collect()
}

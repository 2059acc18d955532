//! The ten rules: each is kept by some streams and broken, with its own words, by others.
use crate::notation::chunks;
use contracts::llm::Invariant;

/// What the rules say of a whole stream: `""`, or the sentence of the rule that its last chunk, or its end, breaks.
#[track_caller]
fn verdict(script: &str) -> String {
    let (mut rules, chunks) = (Invariant::default(), chunks(script));
    for (at, chunk) in chunks.iter().enumerate() {
        if let Err(rule) = rules.check(chunk) {
            assert_eq!(at + 1, chunks.len(), "`{script}` breaks a rule before its last chunk: {rule}");
            return rule;
        }
    }
    rules.ended().err().unwrap_or_default()
}

#[test]
fn a_stream_that_keeps_the_rules_is_left_alone() {
    for script in [
        "stop",
        "text 0; t 0 Hel; t 0 lo; end 0; usage 5/2; stop",
        "reasoning 0 a; r 0 hm; end 0; text 1; t 1 yes; end 1; stop",
        "call 0 c1 read_file; a 0 {; a 0 }; end 0; tool-calls",
        // Blocks interleave, and their indices need be neither dense nor ordered.
        "text 7; call 3 c1 f; t 7 a; a 3 {}; end 3; t 7 b; end 7; usage 1/1; tool-calls",
        // Usage comes anywhere before the finish, or not at all.
        "usage 1/1; text 0; end 0; stop",
        "text 0; usage 1/1; end 0; stop",
        // A closed index opens again, as another type too.
        "text 0; end 0; text 0; end 0; stop",
        "text 0; end 0; call 0 c1 f; end 0; tool-calls",
        // A block that ends with a block of the type that was opened.
        "text 0; end 0 = text hi; stop",
        "reasoning 0 a; end 0 = reasoning hm; stop",
        "call 0; end 0 = call c1 f {}; tool-calls",
        // A failure may leave blocks open.
        "text 0; t 0 a; call 1 c f; error SERVER it broke",
        "text 0; aborted ABORTED aborted: ctrl-c",
        // Kinds that are not known mean nothing to the rules.
        "other 77 x; text 0; other 78; end 0; stop",
    ] {
        assert_eq!(verdict(script), "", "{script}");
    }
}

#[test]
fn each_rule_names_what_breaks_it() {
    let after = "the stream goes on after its finish";
    for (script, rule) in [
        // 1
        ("stop; text 0", after),
        ("stop; usage 1/1", after),
        ("stop; stop", after),
        ("stop; other 77", after),
        ("stop; discard 2", after),
        ("text 0; error SERVER it broke; t 0 more", after),
        ("aborted ABORTED aborted; stop", after),
        // 2
        ("text 0; text 0", "block 0 opens twice"),
        ("text 4; reasoning 4 a", "block 4 opens twice"),
        ("text 0; call 1; end 0; call 1", "block 1 opens twice"),
        // 3
        ("t 0 a", "a text delta for block 0 needs an open text block, there is none"),
        ("text 0; t 1 a", "a text delta for block 1 needs an open text block, there is none"),
        ("text 0; end 0; t 0 a", "a text delta for block 0 needs an open text block, there is none"),
        ("reasoning 0 a; t 0 x", "a text delta for block 0 needs an open text block, there is reasoning"),
        ("call 0; r 0 x", "a reasoning delta for block 0 needs an open reasoning block, there is tool-call"),
        ("text 0; a 0 {}", "a tool-call delta for block 0 needs an open tool-call block, there is text"),
        // 4
        ("end 0", "block 0 ends without having been opened"),
        ("text 0; end 0; end 0", "block 0 ends without having been opened"),
        ("text 0; end 1 = text x", "block 1 ends without having been opened"),
        // 5
        ("text 0; end 0 = reasoning x", "block 0 opened as text and ends as another type"),
        ("reasoning 0 a; end 0 = text x", "block 0 opened as reasoning and ends as another type"),
        ("call 0; end 0 = text x", "block 0 opened as tool-call and ends as another type"),
        ("text 0; end 0 = result", "block 0 opened as text and ends as another type"),
        ("text 0; end 0 = unknown", "block 0 opened as text and ends as another type"),
        // 6
        ("usage 1/1; usage 1/1", "usage comes more than once"),
        ("usage 1/1; text 0; end 0; usage 2/2", "usage comes more than once"),
        // 7
        ("text 0; stop", "the stream finished with 1 open block(s)"),
        ("text 0; call 1; tool-calls", "the stream finished with 2 open block(s)"),
        ("text 0; end 0; text 0; max-tokens", "the stream finished with 1 open block(s)"),
        // 8
        ("", "the stream ended without a finish"),
        ("text 0; t 0 a; end 0; usage 1/1", "the stream ended without a finish"),
        // 9
        ("error - it broke", "a failure needs a code and a message"),
        ("error SERVER -", "a failure needs a code and a message"),
        ("aborted - aborted", "a failure needs a code and a message"),
        ("aborted ABORTED -", "a failure needs a code and a message"),
    ] {
        assert_eq!(verdict(script), rule, "{script}");
    }
}

#[test]
fn an_attempt_that_discards_starts_anew_and_another_does_not() {
    for (script, rule) in [
        ("text 0; usage 1/1; discard 2; text 0; end 0; usage 1/1; stop", ""),
        ("call 3; discard 2; discard 3; stop", ""),
        ("text 0; discard 2; t 0 a", "a text delta for block 0 needs an open text block, there is none"),
        ("attempt 2; text 0; end 0; stop", ""),
        ("text 0; attempt 2; text 0", "block 0 opens twice"),
        ("usage 1/1; attempt 2; usage 1/1", "usage comes more than once"),
        ("discard 2", "the stream ended without a finish"),
    ] {
        assert_eq!(verdict(script), rule, "{script}");
    }
}

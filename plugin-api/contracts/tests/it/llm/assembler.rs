//! From a stream that keeps the rules to its blocks.
use crate::notation::{chunks, shown_block, shown_finish};
use contracts::{
    Block,
    llm::{Assembler, Invariant},
};

/// The blocks of a stream, its usage and its finish, a line each.
#[track_caller]
fn assembled(script: &str) -> String {
    let (mut rules, mut response) = (Invariant::default(), Assembler::default());
    for chunk in chunks(script) {
        rules.check(&chunk).unwrap();
        response.push(chunk);
    }
    let mut ends = Vec::new();
    ends.extend(
        response.usage().map(|usage| format!("usage {}/{}", usage.input_tokens, usage.output_tokens)),
    );
    ends.extend(response.finish().map(shown_finish));
    let blocks = response.into_blocks();
    blocks.iter().map(shown_block).chain(ends).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_stream_becomes_its_blocks() {
    for (script, expected) in [
        ("stop", "stop"),
        ("text 0; t 0 Hel; t 0 lo; end 0; usage 5/2; stop", "text Hello\nusage 5/2\nstop"),
        // The order is that in which blocks open, whatever their indices and their ends.
        (
            "text 9; call 2 c1 f; t 9 a; a 2 {\"x\"; end 9; a 2 :1}; end 2; tool-calls",
            "text a\ncall c1 f {\"x\":1}\ntool-calls",
        ),
        ("reasoning 0 a; r 0 h; r 0 m; end 0; text 1; end 1; stop", "reasoning hm\ntext \nstop"),
        // What the end brings wins over the start and the deltas.
        ("text 0; t 0 draft; end 0 = text final; stop", "text final\nstop"),
        ("call 0; a 0 {; end 0 = call c1 f {}; tool-calls", "call c1 f {}\ntool-calls"),
        // An index that opens again is another block; deltas go to the open one.
        ("text 0; t 0 a; end 0; text 0; t 0 b; end 0; stop", "text a\ntext b\nstop"),
        ("text 0; t 0 a; end 0; call 0 c f; a 0 {}; end 0; tool-calls", "text a\ncall c f {}\ntool-calls"),
        ("text 0; other 77 x; t 0 a; end 0; stop", "text a\nstop"),
    ] {
        assert_eq!(assembled(script), expected, "{script}");
    }
}

#[test]
fn what_a_finish_leaves_of_the_blocks() {
    let blocks = "reasoning 0 a; r 0 hm; end 0; text 1; t 1 so; end 1; call 2 c1 f; a 2 {}; end 2";
    for (finish, expected) in [
        ("stop", "reasoning hm\ntext so\ncall c1 f {}\nstop"),
        ("tool-calls", "reasoning hm\ntext so\ncall c1 f {}\ntool-calls"),
        // Nothing of a response that was cut is executed, whole calls included.
        ("max-tokens", "reasoning hm\ntext so\nmax-tokens"),
        ("aborted ABORTED why", "reasoning hm\ntext so\naborted ABORTED why"),
        ("error SERVER why", "reasoning hm\ntext so\nerror SERVER why"),
    ] {
        assert_eq!(assembled(&format!("{blocks}; {finish}")), expected, "{finish}");
    }
    // Without a finish the stream was interrupted.
    assert_eq!(assembled(blocks), "reasoning hm\ntext so");
}

#[test]
fn an_interrupted_response_keeps_only_what_says_something() {
    let blocks = "text 0; t 0  \n ; end 0; reasoning 1 a; text 2; t 2 cut of; call 3 c f; a 3 {\"pa";
    assert_eq!(assembled(&format!("{blocks}; aborted ABORTED why")), "text cut of\naborted ABORTED why");
    // A complete response keeps what it said, blank or not.
    assert_eq!(assembled("text 0; t 0  ; end 0; stop"), "text  \nstop");
    let mut response = Assembler::default();
    for chunk in chunks("text 0; end 0 = unknown; text 1; t 1 a; end 1; aborted ABORTED why") {
        response.push(chunk);
    }
    assert_eq!(response.into_blocks(), [Block::text("a")], "a block of an unknown kind says nothing");
}

#[test]
fn an_attempt_that_discards_voids_all_before_it() {
    for (script, expected) in [
        (
            "text 0; t 0 a; usage 9/9; discard 2; text 0; t 0 b; end 0; usage 1/1; stop",
            "text b\nusage 1/1\nstop",
        ),
        ("call 0 c f; a 0 {; discard 2; stop", "stop"),
        ("text 0; t 0 a; attempt 2; t 0 b; end 0; usage 9/9; stop", "text ab\nusage 9/9\nstop"),
    ] {
        assert_eq!(assembled(script), expected, "{script}");
    }
}

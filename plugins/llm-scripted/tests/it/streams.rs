//! What arrives when: pieces, pauses, and the end of a request that is cancelled.
use crate::support::{Polled, TestRun, cx, model, request, shown_chunk, user};
use contracts::llm::StreamChunk;
use expect_test::expect;
use plugin_sdk::contracts;
use std::sync::atomic::Ordering::SeqCst;

fn text(chunks: &[StreamChunk]) -> String {
    chunks.iter().map(|chunk| shown_chunk(chunk) + "\n").collect()
}

#[test]
fn a_response_comes_in_pieces_of_whole_characters() {
    let model = model(
        "replies: [{chunk: 3, reasoning: hm, text: 'añ漢😀é!', calls: [{name: look, arguments: {p: 'ä'}}, {name: x, arguments: ''}]}]",
    );
    let mut polled = Polled::open(&model, request(&[]), &user("go").into(), cx(&TestRun::default()).0);
    expect![[r#"
        0 reasoning of llm-scripted
        0 + "hm"
        0 end
        1 text
        1 + "añ漢"
        1 + "😀é!"
        1 end
        2 call call_1_1 look
        2 + "{\"p"
        2 + "\":\""
        2 + "ä\"}"
        2 end
        3 call call_1_2 x
        3 end
        usage {"input_tokens":14,"output_tokens":8,"reasoning_tokens":1}
        tool-calls
    "#]]
    .assert_eq(&text(&polled.ready()));
}

#[test]
fn a_failure_leaves_the_block_that_it_cut_open() {
    let model = model("replies: [{reasoning: a, text: b, failure: {code: TRANSPORT, message: reset}}]");
    let mut polled = Polled::open(&model, request(&[]), &user("go").into(), cx(&TestRun::default()).0);
    expect![[r#"
        0 reasoning of llm-scripted
        0 + "a"
        0 end
        1 text
        1 + "b"
        error TRANSPORT: reset
    "#]]
    .assert_eq(&text(&polled.ready()));
}

#[test]
fn pauses_are_slept_on_the_runs_clock() {
    let run = TestRun::default();
    let model = model("replies: [{text: abcdef, chunk: 2, delay_ms: 10, first_delay_ms: 500}]");
    let mut polled = Polled::open(&model, request(&[]), &user("go").into(), cx(&run).0);
    polled.ready();
    assert_eq!(run.slept_ns.load(SeqCst), 530_000_000);
}

#[test]
fn long_texts_pass_the_readers_window() {
    let model = model("replies: [{text: \"{{ 'word ' * 4000 }}\", chunk: 1}]");
    let mut polled = Polled::open(&model, request(&[]), &user("go").into(), cx(&TestRun::default()).0);
    let deltas = polled.ready().iter().filter(|c| matches!(c, StreamChunk::TextDelta { .. })).count();
    assert_eq!(deltas, 20_000);
}

/// A script, whether its sleeps last for ever, and what comes before and after the cancel.
#[test]
fn a_cancelled_request_ends_aborted_wherever_it_is() {
    for (script, frozen, expected) in [
        (
            "{text: hello, chunk: 2, hang: true}",
            false,
            expect![[r#"
            0 text
            0 + "he"
            0 + "ll"
            0 + "o"
            cancel
            aborted ABORTED: aborted: enough
        "#]],
        ),
        (
            "{hang: true}",
            false,
            expect![[r#"
            cancel
            aborted ABORTED: aborted: enough
        "#]],
        ),
        (
            "{text: hello, first_delay_ms: 1}",
            true,
            expect![[r#"
            cancel
            aborted ABORTED: aborted: enough
        "#]],
        ),
        (
            "{text: hello, delay_ms: 1}",
            true,
            expect![[r#"
            0 text
            cancel
            aborted ABORTED: aborted: enough
        "#]],
        ),
    ] {
        let run = TestRun { frozen, ..TestRun::default() };
        let (cx, cancel) = cx(&run);
        let model = model(&format!("replies: [{script}]"));
        let mut polled = Polled::open(&model, request(&[]), &user("go").into(), cx);
        let mut seen = text(&polled.ready()) + "cancel\n";
        assert_eq!(polled.woken.0.load(SeqCst), 0);
        cancel.cancel("enough".into());
        assert!(polled.woken.0.load(SeqCst) > 0, "nobody was woken");
        seen.push_str(&text(&polled.ready()));
        expected.assert_eq(&seen);
    }
}

#[test]
fn a_request_cancelled_before_it_began_says_only_that() {
    let (cx, cancel) = cx(&TestRun::default());
    cancel.cancel("".into());
    let mut polled = Polled::open(&model("replies: [{text: a}]"), request(&[]), &user("go").into(), cx);
    expect![[r#"
        aborted ABORTED: aborted: cancelled
    "#]]
    .assert_eq(&text(&polled.ready()));
}

#[test]
fn a_cancel_between_two_pieces_stops_the_text() {
    let (cx, cancel) = cx(&TestRun::default());
    let model = model("replies: [{text: \"{{ 'x' * 500 }}\", chunk: 1}]");
    let mut polled = Polled::open(&model, request(&[]), &user("go").into(), cx);
    // The first poll runs ahead by what the stream holds, no further.
    let first = polled.one();
    cancel.cancel("".into());
    let rest = polled.ready();
    assert!(first.is_some() && rest.len() < 100, "{} chunks", rest.len());
    assert_eq!(shown_chunk(rest.last().unwrap()), "aborted ABORTED: aborted: cancelled");
}

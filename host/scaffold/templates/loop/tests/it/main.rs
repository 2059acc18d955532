//! What follows from each response. That requests and calls arrive is seen with the plugin mounted: `harness check 01`.

use plugin_sdk::{
    Block, Message, Usage,
    contracts::{
        agent_loop::TurnEnd,
        llm::{Assembler, BlockStart, Failure, Finish, StreamChunk},
        tools::{ToolCall, ToolResult},
    },
};

use template_loop::{Next, Turn};

/// A response of a text and of calls, which used 10 tokens in and 1 out.
fn response(text: &str, calls: &[(&str, &str)], finish: Finish) -> Assembler {
    let mut response = Assembler::default();
    let mut push = |index: u32, block: BlockStart, delta: StreamChunk| {
        response.push(StreamChunk::BlockStart { index, block });
        response.push(delta);
        response.push(StreamChunk::BlockEnd { index, block: None });
    };
    if !text.is_empty() {
        push(0, BlockStart::Text, StreamChunk::TextDelta { index: 0, text: text.into() });
    }
    for ((id, arguments), index) in calls.iter().zip(1..) {
        let start = BlockStart::ToolCall { id: (*id).into(), name: "look".into() };
        push(index, start, StreamChunk::ToolCallDelta { index, arguments: (*arguments).into() });
    }
    response.push(StreamChunk::Usage(Usage { input_tokens: 10, output_tokens: 1, ..Usage::default() }));
    response.push(StreamChunk::Finish(finish));
    response
}

#[test]
fn calls_are_run_answered_under_their_ids_and_the_turn_completes() {
    let mut turn = Turn::new("task", 9);
    let Next::Run(calls) = turn.take(response("so", &[("a", "{}"), ("b", r#"{"at"#)], Finish::ToolCalls))
    else {
        unreachable!("there are calls");
    };
    assert_eq!(calls, [ToolCall::new("a", "look", "{}"), ToolCall::new("b", "look", r#"{"at"#)]);
    assert_eq!(Turn::refusal(&calls[0]), None);
    let refusal = Turn::refusal(&calls[1]).unwrap();
    assert!(refusal.is_error && refusal.text.contains("not JSON"), "{}", refusal.text);
    turn.observe(&calls[0], ToolResult::ok("seen"));
    turn.observe(&calls[1], refusal);

    let Next::End(end) = turn.take(response("done", &[], Finish::Stop)) else { unreachable!("it stopped") };
    assert_eq!((end.status, end.steps), (TurnEnd::Completed, 2));
    assert_eq!((end.usage.input_tokens, end.usage.output_tokens), (20, 2));
    let said: Vec<Message> = turn.history().iter().map(|part| Message::from_part(part).unwrap()).collect();
    let cited = |message: &Message| match &message.content[0] {
        Block::ToolResult { call_id, .. } => call_id.clone(),
        _ => message.text(),
    };
    assert_eq!(said.iter().map(cited).collect::<Vec<_>>(), ["task", "so", "a", "b", "done"]);
}

#[test]
fn every_finish_has_an_end_of_its_own() {
    let failure = || Failure { hint: "wait".into(), ..Failure::new("RATE_LIMIT", "too many") };
    for (finish, status, code) in [
        (Finish::Stop, TurnEnd::Completed, None),
        (Finish::MaxTokens, TurnEnd::MaxTokens, None),
        (Finish::Aborted { failure: failure() }, TurnEnd::Aborted, None),
        (Finish::Error { failure: failure() }, TurnEnd::Error, Some("RATE_LIMIT")),
    ] {
        let Next::End(end) = Turn::new("task", 9).take(response("text", &[], finish)) else {
            unreachable!("there are no calls");
        };
        assert_eq!((end.status, end.code.as_deref()), (status, code));
    }
}

#[test]
fn nothing_that_was_cut_is_run() {
    let mut turn = Turn::new("task", 9);
    let next = turn.take(response("", &[("a", "{}")], Finish::MaxTokens));
    assert!(matches!(next, Next::End(end) if end.status == TurnEnd::MaxTokens));
    assert_eq!(turn.history().len(), 1, "a call without an answer would be refused by every provider");
}

#[test]
fn a_turn_takes_no_more_steps_than_it_may() {
    let mut turn = Turn::new("task", 2);
    for _ in 0..2 {
        assert_eq!(turn.limit(), None);
        assert!(matches!(turn.take(response("", &[("a", "{}")], Finish::ToolCalls)), Next::Run(_)));
    }
    let end = turn.limit().unwrap();
    assert_eq!((end.status, end.code.as_deref(), end.steps), (TurnEnd::Blocked, Some("LIMIT_STEPS"), 2));
}

#[test]
fn an_id_that_is_missing_or_taken_is_made() {
    let mut turn = Turn::new("task", 9);
    let next = turn.take(response("", &[("", "{}"), ("a", "{}"), ("a", "{}")], Finish::Stop));
    let Next::Run(calls) = next else { unreachable!("there are calls") };
    let ids: Vec<&str> = calls.iter().map(|call| call.id.as_str()).collect();
    assert_eq!(ids, ["call-1-1", "a", "call-1-3"]);
}

//! What passes, and the note before the end.

use plugin_sdk::{
    Error, Result,
    contracts::agent_loop::{End, LoopEvent, TurnEnd},
    emit, next,
    testing::cx,
};
use std::pin::pin;

use template_loop_wrap::noted;

/// What a run below is told of, and how it ends.
async fn run(below: Vec<Result<LoopEvent>>) -> (Vec<String>, End) {
    let (cx, ..) = cx();
    let below = emit(|out| async move {
        for event in below {
            out.send(event).await;
        }
    });
    let (mut stream, mut told, mut ends) =
        (pin!(noted(Box::pin(below), "mine".into(), cx)), Vec::new(), Vec::new());
    while let Some(event) = next(&mut stream).await {
        match event {
            LoopEvent::Out(text) => told.push(text),
            LoopEvent::Note { text, .. } => told.push(text.split(',').next().unwrap_or_default().into()),
            LoopEvent::End(end) => ends.push(end),
            other => told.push(format!("{other:?}")),
        }
    }
    assert_eq!(ends.len(), 1, "a run has exactly one end");
    (told, ends.remove(0))
}

#[tokio::test]
async fn events_pass_and_the_note_comes_before_the_end() {
    let end = End { status: TurnEnd::Completed, steps: 2, ..End::default() };
    let below =
        vec![Ok(LoopEvent::Out("a".into())), Ok(LoopEvent::Out("b".into())), Ok(LoopEvent::End(end.clone()))];
    assert_eq!(run(below).await, (["a", "b", "mine: 2 steps"].map(String::from).to_vec(), end));
}

#[tokio::test]
async fn an_error_below_is_an_end() {
    let error = Error::new("NOT_MOUNTED", "nothing is there").hint("add a row");
    let (told, end) = run(vec![Ok(LoopEvent::Out("a".into())), Err(error)]).await;
    assert_eq!(told, ["a", "mine: 0 steps"]);
    assert_eq!(
        (end.status, end.code.as_deref(), end.hint.as_str()),
        (TurnEnd::Error, Some("NOT_MOUNTED"), "add a row")
    );
}

//! Streams over the wire: what is ready together crosses together, in order, and an error is last.
use crate::{
    clock::quiet,
    stage::{Alive, ByHand, Canned, all, now},
};
use contracts::{
    Batch, BoxStream, Error, Item, Payload, Result,
    contract::failed,
    wire::{batches, fallible, flatten, next},
};
use futures_util::{Stream, StreamExt as _, stream};
use plugin_api::RChunk;
use std::{
    pin::Pin,
    task::{Context, Poll},
};

/// An item that is its number; `0` cannot be read.
#[derive(Debug, PartialEq)]
struct Number(u32);

impl Item for Number {
    fn into_chunk(self) -> RChunk {
        RChunk::text(1, self.0, "")
    }
    fn from_chunk(chunk: RChunk) -> Result<Self> {
        if chunk.index == 0 { Err(Error::new("BAD_PAYLOAD", "nought")) } else { Ok(Number(chunk.index)) }
    }
}

/// What a stream yields at one poll after the other.
enum Step {
    Item(u32),
    Error(&'static str),
    Wait,
}
use Step::{Error as Err_, Item as Item_, Wait};

struct Steps {
    steps: std::vec::IntoIter<Step>,
    _alive: Alive,
}

fn steps(steps: Vec<Step>, alive: &Alive) -> Steps {
    Steps { steps: steps.into_iter(), _alive: alive.clone() }
}

impl Stream for Steps {
    type Item = Result<Number>;
    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        match self.steps.next() {
            Some(Item_(n)) => Poll::Ready(Some(Ok(Number(n)))),
            Some(Err_(code)) => Poll::Ready(Some(Err(Error::new(code, "")))),
            Some(Wait) => {
                cx.waker().wake_by_ref();
                Poll::Pending
            }
            None => Poll::Ready(None),
        }
    }
}

fn shown(batch: &Result<Batch>) -> String {
    match batch {
        Ok(batch) => batch.iter().map(|chunk| chunk.index.to_string()).collect::<Vec<_>>().join(" "),
        Err(error) => error.code.to_string(),
    }
}

/// Polls to the end: `|` parts batches, `…` is a poll that found nothing.
fn polled(mut stream: ByHand<BoxStream<Result<Batch>>>) -> String {
    let mut polls = Vec::new();
    loop {
        match stream.next() {
            Poll::Ready(Some(batch)) => polls.push(shown(&batch)),
            Poll::Pending => polls.push("…".into()),
            Poll::Ready(None) => return polls.join(" | "),
        }
    }
}

#[test]
fn what_is_ready_together_crosses_together() {
    for (script, expected) in [
        (vec![], ""),
        (vec![Item_(1)], "1"),
        (vec![Item_(1), Item_(2), Item_(3)], "1 2 3"),
        (vec![Item_(1), Item_(2), Wait, Item_(3)], "1 2 | 3"),
        (vec![Wait, Wait, Item_(1), Wait], "… | … | 1"),
        // An error comes behind the items that were ready before it, and nothing behind an error.
        (vec![Item_(1), Item_(2), Err_("X")], "1 2 | X"),
        (vec![Err_("X"), Item_(1)], "X"),
        (vec![Item_(1), Err_("X"), Item_(2), Err_("Y")], "1 | X"),
        (vec![Item_(1), Wait, Err_("X")], "1 | X"),
    ] {
        assert_eq!(polled(ByHand::new(fallible(steps(script, &Alive::default())))), expected);
    }
}

#[test]
fn a_batch_has_at_most_64_items() {
    let sizes = |n: u32| -> Vec<usize> {
        let mut first = 1;
        let all = all(batches(stream::iter((1..=n).map(Number))));
        for batch in &all {
            for chunk in batch.as_ref().unwrap() {
                assert_eq!(chunk.index, first, "in order, and each once");
                first += 1;
            }
        }
        assert_eq!(first, n + 1);
        all.iter().map(|batch| batch.as_ref().unwrap().len()).collect()
    };
    assert_eq!(sizes(0), Vec::<usize>::new());
    assert_eq!(sizes(63), [63]);
    assert_eq!(sizes(64), [64]);
    assert_eq!(sizes(65), [64, 1]);
    assert_eq!(sizes(200), [64, 64, 64, 8]);
    // A stream that is always ready does not keep its reader waiting.
    let mut endless = batches(stream::repeat_with(|| Number(1)));
    assert_eq!(now(next(&mut endless)).unwrap().unwrap().len(), 64);
}

#[test]
fn a_stream_is_dropped_as_soon_as_it_has_ended_or_failed() {
    for last in [None, Some(Err_("X"))] {
        let alive = Alive::default();
        let script = [Some(Item_(1)), last].into_iter().flatten().collect();
        let mut stream = ByHand::new(fallible(steps(script, &alive)));
        assert!(stream.next().is_ready());
        assert_eq!(alive.others(), 0);
    }
}

#[test]
fn items_come_out_of_batches_in_order() {
    let batch = |numbers: &[u32]| Ok(numbers.iter().map(|n| Number(*n).into_chunk()).collect());
    let read = |canned: Canned| {
        let items = canned.raw().items::<Number>("any", Payload::default(), &quiet());
        let shown = |item: Result<Number>| item.map_or_else(|e| e.code.into_owned(), |n| n.0.to_string());
        all(items).into_iter().map(shown).collect::<Vec<_>>().join(" ")
    };
    let error = || Err(Error::new("X", "x"));
    for (batches, expected) in [
        (vec![], ""),
        (vec![batch(&[1, 2]), batch(&[3])], "1 2 3"),
        // Empty ones are not to be, and are no end.
        (vec![batch(&[]), batch(&[1]), batch(&[]), batch(&[2])], "1 2"),
        (vec![batch(&[1]), error(), batch(&[2])], "1 X"),
        // An item that cannot be read is an error in its place.
        (vec![batch(&[1, 0, 2])], "1 BAD_PAYLOAD 2"),
    ] {
        assert_eq!(read(Canned::streaming(batches)), expected);
    }
}

#[test]
fn a_stream_that_a_future_opens_starts_with_its_first_poll() {
    let (alive, opened) = (Alive::default(), Alive::default());
    let (held, token) = (alive.clone(), opened.clone());
    let mut waits = 1;
    let flat = flatten(async move {
        let _held = held;
        std::future::poll_fn(|cx| {
            cx.waker().wake_by_ref();
            waits -= 1;
            if waits < 0 { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
        drop(token);
        batches(stream::iter([Number(1), Number(2)]))
    });
    assert_eq!(opened.others(), 1, "nothing has run");
    assert_eq!(polled(ByHand::new(flat)), "… | 1 2");
    assert_eq!((opened.others(), alive.others()), (0, 0));
    assert_eq!(polled(ByHand::new(failed(Error::new("X", "x")))), "X");
}

#[test]
fn an_unknown_method_is_told_and_a_batch_passes_unopened() {
    let raw = Canned::default().raw();
    assert_eq!(&*now(raw.call("none", Payload::default(), &quiet())).unwrap_err().code, "NO_METHOD");
    assert_eq!(raw.describe().as_deref(), Some("canned"));
    let unknown = RChunk { kind: 999, flags: 7, data: "no json".into(), ..RChunk::default() };
    let raw = Canned::streaming(vec![Ok([unknown.clone()].into_iter().collect())]).raw();
    let got = all(raw.open("any", Payload::default(), &quiet()).map(|batch| batch.unwrap()));
    assert_eq!(got[0].first(), Some(&unknown));
}

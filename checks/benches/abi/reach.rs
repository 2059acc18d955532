//! A call, and a stream's chunks, through slots and wraps.

use std::hint::black_box;
use std::path::Path;

use contracts::wire::{Batch, BoxStream, next};
use contracts::{Cx, Parts, Payload, Raw, Result};

use crate::mounted;
use crate::table::{Table, Unit};
use crate::timing::{Effort, expect};
use crate::work::{Counting, echo};

const HEAD: &str = r#"{"path":"notes.txt","from":1,"to":40}"#;
/// How many chunks a stream has.
const CHUNKS: u32 = 6400;
/// The largest batch that a typed stream makes.
const BATCH: u32 = 64;

/// The service alone, and behind as many wraps that open nothing.
fn rows(wraps: usize) -> String {
    let wraps = (1..=wraps).map(|n| format!("- {{id: wrap-{n}, name: echo-pass}}\n")).collect::<String>();
    format!("- {{id: echo, name: echo, config: {{key: !secret BENCH_KEY}}}}\n{wraps}")
}

pub(crate) async fn measure(libraries: &Path, effort: Effort, table: &mut Table) -> Result<()> {
    let cx = mounted::cx();
    let payload = Payload::new(HEAD, Parts::default());
    for (wraps, through) in [(0, "a slot"), (4, "a slot and four wraps")] {
        let mounted = mounted::rows(&rows(wraps), libraries).await?;
        let service = mounted::client(&mounted, "echo");
        table.heading(&format!("through {through}"));
        let call = async || -> Result<()> {
            let answer = service.call("echo", payload.clone(), &cx).await?;
            expect(answer.head.len() == HEAD.len(), "the answer is the payload")
        };
        let direct = async || -> Result<()> {
            black_box(echo(black_box(payload.clone())).await?);
            Ok(())
        };
        let (one, other) = effort.compare(1, call, direct).await?;
        table.pair("  a call", Unit::Time, &one, &other, None);
        for size in [1, BATCH] {
            let counting = Counting { batches: CHUNKS / size, size };
            let streamed = async || -> Result<()> { drain(opened(&service, counting, &cx)).await };
            let direct = async || -> Result<()> { drain(Box::pin(black_box(counting))).await };
            let (one, other) = effort.compare(CHUNKS, streamed, direct).await?;
            let name = if size == 1 {
                "  a chunk, alone".to_owned()
            } else {
                format!("  a chunk of a batch of {size}")
            };
            table.pair(&name, Unit::Time, &one, &other, None);
        }
        mounted.unmount().await;
    }
    Ok(())
}

fn opened(service: &Raw, Counting { batches, size }: Counting, cx: &Cx) -> BoxStream<Result<Batch>> {
    let head = format!(r#"{{"batches":{batches},"size":{size}}}"#);
    Box::pin(service.open("count", Payload::new(head, Parts::default()), cx))
}

async fn drain(mut stream: BoxStream<Result<Batch>>) -> Result<()> {
    let mut chunks = 0;
    while let Some(batch) = next(&mut stream).await {
        chunks += black_box(batch?).len();
    }
    expect(chunks == CHUNKS as usize, "every chunk comes")
}

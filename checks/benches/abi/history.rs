//! A history on its way to the model: as shared parts, and as JSON that is copied at each hop.

use std::hint::black_box;
use std::path::Path;

use contracts::agent_loop::TurnEnd;
use contracts::wire::next;
use contracts::{Message, Parts, Payload, Raw, Result, agent_loop};

use crate::mount::Mounted;
use crate::mounted;
use crate::table::{Samples, Table, Unit};
use crate::timing::{Effort, expect};

const SIZES: [(&str, usize); 2] = [("1 kB", 1_000), ("1 MB", 1_000_000)];
/// How long a message of a history is; together they make it up.
const MESSAGE_BYTES: usize = 1_000;
/// How many steps a run takes.
const STEPS: u32 = 20;

pub(crate) async fn measure(libraries: &Path, effort: Effort, table: &mut Table) -> Result<()> {
    hop(libraries, effort, table).await?;
    steps(libraries, effort, table).await
}

/// One call with the whole history: the parts are handed over, JSON is written here and read there.
async fn hop(libraries: &Path, effort: Effort, table: &mut Table) -> Result<()> {
    let mounted =
        mounted::rows("- {id: echo, name: echo, config: {key: !secret BENCH_KEY}}\n", libraries).await?;
    let (service, cx) = (mounted::client(&mounted, "echo"), mounted::cx());
    table.heading("a history to a service: parts (left), JSON in the head (right)");
    for (name, bytes) in SIZES {
        let messages: Vec<Message> = (0..bytes / MESSAGE_BYTES).map(message).collect();
        let parts: Parts = messages.iter().map(Message::part).collect();
        let count = messages.len().to_string();
        let shared = async || -> Result<()> {
            let answer = service.call("messages", Payload::new("", parts.clone()), &cx).await?;
            expect(answer.head.as_str() == count, "every message is counted")
        };
        let copied = async || -> Result<()> {
            let head = serde_json::to_string(black_box(&messages))?;
            let answer = service.call("messages", Payload::new(head, Parts::default()), &cx).await?;
            expect(answer.head.as_str() == count, "every message is counted")
        };
        let (one, other) = effort.compare(1, shared, copied).await?;
        table.pair(&format!("  {name}"), Unit::Time, &one, &other, None);
    }
    mounted.unmount().await;
    Ok(())
}

fn message(n: usize) -> Message {
    let text: String = format!("message {n}: the \"quick\" brown fox jumps over the lazy dog\n").repeat(20);
    Message::user(text.chars().take(MESSAGE_BYTES - 60).collect::<String>())
}

/// Runs of the loop with a tool call in each step. A step of a run whose history is long should cost what one costs whose
/// history is short.
async fn steps(libraries: &Path, effort: Effort, table: &mut Table) -> Result<()> {
    let mut of_size = Vec::new();
    for (_, bytes) in SIZES {
        let task = message(0).text().chars().cycle().take(bytes).collect::<String>();
        of_size.push(step(libraries, effort, &task).await?);
    }
    table.heading("a step of loop and model: after 1 MB (left), after 1 kB (right)");
    if let [small, large] = of_size.as_slice() {
        table.pair("  a step with one call", Unit::Time, large, small, None);
    }
    Ok(())
}

/// What a step costs after a task: runs of many steps, less a run of one.
async fn step(libraries: &Path, effort: Effort, task: &str) -> Result<Samples> {
    let head = serde_json::json!({ "task": task }).to_string();
    let (many, one) = (rows(STEPS, libraries).await?, rows(0, libraries).await?);
    let cx = mounted::cx();
    let [client, client_of_one] = [&many, &one].map(|mounted| mounted::client(mounted, "loop"));
    let run = async |client: &Raw| -> Result<()> {
        let payload = Payload::new(head.as_str(), Parts::default());
        let mut events = client.items::<agent_loop::LoopEvent>("run", payload, &cx);
        let mut end = None;
        while let Some(event) = next(&mut events).await {
            if let agent_loop::LoopEvent::End(ended) = event? {
                end = Some(ended);
            }
        }
        let end = end.unwrap_or_default();
        expect(end.status == TurnEnd::Completed, "the run is completed")
    };
    let (all, alone) =
        effort.compare(STEPS, async || run(&client).await, async || run(&client_of_one).await).await?;
    many.unmount().await;
    one.unmount().await;
    Ok(all.beyond(&alone))
}

async fn rows(steps: u32, libraries: &Path) -> Result<Mounted> {
    let yaml = format!(
        "- {{id: llm, name: llm-asking, config: {{steps: {steps}}}}}\n\
         - {{id: clock, name: tools-clock}}\n\
         - {{id: echo, name: echo, config: {{key: !secret BENCH_KEY}}}}\n\
         - {{id: loop, name: loop-basic}}\n"
    );
    mounted::rows(&yaml, libraries).await
}

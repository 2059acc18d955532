//! What it costs an adapter to remember its translation of a message, beside translating it again.

use std::hint::black_box;
use std::sync::Arc;

use contracts::{Message, Part, Result};
use plugin_sdk::memo::Memo;

use crate::table::{Table, Unit};
use crate::timing::{Effort, expect};

/// How many messages a conversation has.
const MESSAGES: usize = 512;
const MESSAGE_BYTES: usize = 1_000;

pub(crate) async fn measure(effort: Effort, table: &mut Table) -> Result<()> {
    let parts: Vec<Part> = (0..MESSAGES).map(|n| message(n).part()).collect();
    let budget = 8 * MESSAGES * MESSAGE_BYTES;
    let per = u32::try_from(MESSAGES)?;
    let again = async || -> Result<()> {
        parts.iter().try_for_each(|part| translate(black_box(part)).map(|wire| drop(black_box(wire))))
    };
    table.heading("a message of 1 kB: remembered (left), translated again (right)");
    let full = Memo::new(budget, weigh);
    for part in &parts {
        full.insert(part.id(), translate(part)?);
    }
    let hit = async || -> Result<()> {
        parts
            .iter()
            .try_for_each(|part| expect(black_box(full.get(&part.id())).is_some(), "every message is kept"))
    };
    let (one, other) = effort.compare(per, hit, again).await?;
    table.pair("  a hit", Unit::Time, &one, &other, None);
    let miss = async || -> Result<()> {
        let empty = Memo::new(budget, weigh);
        for part in &parts {
            if empty.get(&part.id()).is_none() {
                empty.insert(part.id(), translate(part)?);
            }
        }
        Ok(())
    };
    let (one, other) = effort.compare(per, miss, again).await?;
    table.pair("  a miss, then kept", Unit::Time, &one, &other, None);
    Ok(())
}

fn weigh(wire: &Arc<[u8]>) -> usize {
    wire.len()
}

fn message(n: usize) -> Message {
    let text: String = format!("message {n}: the \"quick\" brown fox jumps over the lazy dog\n").repeat(20);
    Message::user(text.chars().take(MESSAGE_BYTES - 60).collect::<String>())
}

/// Into the form of a provider.
fn translate(part: &Part) -> Result<Arc<[u8]>> {
    let message = Message::from_part(part)?;
    Ok(serde_json::to_vec(&serde_json::json!({ "role": "user", "content": message.text() }))?.into())
}

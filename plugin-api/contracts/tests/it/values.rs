//! Arbitrary values for property tests.
use contracts::{Block, Part, Usage};
use proptest::{collection::vec, option, prelude::*};
use serde_json::Value;

/// JSON that comes back as it was: floats have few digits, which every reader takes exactly.
pub(crate) fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        (-99_999..99_999i32).prop_map(|n| Value::from(f64::from(n) / 100.0)),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            vec((any::<String>(), inner), 0..4).prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    })
}

pub(crate) fn parts() -> impl Strategy<Value = Vec<Part>> {
    vec(vec(any::<u8>(), 0..20).prop_map(Part::new), 0..4)
}

pub(crate) fn usage() -> impl Strategy<Value = Usage> {
    let optional = (any::<Option<u64>>(), any::<Option<u64>>(), any::<Option<u64>>());
    (any::<u64>(), any::<u64>(), optional).prop_map(
        |(input_tokens, output_tokens, (read, write, reasoning))| Usage {
            input_tokens,
            output_tokens,
            cache_read_tokens: read,
            cache_write_tokens: write,
            reasoning_tokens: reasoning,
        },
    )
}

pub(crate) fn block() -> impl Strategy<Value = Block> {
    let leaf = prop_oneof![
        any::<String>().prop_map(Block::text),
        (any::<String>(), any::<String>(), json()).prop_map(|(text, adapter, data)| Block::Reasoning {
            text,
            adapter,
            data
        }),
        (any::<String>(), any::<String>(), any::<String>())
            .prop_map(|(id, name, arguments)| Block::ToolCall { id, name, arguments }),
        Just(Block::Unknown),
    ];
    leaf.prop_recursive(2, 8, 3, |inner| {
        (any::<String>(), vec(inner, 0..3), any::<bool>(), option::of(any::<String>()), any::<bool>())
            .prop_map(|(call_id, content, is_error, code, synthetic)| Block::ToolResult {
                call_id,
                content,
                is_error,
                code,
                synthetic,
            })
    })
}

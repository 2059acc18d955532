//! Answers word for word what its config says, under the name of any service: what consumers make of it is what is tested.
use plugin_sdk::{
    contracts::{BoxFuture, BoxStream, Shape, llm::StreamChunk, wire},
    *,
};
use serde::Deserialize;
use std::{collections::BTreeMap, sync::Arc};

pub(crate) struct Garbled(Config);

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Config {
    /// The head of each method that answers once; a method that is not here goes to what is below, or is refused.
    answers: BTreeMap<String, String>,
    /// The parts that go with each answer.
    parts: Vec<String>,
    /// Kind, index, text and data of each chunk of the method that streams.
    chunks: Vec<(u16, u32, String, String)>,
}

impl Plugin for Garbled {
    type Config = Config;
    async fn create(_: Ctx, config: Config) -> Result<Self> {
        Ok(Garbled(config))
    }
}

impl Garbled {
    fn answer(&self, method: &str) -> Option<BoxFuture<Result<Payload>>> {
        let head = self.0.answers.get(method)?;
        let parts: Parts = self.0.parts.iter().map(|text| Part::new(text.as_str())).collect();
        let payload = Payload::new(head.as_str(), parts);
        Some(Box::pin(async move { Ok(payload) }))
    }

    fn stream(&self) -> Option<BoxStream<Result<wire::Batch>>> {
        let chunks = self.0.chunks.clone();
        (!chunks.is_empty()).then(|| {
            wire::batches(emit(|out| async move {
                for (kind, index, text, data) in chunks {
                    let mut chunk = StreamChunk::TextDelta { index, text }.into_chunk();
                    (chunk.kind, chunk.data) = (kind, data.into());
                    out.send(StreamChunk::Other(chunk)).await;
                }
            }))
        })
    }
}

macro_rules! garbled {
    ($($service:ident),+) => {$(
        pub(crate) mod $service {
            use super::*;

            /// The contract's name and methods, and nothing of its types.
            pub(crate) struct Contract;

            impl plugin_sdk::Contract for Contract {
                const NAME: &'static str = <contracts::$service::Contract as plugin_sdk::Contract>::NAME;
                const VERSION: &'static str = <contracts::$service::Contract as plugin_sdk::Contract>::VERSION;
                const METHODS: &'static [(&'static str, Shape)] =
                    <contracts::$service::Contract as plugin_sdk::Contract>::METHODS;
                type Client = Raw;
            }

            impl contracts::Serve<Garbled> for Contract {
                fn call(plugin: &Arc<Garbled>, method: &str, _: Payload, _: Cx) -> Option<BoxFuture<Result<Payload>>> {
                    plugin.answer(method)
                }

                fn open(plugin: &Arc<Garbled>, _: &str, _: Payload, _: Cx) -> Option<BoxStream<Result<wire::Batch>>> {
                    plugin.stream()
                }
            }
        }
    )+};
}
garbled!(llm, tools, dispatch, turn_policy, context, agent_loop);

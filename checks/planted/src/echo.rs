//! `echo`: a service of a third party that does next to nothing, so that what is left is the cost of reaching it.
mod work;

use plugin_sdk::{
    contracts::{BoxFuture, BoxStream, Shape, wire},
    *,
};
use serde::Deserialize;
use std::sync::Arc;
use work::{Counting, echo};

/// The plugin; its key is a secret like any other row's.
pub(crate) struct Echo;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Config {
    #[serde(default, rename = "key")]
    _key: String,
}

impl Plugin for Echo {
    type Config = Config;
    async fn create(_: Ctx, _: Config) -> Result<Self> {
        Ok(Echo)
    }
}

/// The contract.
pub(crate) struct Contract;

impl plugin_sdk::Contract for Contract {
    const NAME: &'static str = "echo";
    const VERSION: &'static str = "1.0.0";
    const METHODS: &'static [(&'static str, Shape)] =
        &[("echo", Shape::Call), ("messages", Shape::Call), ("count", Shape::Stream)];
    type Client = Raw;
}

impl contracts::Serve<Echo> for Contract {
    fn call(_: &Arc<Echo>, method: &str, payload: Payload, _: Cx) -> Option<BoxFuture<Result<Payload>>> {
        match method {
            "echo" => Some(Box::pin(echo(payload))),
            "messages" => Some(Box::pin(messages(payload))),
            _ => None,
        }
    }

    fn open(_: &Arc<Echo>, method: &str, payload: Payload, _: Cx) -> Option<BoxStream<Result<wire::Batch>>> {
        (method == "count").then(|| match wire::read::<Counting>("count", &payload.head) {
            Ok(counting) => Box::pin(counting) as BoxStream<_>,
            Err(error) => contracts::contract::failed(error),
        })
    }
}

/// How many messages came: as parts, or as one JSON list in the head.
async fn messages(payload: Payload) -> Result<Payload> {
    let count = match payload.head.as_str() {
        "" => payload.parts.len(),
        head => wire::read::<Vec<Message>>("messages", head)?.len(),
    };
    Ok(Payload::new(count.to_string(), Parts::default()))
}

//! Wraps that open nothing: what a wrap costs when it does no work.
use plugin_sdk::{
    contracts::{BoxFuture, BoxStream, Shape, wire::Batch},
    *,
};
use std::sync::Arc;

pub(crate) struct Pass;

impl Plugin for Pass {
    type Config = NoConfig;
    async fn create(_: Ctx, _: NoConfig) -> Result<Self> {
        Ok(Pass)
    }
}

/// A service known by its name alone: every method goes to what is below.
macro_rules! unopened {
    ($module:ident, $name:literal) => {
        pub(crate) mod $module {
            use super::*;

            pub(crate) struct Contract;

            impl plugin_sdk::Contract for Contract {
                const NAME: &'static str = $name;
                const VERSION: &'static str = "1.0.0";
                const METHODS: &'static [(&'static str, Shape)] = &[];
                type Client = Raw;
            }

            impl contracts::Serve<Pass> for Contract {
                fn call(_: &Arc<Pass>, _: &str, _: Payload, _: Cx) -> Option<BoxFuture<Result<Payload>>> {
                    None
                }
                fn open(_: &Arc<Pass>, _: &str, _: Payload, _: Cx) -> Option<BoxStream<Result<Batch>>> {
                    None
                }
            }
        }
    };
}
unopened!(unopened_llm, "llm");
unopened!(unopened_echo, "echo");

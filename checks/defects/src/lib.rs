//! Plugins that each break one check of a module, as their config says: `harness check 01 --defects` plants them in turn.
mod adapter;
mod forwarder;
mod llm_wrap;
mod loop_wrap;
mod tools_wrap;

use adapter::Spoilt;
use llm_wrap::Model;
use loop_wrap::Runs;
use plugin_sdk::{
    contracts::{agent_loop, llm, tools},
    export_plugins,
};
use serde::Deserialize;
use tools_wrap::Files;

/// The row's config.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Config {
    /// Which check to break; the tables in checks/NN-*/defects.rs say what each one does.
    pub(crate) defect: String,
    pub(crate) root: String,
    pub(crate) api_key: String,
}

export_plugins! {
    plugin "defect-adapter": Spoilt {
        services: [provide llm],
        config: r#"{"type":"object","additionalProperties":false,"required":["defect","base_url","model","api_key"],"properties":{
            "defect":{"type":"string"},"base_url":{"type":"string"},"model":{"type":"string"},"api_key":{"type":"string"}}}"#,
        runtime: tokio,
    }
    plugin "defect-llm": Model {
        services: [wrap llm],
        config: include_str!("../config.schema.json"),
        runtime: none,
    }
    plugin "defect-tools": Files {
        services: [wrap tools],
        config: include_str!("../config.schema.json"),
        runtime: none,
    }
    plugin "defect-loop": Runs {
        services: [wrap agent_loop],
        config: include_str!("../config.schema.json"),
        runtime: none,
    }
}

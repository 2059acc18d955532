//! Plugins for tests: two small honest ones, and some that misbehave on purpose, as their config or their caller says.
mod clock;
mod faulty;
mod tools;
mod upper;

use clock::Clock;
use faulty::Faulty;
use plugin_sdk::{contracts::llm, export_plugins};
use tools::{Odd, contract as tools_contract};
use upper::Upper;

export_plugins! {
    plugin "llm-upper": Upper {
        services: [wrap llm],
        config: r#"{"type":"object","additionalProperties":false}"#,
        runtime: none,
    }
    plugin "tools-clock": Clock {
        services: [join tools_contract],
        config: r#"{"type":"object","additionalProperties":false}"#,
        runtime: none,
    }
    plugin "tools-odd": Odd {
        services: [join tools_contract],
        config: r#"{"type":"object","additionalProperties":false}"#,
        runtime: none,
    }
    plugin "llm-faulty": Faulty {
        services: [provide llm],
        config: r#"{"type":"object","additionalProperties":false,"required":["fault"],"properties":{"fault":{
            "type":"string","enum":["create-panic","create-hang","create-error","create-wait","call-panic","poll-panic",
            "poll-hang","drop-panic","silent","no-finish","two-finishes","stray-delta"]}}}"#,
        runtime: none,
    }
}

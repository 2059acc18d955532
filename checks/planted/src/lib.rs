//! Plugins for tests: two small honest ones, and some that misbehave on purpose, as their config or their caller says.
mod asking;
mod both;
mod clock;
mod context_odd;
mod echo;
mod faulty;
mod garbled;
mod pass;
mod policy;
mod policy_odd;
mod tools;
mod upper;

use asking::Asking;
use both::Both;
use clock::Clock;
use context_odd::OddContext;
use echo::Echo;
use faulty::Faulty;
use garbled::{
    Garbled, agent_loop as garbled_loop, context as garbled_context, dispatch as garbled_dispatch,
    llm as garbled_llm, tools as garbled_tools, turn_policy as garbled_policy,
};
use pass::{Pass, unopened_echo, unopened_llm};
use plugin_sdk::{
    contracts::{context, llm, turn_policy},
    export_plugins,
};
use policy::No;
use policy_odd::OddPolicy;
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
            "poll-hang","drop-panic","drop-hang","silent","no-finish","two-finishes","stray-delta","closed-panic","closed-hang",
            "shutdown-panic","shutdown-wait","shutdown-hang","value-panic","value-hang"]}}}"#,
        runtime: none,
    }
    plugin "policy-no": No {
        services: [provide turn_policy],
        config: r#"{"type":"object","additionalProperties":false,"required":["code"],"properties":{"code":{"type":"string"}}}"#,
        runtime: none,
    }
    plugin "policy-odd": OddPolicy {
        services: [provide turn_policy],
        config: r#"{"type":"object","additionalProperties":false,"properties":{
            "inject_before_step":{"type":"string"},"continue_times":{"type":"integer","minimum":0},
            "reject_at_step":{"type":"integer","minimum":1},
            "fail":{"type":"string","enum":["before_step","before_stop"]},
            "panic":{"type":"string","enum":["before_step","before_stop"]},
            "hang":{"type":"string","enum":["before_step","before_stop"]}}}"#,
        runtime: none,
    }
    plugin "context-odd": OddContext {
        services: [provide context],
        config: r#"{"type":"object","additionalProperties":false,"properties":{"system":{"type":"string"},
            "append":{"type":"string"},"overflow":{"type":"boolean"},"bad_span":{"type":"boolean"}}}"#,
        runtime: none,
    }
    plugin "policy-both": Both {
        services: [wrap llm, provide turn_policy],
        config: r#"{"type":"object","additionalProperties":false}"#,
        runtime: none,
    }
    plugin "policy-guard": No {
        services: [wrap turn_policy],
        config: r#"{"type":"object","additionalProperties":false,"required":["code"],"properties":{"code":{"type":"string"}}}"#,
        runtime: none,
    }
    plugin "llm-pass": Pass {
        services: [wrap unopened_llm],
        config: r#"{"type":"object","additionalProperties":false}"#,
        runtime: none,
    }
    plugin "llm-asking": Asking {
        services: [provide llm],
        config: r#"{"type":"object","additionalProperties":false,"required":["steps"],"properties":{"steps":{
            "type":"integer","minimum":0}}}"#,
        runtime: none,
    }
    plugin "echo": Echo {
        services: [provide echo],
        config: r#"{"type":"object","additionalProperties":false,"properties":{"key":{"type":"string"}}}"#,
        runtime: none,
    }
    plugin "echo-pass": Pass {
        services: [wrap unopened_echo],
        config: r#"{"type":"object","additionalProperties":false}"#,
        runtime: none,
    }
    plugin "llm-garbled": Garbled {
        services: [provide garbled_llm],
        config: include_str!("garbled.schema.json"),
        runtime: none,
    }
    plugin "tools-garbled": Garbled {
        services: [provide garbled_tools],
        config: include_str!("garbled.schema.json"),
        runtime: none,
    }
    plugin "tools-ghost": Garbled {
        services: [wrap garbled_tools],
        config: include_str!("garbled.schema.json"),
        runtime: none,
    }
    plugin "dispatch-garbled": Garbled {
        services: [provide garbled_dispatch],
        config: include_str!("garbled.schema.json"),
        runtime: none,
    }
    plugin "policy-garbled": Garbled {
        services: [provide garbled_policy],
        config: include_str!("garbled.schema.json"),
        runtime: none,
    }
    plugin "context-garbled": Garbled {
        services: [provide garbled_context],
        config: include_str!("garbled.schema.json"),
        runtime: none,
    }
    plugin "loop-garbled": Garbled {
        services: [provide garbled_loop],
        commands: [run = garbled_loop "run" "Ends as its config says"],
        config: include_str!("garbled.schema.json"),
        runtime: none,
    }
}

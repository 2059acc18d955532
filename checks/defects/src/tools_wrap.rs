//! What tools may do wrong.
use crate::Config;
use plugin_sdk::contracts::tools::{
    Client, Contract, ToolCall, ToolEvent, ToolList, ToolResult, ToolSchema, Tools, code,
};
use plugin_sdk::*;
use serde_json::{Value, json};
use std::{fs, path::Path};

pub(crate) struct Files {
    below: Client,
    config: Config,
}

impl Plugin for Files {
    type Config = Config;
    async fn create(ctx: Ctx, config: Config) -> Result<Self> {
        Ok(Files { below: ctx.below::<Contract>()?, config })
    }
}

impl Tools for Files {
    async fn list(&self, known: Option<String>, cx: &Cx) -> Result<ToolList> {
        let list = self.below.list(known, cx).await?;
        let ToolList::Tools { generation, tools } = list else { return Ok(list) };
        let tools = tools.iter().filter_map(|part| self.listed(part)).collect();
        Ok(ToolList::Tools { generation, tools })
    }

    fn execute(&self, call: ToolCall, cx: Cx) -> impl Stream<Item = ToolEvent> + 'static {
        let (below, config) = (self.below.clone(), self.config.clone());
        emit(|out| async move {
            let call = changed(&config, call);
            let mut events = below.execute(&call, &cx);
            while let Some(event) = next(&mut events).await {
                match event {
                    ToolEvent::Result(result) => {
                        if let Some(result) = told(&config, &call, result) {
                            out.send(ToolEvent::Result(result)).await;
                        }
                    }
                    other => out.send(other).await,
                }
            }
        })
    }
}

impl Files {
    fn listed(&self, part: &Part) -> Option<Part> {
        let is_shell = ToolSchema::name_of(part) == "run_shell";
        match self.config.defect.as_str() {
            "shell-unlisted" if is_shell => None,
            "property-renamed" if is_shell => {
                Some(Part::new(part.text()?.replace("\"command\":", "\"line\":")))
            }
            "description-empty" if is_shell => {
                let mut schema: Value = serde_json::from_str(part.text()?).ok()?;
                schema["description"] = "".into();
                Some(Part::new(schema.to_string()))
            }
            _ => Some(part.clone()),
        }
    }
}

fn arguments(call: &ToolCall) -> Value {
    serde_json::from_str(call.arguments_text()).unwrap_or_default()
}

/// A call as the defect leaves it.
fn changed(config: &Config, call: ToolCall) -> ToolCall {
    let mut arguments = arguments(&call);
    match (config.defect.as_str(), call.name.as_str()) {
        ("shell-elsewhere", "run_shell") => {
            let command = arguments["command"].as_str().unwrap_or_default();
            arguments["command"] = format!("cd / && {command}").into();
        }
        ("writes-append", "write_file") => {
            let path = Path::new(&config.root).join(arguments["path"].as_str().unwrap_or_default());
            let before = fs::read_to_string(path).unwrap_or_default();
            let content = arguments["content"].as_str().unwrap_or_default();
            arguments["content"] = format!("{before}{content}").into();
        }
        ("folders-made-first", "write_file") => {
            let path = Path::new(&config.root).join(arguments["path"].as_str().unwrap_or_default());
            fs::create_dir_all(path.parent().unwrap_or(&path)).ok();
        }
        ("line-ends-dropped", "write_file") => {
            let content = arguments["content"].as_str().unwrap_or_default();
            let two_lines = content.matches('\n').count() > 1;
            arguments["content"] =
                if two_lines { content.replace('\n', " ") } else { content.to_owned() }.into();
        }
        _ => return call,
    }
    ToolCall { arguments: Part::new(arguments.to_string()), ..call }
}

/// A result as the defect leaves it; none at all is a defect too.
fn told(config: &Config, call: &ToolCall, result: ToolResult) -> Option<ToolResult> {
    let arguments = arguments(call);
    let path = Path::new(&config.root).join(arguments["path"].as_str().unwrap_or_default());
    let unchanged = result.clone();
    match (config.defect.as_str(), call.name.as_str()) {
        ("reads-anywhere", "read_file") if result.is_error => {
            Some(fs::read_to_string(path).map_or(unchanged, ToolResult::ok))
        }
        ("writes-anywhere", "write_file") if result.is_error => {
            let content = arguments["content"].as_str().unwrap_or_default();
            Some(fs::write(path, content).map_or(unchanged, |()| ToolResult::ok("written")))
        }
        ("silent-about-unknown", _) if result.code.as_deref() == Some(code::UNKNOWN_TOOL) => None,
        ("missing-as-empty", "read_file") if result.is_error && !path.exists() => Some(ToolResult::ok("")),
        ("folder-as-written", "write_file") if result.is_error && path.is_dir() => {
            Some(ToolResult::ok("written"))
        }
        ("silent-about-arguments", _) if result.is_error && !arguments["path"].is_string() => None,
        ("whole-file", "read_file") if result.text.len() > 10_000 => {
            Some(fs::read_to_string(path).map_or(unchanged, ToolResult::ok))
        }
        ("cut-untold", "run_shell") if result.text.len() > 10_000 => {
            let text = result.text.chars().filter(|c| !c.is_ascii_digit()).collect();
            Some(ToolResult { text, meta: json!({}), ..result })
        }
        _ => Some(result),
    }
}

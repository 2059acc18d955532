//! A join of `tools` that adds one.
use plugin_sdk::{
    contracts::tools::{ToolCall, ToolEvent, ToolList, ToolResult, ToolSchema, Tools},
    *,
};

pub(crate) struct Clock;

impl Plugin for Clock {
    type Config = NoConfig;
    async fn create(_: Ctx, _: NoConfig) -> Result<Self> {
        Ok(Clock)
    }
}

impl Tools for Clock {
    async fn list(&self, _known: Option<String>, _cx: &Cx) -> Result<ToolList> {
        let schema =
            ToolSchema::new("clock", "Tells how long the host has been up.", r#"{"type":"object"}"#)?;
        Ok(ToolList::Tools { generation: "1".into(), tools: schema.part().into() })
    }

    fn execute(&self, _call: ToolCall, cx: Cx) -> impl Stream<Item = ToolEvent> + Send + 'static {
        emit(|out| async move {
            let text = format!("up for {} ns", cx.now().as_nanos());
            out.send(ToolEvent::Result(ToolResult::ok(text))).await;
        })
    }
}

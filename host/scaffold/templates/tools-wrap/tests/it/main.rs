//! What passes and what does not. That what passes arrives is seen with the plugin mounted: `harness call tools execute`.

use plugin_sdk::contracts::tools::ToolCall;

use template_tools_wrap::{Config, Rule};

#[test]
fn only_calls_of_the_tools_in_the_config_are_refused() {
    let rule = Rule::new(Config { refused: vec!["run_shell".into(), "write_file".into()] });
    for (name, refused) in [("run_shell", true), ("write_file", true), ("read_file", false), ("", false)] {
        let refusal = rule.refusal(&ToolCall::new("c1", name, "{}"));
        assert_eq!(refusal.is_some(), refused, "{name}");
        if let Some(refusal) = refusal {
            assert_eq!((refusal.is_error, refusal.code.as_deref()), (true, Some("REFUSED")));
            assert!(refusal.text.contains(&format!("`{name}`")), "{}", refusal.text);
        }
    }
}

//! Rows that add, wrap, replace and repeat: none of it needs the host, the loop or the ABI to know.

use crate::sandbox::Sandbox;
use expect_test::expect;

const HELLO: &str = "replies: [{text: Hello., usage: {omit: true}}]";

#[test]
fn a_wrap_of_the_model_changes_what_is_said() {
    let sandbox = Sandbox::scripted(HELLO);
    sandbox.put("loud.yml", "- {insert: [{id: loud, name: llm-upper}], before: llm-adapter}");
    let done = sandbox.run(&["run", "hi", "--patch", "loud.yml"]);
    expect![[r#"
        exit 0
        -- stdout
        HELLO.
        -- stderr
        1 step, 0 tokens in, 0 out
        completed
    "#]]
    .assert_eq(&done.shown());
}

#[test]
fn a_join_of_the_tools_adds_one_that_the_model_can_call() {
    let sandbox = Sandbox::scripted(
        r#"
replies:
  - {text: "{{ tools|join(' ') }}", calls: [{name: clock}]}
  - text: "{{ (last.text|split(' '))[0] }}"
"#,
    );
    sandbox.put("clock.yml", "- {insert: [{id: more, name: tools-clock}], before: tools}");
    let done = sandbox.run(&["run", "hi", "--patch", "clock.yml"]);
    assert_eq!(done.stdout, "read_file write_file list_files run_shell clock\nup\n", "{done:?}");
}

#[test]
fn a_patch_swaps_a_row_and_disables_another() {
    let sandbox = Sandbox::new(include_str!("../../../harness.yml"));
    sandbox.put("script.yml", "replies: [{text: \"{{ tools|length }} tools\", usage: {omit: true}}]");
    sandbox.put(
        "swap.yml",
        "- {id: llm-adapter, name: llm-scripted, config: {script: !file script.yml}}\n- {id: dispatch, disabled: true}\n",
    );
    sandbox.put("more.yml", "- {id: tools, name: tools-clock, config: {}}");
    let run = |patches: &[&str]| sandbox.run(&[&["run", "hi"], patches].concat()).stdout;
    assert_eq!(run(&["--patch", "swap.yml"]), "4 tools\n");
    assert_eq!(run(&["--patch", "swap.yml", "--patch", "more.yml"]), "1 tools\n");
}

/// Two models, and two loops that each have their own model and tools.
const TWICE: &str = r#"
- {id: llm-adapter, name: llm-scripted, config: {script: "replies: [{text: 'first: {{ tools }}'}]"}}
- {id: llm-second, name: llm-scripted, as: llm.second, config: {script: "replies: [{text: 'second: {{ tools }}'}]"}}
- {id: tools, name: tools-basic}
- {id: tools-second, name: tools-clock, as: tools.second}
- {id: loop, name: loop-basic}
- {id: loop-second, name: loop-basic, as: loop.second, needs: {llm: llm.second, tools: tools.second}}
"#;

#[test]
fn one_plugin_in_two_rows_is_two_instances_with_a_config_each() {
    let sandbox = Sandbox::new(TWICE);
    assert_eq!(
        sandbox.run(&["run", "hi"]).stdout,
        "first: ['read_file', 'write_file', 'list_files', 'run_shell']\n"
    );
    let second = sandbox.run(&["call", "loop.second", "run", r#"{"task": "hi"}"#]);
    assert_eq!(second.code(), 0, "{second:?}");
    let said: Vec<_> = second.records().into_iter().filter(|item| item["kind"] == 60000).collect();
    assert_eq!(said[0]["text"], "second: ['clock']", "{second:?}");
}

#[test]
fn as_may_map_each_service_and_needs_may_stay_in_the_slot_of_its_name() {
    let sandbox = Sandbox::new(&TWICE.replace("as: tools.second", "as: {tools: tools.second}"));
    let second = sandbox.run(&["call", "tools.second", "list", r#"{"known": null}"#]);
    assert_eq!(second.code(), 0, "{second:?}");
    assert!(second.stdout.contains("clock") && !second.stdout.contains("read_file"), "{second:?}");
}

/// A chain of each kind, in an order that is not the order of the rows.
const CHAINS: &str = r#"
- {id: loud, name: llm-upper}
- {id: clock, name: tools-clock}
- id: llm-adapter
  name: llm-scripted
  config:
    script: !file script.yml
- {id: louder, name: llm-upper, disabled: !env "QUIET:-no"}
- {id: tools, name: tools-basic, config: {root: !env "HARNESS_ROOT:-.", shell_timeout_ms: !env TIMEOUT}}
- {id: off, name: not-there, disabled: true, config: {a: {b: [1, two]}}}
- {id: loop, name: loop-basic, config: {system: !secret LLM_API_KEY}}
"#;

#[test]
fn rows_are_shown_with_their_chains_and_the_origin_of_each_value() {
    let sandbox = Sandbox::new(CHAINS);
    sandbox.put("script.yml", HELLO).put(".env", "TIMEOUT=500\nLLM_API_KEY=canary-3141592653\n");
    sandbox.put("p.yml", "- {id: loop, disabled: false}");
    sandbox.put("home/x", "");
    expect![[r#"
        exit 0
        -- stdout
        loud         llm-upper [VERSION]     mounted   wraps llm
        clock        tools-clock [VERSION]   mounted   joins tools
        llm-adapter  llm-scripted [VERSION]  mounted   provides llm
                       script = replies: [{text: Hello., usage: {omit: true}}]  (file script.yml)
        louder       llm-upper           disabled
        tools        tools-basic [VERSION]   mounted   provides tools
                       env_keep = []  (default)
                       output_bytes_max = 30000  (default)
                       root = [ROOT]/home  (flag HARNESS_ROOT)
                       shell_timeout_ms = 500  (.env TIMEOUT)
                       shell_timeout_ms_max = 600000  (default)
        off          not-there           disabled
                       a.b = [1,"two"]  (harness.yml:10)
        loop         loop-basic [VERSION]    mounted   provides loop
                       max_steps = 50  (default)
                       max_tokens = null  (default)
                       model = ""  (default)
                       observation_bytes_max = 64000  (default)
                       system = [LLM_API_KEY]  (secret LLM_API_KEY)
                       temperature = null  (default)
        llm = loud > llm-adapter
        loop = loop
        tools = clock > tools
    "#]]
    .assert_eq(
        &sandbox.harness(&["rows", "--patch", "p.yml", "--root", "home"]).env("QUIET", "yes").run().shown(),
    );
}

#[test]
fn rows_are_shown_as_json_too() {
    let sandbox = Sandbox::new(CHAINS);
    sandbox.put("script.yml", HELLO).put(".env", "TIMEOUT=500\nLLM_API_KEY=canary-3141592653\n");
    let done = sandbox.run(&["rows", "--json"]);
    let shown = done.records().remove(0);
    assert_eq!(shown["chains"]["llm"], "louder > loud > llm-adapter");
    let state = |row: &serde_json::Value| format!("{} {}", row["id"], row["state"]);
    let states: Vec<String> = shown["rows"].as_array().unwrap().iter().map(state).collect();
    expect![[r#"
        "loud" "mounted"
        "clock" "mounted"
        "llm-adapter" "mounted"
        "louder" "mounted"
        "tools" "mounted"
        "off" "disabled"
        "loop" "mounted""#]]
    .assert_eq(&states.join("\n"));
    expect![[r#"{"at":"harness.yml:9","config":[{"from":"default","key":"env_keep","value":[]},{"from":"default","key":"output_bytes_max","value":30000},{"from":"default of HARNESS_ROOT","key":"root","value":"."},{"from":".env TIMEOUT","key":"shell_timeout_ms","value":500},{"from":"default","key":"shell_timeout_ms_max","value":600000}],"file":"[BUILT]/libtools_basic.so","id":"tools","plugin":"tools-basic [VERSION]","roles":["provides tools"],"state":"mounted"}"#]].assert_eq(&done.plain(&shown["rows"][4].to_string()));
}

#[test]
fn anything_mounted_can_be_called() {
    let sandbox = Sandbox::scripted(HELLO);
    let mut shown = String::new();
    let calls: &[&[&str]] = &[
        &["tools", "execute", r#"{"id": "1", "name": "list_files"}"#, "--part", r#"{"path": "."}"#],
        &[
            "llm",
            "stream",
            r#"{"tools": 0}"#,
            "--part",
            r#"{"role": "user", "content": [{"type": "text", "text": "hi"}]}"#,
        ],
        &["toolz", "list"],
        &["tools", "lists"],
        &["tools", "list", "{known: x}"],
        &["tools", "list", r#"{"known": 1}"#],
    ];
    for call in calls {
        let done = sandbox.run(&[&["call"], *call].concat());
        // The schemas are the plugin's business.
        let text: String =
            done.shown().lines().map(|line| line.chars().take(160).collect::<String>() + "\n").collect();
        shown.push_str(&text);
    }
    expect![[r#"
        exit 0
        -- stdout
        {"data":{},"index":0,"kind":3,"parts":[],"text":"harness.yml\nscript.yml\n"}
        exit 0
        -- stdout
        {"data":{"type":"text"},"index":0,"kind":1,"parts":[],"text":""}
        {"data":null,"index":0,"kind":2,"parts":[],"text":"Hello."}
        {"data":null,"index":0,"kind":5,"parts":[],"text":""}
        {"data":{"reason":"stop"},"index":0,"kind":7,"parts":[],"text":""}
        exit 2
        -- stderr
        error: nothing is mounted in slot `toolz` (NOT_MOUNTED)
          hint: there are `dispatch`, `llm`, `loop` and `tools`
        exit 2
        -- stderr
        error: `tools` has no method `lists` (NO_METHOD)
          hint: there are `execute` and `list`
        exit 2
        -- stderr
        error: the payload's head is not JSON from line 1 column 2 on (BAD_HEAD)
          hint: quote it for the shell, such as '{"name": 1}'
        exit 1
        -- stderr
        error: tools.list: tools.list: expected a string, not `1` (at character 11) (BAD_PAYLOAD)
    "#]]
    .assert_eq(&shown);
}

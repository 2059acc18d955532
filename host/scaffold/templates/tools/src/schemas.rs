//! The tools as the model sees them: this text is all it knows of them, so it says what comes back, and what does not work.
use plugin_sdk::{Parts, Result, contracts::tools::ToolSchema};

/// Names this list. Change it with the list.
pub(crate) const GENERATION: &str = "1";

const TOOLS: [[&str; 3]; 3] = [
    [
        "read_file",
        "Reads a UTF-8 text file in the working folder. Of a long one it returns head and tail, and says how much was cut.",
        r#"{"type":"object","properties":{"path":{"type":"string","description":"The file, relative to the working folder."}},"required":["path"],"additionalProperties":false}"#,
    ],
    [
        "write_file",
        "Creates a UTF-8 text file in the working folder, or replaces the whole content of the one that is there: read it before. Folders that the path names are created.",
        r#"{"type":"object","properties":{"path":{"type":"string","description":"The file, relative to the working folder."},"content":{"type":"string","description":"All that the file will hold."}},"required":["path","content"],"additionalProperties":false}"#,
    ],
    [
        "run_shell",
        "Runs a command line with sh in the working folder. Returns what it printed, stdout and stderr in the order they were written, and its exit code. Nobody can answer questions: stdin is empty and there is no terminal.",
        r#"{"type":"object","properties":{"command":{"type":"string","description":"The command line."}},"required":["command"],"additionalProperties":false}"#,
    ],
];

/// One part each, in the order the model is told of them.
pub(crate) fn parts() -> Result<Parts> {
    TOOLS
        .iter()
        .map(|[name, description, parameters]| Ok(ToolSchema::new(name, description, parameters)?.part()))
        .collect()
}

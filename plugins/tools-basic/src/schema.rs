//! The four tools as the model sees them: this text is all it knows of them.
//!
//! The schemas are also what calls are checked against (`arguments.rs`), so a number stands in one place only. Those that come
//! from the row are put in when the instance is made, and stay as they are, byte for byte, for its whole life.

use std::path::Path;

use crate::Config;

/// One tool: its name, what it does, its JSON Schema, and the arguments of a correct call.
#[derive(Debug)]
pub(crate) struct Tool {
    pub(crate) name: &'static str,
    pub(crate) description: String,
    pub(crate) parameters: String,
    pub(crate) example: &'static str,
}

/// All tools, in the order in which the model is told of them.
pub(crate) fn tools(config: &Config, shell: &Path) -> Vec<Tool> {
    let shell = shell.file_name().unwrap_or_default().to_string_lossy();
    let fill = |text: &str| {
        text.replace("{bytes}", &config.output_bytes_max.to_string())
            .replace("{shell}", &shell)
            .replace("{timeout}", &config.shell_timeout_ms.to_string())
            .replace("{timeout_max}", &config.shell_timeout_ms_max.to_string())
    };
    TEXTS
        .map(|[name, description, parameters, example]| Tool {
            name,
            description: fill(description),
            parameters: fill(parameters),
            example,
        })
        .into()
}

const TEXTS: [[&str; 4]; 4] = [
    [
        "read_file",
        "Reads a UTF-8 text file in the working folder. Returns its text as it is; of a text longer than {bytes} bytes, as many \
         whole lines as fit, and the offset to go on with. For folders use list_files; binary files are refused.",
        concat!(
            r#"{"type":"object","properties":{"#,
            r#""path":{"type":"string","description":"The file, relative to the working folder."},"#,
            r#""offset":{"type":"integer","minimum":1,"description":"The first line to return, counted from 1. Default: 1."},"#,
            r#""limit":{"type":"integer","minimum":1,"description":"The number of lines to return. Default: as many as fit."}},"#,
            r#""required":["path"],"additionalProperties":false}"#,
        ),
        r#"{"path": "src/main.rs", "offset": 1, "limit": 200}"#,
    ],
    [
        "write_file",
        "Creates a UTF-8 text file in the working folder, or replaces the whole content of the one that is there: read it before. \
         Folders that the path names are created.",
        concat!(
            r#"{"type":"object","properties":{"#,
            r#""path":{"type":"string","description":"The file, relative to the working folder."},"#,
            r#""content":{"type":"string","description":"All that the file will hold."}},"#,
            r#""required":["path","content"],"additionalProperties":false}"#,
        ),
        r#"{"path": "notes/plan.md", "content": "First line.\n"}"#,
    ],
    [
        "list_files",
        "Lists what is in one folder, but not in the folders in it: one entry a line, sorted by name, hidden ones too. The name \
         of a folder ends in /, a link shows where it leads. To search deeper use run_shell with find or grep.",
        concat!(
            r#"{"type":"object","properties":{"#,
            r#""path":{"type":"string","description":"The folder, relative to the working folder. Default: the working folder."}},"#,
            r#""additionalProperties":false}"#,
        ),
        r#"{"path": "src"}"#,
    ],
    [
        "run_shell",
        "Runs a command line with {shell} in the working folder. Returns what it printed, stdout and stderr in the order they \
         were written, and its exit code; of more than {bytes} bytes, the head and the tail. Each call is a new shell: cd and \
         variables do not last. Nobody can answer questions: stdin is empty and there is no terminal, so pass flags such as --yes. \
         To leave a server running, send its output to a file and end the command with &.",
        concat!(
            r#"{"type":"object","properties":{"#,
            r#""command":{"type":"string","description":"The command line."},"#,
            r#""timeout_ms":{"type":"integer","minimum":1,"maximum":{timeout_max},"#,
            r#""description":"After how many milliseconds the command is stopped. Default: {timeout}."}},"#,
            r#""required":["command"],"additionalProperties":false}"#,
        ),
        r#"{"command": "ls -l src", "timeout_ms": 10000}"#,
    ],
];

//! What a person sees: standard output and standard error, and the log.
mod log;

use std::io::{self, Write as _};

pub use log::start as start_log;

/// Prints a line of JSON or a table to stdout; false when nobody reads it.
pub fn print(text: &str) -> bool {
    let mut stdout = io::stdout().lock();
    stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()).is_ok()
}

/// Writes to stderr as it is.
pub fn print_error(text: &str) {
    // There is nowhere left to tell that stderr is closed.
    drop(io::stderr().write_all(text.as_bytes()));
}

/// One line to the person on stderr.
pub fn say(level: &str, text: &str, colour: bool) {
    let (word, code) = match level {
        "error" => ("error: ", "31"),
        "warn" => ("warning: ", "33"),
        "hint" => ("  hint: ", "36"),
        _ => ("", "2"),
    };
    // Only a first line begins at the margin: nothing that a model or a tool says can pass for a line of ours.
    let text = printable(text).replace('\n', "\n  ");
    let line = if colour { format!("\x1b[{code}m{word}{text}\x1b[0m\n") } else { format!("{word}{text}\n") };
    print_error(&line);
}

/// What went wrong, and the one thing to do.
pub fn complain(what: &str, hint: &str, colour: bool) {
    say("error", what, colour);
    if !hint.is_empty() {
        say("hint", hint, colour);
    }
}

/// Text without what a terminal would obey: control characters but line ends and tabs, and what changes the direction of text.
pub fn printable(text: &str) -> String {
    let turns =
        |c: char| matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    text.chars().filter(|c| matches!(c, '\n' | '\t') || !(c.is_control() || turns(*c))).collect()
}

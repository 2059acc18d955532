//! What the templates have beside the language's own filters: reading listings, prose, manifests and source files.
//!
//! | filter | of | gives |
//! |---|---|---|
//! | `note` | a tool's text | the note in brackets on its last line, such as `empty folder`, or `""` |
//! | `content` | a tool's text | the same without that note |
//! | `entries` | a listing | its entries; of a link, its name |
//! | `pick(globs, most)` | names | those that a glob matches, in the globs' order; `!glob` leaves out; `*` is any text, case does not count; at most `most`, or all |
//! | `under(folder)` | names | the same below a folder |
//! | `ext` | a path | its extension, lower case, or `""` |
//! | `tally` | a list | `[value, count]` for each value, most frequent first |
//! | `listed(most)` | names | the first ones with commas, and how many more there are |
//! | `counted(noun)` | a number | `no files`, `1 file`, `2 files` |
//! | `heading` | Markdown, HTML, AsciiDoc | the first heading, or `""` |
//! | `first_paragraph` | prose | the first paragraph that is no heading, badge, list or code, as one line, or `""` |
//! | `first_comment` | source code | the first sentence of the first comment that explains something, or `""` |
//! | `field(key)` | a manifest | the value on the first line that sets the key (TOML, JSON, YAML, XML), or `""` |
//! | `clip(chars)` | text | its words on one line, at most so many characters |
//!
//! The test `binary` holds for text that was no text.
mod names;
mod prose;
mod source;

use minijinja::{Environment, State};
use std::borrow::Cow;

/// How many characters one fuel pays to compare, as in the language's own filters.
const COMPARED_A_FUEL: usize = 64;

pub(crate) fn add_to(env: &mut Environment<'_>) {
    env.add_filter("content", |text: Cow<'_, str>| names::content(&text).to_owned());
    env.add_filter("note", |text: Cow<'_, str>| names::note(&text).to_owned());
    env.add_filter("entries", |text: Cow<'_, str>| names::entries(&text));
    env.add_filter(
        "pick",
        |state: &State<'_, '_>, names: Vec<String>, globs: Vec<String>, most: Option<usize>| {
            let charge = |compared: usize| state.consume_fuel((compared / COMPARED_A_FUEL) as u64);
            names::pick(&names, &globs, most.unwrap_or(usize::MAX), charge)
        },
    );
    env.add_filter("under", |names: Vec<String>, folder: Cow<'_, str>| names::under(&names, &folder));
    env.add_filter("ext", |path: Cow<'_, str>| names::ext(&path));
    env.add_filter("tally", names::tally);
    env.add_filter("listed", |names: Vec<String>, most: usize| names::listed(&names, most));
    env.add_filter("counted", |count: usize, noun: Cow<'_, str>| names::counted(count, &noun));
    env.add_filter("heading", |text: Cow<'_, str>| prose::heading(&text));
    env.add_filter("first_paragraph", |text: Cow<'_, str>| prose::first_paragraph(&text));
    env.add_filter("first_comment", |text: Cow<'_, str>| source::first_comment(&text));
    env.add_filter("field", |text: Cow<'_, str>, key: Cow<'_, str>| source::field(&text, &key));
    env.add_filter("clip", |text: Cow<'_, str>, chars: usize| prose::clip(&text, chars));
    env.add_test("binary", |text: Cow<'_, str>| prose::is_binary(&text));
}

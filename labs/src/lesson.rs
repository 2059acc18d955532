//! What a lab hands out: its stubs, its notes and, outside the repository, all that the repository would have had.

use std::ffi::OsString;

use scaffold::Template;

use crate::problem::Problem;

/// One lab.
#[derive(Debug)]
pub(crate) struct Lesson {
    /// `01`, as the module of its checks.
    pub(crate) id: &'static str,
    /// What the learner writes.
    pub(crate) stubs: &'static [Stub],
    /// Questions that only the learner can judge the answers of.
    pub(crate) notes: &'static str,
    /// Each part's number and title; 0 is the stretch.
    pub(crate) parts: &'static [(u64, &'static str)],
    /// Files for a folder outside the repository: the place in both, and the text.
    pub(crate) files: &'static [(&'static str, &'static str)],
}

/// A plugin of the learner's.
#[derive(Debug)]
pub(crate) struct Stub {
    /// Its name, and that of its folder.
    pub(crate) name: &'static str,
    /// The id of the row that it is for.
    pub(crate) row: &'static str,
    /// The plugin that does the same.
    pub(crate) reference: &'static str,
    /// The part of the lab that has it written.
    pub(crate) part: u64,
    pub(crate) template: Template,
}

macro_rules! file {
    ($path:literal) => {
        ($path, include_str!(concat!("../../", $path)))
    };
}

static FOUNDATIONS: Lesson = Lesson {
    id: "01",
    stubs: &[
        Stub {
            name: "my-llm",
            row: "llm-adapter",
            reference: "llm-openai",
            part: 5,
            template: scaffold::template!("stub-llm" in "../01-foundations/stubs/my-llm":
                "Cargo.toml", "README.md", "config.schema.json",
                "src/lib.rs", "src/config.rs", "src/http.rs", "src/respond.rs"),
        },
        Stub {
            name: "my-tools",
            row: "tools",
            reference: "tools-basic",
            part: 6,
            template: scaffold::template!("stub-tools" in "../01-foundations/stubs/my-tools":
                "Cargo.toml", "README.md", "config.schema.json",
                "src/lib.rs", "src/schemas.rs", "src/run.rs"),
        },
        Stub {
            name: "my-loop",
            row: "loop",
            reference: "loop-basic",
            part: 7,
            template: scaffold::template!("stub-loop" in "../01-foundations/stubs/my-loop":
                "Cargo.toml", "README.md", "config.schema.json", "src/lib.rs", "src/turn.rs"),
        },
    ],
    notes: include_str!("../01-foundations/notes.md"),
    parts: &[
        (1, "run it"),
        (2, "make the cost visible"),
        (3, "break the correlation"),
        (4, "add a fourth tool"),
        (5, "the llm plugin"),
        (6, "the tools plugin"),
        (7, "the loop plugin"),
        (8, "swap the adapter"),
        (0, "stretch: find the seam"),
    ],
    files: &[
        file!("harness.yml"),
        file!("checks/01-foundations/rows.yml"),
        file!("checks/swaps/llm-deepseek.patch.yml"),
        file!("labs/README.md"),
        file!("labs/01-foundations/README.md"),
        file!("labs/01-foundations/llm.md"),
        file!("labs/01-foundations/tools.md"),
        file!("labs/01-foundations/loop.md"),
        file!("labs/01-foundations/swap.md"),
        file!("labs/01-foundations/workspace/NOTES.md"),
        file!("labs/01-foundations/workspace/README.md"),
        file!("labs/01-foundations/workspace/books.csv"),
        file!("labs/01-foundations/workspace/pyproject.toml"),
        file!("labs/01-foundations/workspace/shelf.py"),
        file!("labs/01-foundations/workspace/tests/test_shelf.py"),
    ],
};

/// The lab that the arguments of a command name.
///
/// # Errors
/// `USAGE` for anything but one that there is, unless there is a `default`.
pub(crate) fn named(arguments: &[OsString], default: bool, usage: &str) -> Result<&'static Lesson, Problem> {
    match arguments {
        [] if default => Ok(&FOUNDATIONS),
        [] => Err(Problem::usage("no lab was named; there is 01", usage)),
        // As the folder is called, too.
        [id] if id == FOUNDATIONS.id || id == "1" || id == "01-foundations" => Ok(&FOUNDATIONS),
        [id] => Err(Problem::usage(format!("lab `{}` is not known; there is 01", id.display()), usage)),
        [_, more, ..] => Err(Problem::usage(format!("argument `{}` is one too many", more.display()), usage)),
    }
}

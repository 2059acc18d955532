//! Module 1: a model, tools, and the loop between them.
mod live;
mod llm;
mod llm_failures;
mod llm_requests;
mod loops;
mod defects;
mod runs;
mod shell;
mod swap;
mod tools;

use crate::check::{Criterion, Kind, Module};

/// The module.
pub(crate) const MODULE: Module =
    Module { id: "01", title: "01 foundations", criteria: CRITERIA, defects: defects::DEFECTS };

const fn manual(id: &'static str, part: u8, claim: &'static str) -> Criterion {
    Criterion { id, part, claim, services: &[], kind: Kind::Manual }
}

const CRITERIA: &[Criterion] = &[
    manual(
        "L1.1",
        1,
        "the spine reads a file and ends with stop, and you can explain each call of its trace",
    ),
    manual(
        "L1.2",
        2,
        "you can say what input was billed in all, and why it is more than the final conversation",
    ),
    manual("L1.3", 3, "you can say what the provider does when a tool result cites no call"),
    manual(
        "L1.4",
        4,
        "you can name one thing that the model does differently for the sake of a description alone",
    ),
    Criterion {
        id: "L1.5",
        part: 5,
        claim: "a text reply streams as it comes and keeps the rules of the stream, with usage before finish: stop",
        services: &["llm"],
        kind: Kind::Checked(llm::TEXT),
    },
    Criterion {
        id: "L1.6",
        part: 5,
        claim: "a streamed tool call becomes one block with the provider's id and the raw JSON arguments; finish is tool-calls",
        services: &["llm"],
        kind: Kind::Checked(llm::TOOL_CALLS),
    },
    Criterion {
        id: "L1.7",
        part: 5,
        claim: "each request carries key, model, user-agent, system prompt and tool schemas to <base>/chat/completions, with or without a slash",
        services: &["llm"],
        kind: Kind::Checked(llm_requests::REQUESTS),
    },
    Criterion {
        id: "L1.8",
        part: 5,
        claim: "a bad key, a refusal, a cut or an empty reply are failures with a code, never a success; length is max-tokens",
        services: &["llm"],
        kind: Kind::Checked(llm_failures::FAILURES),
    },
    Criterion {
        id: "L1.9",
        part: 6,
        claim: "the tools list read_file, write_file and run_shell, and what is written reads back under the root",
        services: &["tools"],
        kind: Kind::Checked(tools::FILES),
    },
    Criterion {
        id: "L1.10",
        part: 6,
        claim: "a path out of the root, an unknown tool, a missing file and bad arguments are error results, never broken streams",
        services: &["tools"],
        kind: Kind::Checked(tools::ERRORS),
    },
    Criterion {
        id: "L1.11",
        part: 6,
        claim: "run_shell runs in the root and returns its output; a long one is cut, with a note of how much",
        services: &["tools"],
        kind: Kind::Checked(shell::SHELL),
    },
    Criterion {
        id: "L1.12",
        part: 7,
        claim: "calls run, each result cites its call, the run completes in as many steps as it takes, usage is summed, each request resends all",
        services: &["llm", "tools", "loop"],
        kind: Kind::Checked(loops::STEPS),
    },
    Criterion {
        id: "L1.13",
        part: 7,
        claim: "max-tokens runs no tool, the step cap ends the run with one request a step, invalid arguments become an observation, a failure an end",
        services: &["llm", "tools", "loop"],
        kind: Kind::Checked(loops::ENDS),
    },
    Criterion {
        id: "L1.14",
        part: 7,
        claim: "live: asked for hello.txt with harness in it, a real model makes it through these tools",
        services: &["llm", "tools", "loop"],
        kind: Kind::Live(live::LIVE),
    },
    Criterion {
        id: "L1.15",
        part: 8,
        claim: "the same task completes in the same way with another adapter in the llm row, and no other row changes",
        services: &["llm", "tools", "loop"],
        kind: Kind::Checked(swap::SWAP),
    },
    manual(
        "L1.16",
        8,
        "you can name three things that the other adapter does and yours does not, each with file and line",
    ),
    manual("L1.17", 0, "your list for a new provider holds new files and no change of a loop"),
];

//! What the filters make of texts: a row is a filter, the text it gets, and what comes out.
use crate::support::{model, request, respond, shown, user};
use contracts::message::text_of;
use plugin_sdk::contracts;

const CASES: &[(&str, &str, &str)] = &[
    ("heading", "# Ferry #\ntext", "Ferry"),
    ("heading", "---\ntitle: x\n---\n\n## **Ferry** [docs](x)", "Ferry docs"),
    ("heading", "Ferry\n=====\n", "Ferry"),
    ("heading", "= Ferry\n:toc: left", "Ferry"),
    ("heading", "<p align=\"center\"><img src=\"x\"></p>\n<h1 align=\"center\">Ferry</h1>", "Ferry"),
    ("heading", "[English](a) | [Other](b)\n\n# Ferry", "Ferry"),
    ("heading", "This is a text of many words.\n\n# A section", ""),
    ("heading", "```\n# a comment in code\n```\n<!-- # no\n# no -->\n# Ferry", "Ferry"),
    ("heading", "#hashtag\n####### ", ""),
    ("first_paragraph", "# Ferry\nCarries *files*\nand [more](url).\n\nNext.", "Carries *files* and more."),
    (
        "first_paragraph",
        "[![a](b)](c)\n[<img src=\"x\">](y)&ensp;\n\n- item\n1. item\n| t |\n> A quote.",
        "A quote.",
    ),
    ("first_paragraph", "[![Build](\nhttps://x.test/a.svg)](\nhttps://x.test/b)\n\nCarries.", "Carries."),
    ("first_paragraph", "Ferry\n=====\nCarries.\n\nMore\n----\n", "Carries."),
    (
        "first_paragraph",
        "See <https://x.test> and `a[0]` ![img](x) now [broken](",
        "See https://x.test and `a[0]` now [broken](",
    ),
    ("first_paragraph", "# Only\n\n![x](y)\n", ""),
    ("first_comment", "//! Serves pages. Fast.\nfn main() {}", "Serves pages"),
    ("first_comment", "#!/bin/sh\n#\n# Builds it\n# all.\nset -e\n", "Builds it all"),
    (
        "first_comment",
        "/*\n * Copyright X\n */\n\n/**\n * Draws the page.\n *\n * @module x\n */\nint x; /* not this */",
        "Draws the page",
    ),
    (
        "first_comment",
        "// SPDX-License-Identifier: MIT\n//! What a transfer is\npub struct T;",
        "What a transfer is",
    ),
    ("first_comment", "# -*- coding: utf-8 -*-\n\n\"\"\"Sends mail.\n\nSlowly.\n\"\"\"", "Sends mail"),
    ("first_comment", "X = \"\"\"\na\n\"\"\".split()\n\n# Sends.\n", "Sends"),
    ("first_comment", "-- Makes the tables.\nCREATE TABLE t;", "Makes the tables"),
    ("first_comment", "fn main() {\n    // inside\n}\n#include <x>\n", ""),
    ("first_comment", "// =====\n// # Title\n// =====\n", "Title"),
    ("field('name')", "[package]\nname = \"ferry\"\n", "ferry"),
    ("field('name')", "{\n  \"version\": \"1\",\n  \"name\": \"ferry\",\n", "ferry"),
    ("field('name')", "names: x\nname: ferry\n", "ferry"),
    ("field('name')", "<project>\n  <name>ferry</name>\n", "ferry"),
    ("field('module')", "module x.test/ferry\n\ngo 1.24\n", "x.test/ferry"),
    ("field('name')", "name = [\n", ""),
    ("field('name')", "the name is\n", ""),
    ("clip(12)", "one two\nthree four", "one two…"),
    ("clip(12)", "one   two", "one two"),
    ("clip(3)", "漢字漢字漢字", "漢字…"),
    ("ext", "src/a.TAR.Gz", "gz"),
    ("ext", "a.b/.gitignore", ""),
    ("content", "a\nb\n[lines 1 to 2 of a file of 9 bytes]", "a\nb"),
    ("content", "a\n[link]: x\n[x]", "a\n[link]: x\n[x]"),
    ("note", "[empty folder]", "empty folder"),
    (
        "entries|join(',')",
        "a.txt\nb/\nc -> b/x\nd (fifo)\n[id].js\n[the first 5 of 9 entries]",
        "a.txt,b/,c,d (fifo),[id].js",
    ),
    (
        "lines|pick(['!*.lock', 'READ*', '*a*', '*'], 3)|join(',')",
        "b.lock\nxay\nreadme.md\nz\ny",
        "readme.md,xay,z",
    ),
    ("lines|pick(['*a*b', 'é*'])|join(',')", "xaxbxb\nab\nabx\nÉT", "xaxbxb,ab,ÉT"),
    ("lines|under('src/')|join(',')", "a\nb", "src/a,src/b"),
    ("lines|under('.')|join(',')", "a", "a"),
    ("lines|tally", "b\na\nb\nc", "[('b', 2), ('a', 1), ('c', 1)]"),
    ("lines|listed(2)", "a\nb\nc\nd", "a, b and 2 more"),
    ("lines|listed(9)", "a\nb", "a, b"),
    ("length|counted('file')", "a", "1 file"),
    ("length|counted('file')", "", "no files"),
];

#[test]
fn each_filter_gives_what_its_row_says() {
    for (filter, input, expected) in CASES {
        let model = model(&format!("replies:\n- text: |-\n    {{{{ task|{filter} }}}}"));
        let response = respond(&model, &request(&[]), &user(input).into());
        assert!(response.usage().is_some(), "{filter} of {input:?}: {}", shown(response));
        assert_eq!(text_of(&response.into_blocks()), *expected, "{filter} of {input:?}");
    }
}

#[test]
fn what_is_no_text_is_binary() {
    let model = model("replies: [{text: '{{ task is binary }}'}]");
    for (input, expected) in
        [("a\0b", "True"), ("\u{fffd}\u{fffd}x", "True"), ("plain\ttext\n漢", "False"), ("", "False")]
    {
        let response = respond(&model, &request(&[]), &user(input).into());
        assert_eq!(text_of(&response.into_blocks()), expected, "{input:?}");
    }
}

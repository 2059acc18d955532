//! The learner's notes: which of its questions have an answer.

/// A question, under a heading that begins with its criterion.
#[derive(Debug, PartialEq)]
pub(crate) struct Question {
    /// `L1.1`
    pub(crate) id: String,
    pub(crate) answered: bool,
}

/// The questions of a notes file. What stands below a heading `## L1.1 …`, is not empty and is no quotation (`>`, which the question
/// is) is its answer.
pub(crate) fn questions(text: &str) -> Vec<Question> {
    let mut found: Vec<Question> = Vec::new();
    for line in text.lines().map(str::trim) {
        if let Some(heading) = line.strip_prefix("## ") {
            let id = heading.split_whitespace().next().unwrap_or_default().trim_end_matches([':', '.']);
            found.push(Question { id: id.to_owned(), answered: false });
        } else if !line.is_empty()
            && !line.starts_with(['>', '#'])
            && let Some(question) = found.last_mut()
        {
            question.answered = true;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_answer_is_what_is_neither_empty_nor_quoted() {
        for (below, answered) in [
            ("", false),
            ("\n> Why?\n> And how?\n", false),
            ("\n> Why?\n\nBecause.\n", true),
            ("Because.", true),
            ("\n### A heading\n", false),
            ("\n    code\n", true),
        ] {
            let found = questions(&format!("words\n## L1.1: Why\n{below}\n## L1.2\n"));
            let question = |id: &str, answered| Question { id: id.to_owned(), answered };
            assert_eq!(found, [question("L1.1", answered), question("L1.2", false)], "{below:?}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_and_each_heading_is_a_question(text in "(## |> |[a-zL1. ]|\n|\r|\u{e9})*") {
            let headings = text.lines().filter(|line| line.trim().starts_with("## ")).count();
            prop_assert_eq!(questions(&text).len(), headings);
        }
    }
}

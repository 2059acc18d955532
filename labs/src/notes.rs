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

//! Secrets in texts and streams: every form is masked, nothing else is, wherever a text is cut.

mod forms;
mod streams;

use secrets::Secrets;
use std::collections::BTreeMap;

fn secrets(values: &[(&str, &str)]) -> Secrets {
    let values: BTreeMap<String, String> =
        values.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    Secrets::new(&values)
}

fn key(value: &str) -> Secrets {
    secrets(&[("KEY", value)])
}

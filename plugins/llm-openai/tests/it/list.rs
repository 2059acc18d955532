//! The list of the cases that were collected from bug reports, so that none falls out of its table unseen.
use serde::Deserialize;
use std::{collections::BTreeMap, sync::LazyLock};

#[derive(Deserialize)]
struct List {
    /// The streams, by name.
    sse: Vec<String>,
    /// How many rows each HTTP case has.
    http: BTreeMap<String, usize>,
}

static LIST: LazyLock<List> =
    LazyLock::new(|| serde_json::from_str(include_str!("cases/list.json")).unwrap());

/// The names of the streams, sorted.
pub(crate) fn streams() -> &'static [String] {
    &LIST.sse
}

/// Fails unless just the rows that the list has of these cases have run; a row of no case counts for none.
#[track_caller]
pub(crate) fn assert_all_ran<'a>(cases: &[&str], ran: impl IntoIterator<Item = &'a str>) {
    let mut counts: BTreeMap<&str, usize> = cases.iter().map(|case| (*case, 0)).collect();
    ran.into_iter().for_each(|case| *counts.entry(case).or_default() += 1);
    let listed: BTreeMap<&str, usize> = cases.iter().map(|case| (*case, LIST.http[*case])).collect();
    assert_eq!(counts, listed);
}

/// Each of these is asked for by the test of its table.
#[test]
fn every_http_case_has_a_table() {
    let tables = [crate::refusals::CASES, crate::configuration::CASES].concat();
    let mut listed: Vec<&str> = LIST.http.keys().map(String::as_str).collect();
    listed.retain(|case| !tables.contains(case));
    assert_eq!(listed, [""; 0]);
}

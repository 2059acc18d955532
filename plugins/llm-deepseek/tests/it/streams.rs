//! Responses beside their chunks: `streams/NAME.sse` becomes `NAME.chunks`, however it is cut, and over HTTP.
use crate::{
    chunks::{of, text},
    row::{ask, row},
};
use checks::fake_model::FakeModel;
use expect_test::expect_file;
use serde_json::json;
use std::{fs, path::PathBuf};

/// Names and bytes, in order.
pub(crate) fn all() -> Vec<(PathBuf, Vec<u8>)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/streams");
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut paths: Vec<PathBuf> = paths.filter(|path| path.extension().is_some_and(|e| e == "sse")).collect();
    paths.sort();
    assert!(paths.len() > 30, "{} streams", paths.len());
    paths.into_iter().map(|path| (path.clone(), fs::read(path).unwrap())).collect()
}

#[test]
fn each_stream_becomes_its_chunks_however_it_is_cut() {
    for (path, bytes) in all() {
        let whole = text(&of([&*bytes]));
        expect_file![path.with_extension("chunks")].assert_eq(&whole);
        assert_eq!(text(&of(bytes.chunks(1))), whole, "{path:?} byte by byte");
        for at in 0..bytes.len() {
            let (head, tail) = bytes.split_at(at);
            assert_eq!(text(&of([head, tail])), whole, "{path:?} cut at {at}");
        }
    }
}

#[tokio::test]
async fn each_stream_becomes_its_chunks_over_http() {
    for (path, bytes) in all() {
        let half: Vec<usize> = [bytes.len() / 2].into_iter().filter(|half| *half > 0).collect();
        let reply = json!({ "raw": String::from_utf8(bytes).unwrap(), "split_at": half });
        let model = FakeModel::start(&json!({ "replies": [reply] }).to_string());
        let got = ask(&row(model.base_url(), json!({}))).await;
        expect_file![path.with_extension("chunks")].assert_eq(&text(&got));
    }
}

//! How long is waited, and when a wait is too long.
use crate::run::{Answer, Scene};
use plugin_sdk::contracts::llm::StreamChunk;
use serde_json::{Value, json};

fn waits(answer: &Answer) -> Vec<u64> {
    let wait = |chunk: &StreamChunk| match chunk {
        StreamChunk::Attempt { wait_ms, .. } => Some(*wait_ms),
        _ => None,
    };
    answer.chunks.iter().filter_map(wait).collect()
}

fn failing(says: Value, failure: &str) -> Answer {
    Scene::new(says).request(&[failure]).checked()
}

#[test]
fn the_wait_doubles_up_to_its_cap() {
    assert_eq!(waits(&failing(json!({}), "fail SERVER 500")), [1000, 2000, 4000, 8000, 16000]);
    let capped = json!({"backoff_ms": 300, "backoff_max_ms": 1000, "retries_max": 4});
    assert_eq!(waits(&failing(capped, "fail SERVER 500")), [300, 600, 1000, 1000]);
    let many = json!({"backoff_ms": 1, "backoff_max_ms": 7, "retries_max": 80, "run_retries_max": 80});
    let waits = waits(&failing(many, "fail SERVER 500"));
    assert_eq!((waits.len(), &waits[..4], waits[79]), (80, &[1, 2, 4, 7][..], 7));
}

#[test]
fn chance_makes_a_wait_shorter_and_what_was_asked_for_a_little_longer() {
    let mut seen = Vec::new();
    for _ in 0..200 {
        let answer = failing(json!({"jitter": 1, "retries_max": 3}), "fail SERVER 500");
        let waits = waits(&answer);
        for (wait, most) in waits.iter().zip([1000, 2000, 4000]) {
            assert!(*wait <= most, "{waits:?}");
        }
        seen.push(waits[0]);
        let answer = failing(json!({"jitter": 1, "retries_max": 1}), "fail RATE_LIMIT 429 after 2000");
        assert!((2000..=2200).contains(&self::waits(&answer)[0]));
    }
    // All of the range is used: one in two hundred misses a tenth of it with a chance of 1 to 10^9.
    assert!(seen.iter().any(|wait| *wait < 100) && seen.iter().any(|wait| *wait > 900), "{seen:?}");
    let half = failing(json!({"jitter": 0.5, "retries_max": 1}), "fail SERVER 500");
    assert!((500..=1000).contains(&waits(&half)[0]));
}

#[test]
fn the_wait_that_is_asked_for_is_kept() {
    for (asked, waited) in [(350, 350), (2000, 2000), (60_000, 60_000)] {
        let answer = failing(json!({"retries_max": 1}), &format!("fail RATE_LIMIT 429 after {asked}"));
        assert_eq!(waits(&answer), [waited]);
    }
}

#[test]
fn a_longer_wait_than_the_row_allows_fails_at_once_and_says_so() {
    for (asked, said) in [
        (60_001, "1 min"),
        (3_600_000, "1 h"),
        (5_430_000, "1 h 30 min"),
        (u64::MAX, "5124095576030 h 25 min"),
    ] {
        let answer = failing(json!({}), &format!("fail RATE_LIMIT 429 after {asked}"));
        assert_eq!(
            answer.text,
            format!(
                "request at 0\nerror RATE_LIMIT: it failed (not tried again: it asks for a wait of {said}, and `retry_after_max_ms` allows 1 min)\n"
            )
        );
    }
    let answer = Scene::new(json!({"retry_after_max_ms": 1500}))
        .request(&["fail SERVER 503 after 1500", "fail SERVER 503 after 1501"]);
    assert!(
        answer.text.ends_with(
            "error SERVER: it failed (tried 2 times, not tried again: it asks for a wait of 1.6 s, and `retry_after_max_ms` allows 1.5 s)\n"
        ),
        "{}",
        answer.text
    );
}

#[test]
fn the_note_says_what_happened_and_how_long_it_takes() {
    for (failure, says, note) in [
        ("fail RATE_LIMIT 429 after 4000", json!({}), "the model answered 429; trying again in 4 s (1 of 5)"),
        (
            "fail RATE_LIMIT 429 after 350",
            json!({}),
            "the model answered 429; trying again in 350 ms (1 of 5)",
        ),
        (
            "fail RATE_LIMIT 429 after 12340",
            json!({}),
            "the model answered 429; trying again in 12.4 s (1 of 5)",
        ),
        (
            "fail RATE_LIMIT after 65000",
            json!({"retry_after_max_ms": 99_000}),
            "the model request failed with RATE_LIMIT; trying again in 1 min 5 s (1 of 5)",
        ),
        ("fail TRANSPORT", json!({}), "the connection to the model failed; trying again in 1 s (1 of 5)"),
        ("fail TIMEOUT", json!({}), "the model was silent for too long; trying again in 1 s (1 of 5)"),
        ("fail STREAM_CLOSED", json!({}), "the model's answer broke off; trying again in 1 s (1 of 5)"),
        (
            "fail MALFORMED_RESPONSE",
            json!({}),
            "the model's answer cannot be read; trying again in 1 s (1 of 5)",
        ),
        ("fail EMPTY_RESPONSE", json!({}), "the model answered nothing; trying again in 1 s (1 of 5)"),
        (
            "text a | fail TRANSPORT",
            json!({"after_output": "always"}),
            "the connection to the model failed; what it has said of this answer is void; trying again in 1 s (1 of 5)",
        ),
    ] {
        let answer = Scene::new(says).request(&[failure, "text ok | stop"]);
        let notes: Vec<&str> =
            answer.text.lines().filter_map(|line| line.strip_prefix("note warn: ")).collect();
        assert_eq!(notes, [note]);
    }
}

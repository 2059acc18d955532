//! The memo through its public face: what it keeps, what it forgets, and that it stays within its budget.

use std::{
    sync::{
        Arc, Barrier,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use kit_memo::Memo;
use proptest::{collection::vec, prelude::*};

type Wire = Arc<[u8]>;

fn memo(bytes_max: usize) -> Memo<[u8; 16], Wire> {
    Memo::new(bytes_max, |wire| wire.len())
}

fn key(n: u8) -> [u8; 16] {
    [n; 16]
}

fn wire(n: u8, bytes: usize) -> Wire {
    vec![n; bytes].into()
}

/// What an entry weighs beside its value.
fn entry_bytes() -> usize {
    let one = memo(1_000);
    one.insert(key(0), wire(0, 0));
    one.bytes()
}

#[test]
fn what_was_put_in_comes_out() {
    let memo = memo(10_000);
    assert!(memo.is_empty() && memo.get(&key(1)).is_none());
    memo.insert(key(1), wire(1, 10));
    memo.insert(key(2), wire(2, 20));
    memo.insert(key(1), wire(9, 30));
    assert_eq!(memo.get(&key(1)), Some(wire(9, 30)), "the later value counts");
    assert_eq!(memo.get(&key(2)), Some(wire(2, 20)));
    assert_eq!((memo.len(), memo.bytes()), (2, 50 + 2 * entry_bytes()));
}

#[test]
fn what_is_used_survives_what_is_not() {
    let memo = memo(3 * (100 + entry_bytes()));
    for n in 0..3 {
        memo.insert(key(n), wire(n, 100));
    }
    for n in 3..50 {
        assert!(memo.get(&key(1)).is_some(), "used before each insertion, gone at {n}");
        memo.insert(key(n), wire(n, 100));
        assert_eq!(memo.len(), 3);
    }
    assert!(memo.get(&key(0)).is_none() && memo.get(&key(2)).is_none());
}

#[test]
fn one_large_value_takes_the_place_of_many_small_ones() {
    let memo = memo(1_000 + entry_bytes());
    for n in 0..5 {
        memo.insert(key(n), wire(n, 10));
    }
    memo.insert(key(9), wire(9, 1_000));
    assert_eq!((memo.len(), memo.get(&key(9))), (1, Some(wire(9, 1_000))));
}

#[test]
fn a_value_over_the_budget_is_handed_out_and_not_kept() {
    let memo = memo(1_000);
    memo.insert(key(1), wire(1, 10));
    assert_eq!(memo.get_or_insert_with(key(2), || wire(2, 1_000)), wire(2, 1_000));
    memo.insert(key(1), wire(1, 1_001));
    assert!(memo.get(&key(1)).is_none(), "an older value must not stand for the one that did not fit");
    assert!(memo.is_empty() && memo.bytes() == 0);
}

#[test]
fn threads_that_miss_together_agree() {
    const THREADS: usize = 4;
    let (memo, made, start) = (memo(100_000), AtomicUsize::new(0), Barrier::new(THREADS));
    for n in 0..50 {
        made.store(0, Ordering::SeqCst);
        let get = || {
            start.wait();
            memo.get_or_insert_with(key(n), || wire(made.fetch_add(1, Ordering::SeqCst) as u8, 8))
        };
        let got = thread::scope(|scope| {
            let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(get)).collect();
            threads.into_iter().map(|t| t.join().unwrap()).collect::<Vec<_>>()
        });
        assert!(got.iter().all(|wire| Arc::ptr_eq(wire, &got[0])), "{got:?}");
    }
}

proptest! {
    #[test]
    fn the_budget_holds_and_no_value_is_mixed_up(
        steps in vec((any::<bool>(), 0u8..12, 0usize..300), 0..200),
        bytes_max in 0usize..2_000,
    ) {
        let memo = memo(bytes_max);
        for (insert, n, bytes) in steps {
            if insert {
                memo.insert(key(n), wire(n, bytes));
                let fits = bytes + entry_bytes() <= bytes_max;
                prop_assert_eq!(memo.get(&key(n)), fits.then(|| wire(n, bytes)));
            } else if let Some(value) = memo.get(&key(n)) {
                prop_assert!(value.iter().all(|byte| *byte == n));
            }
            prop_assert!(memo.bytes() <= bytes_max);
            let weighed: usize = (0..12).filter_map(|n| memo.get(&key(n))).map(|v| v.len() + entry_bytes()).sum();
            prop_assert_eq!(memo.bytes(), weighed);
        }
    }
}

//! The repetition at the end of a list.
use policy_repeat::{Cycle, last_cycle};
use proptest::prelude::*;

fn cycle(list: &str, length_max: usize) -> (usize, usize) {
    let Cycle { length, times } = last_cycle(list.as_bytes(), length_max);
    (length, times)
}

#[test]
fn the_most_frequent_and_then_shortest_stretch_at_the_end() {
    for (list, length_max, expected) in [
        ("", 4, (0, 0)),
        ("a", 4, (1, 1)),
        ("aaa", 4, (1, 3)),
        ("aab", 4, (1, 1)),
        ("abab", 4, (2, 2)),
        ("abab", 1, (1, 1)),
        ("ababa", 4, (2, 2)),
        ("ababab", 4, (2, 3)),
        ("xababab", 4, (2, 3)),
        ("abcabc", 4, (3, 2)),
        ("abcabc", 2, (1, 1)),
        ("aabaab", 4, (3, 2)),
        ("bbaaaa", 4, (1, 4)),
        ("aaaabb", 4, (1, 2)),
    ] {
        assert_eq!(cycle(list, length_max), expected, "{list} up to {length_max}");
    }
}

proptest! {
    /// Asked of the text itself: the end of the list is that stretch so often, and no stretch more often.
    #[test]
    fn it_is_what_the_list_ends_with(list in "[abc]{0,24}", length_max in 1usize..6) {
        let (length, times) = cycle(&list, length_max);
        let stretch = &list[list.len() - length..];
        prop_assert!(list.ends_with(&stretch.repeat(times)));
        for other in 1..=length_max.min(list.len()) {
            let stretch = &list[list.len() - other..];
            prop_assert!(!list.ends_with(&stretch.repeat(times + 1)), "{} stands there more often", stretch);
            prop_assert!(other >= length || !list.ends_with(&stretch.repeat(times)), "{} is shorter", stretch);
        }
    }

    #[test]
    fn what_never_repeats_has_no_cycle(length in 1u32..60, length_max in 1usize..6) {
        let list: Vec<u32> = (0..length).collect();
        prop_assert_eq!(last_cycle(&list, length_max), Cycle { length: 1, times: 1 });
    }
}

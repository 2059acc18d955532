//! Lists of parts behave as a vector of handles, and appending shares what was there.
use plugin_api::{RPart, RParts};
use proptest::prelude::*;

fn texts(parts: &RParts) -> Vec<&str> {
    parts.iter().map(|part| part.text().unwrap()).collect()
}

#[test]
fn equal_bytes_have_equal_ids() {
    assert_eq!(RPart::new("same").id(), RPart::new(b"same".to_vec()).id());
    assert_ne!(RPart::new("same").id(), RPart::new("other").id());
    // The first half of BLAKE3("abc"), from the algorithm's published test vectors.
    assert_eq!(RPart::new("abc").id()[..4], [0x64, 0x37, 0xb3, 0xac]);
}

#[derive(Clone, Debug)]
enum Step {
    Push(u16),
    AppendSelf,
    Fork,
    Tail(usize),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        8 => any::<u16>().prop_map(Step::Push),
        1 => Just(Step::AppendSelf),
        1 => Just(Step::Fork),
        1 => (0_usize..40).prop_map(Step::Tail),
    ];
    prop::collection::vec(step, 0..60)
}

proptest! {
    #[test]
    fn list_is_a_vector(steps in steps()) {
        let (mut parts, mut model) = (RParts::new(), Vec::<String>::new());
        let mut forks = Vec::new();
        for step in steps {
            match step {
                Step::Push(n) => {
                    parts.push(RPart::new(n.to_string()));
                    model.push(n.to_string());
                }
                Step::AppendSelf if model.len() < 500 => {
                    let same = parts.clone();
                    parts.append(&same);
                    model.extend(model.clone());
                }
                Step::AppendSelf => {}
                Step::Fork => forks.push((parts.clone(), model.clone())),
                Step::Tail(from) => {
                    let from = from.min(model.len());
                    parts = parts.tail(from);
                    model.drain(..from);
                }
            }
            prop_assert_eq!(texts(&parts), model.clone());
            prop_assert_eq!(parts.len(), model.len());
        }
        for (at, text) in model.iter().enumerate() {
            prop_assert_eq!(parts.get(at).and_then(RPart::text), Some(text.as_str()));
        }
        prop_assert!(parts.get(model.len()).is_none());
        for (parts, model) in forks {
            prop_assert_eq!(texts(&parts), model);
        }
    }
}

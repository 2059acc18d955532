//! `abi.txt` lists every type that crosses; a change of the listing is a change of the ABI.
use expect_test::expect_file;
use plugin_api::{
    API_VERSION, PluginRef,
    abi_stable::{
        StableAbi,
        library::RootModule as _,
        std_types::utypeid::UTypeId,
        type_layout::{TLData, TypeLayout},
    },
    manifest, run,
};
use std::{collections::BTreeSet, fmt::Write as _};

/// A type's name with what it is generic over, a few levels deep. Futures and streams show what they yield: nothing else in their
/// layout does.
fn shown(layout: &'static TypeLayout, depth: usize) -> String {
    let fields = || layout.get_fields().into_iter().flat_map(|fields| fields.to_vec());
    let inner: Vec<&'static TypeLayout> = match layout.name() {
        _ if depth == 0 => Vec::new(),
        "FfiFuture" | "FfiStream" => yielded(layout, 8).into_iter().collect(),
        "RResult" | "ROption" | "RPoll" => fields().map(|field| field.layout()).collect(),
        _ => layout.phantom_fields().iter().map(|field| field.layout()).collect(),
    };
    let inner: Vec<String> = inner.into_iter().map(|layout| shown(layout, depth - 1)).collect();
    match inner.as_slice() {
        [] => layout.name().to_owned(),
        inner => format!("{}<{}>", layout.name(), inner.join(", ")),
    }
}

/// What the poll function of an object returns when it is ready.
fn yielded(layout: &'static TypeLayout, depth: usize) -> Option<&'static TypeLayout> {
    let fields = layout.get_fields().into_iter().flat_map(|fields| fields.to_vec());
    fields.chain(layout.phantom_fields().to_vec()).find_map(|field| {
        let polls = field.name().starts_with("poll_");
        let returned = field
            .function_range()
            .iter()
            .find_map(|function| function.return_type_layout().map(|layout| layout()));
        match returned.filter(|_| polls) {
            Some(poll) => poll.get_fields()?.get(0).map(|ready| ready.layout()),
            None if depth > 0 => yielded(field.layout(), depth - 1),
            None => None,
        }
    })
}

/// Entries of the types of this package that are reached from a type, by name.
fn list(layout: &'static TypeLayout, entries: &mut BTreeSet<String>, seen: &mut Vec<UTypeId>) {
    let id = layout.get_utypeid();
    if seen.contains(&id) {
        return;
    }
    seen.push(id);
    let name = format!("{} {}", layout.mod_path(), shown(layout, 4));
    let mut entry = format!("{name}: size {} align {}", layout.size(), layout.alignment());
    if let TLData::Enum(variants) = layout.data() {
        write!(entry, ", {} variants", variants.variant_count()).unwrap();
    }
    for field in layout.get_fields().into_iter().flat_map(|fields| fields.to_vec()) {
        write!(entry, "\n    {}: {}", field.name(), shown(field.layout(), 4)).unwrap();
        for function in field.function_range().iter() {
            let parameters: Vec<_> = function.param_type_layouts.iter().map(|layout| layout()).collect();
            let returned = function.return_type_layout().map(|layout| layout());
            let names: Vec<String> = parameters.iter().map(|layout| shown(layout, 4)).collect();
            let answer = returned.map_or("()".to_owned(), |layout| shown(layout, 4));
            write!(entry, "\n        fn({}) -> {answer}", names.join(", ")).unwrap();
            for layout in parameters.into_iter().chain(returned) {
                list(layout, entries, seen);
            }
        }
        list(field.layout(), entries, seen);
    }
    // What a reference or a handle points to.
    for field in layout.phantom_fields().to_vec() {
        list(field.layout(), entries, seen);
    }
    if layout.item_info().package_and_version().0 == "plugin-api" {
        entries.insert(entry);
    }
}

#[test]
fn abi_is_as_listed() {
    let mut entries = BTreeSet::new();
    list(<PluginRef as StableAbi>::LAYOUT, &mut entries, &mut Vec::new());
    let listed: Vec<String> = entries.into_iter().collect();
    // Constants that both sides must agree on, though no layout holds them.
    let names = [
        manifest::BEGIN,
        manifest::END,
        PluginRef::BASE_NAME,
        run::NO_ONE_TO_ASK,
        run::ABORTED,
        run::NOT_MOUNTED,
        run::NO_METHOD,
        run::PANIC,
        run::STUCK,
    ];
    let kinds = [run::OUT, run::NOTE, run::END, run::EVENT];
    let text = format!("plugin-api {API_VERSION}\n\n{names:?}\n{kinds:?}\n\n{}\n", listed.join("\n"));
    expect_file!["../../abi.txt"].assert_eq(&text);
}

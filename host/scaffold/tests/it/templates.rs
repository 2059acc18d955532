//! The templates as they are embedded: all of each crate, and nothing that is not there.

use crate::made::{below, checkout};
use scaffold::OFFERS;
use std::{collections::BTreeSet, fs, path::PathBuf};

#[test]
fn every_template_is_embedded_whole() {
    let templates = checkout().join("host/scaffold/templates");
    let folders: BTreeSet<String> = fs::read_dir(&templates)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    let named = OFFERS.map(|offer| offer.template.name.strip_prefix("template-").unwrap().to_owned());
    assert_eq!(folders, BTreeSet::from(named));
    for offer in OFFERS {
        let folder = templates.join(offer.template.name.strip_prefix("template-").unwrap());
        let embedded = offer.template.files.iter().map(|(path, _)| PathBuf::from(path));
        assert_eq!(embedded.collect::<BTreeSet<_>>(), below(&folder), "{}", offer.template.name);
        for (path, text) in offer.template.files {
            assert_eq!(*text, fs::read_to_string(folder.join(path)).unwrap(), "{path}");
        }
    }
}

#[test]
fn every_template_has_what_a_plugin_has() {
    for offer in OFFERS {
        for needed in [
            "Cargo.toml",
            "src/lib.rs",
            "config.schema.json",
            "README.md",
            "try.patch.yml",
            ".gitignore",
            "tests/it/main.rs",
        ] {
            let has = offer.template.files.iter().any(|(path, _)| *path == needed);
            assert!(has, "{} has no {needed}", offer.template.name);
        }
        let role =
            format!("[{} {}]", offer.role, offer.service.replace('-', "_").replace("loop", "agent_loop"));
        let source = offer.template.files.iter().find(|(path, _)| *path == "src/lib.rs").unwrap().1;
        assert!(source.contains(&role), "{}: {role}", offer.template.name);
    }
}

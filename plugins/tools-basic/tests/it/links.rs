//! Links, and whoever plays with them: what lies outside the root is neither read nor written.

use std::{
    collections::BTreeSet,
    fs,
    os::unix::fs::symlink,
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
    thread,
};

use nix::fcntl::{AT_FDCWD, RenameFlags, renameat2};
use proptest::{collection::vec, prelude::*, sample::select};
use serde_json::json;
use tempfile::{TempDir, tempdir};

use crate::{basic, call};

const SECRET: &str = "what nobody inside may see";

/// `out` holds a secret; `ws` is the root, with links of every kind that lead in, out and in circles.
fn place() -> TempDir {
    let place = tempdir().unwrap();
    let at = |path: &str| place.path().join(path);
    for folder in ["out", "ws", "ws/sub", "ws/sub/deep"] {
        fs::create_dir(at(folder)).unwrap();
    }
    fs::write(at("out/secret"), SECRET).unwrap();
    fs::write(at("ws/file"), "inside").unwrap();
    let absolute = |path: &str| at(path).to_str().unwrap().to_owned();
    let links = [
        ("ws/in", "sub".to_owned()),
        ("ws/in-absolute", absolute("ws/sub")),
        ("ws/up-and-in", "../ws/sub".to_owned()),
        ("ws/out", "../out".to_owned()),
        ("ws/out-absolute", absolute("out")),
        ("ws/out-file", "../out/secret".to_owned()),
        ("ws/sub/up", "../file".to_owned()),
        ("ws/sub/up-up", "../../out".to_owned()),
        ("ws/chain", "chain-2".to_owned()),
        ("ws/chain-2", "sub/up-up".to_owned()),
        ("ws/proc", "/proc/self/root".to_owned()),
        ("ws/circle", "circle-2".to_owned()),
        ("ws/circle-2", "circle".to_owned()),
        ("ws/dangling-in", "sub/new".to_owned()),
        ("ws/dangling-out", "../out/new".to_owned()),
        ("ws/self", ".".to_owned()),
    ];
    for (link, target) in links {
        symlink(target, at(link)).unwrap();
    }
    place
}

#[tokio::test]
async fn links_are_followed_inside_the_root_and_nowhere_else() {
    const READS: &[(&str, Result<&str, &str>)] = &[
        ("sub/up", Ok("inside")),
        ("in/up", Ok("inside")),
        ("in-absolute/up", Ok("inside")),
        ("self/self/file", Ok("inside")),
        ("up-and-in/up", Err("FS_SANDBOX_DENIED")),
        ("out/secret", Err("FS_SANDBOX_DENIED")),
        ("out-absolute/secret", Err("FS_SANDBOX_DENIED")),
        ("out-file", Err("FS_SANDBOX_DENIED")),
        ("sub/up-up/secret", Err("FS_SANDBOX_DENIED")),
        ("chain/secret", Err("FS_SANDBOX_DENIED")),
        ("proc/etc/passwd", Err("FS_SANDBOX_DENIED")),
        ("circle", Err("FS_ERROR")),
        ("circle/x", Err("FS_ERROR")),
        ("dangling-in", Err("FS_NOT_FOUND")),
        ("dangling-out", Err("FS_SANDBOX_DENIED")),
        ("in", Err("FS_NOT_REGULAR_FILE")),
        ("in/../file", Ok("inside")),
    ];
    let place = place();
    let tools = basic(&place.path().join("ws"));
    for (path, wanted) in READS {
        let result = call(&tools, "read_file", json!({"path": path})).await;
        let got = result.code.as_deref().map_or(Ok(result.text.as_str()), Err);
        assert_eq!(got, *wanted, "{path}: {}", result.text);
    }
}

#[tokio::test]
async fn a_root_may_be_named_by_any_link_that_leads_to_it() {
    let place = place();
    symlink("ws", place.path().join("link")).unwrap();
    symlink(".", place.path().join("here")).unwrap();
    symlink(place.path().join("link/file"), place.path().join("ws/by-link")).unwrap();
    for root in ["ws", "link", "here/link"] {
        let tools = basic(&place.path().join(root));
        for (path, is_inside) in [
            ("ws/file", true),
            ("link/file", true),
            ("here/here/link/sub/up", true),
            ("link/by-link", true),
            ("here/out/secret", false),
            ("link/../out/secret", false),
            ("link/out/secret", false),
        ] {
            let path = place.path().join(path);
            let result = call(&tools, "read_file", json!({"path": path})).await;
            let code = if is_inside { None } else { Some("FS_SANDBOX_DENIED") };
            assert_eq!(result.code.as_deref(), code, "{root} {}: {}", path.display(), result.text);
        }
    }
}

#[tokio::test]
async fn writing_through_a_link_writes_its_target_inside() {
    let place = place();
    let ws = place.path().join("ws");
    let tools = basic(&ws);
    for (path, target) in [
        ("sub/up", "file"),
        ("in-absolute/new", "sub/new"),
        ("dangling-in", "sub/new"),
        ("in/a/b", "sub/a/b"),
    ] {
        let result = call(&tools, "write_file", json!({"path": path, "content": path})).await;
        assert!(!result.is_error, "{path}: {}", result.text);
        assert_eq!(fs::read_to_string(ws.join(target)).unwrap(), path);
    }
    assert!(fs::symlink_metadata(ws.join("sub/up")).unwrap().is_symlink());
    assert!(fs::symlink_metadata(ws.join("dangling-in")).unwrap().is_symlink());
}

#[tokio::test]
async fn a_listing_does_not_tell_where_outside_a_link_leads() {
    let place = place();
    let tools = basic(&place.path().join("ws"));
    let text = call(&tools, "list_files", "{}").await.text;
    assert!(
        text.contains("\nin -> sub\n") && text.contains("\nout -> (out of the working folder)\n"),
        "{text}"
    );
    assert!(!text.contains("secret") && !text.contains("/proc"), "{text}");
    let denied = call(&tools, "list_files", json!({"path": "out"})).await;
    assert_eq!(denied.code.as_deref(), Some("FS_SANDBOX_DENIED"));
}

/// Everything in `out`, as paths and contents.
fn outside(place: &Path) -> Vec<(String, String)> {
    let entries = fs::read_dir(place.join("out")).unwrap().map(|entry| entry.unwrap().path());
    let mut found: Vec<_> =
        entries.map(|path| (path.display().to_string(), fs::read_to_string(path).unwrap())).collect();
    found.sort();
    found
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_path_leads_out(
        parts in vec(select(vec![
            "..", ".", "", "out", "ws", "sub", "in", "in-absolute", "out-absolute", "up", "up-up", "chain", "self", "proc",
            "dangling-out", "secret", "file", "new", "circle", "~",
        ]), 1..7),
        absolute in any::<bool>(),
    ) {
        let place = place();
        let before = outside(place.path());
        let path = parts.join("/");
        let path = if absolute { format!("{}/{path}", place.path().display()) } else { path };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let (read, listed) = runtime.block_on(async {
            let tools = basic(&place.path().join("ws"));
            call(&tools, "write_file", json!({"path": path, "content": "written"})).await;
            (call(&tools, "read_file", json!({"path": path})).await, call(&tools, "list_files", json!({"path": path})).await)
        });
        prop_assert!(!read.text.contains(SECRET), "{path}");
        prop_assert!(!listed.text.contains("secret\n"), "{path}");
        prop_assert_eq!(outside(place.path()), before, "{}", path);
    }
}

#[test]
fn a_folder_swapped_for_a_link_meanwhile_does_not_lead_out() {
    let place = place();
    let ws = place.path().join("ws");
    fs::create_dir(ws.join("swapped")).unwrap();
    fs::write(ws.join("swapped/secret"), "inside").unwrap();
    let (tools, done) = (basic(&ws), AtomicBool::new(false));
    thread::scope(|scope| {
        let swaps = scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                let (a, b) = (ws.join("swapped"), ws.join("out"));
                renameat2(AT_FDCWD, &a, AT_FDCWD, &b, RenameFlags::RENAME_EXCHANGE).unwrap();
            }
        });
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let codes = runtime.block_on(async {
            let mut codes = BTreeSet::new();
            for _ in 0..1_000 {
                let read = call(&tools, "read_file", json!({"path": "swapped/secret"})).await;
                assert!(!read.text.contains(SECRET));
                codes.insert(read.code);
                call(&tools, "write_file", json!({"path": "swapped/new", "content": "written"})).await;
            }
            codes
        });
        done.store(true, Ordering::Relaxed);
        swaps.join().unwrap();
        assert!(codes.contains(&None) && codes.contains(&Some("FS_SANDBOX_DENIED".to_owned())), "{codes:?}");
    });
    assert_eq!(outside(place.path()).len(), 1);
}

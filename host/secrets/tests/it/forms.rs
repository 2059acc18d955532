//! Whole texts.

use crate::{key, secrets};
use base64::{
    Engine as _,
    engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD},
};
use proptest::prelude::*;

const CANARY: &str = "canary/3141+59265358=9793";

#[test]
fn a_secret_is_masked_in_every_form() {
    let secret = "Abc/d+e f\"G\\h<1é2&34";
    let json = serde_json::Value::from(secret).to_string();
    let nested = serde_json::Value::from(json.as_str()).to_string();
    let hex: String = secret.bytes().map(|byte| format!("{byte:02x}")).collect();
    let rows = [
        ("plain", secret.to_owned()),
        ("json", json.trim_matches('"').to_owned()),
        ("json in json", nested[3..nested.len() - 3].to_owned()),
        ("json of php", r#"Abc\/d+e f\"G\\h<1é2&34"#.to_owned()),
        ("json of go", r#"Abc/d+e f\"G\\h\u003c1é2\u002634"#.to_owned()),
        ("json of go in json", r#"Abc/d+e f\\\"G\\\\h\\u003c1é2\\u002634"#.to_owned()),
        ("json of python", r#"Abc/d+e f\"G\\h<1\u00e92&34"#.to_owned()),
        ("debug", format!("{secret:?}").trim_matches('"').to_owned()),
        ("html", "Abc/d+e f&quot;G\\h&lt;1é2&amp;34".to_owned()),
        ("url", "Abc%2Fd%2Be%20f%22G%5Ch%3C1%C3%A92%2634".to_owned()),
        ("url in lower case", "Abc%2fd%2be%20f%22G%5ch%3c1%c3%a92%2634".to_owned()),
        ("query", "Abc%2Fd%2Be+f%22G%5Ch%3C1%C3%A92%2634".to_owned()),
        ("path", "Abc/d+e%20f%22G%5Ch%3C1%C3%A92&34".to_owned()),
        ("hex", hex.clone()),
        ("hex in capitals", hex.to_uppercase()),
        ("url, every byte", secret.bytes().map(|byte| format!("%{byte:02X}")).collect()),
        ("json, every character", secret.chars().map(|c| format!("\\u{:04x}", u32::from(c))).collect()),
        ("lower case", secret.to_ascii_lowercase()),
        ("capitals", secret.to_ascii_uppercase()),
    ];
    let secrets = key(secret);
    for (name, form) in rows {
        assert_eq!(secrets.mask(&format!("({form})")), "([KEY])", "{name}: {form}");
    }
    assert_eq!(key("DeepSeek").mask("(DeepSeek) deepseek"), "([KEY]) deepseek", "a short one may be a word");
}

#[test]
fn base64_is_masked_at_every_alignment_of_every_alphabet() {
    let secrets = key("canary?3141>5926ÿ5358");
    for before in ["", "x", "xy", "xyz"] {
        for after in ["", "y", "yz", " and more"] {
            for engine in [STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD] {
                let shown = secrets
                    .mask(&engine.encode(format!("{before}canary?3141>5926ÿ5358{after}")))
                    .into_owned();
                // What is left are the characters at its ends that its neighbours have a share in.
                let rest = shown.replace("[KEY]", "");
                assert!(shown.contains("[KEY]") && rest.len() <= 20, "{before}{after}: {shown}");
            }
        }
    }
}

#[test]
fn a_secret_that_is_cut_or_wrapped_is_masked_as_far_as_it_goes() {
    let secrets = key(CANARY);
    let wrapped = STANDARD.encode(format!("LLM_BASE_URL=http://127.0.0.1:8080/v1\nLLM_API_KEY={CANARY}\n"));
    let (first, second) = wrapped.split_at(76);
    let rows = [
        ("x canary/3141+5926 … [cut: 9 bytes] …", "x [KEY] … [cut: 9 bytes] …"),
        ("[cut]\n/3141+59265358=9793 y", "[cut]\n[KEY] y"),
        ("nary/3141+59265358=97", "[KEY]"),
        ("canary/3141+59\n265358=9793", "[KEY]"),
        ("canary/3141+59\r\n265358=9793", "[KEY]"),
        (r"canary/3141+59\n265358=9793", "[KEY]"),
        // Too short to be told from what anybody may write.
        ("canary/3141+592", "canary/3141+592"),
        ("canary/3141+592?65358=9793", "canary/3141+592?65358=9793"),
        (CANARY, "[KEY]"),
    ];
    for (text, expected) in rows {
        assert_eq!(secrets.mask(text), expected, "{text}");
    }
    let shown = secrets.mask(&format!("{first}\n{second}")).into_owned();
    assert!(shown.contains("[KEY]") && !shown.contains(&second[..12]), "{shown}");
}

#[test]
fn each_line_of_a_key_file_is_a_secret_and_its_frame_is_none() {
    let pem = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0B\nAQEFAASCBKcwggSjAgEAAoIB\nshort==\n-----END PRIVATE KEY-----\n";
    let secrets = key(pem);
    assert_eq!(secrets.mask(&format!("it is {pem}")), "it is [KEY]\n");
    assert_eq!(secrets.mask("2:  AQEFAASCBKcwggSjAgEAAoIB"), "2:  [KEY]");
    assert_eq!(secrets.mask("-----BEGIN PRIVATE KEY-----\nother"), "-----BEGIN PRIVATE KEY-----\nother");
}

#[test]
fn secrets_that_overlap_are_masked_as_one() {
    let secrets =
        secrets(&[("A", "one-3141592653-two"), ("B", "2653-two-58979323"), ("C", "2653-two-58979323-more")]);
    assert_eq!(secrets.mask("x one-3141592653-two-58979323 y"), "x [A] y");
    assert_eq!(secrets.mask("x 2653-two-58979323-more y"), "x [C] y");
    assert_eq!(secrets.mask("one-3141592653-two 2653-two-58979323"), "[A] [B]");
}

#[test]
fn of_an_address_what_it_holds_beside_the_host_is_a_secret() {
    let secrets = key("https://user:hunter2-hunter2@api.example.com/v1?key=abcdef0123456789");
    let rows = [
        ("https://user:hunter2-hunter2@api.example.com/v1?key=abcdef0123456789/chat", "[KEY]/chat"),
        ("https://api.example.com/v1?key=abcdef0123456789", "https://api.example.com/v1?key=[KEY]"),
        ("see https://api.example.com/v1", "see https://api.example.com/v1"),
        ("the password is hunter2-hunter2", "the password is [KEY]"),
    ];
    for (text, expected) in rows {
        assert_eq!(secrets.mask(text), expected);
    }
}

#[test]
fn json_stays_json() {
    let secrets = key(r#"ab\cd"ef/gh1234567890"#);
    for cut in 0..=40 {
        let text = &r#"ab\cd"ef/gh1234567890 and more of it \n"#[..cut.min(38)];
        for before in ["", "\\", "\n", "\""] {
            let json = serde_json::json!({ "text": format!("{before}{text}") }).to_string();
            let shown = secrets.mask(&json);
            assert!(serde_json::from_str::<serde_json::Value>(&shown).is_ok(), "{json} {shown}");
        }
    }
}

#[test]
fn placeholders_and_words_are_not_masked_and_the_words_are_told() {
    let rows = [
        ("", false, false),
        ("ollama", false, false),
        ("LM-Studio", false, false),
        ("not-needed", false, false),
        ("abc", false, true),
        ("completed", false, true),
        ("Completed", false, true),
        ("correct-horse", false, true),
        ("1234567", false, true),
        ("123456789012345", false, true),
        ("hunter2hunter2", true, false),
        ("AbCdEfGh", true, false),
        ("dummy-key-0000", true, false),
        ("correct-horse-battery", true, false),
        ("1234567890123456", true, false),
    ];
    for (value, is_masked, is_told) in rows {
        let secrets = key(value);
        assert_eq!(!secrets.is_empty(), is_masked, "{value}");
        assert_eq!(secrets.unmasked() == ["KEY"], is_told, "{value}");
    }
    assert_eq!(key(" secret-value-1 \n").mask("x secret-value-1 y"), "x [KEY] y");
}

#[test]
fn what_the_files_name_is_found_before_the_rows_are_known() {
    let files = [
        "- {id: a, config: {key: !secret MINE}}",
        "- {id: b, config: {key: !secret  \"OTHER\", x: !secret }}",
    ];
    let get = |name: &str| Some(format!("value-of-{name}-1"));
    let secrets = secrets::Secrets::named_in(files.into_iter().map(str::to_owned), get);
    assert_eq!(secrets.mask("value-of-MINE-1 value-of-OTHER-1 value-of-X-1"), "[MINE] [OTHER] value-of-X-1");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases / 5))]

    #[test]
    fn no_secret_is_left_in_any_text(secret in "\\PC{8,60}", before in "\\PC{0,20}", after in "\\PC{0,20}") {
        let secrets = key(&secret);
        let shown = secrets.mask(&format!("{before}{secret}{after}")).into_owned();
        prop_assert!(secrets.is_empty() || !shown.contains(secret.trim()), "{}", shown);
    }

    #[test]
    fn a_text_without_seeds_is_left_as_it_is(text in "[ -~\\n]{0,200}") {
        prop_assert_eq!(key("\u{1F980}\u{1F980}\u{1F980}\u{1F980}\u{1F980}").mask(&text), text.as_str());
    }
}

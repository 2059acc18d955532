//! Responses as servers really send them: each case is the bytes (`.sse`) beside what they must come to (`.json`).
use crate::{
    list,
    run::{adapter, ask},
    server::{Answer, Server, Then},
    transcript::Transcript,
};
use contracts::llm::StreamChunk;
use llm_openai::Decoder;
use plugin_sdk::contracts;
use serde::Deserialize;
use serde_json::{Value, json};
use std::{fs, path::Path};

#[derive(Deserialize)]
struct Case {
    #[serde(skip)]
    name: String,
    #[serde(skip)]
    bytes: Vec<u8>,
    #[serde(default = "event_stream")]
    content_type: String,
    /// Where the bytes are cut.
    #[serde(default)]
    split_at: Vec<usize>,
    #[serde(default)]
    stays_open: bool,
    /// How many letters stand where the files say `<fill>`.
    #[serde(default)]
    fill: usize,
    blocks: Value,
    usage: Option<Value>,
    finish: Value,
    /// What the failure's message contains.
    #[serde(default)]
    says: String,
}

fn event_stream() -> String {
    "text/event-stream".into()
}

/// Up to this length a case is cut in two at each byte.
const SHORT: usize = 8 << 10;

/// Every case of the folder, which is every case of the list.
fn cases() -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/cases/sse");
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let paths = paths.filter(|path| path.extension().is_some_and(|extension| extension == "json"));
    let mut cases: Vec<Case> = paths
        .map(|path| {
            let case: Case = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
            let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
            Case { name, bytes: fs::read(path.with_extension("sse")).unwrap(), ..case }.filled()
        })
        .collect();
    cases.sort_by(|a, b| a.name.cmp(&b.name));
    assert_eq!(cases.iter().map(|case| &case.name).collect::<Vec<_>>(), Vec::from_iter(list::streams()));
    cases
}

impl Case {
    #[track_caller]
    fn check(&self, how: &str, got: &Transcript) {
        let mut wanted = json!({ "blocks": self.blocks, "finish": self.finish });
        if let Some(usage) = &self.usage {
            wanted["usage"] = usage.clone();
        }
        assert_eq!(got.outcome(), wanted, "{}, {how}", self.name);
        if !self.says.is_empty() {
            let message = &got.failure().message;
            assert!(message.contains(&self.says), "{}, {how}: {message}", self.name);
        }
    }

    fn filled(mut self) -> Self {
        if self.fill > 0 {
            let fill = "x".repeat(self.fill);
            self.bytes = String::from_utf8(self.bytes).unwrap().replace("<fill>", &fill).into();
            self.blocks = serde_json::from_str(&self.blocks.to_string().replace("<fill>", &fill)).unwrap();
        }
        self
    }

    /// Where it is cut in two: everywhere, or in a long one wherever a line ends and here and there.
    fn cuts(&self) -> impl Iterator<Item = usize> {
        let near_a_line_end =
            |at: usize| self.bytes[at.saturating_sub(2)..][..3.min(self.bytes.len() - at)].contains(&b'\n');
        (0..self.bytes.len())
            .filter(move |at| self.bytes.len() <= SHORT || at % SHORT == 0 || near_a_line_end(*at))
    }

    fn split(&self) -> Vec<Vec<u8>> {
        let ends = self.split_at.iter().copied().chain([self.bytes.len()]);
        let starts = [0].into_iter().chain(self.split_at.iter().copied());
        starts.zip(ends).map(|(start, end)| self.bytes[start..end].to_owned()).collect()
    }
}

/// The chunks of a response whose bytes arrive in these pieces.
pub(crate) fn chunks<'a>(content_type: &str, pieces: impl IntoIterator<Item = &'a [u8]>) -> Vec<StreamChunk> {
    let (mut decoder, mut chunks, mut finish) = (Decoder::new(content_type), Vec::new(), None);
    for piece in pieces {
        finish = decoder.feed(piece, &mut chunks);
        if finish.is_some() {
            break;
        }
    }
    let finish = finish.unwrap_or_else(|| decoder.close(&mut chunks));
    chunks.push(StreamChunk::Finish(finish));
    chunks
}

/// What bytes that arrive in these pieces come to.
pub(crate) fn decoded<'a>(content_type: &str, pieces: impl IntoIterator<Item = &'a [u8]>) -> Transcript {
    let mut transcript = Transcript::default();
    chunks(content_type, pieces).into_iter().for_each(|chunk| transcript.push(chunk));
    transcript.ended()
}

#[test]
fn every_case_however_it_is_cut() {
    for case in cases() {
        case.check("whole", &decoded(&case.content_type, [&*case.bytes]));
        case.check("byte by byte", &decoded(&case.content_type, case.bytes.chunks(1)));
        for at in case.cuts() {
            let (head, tail) = case.bytes.split_at(at);
            case.check("in two", &decoded(&case.content_type, [head, tail]));
        }
        let pieces = case.split();
        case.check("split", &decoded(&case.content_type, pieces.iter().map(Vec::as_slice)));
    }
}

#[tokio::test]
async fn every_case_over_http() {
    for case in cases() {
        let then = if case.stays_open { Then::Nothing } else { Then::Close };
        let headers = vec![("content-type".to_owned(), case.content_type.clone())];
        let server = Server::start([Answer { status: 200, headers, pieces: case.split(), then }]);
        case.check("over HTTP", &ask(&adapter(&server, json!({}))).await);
    }
}

/// The bytes of every case, for the properties.
pub(crate) fn all_bytes() -> Vec<(String, Vec<u8>)> {
    cases().into_iter().map(|case| (case.content_type, case.bytes)).collect()
}

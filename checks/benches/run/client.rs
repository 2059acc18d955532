//! A bare client: posts recorded bodies one after the other and reads the answers, with the spine's HTTP and nothing else.

use std::fs::File;
use std::io::{BufRead as _, BufReader, BufWriter, Read as _, Write as _};
use std::path::Path;

use anyhow::{Context as _, Result, bail, ensure};
use bytes::Bytes;
use reqwest::{Client, Url, redirect};

/// The first argument that makes this program the client.
pub(crate) const WORD: &str = "--client";

/// Writes bodies to a file for [`run`]: their lengths as JSON on the first line, then their bytes.
pub(crate) fn record(bodies: &[String], file: &Path) -> Result<()> {
    let lengths: Vec<usize> = bodies.iter().map(String::len).collect();
    let mut file = BufWriter::new(File::create(file)?);
    writeln!(file, "{}", serde_json::to_string(&lengths)?)?;
    for body in bodies {
        file.write_all(body.as_bytes())?;
    }
    Ok(file.flush()?)
}

/// The bodies of a file, sharing one buffer: nothing is copied when they are sent.
fn read(file: &str) -> Result<Vec<Bytes>> {
    let mut file = BufReader::new(File::open(file).with_context(|| file.to_owned())?);
    let (mut lengths, mut bytes) = (String::new(), Vec::new());
    file.read_line(&mut lengths)?;
    file.read_to_end(&mut bytes)?;
    let mut rest = Bytes::from(bytes);
    let lengths: Vec<usize> = serde_json::from_str(&lengths)?;
    ensure!(lengths.iter().sum::<usize>() == rest.len(), "the file of bodies is not whole");
    Ok(lengths.into_iter().map(|length| rest.split_to(length)).collect())
}

/// `<base URL> <key> <file of bodies>`
pub(crate) fn run(arguments: Vec<String>) -> Result<()> {
    let [base, key, file] = arguments.as_slice() else { bail!("expected a base URL, a key and a file") };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(post(base, key, read(file)?))
}

async fn post(base: &str, key: &str, bodies: Vec<Bytes>) -> Result<()> {
    // This fails only where a provider is installed already, which is as good.
    rustls::crypto::ring::default_provider().install_default().ok();
    let client =
        Client::builder().redirect(redirect::Policy::none()).no_proxy().tls_certs_only([]).build()?;
    let url = Url::parse(&format!("{base}/chat/completions"))?;
    for body in bodies {
        let request = client.post(url.clone()).header("content-type", "application/json").bearer_auth(key);
        let mut response = request.body(body).send().await?.error_for_status()?;
        while response.chunk().await?.is_some() {}
    }
    Ok(())
}

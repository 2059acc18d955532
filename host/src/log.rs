//! The host's own subscriber: masked lines on stderr, if a filter asks for any.
use crate::redact::Redactor;
use std::{io, sync::Arc};
use tracing::Dispatch;
use tracing_subscriber::{EnvFilter, fmt::MakeWriter, layer::SubscriberExt as _, registry};

/// Starts logging; `filter` is in `tracing`'s usual form, such as `warn,llm_openai=debug`.
///
/// # Errors
/// The filter cannot be read.
pub(crate) fn start(
    filter: Option<&str>,
    redactor: &Arc<Redactor>,
    colour: bool,
) -> Result<Dispatch, String> {
    let dispatch = match filter.filter(|filter| !filter.is_empty()) {
        None => Dispatch::none(),
        Some(filter) => {
            let filter = EnvFilter::try_new(filter).map_err(|e| e.to_string())?;
            let lines =
                tracing_subscriber::fmt::layer().with_ansi(colour).with_writer(Masked(Arc::clone(redactor)));
            Dispatch::new(registry().with(filter).with(lines))
        }
    };
    // Only this process's one start sets it.
    drop(tracing::dispatcher::set_global_default(dispatch.clone()));
    Ok(dispatch)
}

struct Masked(Arc<Redactor>);

impl<'a> MakeWriter<'a> for Masked {
    type Writer = Line<'a>;
    fn make_writer(&'a self) -> Line<'a> {
        Line { redactor: &self.0, text: Vec::new() }
    }
}

/// One log line, masked as a whole.
struct Line<'a> {
    redactor: &'a Redactor,
    text: Vec<u8>,
}

impl io::Write for Line<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.text.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Line<'_> {
    fn drop(&mut self) {
        let text = String::from_utf8_lossy(&self.text);
        // There is nowhere left to tell that stderr is closed.
        drop(io::Write::write_all(&mut io::stderr(), self.redactor.text(&text).as_bytes()));
    }
}

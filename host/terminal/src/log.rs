//! The host's own subscriber: masked lines on stderr, if a filter asks for any.
use secrets::Redactor;
use std::{io, sync::Arc};
use tracing::Dispatch;
use tracing_subscriber::{EnvFilter, layer::SubscriberExt as _, registry};

/// Starts logging; `filter` is in `tracing`'s usual form, such as `warn,llm_openai=debug`.
///
/// # Errors
/// The filter cannot be read.
pub fn start(filter: Option<&str>, redactor: &Arc<Redactor>, colour: bool) -> Result<Dispatch, String> {
    let dispatch = match filter.filter(|filter| !filter.is_empty()) {
        None => Dispatch::none(),
        Some(filter) => {
            let (filter, redactor) =
                (EnvFilter::try_new(filter).map_err(|e| e.to_string())?, Arc::clone(redactor));
            let line = move || Line { redactor: Arc::clone(&redactor), text: Vec::new() };
            Dispatch::new(
                registry()
                    .with(filter)
                    .with(tracing_subscriber::fmt::layer().with_ansi(colour).with_writer(line)),
            )
        }
    };
    // Only this process's one start sets it.
    drop(tracing::dispatcher::set_global_default(dispatch.clone()));
    Ok(dispatch)
}

/// One log line, masked as a whole.
struct Line {
    redactor: Arc<Redactor>,
    text: Vec<u8>,
}

impl io::Write for Line {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.text.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        let text = String::from_utf8_lossy(&self.text);
        // There is nowhere left to tell that stderr is closed.
        watch::outside(|| {
            drop(io::Write::write_all(&mut io::stderr(), self.redactor.text(&text).as_bytes()))
        });
    }
}

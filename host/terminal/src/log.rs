//! The host's own subscriber: whole lines, if a filter asks for any.
use std::{io, sync::Arc};
use tracing::Dispatch;
use tracing_subscriber::{EnvFilter, layer::SubscriberExt as _, registry};

/// Starts logging; `filter` is in `tracing`'s usual form, such as `warn,llm_openai=debug`. `write` gets each line, and its end.
///
/// # Errors
/// The filter cannot be read.
pub fn start(
    filter: Option<&str>,
    colour: bool,
    write: impl Fn(&str) + Send + Sync + 'static,
) -> Result<Dispatch, String> {
    let dispatch = match filter.filter(|filter| !filter.is_empty()) {
        None => Dispatch::none(),
        Some(filter) => {
            let filter = EnvFilter::try_new(filter).map_err(|e| e.to_string())?;
            let write: Arc<Write> = Arc::new(write);
            let line = move || Line { write: Arc::clone(&write), text: Vec::new() };
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

type Write = dyn Fn(&str) + Send + Sync;

/// One log line, written as a whole.
struct Line {
    write: Arc<Write>,
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
        (self.write)(&String::from_utf8_lossy(&self.text));
    }
}

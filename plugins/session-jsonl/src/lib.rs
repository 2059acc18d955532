//! `session-jsonl`: logs of sessions as files of JSON lines, one file a session.
mod config;
mod copy;
mod failure;
mod line;
mod name;
mod part;
mod reader;
mod sessions;
mod summary;
mod walk;
mod writer;

use contracts::session::{self, Event, NewEvent, Session, Summary, kind};
use plugin_sdk::*;
use serde_json::Value;
use sessions::{Sessions, Told};
use std::{fmt, sync::Arc};
use writer::Writer;

pub use config::Config;

/// The service.
pub struct Jsonl(Arc<Sessions>);

impl fmt::Debug for Jsonl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Jsonl").field(self.0.folder()).finish()
    }
}

impl Jsonl {
    /// Touches nothing yet: the folder is made with the first session.
    ///
    /// # Errors
    /// `CONFIG_INVALID` when the root is no path.
    pub fn new(config: &Config) -> Result<Self> {
        Ok(Jsonl(Arc::new(Sessions::new(config.folder()?))))
    }

    async fn told<T: Send + 'static>(
        &self,
        cx: &Cx,
        work: impl FnOnce(&Sessions) -> Told<T> + Send + 'static,
    ) -> Result<T> {
        let sessions = Arc::clone(&self.0);
        let (answer, note) = blocking(move || work(&sessions)).await?;
        if let Some(note) = note {
            cx.note("warn", &note);
        }
        answer
    }

    async fn ask<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Sessions) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let sessions = Arc::clone(&self.0);
        blocking(move || work(&sessions)).await?
    }
}

impl Plugin for Jsonl {
    type Config = Config;

    async fn create(_: Ctx, config: Config) -> Result<Self> {
        Jsonl::new(&config)
    }

    fn session_closed(&self, session: &str) {
        drop(self.0.release(session));
    }

    async fn shutdown(&self) {
        self.0.release_all();
    }
}

impl Session for Jsonl {
    async fn create(&self, session: Option<String>, parent: Option<String>, _: &Cx) -> Result<String> {
        self.ask(move |sessions| sessions.create(session, parent)).await
    }

    async fn append(&self, session: &str, events: Vec<NewEvent>, cx: &Cx) -> Result<u64> {
        let session = session.to_owned();
        self.told(cx, move |sessions| sessions.write(&session, |writer| writer.append(&events))).await
    }

    async fn flush(&self, session: &str, cx: &Cx) -> Result<()> {
        let session = session.to_owned();
        self.told(cx, move |sessions| sessions.flush(&session)).await
    }

    fn read(
        &self,
        session: String,
        from_seq: u64,
        _: Cx,
    ) -> impl Stream<Item = Result<Event>> + Send + 'static {
        let path = self.0.path(&session);
        emit(move |out| async move {
            if let Err(error) = reader::send(&out, session, path, from_seq).await {
                out.send(Err(error)).await;
            }
        })
    }

    async fn fork(&self, session: &str, at_seq: u64, _: &Cx) -> Result<String> {
        let session = session.to_owned();
        self.ask(move |sessions| sessions.fork(&session, at_seq)).await
    }

    async fn list(&self, cx: &Cx) -> Result<Vec<Summary>> {
        let folder = self.0.folder().clone();
        let (found, odd) = blocking(move || summary::list(&folder)).await??;
        odd.iter().for_each(|odd| cx.note("warn", &format!("left out of the list: {odd}")));
        Ok(found)
    }

    async fn put(&self, session: &str, key: &str, value: Value, cx: &Cx) -> Result<()> {
        let (session, key) = (session.to_owned(), key.to_owned());
        let event = NewEvent::new(kind::SESSION_PUT, kind::Put { key, value });
        let put = move |writer: &mut Writer| writer.append(&[event]).map(drop);
        self.told(cx, move |sessions| sessions.write(&session, put)).await
    }

    async fn get(&self, session: &str, key: &str, _: &Cx) -> Result<Value> {
        let (session, key) = (session.to_owned(), key.to_owned());
        self.ask(move |sessions| sessions.get(&session, &key)).await
    }

    async fn close(&self, session: &str, _: &Cx) -> Result<()> {
        let session = session.to_owned();
        self.ask(move |sessions| sessions.close(&session)).await
    }

    async fn delete(&self, session: &str, _: &Cx) -> Result<()> {
        let session = session.to_owned();
        self.ask(move |sessions| sessions.delete(&session)).await
    }
}

export_plugins! {
    plugin "session-jsonl": Jsonl {
        services: [provide session],
        config: include_str!("../config.schema.json"),
        runtime: tokio,
    }
}

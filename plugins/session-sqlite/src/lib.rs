//! `session-sqlite`: logs of sessions in one SQLite database.
mod claim;
mod config;
mod database;
mod failure;
mod row;
mod sessions;
mod shared;
mod summary;

use contracts::session::{self, Event, NewEvent, Session, Summary, kind};
use plugin_sdk::*;
use serde_json::Value;
use sessions::Sessions;
use shared::Shared;
use std::{fmt, sync::Arc};

pub use config::Config;

/// The service.
pub struct Sqlite(Arc<Shared>);

impl fmt::Debug for Sqlite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sqlite").finish_non_exhaustive()
    }
}

impl Sqlite {
    /// Touches nothing yet: folder and database are made with the first session.
    ///
    /// # Errors
    /// `CONFIG_INVALID` when the root is no path.
    pub fn new(config: &Config) -> Result<Self> {
        Ok(Sqlite(Arc::new(Shared::new(Sessions::new(config.folder()?)))))
    }

    async fn ask<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Sessions) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let shared = Arc::clone(&self.0);
        blocking(move || shared.with(work)).await?
    }
}

impl Plugin for Sqlite {
    type Config = Config;

    async fn create(_: Ctx, config: Config) -> Result<Self> {
        Sqlite::new(&config)
    }

    fn session_closed(&self, session: &str) {
        self.0.end(session);
    }

    async fn shutdown(&self) {
        let shared = Arc::clone(&self.0);
        drop(blocking(move || shared.with(Sessions::release_all)).await);
    }
}

/// Sends the events of a log from a position on, a batch at a time: as many as there are now.
async fn send(out: &Out<Result<Event>>, shared: Arc<Shared>, session: String, mut from: u64) -> Result<()> {
    let session: Arc<str> = session.into();
    let (log, name) = (Arc::clone(&shared), Arc::clone(&session));
    let (id, end) = blocking(move || log.with(|sessions| sessions.extent(&name))).await??;
    // Somebody else's log may go back in time; what is read does not.
    let mut last_ms = 0;
    while from < end {
        let (log, name) = (Arc::clone(&shared), Arc::clone(&session));
        let (events, whole) =
            blocking(move || log.with(|sessions| sessions.batch(&name, id, from, end))).await?;
        from += events.len() as u64;
        for event in events {
            last_ms = event.at_ms.max(last_ms);
            out.send(Ok(Event { at_ms: last_ms, ..event })).await;
        }
        whole?;
    }
    Ok(())
}

impl Session for Sqlite {
    async fn create(&self, session: Option<String>, parent: Option<String>, _: &Cx) -> Result<String> {
        self.ask(move |sessions| sessions.create(session, parent)).await
    }

    async fn append(&self, session: &str, events: Vec<NewEvent>, _: &Cx) -> Result<u64> {
        let session = session.to_owned();
        self.ask(move |sessions| sessions.append(&session, &events)).await
    }

    async fn flush(&self, session: &str, _: &Cx) -> Result<()> {
        let session = session.to_owned();
        self.ask(move |sessions| sessions.flush(&session)).await
    }

    fn read(
        &self,
        session: String,
        from_seq: u64,
        _: Cx,
    ) -> impl Stream<Item = Result<Event>> + Send + 'static {
        let shared = Arc::clone(&self.0);
        emit(move |out| async move {
            if let Err(error) = send(&out, shared, session, from_seq).await {
                out.send(Err(error)).await;
            }
        })
    }

    async fn fork(&self, session: &str, at_seq: u64, _: &Cx) -> Result<String> {
        let session = session.to_owned();
        self.ask(move |sessions| sessions.fork(&session, at_seq)).await
    }

    async fn list(&self, _: &Cx) -> Result<Vec<Summary>> {
        self.ask(Sessions::list).await
    }

    async fn put(&self, session: &str, key: &str, value: Value, _: &Cx) -> Result<()> {
        let (session, key) = (session.to_owned(), key.to_owned());
        let event = NewEvent::new(kind::SESSION_PUT, kind::Put { key, value });
        self.ask(move |sessions| sessions.append(&session, &[event]).map(drop)).await
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
    plugin "session-sqlite": Sqlite {
        services: [provide session],
        config: include_str!("../config.schema.json"),
        runtime: tokio,
    }
}

//! What an author implements beside a service, and what an instance gets of the host.
use contracts::{Contract, Error, Payload, Raw, Result};
use plugin_api::RHost;
use serde::{Deserialize, de::DeserializeOwned};
use std::future::Future;

/// A plugin: how an instance is made, and how it ends.
pub trait Plugin: Sized + Send + Sync + 'static {
    /// The row's `config`, already checked against the schema of [`crate::export_plugins!`].
    type Config: DeserializeOwned + Send;

    /// Makes an instance. No other row can be called yet: handles are good from the first call on.
    ///
    /// # Errors
    /// Any; the row does not mount, and the message is shown with the row's id.
    fn create(ctx: Ctx, config: Self::Config) -> impl Future<Output = Result<Self>> + Send;

    /// A session ended: forget what was kept for it.
    fn session_closed(&self, _session: &str) {}

    /// State for the instance that replaces this one in a reload; [`Ctx::handover`] of that one returns it.
    fn handover(&self) -> Payload {
        Payload::default()
    }

    /// Stops. Called once, after the last call has ended or been dropped.
    fn shutdown(&self) -> impl Future<Output = ()> + Send {
        std::future::ready(())
    }
}

/// The config of a plugin that takes none.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NoConfig {}

/// The host, as far as this instance may see it.
#[derive(Clone, Debug)]
pub struct Ctx {
    pub(crate) host: RHost,
    pub(crate) row: String,
    pub(crate) handover: Payload,
}

impl Ctx {
    /// The row's id.
    pub fn row(&self) -> &str {
        &self.row
    }

    /// What the instance this one replaces handed over; empty for none.
    pub fn handover(&self) -> &Payload {
        &self.handover
    }

    /// A client of a declared need. It looks up what is mounted at each call, so keep it.
    ///
    /// # Errors
    /// `UNDECLARED_NEED` when the need is not listed in `export_plugins!`.
    pub fn need<C: Contract>(&self) -> Result<C::Client> {
        self.raw(C::NAME).map(Into::into)
    }

    /// The untyped client of a declared need.
    ///
    /// # Errors
    /// As [`Ctx::need`].
    pub fn raw(&self, need: &str) -> Result<Raw> {
        self.host.service(need.into()).into_option().map(Raw::from).ok_or_else(|| {
            Error::new("UNDECLARED_NEED", format!("it asks for `{need}`, which its manifest does not list"))
                .hint(format!("list `{need}` under needs or wants in export_plugins!"))
        })
    }

    /// A client of what lies below this instance in the chain of a service it joins or wraps.
    ///
    /// # Errors
    /// `UNDECLARED_NEED` when the plugin neither joins nor wraps that service.
    pub fn below<C: Contract>(&self) -> Result<C::Client> {
        self.below_raw(C::NAME).map(Into::into)
    }

    pub(crate) fn below_raw(&self, service: &str) -> Result<Raw> {
        self.host.below(service.into()).into_option().map(Raw::from).ok_or_else(|| {
            Error::new(
                "UNDECLARED_NEED",
                format!("it neither joins nor wraps `{service}`, so nothing is below it"),
            )
            .hint(format!("list `{service}` with the role join or wrap in export_plugins!"))
        })
    }

    /// The text with every secret of the configuration masked: for whatever leaves the process by another way than a result, and for
    /// what is about to be cut, because of a secret that is cut the host sees only a part. `truncate::HeadTail::finish_masked` takes
    /// this as its mask.
    pub fn redact(&self, text: &str) -> String {
        let head = serde_json::to_string(text).unwrap_or_default();
        let masked = self.host.redact(Payload::new(head, Default::default()));
        serde_json::from_str(&masked.head).unwrap_or_default()
    }
}

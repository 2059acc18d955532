//! Mounted rows: their instances, the slots that their services are in, and the end of both in reverse.
mod slot;

use crate::plan::Planned;
use loader::{Opened, Verdicts};
use plugin_api::{
    Create, Host, RCancel, RHost, RInstance, RPayload, RService, RTraceSink,
    abi_stable::std_types::{ROption, RStr},
    run::ABORTED,
};
use rows::Problem;
use secrets::Redactor;
use slot::{Entry, Position, Slots};
use std::{
    collections::BTreeMap,
    sync::{
        Arc, Weak,
        atomic::{AtomicBool, Ordering::SeqCst},
    },
    time::Duration,
};
use watch::{Live, Watch, Watched};

const MOUNT_TIME: Duration = Duration::from_secs(10);
const UNMOUNT_TIME: Duration = Duration::from_secs(2);

/// All that is mounted.
pub(crate) struct Mounted {
    pub(crate) slots: Arc<Slots>,
    instances: Vec<(Arc<Live>, RInstance)>,
}

/// What mounting takes beside the rows.
pub(crate) struct Means {
    pub(crate) opened: Opened,
    pub(crate) verdicts: Verdicts,
    pub(crate) trace: RTraceSink,
    pub(crate) watch: Arc<Watch>,
    /// Fired, nothing more is mounted.
    pub(crate) cancel: RCancel,
    pub(crate) redactor: Arc<Redactor>,
}

/// Mounts the rows in order. The first that fails unmounts those before it.
pub(crate) async fn all(planned: &[Planned], means: &mut Means) -> Result<Mounted, Problem> {
    let slots = Arc::new(Slots::new(Arc::clone(&means.redactor)));
    let mut mounted = Mounted { slots, instances: Vec::new() };
    for plan in planned {
        if let Err(problem) = mounted.add(plan, means).await {
            mounted.unmount().await;
            return Err(problem);
        }
    }
    means.verdicts.save();
    Ok(mounted)
}

impl Mounted {
    async fn add(&mut self, plan: &Planned, means: &mut Means) -> Result<(), Problem> {
        let (row, manifest) = (&plan.row, &plan.library.manifest);
        let module = means.opened.open(&plan.library, &means.trace, &mut means.verdicts);
        let module = module.map_err(|refusal| {
            let what = format!("{}: row `{}`: {}", row.place, row.id, refusal.what);
            Problem::new("PLUGIN_UNUSABLE", what, refusal.hint)
        })?;
        let live = means.watch.row(&row.id, &manifest.name, plan.library.path.clone());
        let ready = Arc::new(AtomicBool::new(false));
        let host = RHost::new(Lent {
            slots: Arc::downgrade(&self.slots),
            live: Arc::clone(&live),
            ready: Arc::clone(&ready),
            needs: plan.needs.clone(),
            roles: plan
                .roles
                .iter()
                .map(|(provided, slot)| (provided.service.clone(), slot.clone()))
                .collect(),
        });
        let create = Create {
            host,
            row_id: row.id.as_str().into(),
            config: row.config.to_string().into(),
            handover: RPayload::default(),
            ext: "".into(),
        };
        let creating = live.run("create", || (module.create())(manifest.name.as_str().into(), create));
        let creating = Watched::new(creating, &live, "create");
        let problem = |code: String, what: &str, hint: &str| {
            let what = means.redactor.text(what);
            Problem::new(code, format!("{}: row `{}`: {what}", row.place, row.id), hint)
        };
        let created = tokio::select! {
            biased;
            () = means.cancel.cancelled() => {
                return Err(problem(ABORTED.to_owned(), "interrupted while it was mounted", ""));
            }
            created = tokio::time::timeout(MOUNT_TIME, creating) => created,
        };
        let instance = match created {
            Ok(created) => created.into_result().map_err(|e| {
                let code = e.code.clone().into_string();
                let what = e.message.strip_prefix(format!("row `{}`: ", row.id).as_str());
                problem(code, what.unwrap_or(&e.message), &e.hint)
            })?,
            Err(_) => {
                let what =
                    format!("plugin `{}` was not ready after {} s", manifest.name, MOUNT_TIME.as_secs());
                return Err(problem(
                    "MOUNT_FAILED".to_owned(),
                    &what,
                    "look at what its create waits for, or disable the row",
                ));
            }
        };
        let mut exports = instance.exports().into_iter();
        for (provided, slot) in &plan.roles {
            let Some(export) = exports.next().filter(|export| export.service == provided.service.as_str())
            else {
                let what = format!(
                    "plugin `{}` does not export the `{}` its manifest lists",
                    manifest.name, provided.service
                );
                return Err(problem("MOUNT_FAILED".to_owned(), &what, "rebuild the plugin"));
            };
            self.slots.put(
                slot,
                Entry {
                    live: Arc::clone(&live),
                    role: provided.role,
                    order: plan.order,
                    object: export.object,
                },
            );
        }
        ready.store(true, SeqCst);
        self.instances.push((live, instance));
        Ok(())
    }

    /// Tells every instance that a session has ended.
    pub(crate) fn session_closed(&self, session: &str) {
        for (live, instance) in self.instances.iter().filter(|(live, _)| !live.stuck.load(SeqCst)) {
            live.run("session_closed", || instance.session_closed(session.into()));
        }
    }

    /// Unmounts in strict reverse order.
    pub(crate) async fn unmount(mut self) {
        while let Some((live, instance)) = self.instances.pop() {
            if live.stuck.load(SeqCst) {
                std::mem::forget(instance);
                continue;
            }
            let ending = live.run("shutdown", || instance.shutdown());
            let ending = Watched::new(ending, &live, "shutdown");
            if tokio::time::timeout(UNMOUNT_TIME, ending).await.is_err() {
                tracing::warn!(row = live.id, "did not shut down in time");
            }
            let entries = self.slots.take(&live);
            live.run("drop", || drop((entries, instance)));
        }
    }
}

/// The host as one instance sees it.
struct Lent {
    slots: Weak<Slots>,
    live: Arc<Live>,
    ready: Arc<AtomicBool>,
    needs: BTreeMap<String, String>,
    roles: BTreeMap<String, String>,
}

impl Lent {
    fn position(&self, slot: &str, below: bool) -> RService {
        let below = below.then(|| Arc::clone(&self.live));
        Position::handle(self.slots.clone(), slot, below, Some(Arc::clone(&self.ready)))
    }
}

impl Host for Lent {
    fn service(&self, need: RStr<'_>) -> ROption<RService> {
        self.needs.get(need.as_str()).map(|slot| self.position(slot, false)).into()
    }

    fn below(&self, service: RStr<'_>) -> ROption<RService> {
        self.roles.get(service.as_str()).map(|slot| self.position(slot, true)).into()
    }

    fn redact(&self, mut payload: RPayload) -> RPayload {
        match self.slots.upgrade() {
            Some(slots) => slots.redactor().payload(&mut payload),
            // The host is going away; nothing may pass unmasked.
            None => payload = RPayload::default(),
        }
        payload
    }
}

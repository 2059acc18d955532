//! An instance from its config to its end, and the ways of a method: its own, below, or nowhere.
use crate::{
    host::{Lent, create, logged, object, wait},
    probe::{Probe, Probing, call, exercise, mount, open},
};
use contracts::{BoxFuture, BoxStream, Serve, llm, tools, wire::Batch};
use plugin_api::{
    CallCx, FfiFuture, FfiStream, RBatch, RError, RPayload, RResultE, RService, Service,
    abi_stable::std_types::{RErr, ROk, RStr, RString},
};
use plugin_sdk::{
    Ctx, Cx, NoConfig, Payload, Plugin, Result,
    glue::{self, Provide, Route, Wrap},
};
use std::sync::Arc;

#[test]
fn a_service_describes_itself_by_its_contract() {
    let instance = mount("{}");
    assert_eq!(instance.exports()[0].service.as_str(), "probe");
    let described: serde_json::Value = serde_json::from_str(&object(&instance).describe()).unwrap();
    let expected = serde_json::json!({
        "service": "probe", "version": "1.2.0", "methods": { "echo": "call", "count": "stream" },
    });
    assert_eq!(described, expected);
}

#[test]
fn what_is_called_answers_and_what_is_not_there_says_so() {
    let instance = mount("{}");
    exercise(&instance);
    let service = object(&instance);
    assert_eq!(call(&service, "fail"), "NOPE: it does not work");
    assert_eq!(call(&service, "none"), "NO_METHOD: `probe` has no method `none`");
    assert_eq!(open(&service, "none"), "NO_METHOD: `probe` has no method `none`");
    assert_eq!(call(&service, "row"), r#"["row-1","{\"from\":\"before\"}"]"#);
}

#[test]
fn an_instance_is_not_made_from_what_it_cannot_take() {
    fn refused<R: Route<Probe>>(config: &str) -> String {
        let error = create::<Probe, R>(Lent::default(), config, false).into_result().map(drop).unwrap_err();
        format!("{}: {} ({})", error.code, error.message, error.hint)
    }
    let text = refused::<Provide<Probing>>(r#"{"colour":1}"#);
    assert!(text.starts_with("BAD_CONFIG: config: unknown field `colour`"), "{text}");
    let text = refused::<Provide<Probing>>("nonsense");
    assert!(text.starts_with("BAD_CONFIG: config: "), "{text}");
    assert_eq!(refused::<Provide<Probing>>(r#"{"refuses":"not today"}"#), "REFUSED: not today (ask nicely)");
    let text = refused::<Wrap<Probing>>("{}");
    assert_eq!(
        text,
        "UNDECLARED_NEED: it neither joins nor wraps `probe`, so nothing is below it \
         (list `probe` with the role join or wrap in export_plugins!)"
    );
    let error = wait(glue::unknown("other")).into_result().map(drop).unwrap_err();
    assert_eq!((&*error.code, &*error.message), ("UNKNOWN_PLUGIN", "the library holds no plugin `other`"));
}

/// Says that it was asked.
struct Below;

impl Service for Below {
    fn describe(&self) -> RString {
        "below".into()
    }
    fn call(&self, method: RStr<'_>, payload: RPayload, _: CallCx) -> FfiFuture<RResultE<RPayload>> {
        FfiFuture::ready(ROk(RPayload::new(format!("below {method} {}", payload.head), payload.parts)))
    }
    fn open(&self, method: RStr<'_>, _: RPayload, _: CallCx) -> FfiStream<RResultE<RBatch>> {
        FfiStream::once(RErr(RError::new("BELOW", format!("below was asked for {method}"))))
    }
}

#[test]
fn a_wrap_answers_its_own_methods_and_hands_the_others_down() {
    let lent = Lent { below: vec![("probe", RService::new(Below))], ..Lent::default() };
    let instance = create::<Probe, Wrap<Probing>>(lent, "{}", false).into_result().unwrap();
    exercise(&instance);
    let service = object(&instance);
    assert_eq!(call(&service, "later"), r#"below later {"n":1}"#);
    assert_eq!(open(&service, "later"), "BELOW: below was asked for later");
}

/// Asks for more than it may have, and tells what it got.
struct Curious(String);

impl Plugin for Curious {
    type Config = NoConfig;
    async fn create(ctx: Ctx, _: NoConfig) -> Result<Self> {
        let said = |result: Result<()>| match result {
            Ok(()) => "ok".to_owned(),
            Err(error) => format!("{}: {} ({})", error.code, error.message, error.hint),
        };
        let seen = [
            said(ctx.need::<llm::Contract>().map(drop)),
            said(ctx.need::<tools::Contract>().map(drop)),
            said(ctx.below::<tools::Contract>().map(drop)),
            ctx.redact("my \"password\" is hunter2"),
        ];
        Ok(Curious(seen.join("\n")))
    }
}

impl Serve<Curious> for Probing {
    fn call(plugin: &Arc<Curious>, _: &str, _: Payload, _: Cx) -> Option<BoxFuture<Result<Payload>>> {
        let seen = plugin.0.clone();
        Some(Box::pin(async move { Ok(Payload::new(seen, Default::default())) }))
    }
    fn open(_: &Arc<Curious>, _: &str, _: Payload, _: Cx) -> Option<BoxStream<Result<Batch>>> {
        None
    }
}

#[test]
fn an_instance_sees_only_what_it_declared() {
    let lent = Lent { needs: vec![("llm", RService::new(Below))], ..Lent::default() };
    let instance = create::<Curious, Provide<Probing>>(lent, "{}", false).into_result().unwrap();
    assert_eq!(
        call(&object(&instance), "seen"),
        "ok\n\
         UNDECLARED_NEED: it asks for `tools`, which its manifest does not list \
         (list `tools` under needs or wants in export_plugins!)\n\
         UNDECLARED_NEED: it neither joins nor wraps `tools`, so nothing is below it \
         (list `tools` with the role join or wrap in export_plugins!)\n\
         my \"password\" is ***"
    );
}

#[test]
fn an_instance_hands_over_hears_of_sessions_and_shuts_down() {
    let instance = mount("{}");
    let handover = instance.handover();
    assert_eq!((handover.head.as_str(), handover.parts.len()), (r#"{"kept":true}"#, 1));
    instance.session_closed("session-42".into());
    assert!(logged(&["closed session-42"]));
    wait(instance.shutdown());
    assert!(logged(&["shut down row-1"]));
}

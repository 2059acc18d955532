//! One row, resolved: all that its requests have in common.
use crate::{
    config::Config,
    credential::{Key, Secrets},
    endpoint::Endpoint,
    http::{self, Http},
    preset::{self, Preset},
    request::Memo,
};
use contracts::llm::{Failure, Settings};
use plugin_sdk::{Result, contracts};
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderValue};
use std::time::Duration;

/// Headers that carry a key in place of `Authorization: Bearer`; the second is Azure's.
const KEY_HEADERS: [&str; 3] = ["authorization", "api-key", "x-api-key"];

pub(crate) struct Adapter {
    endpoint: Option<Endpoint>,
    preset: Option<&'static Preset>,
    key: Key,
    has_key_header: bool,
    defaults: Settings,
    pub(crate) secrets: Secrets,
    pub(crate) http: Http,
    pub(crate) memo: Memo,
    pub(crate) idle: Duration,
}

/// What one request is sent with.
pub(crate) struct Plan<'a> {
    pub(crate) endpoint: &'a Endpoint,
    pub(crate) authorization: Option<HeaderValue>,
    pub(crate) settings: Settings,
}

impl Adapter {
    /// # Errors
    /// `UNKNOWN_PROVIDER`, `INVALID_BASE_URL`, `INVALID_HEADER`.
    pub(crate) fn new(config: Config) -> Result<Self> {
        let preset = preset::named(&config.provider)?;
        let key = Key::new(&config.api_key);
        let is_key = |name: &str| KEY_HEADERS.iter().any(|key| name.trim().eq_ignore_ascii_case(key));
        let key_headers =
            || config.headers.iter().filter(|(name, _)| is_key(name)).map(|(_, value)| value.trim());
        let secrets = Secrets::new(key_headers().chain([key.text()]));
        let headers: HeaderMap = http::headers(&config)?;
        Ok(Adapter {
            endpoint: Endpoint::resolve(preset, &config.base_url)?,
            has_key_header: key_headers().next().is_some(),
            defaults: config.defaults(),
            http: Http::new(headers, config.ca_file.trim()),
            memo: Memo::default(),
            idle: Duration::from_millis(config.idle_timeout_ms.max(1)),
            preset,
            key,
            secrets,
        })
    }

    /// Everything that can be missing is found out here, before anything is sent.
    ///
    /// # Errors
    /// `NO_ENDPOINT`, `MISSING_CREDENTIAL`, `INVALID_CREDENTIAL`, `NO_MODEL`.
    pub(crate) fn plan(&self, asked: &Settings) -> Result<Plan<'_>, Failure> {
        let endpoint = self.endpoint.as_ref().ok_or_else(|| Failure {
            hint: "set LLM_PROVIDER to a preset such as deepseek or ollama, or LLM_BASE_URL to an endpoint"
                .into(),
            ..Failure::new(
                "NO_ENDPOINT",
                "llm-openai: neither LLM_PROVIDER nor LLM_BASE_URL says where the model is",
            )
        })?;
        let authorization = self.key.bearer(endpoint, !endpoint.local && !self.has_key_header)?;
        let settings = self.settings(asked);
        if settings.model.is_empty() {
            return Err(Failure {
                hint: "set LLM_MODEL, or give --model".into(),
                ..Failure::new("NO_MODEL", format!("llm-openai: no model is named for {}", endpoint.origin))
            });
        }
        Ok(Plan { endpoint, authorization, settings })
    }

    /// The request's settings, then the row's, then the preset's.
    fn settings(&self, asked: &Settings) -> Settings {
        let (mut settings, row) = (asked.clone(), &self.defaults);
        if settings.model.trim().is_empty() {
            settings.model.clone_from(&row.model);
        }
        if settings.model.is_empty() {
            self.preset.map(|preset| preset.model).unwrap_or_default().clone_into(&mut settings.model);
        }
        settings.max_tokens = settings.max_tokens.or(row.max_tokens);
        settings.temperature = settings.temperature.or(row.temperature);
        settings.reasoning_effort = settings.reasoning_effort.or_else(|| row.reasoning_effort.clone());
        settings.tool_choice = settings.tool_choice.or_else(|| row.tool_choice.clone());
        settings
    }
}

impl Plan<'_> {
    /// The headers of this one request.
    pub(crate) fn headers(&self, traceparent: Option<String>) -> HeaderMap {
        let mut headers = HeaderMap::new();
        if let Some(authorization) = &self.authorization {
            headers.insert(AUTHORIZATION, authorization.clone());
        }
        if let Some(traceparent) = traceparent.and_then(|text| HeaderValue::from_str(&text).ok()) {
            headers.insert("traceparent", traceparent);
        }
        headers
    }
}

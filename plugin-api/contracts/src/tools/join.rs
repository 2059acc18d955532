//! Joining tools: what is below comes first, in its order; a name that is there already is an error, not a shadow.
use super::{Client, Contract, ListHead, ToolList, ToolSchema, Tools, read_call};
use crate::{
    Cx, Error, Join, Parts, Payload, Raw, Result, Serve,
    contract::failed,
    wire::{self, Batch, BoxFuture, BoxStream},
};
use std::{collections::HashSet, sync::Arc};

impl<T: Tools> Join<T> for Contract {
    fn join_call(
        plugin: &Arc<T>,
        below: &Raw,
        method: &str,
        payload: Payload,
        cx: Cx,
    ) -> Option<BoxFuture<Result<Payload>>> {
        if method != "list" {
            return None;
        }
        let (plugin, below) = (Arc::clone(plugin), Client::from(below.clone()));
        Some(Box::pin(async move {
            let head: ListHead = wire::read("tools.list", &payload.head)?;
            Ok(list(&*plugin, &below, head.known, &cx).await?.payload())
        }))
    }

    fn join_open(
        plugin: &Arc<T>,
        below: &Raw,
        method: &str,
        payload: Payload,
        cx: Cx,
    ) -> Option<BoxStream<Result<Batch>>> {
        if method != "execute" {
            return None;
        }
        let call = match read_call(&payload) {
            Ok(call) => call,
            Err(error) => return Some(failed(error)),
        };
        let (plugin, below) = (Arc::clone(plugin), below.clone());
        // Whose call it is takes an asynchronous look at the own list, so the stream opens on its first poll.
        Some(wire::flatten(async move {
            if own(&*plugin, &call.name, &cx).await {
                <Contract as Serve<T>>::open(&plugin, "execute", payload, cx)
                    .unwrap_or_else(|| failed(Error::new("NO_METHOD", "tools: no method `execute`")))
            } else {
                Box::pin(below.open("execute", payload, &cx))
            }
        }))
    }
}

async fn own<T: Tools>(plugin: &T, name: &str, cx: &Cx) -> bool {
    match plugin.list(None, cx).await {
        Ok(ToolList::Tools { tools, .. }) => tools.iter().any(|part| ToolSchema::name_of(part) == name),
        Ok(ToolList::Unchanged) | Err(_) => false,
    }
}

/// A joined generation is `<length of the lower one>:<lower><own>`, so that each side can be asked with its own.
fn split(known: &str) -> Option<(String, String)> {
    let (length, rest) = known.split_once(':')?;
    let (lower, own) = rest.split_at_checked(length.parse().ok()?)?;
    Some((lower.to_owned(), own.to_owned()))
}

async fn list<T: Tools>(plugin: &T, below: &Client, known: Option<String>, cx: &Cx) -> Result<ToolList> {
    if let Some((lower, own)) = known.as_deref().and_then(split) {
        let lower = below.list(Some(lower), cx).await?;
        let own = plugin.list(Some(own), cx).await?;
        if lower == ToolList::Unchanged && own == ToolList::Unchanged {
            return Ok(ToolList::Unchanged);
        }
    }
    let (lower, own) = (whole(below.list(None, cx).await?), whole(plugin.list(None, cx).await?));
    let mut names: HashSet<String> = lower.1.iter().map(ToolSchema::name_of).collect();
    if let Some(name) = own.1.iter().map(ToolSchema::name_of).find(|name| !names.insert(name.clone())) {
        return Err(Error::new("DUPLICATE_TOOL", format!("tools: two rows offer a tool named `{name}`"))
            .hint("disable one of the two rows"));
    }
    let mut tools = lower.1;
    tools.append(&own.1);
    Ok(ToolList::Tools { generation: format!("{}:{}{}", lower.0.len(), lower.0, own.0), tools })
}

fn whole(list: ToolList) -> (String, Parts) {
    match list {
        ToolList::Tools { generation, tools } => (generation, tools),
        ToolList::Unchanged => (String::new(), Parts::new()),
    }
}

//! Hooks and their deliveries.

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use super::{Links, Time, entries};
use crate::db::hooks::{Delivery, Hook, HookOwner};

/// What stands for a secret that is there: nobody is shown it again.
const HIDDEN: &str = "********";

/// GitHub's `hook`, and `org-hook` for an organisation's.
pub(crate) struct HookView<'a> {
    pub(crate) links: &'a Links,
    /// Where its owner is found: `repos/acme/web` or `orgs/acme`.
    pub(crate) owner: &'a str,
    pub(crate) hook: &'a Hook,
}

impl Serialize for HookView<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let hook = self.hook;
        let url = format!("{}/{}/hooks/{}", self.links.api, self.owner, hook.id);
        let is_repo = matches!(hook.owner, HookOwner::Repo(_));
        let mut map = serializer.serialize_map(None)?;
        entries!(map;
            "type" => if is_repo { "Repository" } else { "Organization" },
            "id" => hook.id,
            "name" => "web",
            "active" => hook.active,
            "events" => hook.events,
            "config" => config(hook),
            "created_at" => Time(hook.created_at),
            "updated_at" => Time(hook.updated_at),
            "url" => url,
            "ping_url" => format_args!("{url}/pings"),
            "deliveries_url" => format_args!("{url}/deliveries"),
        );
        if is_repo {
            entries!(map;
                "test_url" => format_args!("{url}/test"),
                "last_response" => json!({
                    "code": hook.last_code, "status": hook.last_status, "message": hook.last_message,
                }),
            );
        }
        map.end()
    }
}

pub(crate) fn config(hook: &Hook) -> Value {
    let mut config = json!({
        "content_type": hook.content_type,
        "insecure_ssl": if hook.insecure_ssl { "1" } else { "0" },
        "url": hook.url,
    });
    if hook.secret.is_some() {
        config["secret"] = json!(HIDDEN);
    }
    config
}

/// GitHub's `hook-delivery-item`.
pub(crate) fn delivery_item(delivery: &Delivery) -> Value {
    json!({
        "id": delivery.id,
        "guid": delivery.guid,
        "delivered_at": delivered_at(delivery),
        "redelivery": delivery.redelivery,
        "duration": seconds(delivery.duration_ms),
        "status": delivery.status,
        "status_code": delivery.status_code,
        "event": delivery.event,
        "action": delivery.action,
        "installation_id": null,
        "repository_id": delivery.repo_id,
        "throttled_at": null,
    })
}

/// GitHub's `hook-delivery`: what was sent and what came back.
pub(crate) fn full_delivery(hook: &Hook, delivery: &Delivery, payload: &str) -> Value {
    let parsed = |text: &Option<String>| {
        text.as_deref().and_then(|text| serde_json::from_str(text).ok()).unwrap_or(Value::Null)
    };
    let mut shown = delivery_item(delivery);
    shown["url"] = json!(hook.url);
    shown["request"] = json!({
        "headers": parsed(&delivery.request_headers),
        "payload": serde_json::from_str::<Value>(payload).unwrap_or_default(),
    });
    shown["response"] =
        json!({ "headers": parsed(&delivery.response_headers), "payload": delivery.response_body });
    shown
}

fn delivered_at(delivery: &Delivery) -> String {
    let time = jiff::Timestamp::from_millisecond(delivery.delivered_at_ms);
    time.unwrap_or(jiff::Timestamp::UNIX_EPOCH).to_string()
}

/// GitHub tells a duration in seconds with two digits.
fn seconds(duration_ms: i64) -> Value {
    let whole_and_hundredths = format!("{}.{:02}", duration_ms / 1_000, (duration_ms % 1_000) / 10);
    json!(whole_and_hundredths.parse::<f64>().unwrap_or_default())
}

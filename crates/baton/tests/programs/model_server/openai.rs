//! Answers of OpenAI's Responses API.

use serde_json::{Value, json};

use super::{CACHED, READ, Use, WRITTEN, event};

pub(super) fn turn(number: usize, says: &str, tool: Option<Use>) -> String {
    let id = format!("resp_{number}");
    let message = json!({
        "type": "message", "id": format!("msg_{number}"), "role": "assistant", "status": "completed",
        "content": [{ "type": "output_text", "text": says, "annotations": [] }],
    });
    let call = tool.map(|(name, input)| {
        json!({
            "type": "function_call", "id": format!("fc_{number}"), "call_id": format!("call_{number}"),
            "name": name, "arguments": input.to_string(),
        })
    });
    let items: String = [message].into_iter().chain(call).enumerate().map(item).collect();
    let usage = json!({
        "input_tokens": READ, "input_tokens_details": { "cached_tokens": CACHED },
        "output_tokens": WRITTEN, "output_tokens_details": { "reasoning_tokens": 0 },
        "total_tokens": READ + WRITTEN,
    });
    [
        named("response.created", json!({ "response": { "id": id } })),
        items,
        named("response.completed", json!({ "response": { "id": id, "usage": usage } })),
    ]
    .concat()
}

fn item((index, item): (usize, Value)) -> String {
    named("response.output_item.done", json!({ "output_index": index, "item": item }))
}

fn named(name: &str, mut data: Value) -> String {
    data["type"] = json!(name);
    event(Some(name), &data)
}

pub(super) fn refusal(status: u16) -> String {
    let code = if status == 429 { "rate_limit_exceeded" } else { "refused" };
    json!({ "error": { "message": "refused by the script", "type": "refused", "code": code } }).to_string()
}

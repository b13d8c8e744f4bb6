//! Answers of Anthropic's Messages API.

use serde_json::{Value, json};

use super::{CACHED, READ, Use, WRITTEN, event};

pub(super) fn turn(model: &str, number: usize, says: &str, tool: Option<Use>) -> String {
    // What comes from a cache is not part of the input here.
    let usage = json!({
        "input_tokens": READ - CACHED, "cache_read_input_tokens": CACHED,
        "cache_creation_input_tokens": 0, "output_tokens": 1,
    });
    let message = json!({
        "id": format!("msg_{number}"), "type": "message", "role": "assistant", "model": model, "content": [],
        "stop_reason": null, "stop_sequence": null, "usage": usage,
    });
    let reason = if tool.is_some() { "tool_use" } else { "end_turn" };
    let blocks = blocks(number, says, tool);
    let middle: String = blocks.iter().enumerate().map(|(index, block)| self::block(index, block)).collect();
    [
        named("message_start", json!({ "message": message })),
        middle,
        named(
            "message_delta",
            json!({ "delta": { "stop_reason": reason, "stop_sequence": null }, "usage": { "output_tokens": WRITTEN } }),
        ),
        named("message_stop", json!({})),
    ]
    .concat()
}

/// The blocks of a message, each with its empty beginning and all the rest.
fn blocks(number: usize, says: &str, tool: Option<Use>) -> Vec<(Value, Value)> {
    let text = (json!({ "type": "text", "text": "" }), json!({ "type": "text_delta", "text": says }));
    let tool = tool.map(|(name, input)| {
        (
            json!({ "type": "tool_use", "id": format!("toolu_{number}"), "name": name, "input": {} }),
            json!({ "type": "input_json_delta", "partial_json": input.to_string() }),
        )
    });
    [text].into_iter().chain(tool).collect()
}

fn block(index: usize, (start, delta): &(Value, Value)) -> String {
    [
        named("content_block_start", json!({ "index": index, "content_block": start })),
        named("content_block_delta", json!({ "index": index, "delta": delta })),
        named("content_block_stop", json!({ "index": index })),
    ]
    .concat()
}

fn named(name: &str, mut data: Value) -> String {
    data["type"] = json!(name);
    event(Some(name), &data)
}

pub(super) fn refusal(status: u16) -> String {
    let kind = match status {
        401 => "authentication_error",
        429 => "rate_limit_error",
        529 => "overloaded_error",
        _ => "api_error",
    };
    json!({ "type": "error", "error": { "type": kind, "message": "refused by the script" } }).to_string()
}

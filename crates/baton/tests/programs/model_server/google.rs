//! Answers of Gemini's `streamGenerateContent`.

use serde_json::json;

use super::{CACHED, READ, Use, WRITTEN, event};

pub(super) fn turn(says: &str, tool: Option<Use>) -> String {
    let text = json!({ "text": says });
    let call = tool.map(|(name, input)| json!({ "functionCall": { "name": name, "args": input } }));
    let parts: Vec<_> = [text].into_iter().chain(call).collect();
    let answer = json!({
        "candidates": [{ "index": 0, "content": { "role": "model", "parts": parts }, "finishReason": "STOP" }],
        "usageMetadata": {
            "promptTokenCount": READ, "cachedContentTokenCount": CACHED,
            "candidatesTokenCount": WRITTEN, "totalTokenCount": READ + WRITTEN,
        },
    });
    event(None, &answer)
}

pub(super) fn refusal(status: u16) -> String {
    let word = if status == 429 { "RESOURCE_EXHAUSTED" } else { "INTERNAL" };
    json!({ "error": { "code": status, "message": "refused by the script", "status": word } }).to_string()
}

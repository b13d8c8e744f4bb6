//! What coding agents print, for people to read: what was said, which tools were used, what came back.
//!
//! The lines of the programs that are known tell themselves apart, so a log is read without knowing who printed it. A line
//! that is nothing of theirs is shown as it is. Deliberately absent: numbers and verdicts, which [`super::Reader`] knows.

use serde_json::Value;

/// The most that is shown of one thing, in characters.
const TEXT_CHARS_MAX: usize = 16 * 1024;

/// What kind of thing was printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The session began.
    Session,
    /// The agent said something.
    Said,
    /// The agent thought about something.
    Thought,
    /// The agent used a tool.
    Tool,
    /// A tool answered.
    Answer,
    /// The program warned, or could not go on.
    Trouble,
    /// The result.
    End,
    /// A line that is nothing of these.
    Line,
}

/// Something that was printed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Readable {
    /// What kind of thing it is.
    pub kind: Kind,
    /// A few words: the tool, or what it is about.
    pub head: String,
    /// What was said, given, or came back.
    pub text: String,
    /// Whether the text was cut.
    pub is_cut: bool,
}

impl Readable {
    fn new(kind: Kind, head: impl Into<String>, text: &str) -> Self {
        let text = text.trim_end();
        let cut = text.char_indices().nth(TEXT_CHARS_MAX).map(|(at, _)| at);
        let is_cut = cut.is_some();
        Self { kind, head: head.into(), text: text[..cut.unwrap_or(text.len())].to_owned(), is_cut }
    }
}

/// Reads a line. Lines that tell people nothing come to nothing.
pub fn readable(line: &str) -> Vec<Readable> {
    let line = line.trim_end_matches(['\n', '\r']);
    if line.trim().is_empty() {
        return Vec::new();
    }
    let object =
        line.trim_start().starts_with('{').then(|| serde_json::from_str::<Value>(line).ok()).flatten();
    let known = object.and_then(|value| of_object(&value));
    known.unwrap_or_else(|| vec![Readable::new(Kind::Line, "", line)])
}

/// Returns nothing for what none of the programs prints.
fn of_object(value: &Value) -> Option<Vec<Readable>> {
    let word = |name: &str| value[name].as_str().unwrap_or_default();
    Some(match word("type") {
        "system" => match word("subtype") {
            "init" => vec![Readable::new(Kind::Session, "session", word("session_id"))],
            _ => Vec::new(),
        },
        "assistant" | "user" if value["message"].is_object() => {
            blocks(&value["message"]["content"], word("type"))
        }
        "thread.started" => vec![Readable::new(Kind::Session, "session", word("thread_id"))],
        "item.completed" | "item.started" | "item.updated" => codex_item(&value["item"], word("type")),
        "turn.started" | "turn.completed" => Vec::new(),
        "turn.failed" | "error" => {
            let told = value["error"]["message"].as_str().unwrap_or_else(|| word("message"));
            vec![Readable::new(Kind::Trouble, "error", told)]
        }
        "init" => vec![Readable::new(Kind::Session, "session", word("session_id"))],
        "message" => match word("role") {
            "assistant" => vec![Readable::new(Kind::Said, "", word("content"))],
            _ => Vec::new(),
        },
        "tool_use" => vec![Readable::new(Kind::Tool, word("tool_name"), &given(&value["parameters"]))],
        "tool_result" => vec![Readable::new(Kind::Answer, word("tool_name"), &given(&value["output"]))],
        "result" => vec![Readable::new(Kind::End, end_word(value), word("result"))],
        _ => return None,
    })
}

fn end_word(value: &Value) -> &'static str {
    let is_bad =
        value["is_error"] == true || value["status"].as_str().is_some_and(|status| status != "success");
    if is_bad { "ended badly" } else { "ended" }
}

/// Reads the blocks of a message of Claude Code.
fn blocks(content: &Value, role: &str) -> Vec<Readable> {
    if let Some(text) = content.as_str() {
        return if role == "assistant" { vec![Readable::new(Kind::Said, "", text)] } else { Vec::new() };
    }
    let block = |block: &Value| {
        let text = |name: &str| block[name].as_str().unwrap_or_default();
        match text("type") {
            "text" if role == "assistant" => Some(Readable::new(Kind::Said, "", text("text"))),
            "thinking" => Some(Readable::new(Kind::Thought, "", text("thinking"))),
            "tool_use" => Some(Readable::new(Kind::Tool, text("name"), &given(&block["input"]))),
            "tool_result" => {
                let kind = if block["is_error"] == true { Kind::Trouble } else { Kind::Answer };
                Some(Readable::new(kind, "", &given(&block["content"])))
            }
            _ => None,
        }
    };
    content.as_array().map(|all| all.iter().filter_map(block).collect()).unwrap_or_default()
}

/// Reads an item of Codex. A command is shown when it began, and again with what came back.
fn codex_item(item: &Value, when: &str) -> Vec<Readable> {
    let text = |name: &str| item[name].as_str().unwrap_or_default();
    let is_over = when == "item.completed";
    let entry = match text("type") {
        "agent_message" if is_over => Readable::new(Kind::Said, "", text("text")),
        "reasoning" if is_over => Readable::new(Kind::Thought, "", text("text")),
        "command_execution" if when == "item.started" => {
            Readable::new(Kind::Tool, "command", text("command"))
        }
        "command_execution" if is_over => Readable::new(Kind::Answer, "command", text("aggregated_output")),
        "file_change" if is_over => Readable::new(Kind::Tool, "file change", &given(&item["changes"])),
        "mcp_tool_call" if is_over => Readable::new(Kind::Tool, text("tool"), &given(&item["arguments"])),
        "web_search" if is_over => Readable::new(Kind::Tool, "web search", text("query")),
        "error" if is_over => Readable::new(Kind::Trouble, "error", text("message")),
        _ => return Vec::new(),
    };
    vec![entry]
}

/// Returns a value as people read it: the only text of an object by itself, lists of texts line by line.
fn given(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(items) => {
            let text = |item: &Value| item["text"].as_str().map_or_else(|| given(item), str::to_owned);
            items.iter().map(text).collect::<Vec<_>>().join("\n")
        }
        Value::Object(fields) => match fields.len() {
            1 => fields.values().next().map(given).unwrap_or_default(),
            _ => fields
                .iter()
                .map(|(name, value)| format!("{name}: {}", given(value)))
                .collect::<Vec<_>>()
                .join("\n"),
        },
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, expected: &[(Kind, &str, &str)]) {
        let found = readable(line);
        let found: Vec<_> = found.iter().map(|it| (it.kind, it.head.as_str(), it.text.as_str())).collect();
        assert_eq!(found, expected, "{line}");
    }

    #[test]
    fn lines_of_each_program_are_told_apart() {
        check(r#"{"type":"system","subtype":"init","session_id":"s1"}"#, &[(Kind::Session, "session", "s1")]);
        check(
            r#"{"type":"assistant","message":{"content":[{"type":"text","text":"Hi"},{"type":"tool_use","name":"Read","input":{"file_path":"a.rs"}}]}}"#,
            &[(Kind::Said, "", "Hi"), (Kind::Tool, "Read", "a.rs")],
        );
        check(
            r#"{"type":"user","message":{"content":[{"type":"tool_result","content":[{"type":"text","text":"one\ntwo"}]}]}}"#,
            &[(Kind::Answer, "", "one\ntwo")],
        );
        check(r#"{"type":"result","is_error":false,"result":"done"}"#, &[(Kind::End, "ended", "done")]);
        check(r#"{"type":"thread.started","thread_id":"t"}"#, &[(Kind::Session, "session", "t")]);
        check(
            r#"{"type":"item.completed","item":{"type":"agent_message","text":"Hello"}}"#,
            &[(Kind::Said, "", "Hello")],
        );
        check(
            r#"{"type":"item.started","item":{"type":"command_execution","command":"ls"}}"#,
            &[(Kind::Tool, "command", "ls")],
        );
        check(r#"{"type":"message","role":"assistant","content":"Hey"}"#, &[(Kind::Said, "", "Hey")]);
        check(
            r#"{"type":"tool_use","tool_name":"shell","parameters":{"command":"ls","dir":"/"}}"#,
            &[(Kind::Tool, "shell", "command: ls\ndir: /")],
        );
    }

    #[test]
    fn anything_else_is_shown_as_it_is() {
        check("plain words\n", &[(Kind::Line, "", "plain words")]);
        check(r#"{"type":"novelty","x":1}"#, &[(Kind::Line, "", r#"{"type":"novelty","x":1}"#)]);
        check("{ not json", &[(Kind::Line, "", "{ not json")]);
        check("   \n", &[]);
    }

    #[test]
    fn what_is_too_long_is_cut_at_a_character() {
        let found = readable(&"ü".repeat(TEXT_CHARS_MAX + 1));
        assert!(found[0].is_cut && found[0].text.chars().count() == TEXT_CHARS_MAX);
    }
}

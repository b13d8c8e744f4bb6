//! How a question looks in Slack.

use baton_ports::PlanQuestion;
use serde_json::{Value, json};

/// The longest heading that Slack takes, in characters.
const HEADER_CHARS_MAX: usize = 150;
/// The longest text of a section that Slack takes is 3,000 characters; this leaves room for what is around it.
const PLAN_CHARS_MAX: usize = 2_700;
/// The longest name of a block, in characters.
const BLOCK_ID_CHARS_MAX: usize = 255;

/// Returns the name of the block by which the question about a plan is found again.
pub(crate) fn block_id(question: &PlanQuestion) -> String {
    cut(&format!("baton:{}:{}:{}", question.issue, question.stage, question.plan), BLOCK_ID_CHARS_MAX)
}

/// Returns the text for notifications, and for clients that show no blocks.
pub(crate) fn text(question: &PlanQuestion) -> String {
    format!("{}: approve the plan of {}? {}", question.issue, question.stage, escaped(&question.title))
}

/// Returns the blocks of a question.
pub(crate) fn blocks(question: &PlanQuestion) -> Value {
    let heading = cut(&format!("{}: plan of {}", question.issue, question.stage), HEADER_CHARS_MAX);
    let needed = match question.required {
        1 => "One approval is needed.".to_owned(),
        count => format!("{count} approvals are needed."),
    };
    let how = format!(
        ":white_check_mark: or :+1: approves, :x: or :-1: rejects; replies in the thread go to the agent. {needed} If the \
         plan changes, it is asked again."
    );
    let link = match question.url.is_empty() {
        true => escaped(&question.title),
        false => format!("<{}|{}>", question.url, escaped(&question.title)),
    };
    json!([
        { "type": "header", "block_id": block_id(question), "text": plain(&heading) },
        { "type": "section", "text": markdown(&cut(&link, PLAN_CHARS_MAX)) },
        { "type": "section", "text": markdown(&plan(&question.text)) },
        { "type": "divider" },
        { "type": "context", "elements": [markdown(&how), markdown(&format!("plan `{}`", question.plan))] },
    ])
}

/// Returns the blocks that take the place of a question.
pub(crate) fn answer(said: &str) -> Value {
    json!([{ "type": "section", "text": markdown(&cut(&escaped(said), PLAN_CHARS_MAX)) }])
}

/// A fence keeps what an agent wrote from being read as names to call, links or orders.
fn plan(text: &str) -> String {
    let text = without_marks(text);
    if text.is_empty() {
        return "_The stage said nothing._".to_owned();
    }
    let text = escaped(&text).replace("```", "'''");
    let is_long = text.chars().count() > PLAN_CHARS_MAX;
    let more = if is_long { "\n_The rest is on the issue._" } else { "" };
    format!("```{}```{more}", cut(&text, PLAN_CHARS_MAX))
}

/// Our own marks are for programs. Whatever else is hidden on the tracker is shown: the agent that carries the plan out reads it
/// too. A mark is one line, so nothing that is left open hides what follows.
fn without_marks(text: &str) -> String {
    let mut rest = text;
    let mut kept = String::new();
    while let Some((before, after)) = rest.split_once("<!-- baton:") {
        kept.push_str(before);
        rest = match after.split_once("-->").filter(|(mark, _)| !mark.contains('\n')) {
            Some((_, after)) => after,
            None => {
                kept.push_str("<!-- baton:");
                after
            }
        };
    }
    kept.push_str(rest);
    kept.trim().to_owned()
}

fn plain(text: &str) -> Value {
    json!({ "type": "plain_text", "text": text })
}

fn markdown(text: &str) -> Value {
    json!({ "type": "mrkdwn", "text": text })
}

/// Slack reads three characters as its own.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

fn cut(text: &str, chars_max: usize) -> String {
    match text.char_indices().nth(chars_max) {
        None => text.to_owned(),
        Some(_) => {
            let end = text.char_indices().nth(chars_max - 1).map_or(0, |(end, _)| end);
            format!("{}…", &text[..end])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(text: &str) -> PlanQuestion {
        PlanQuestion {
            issue: "acme/web#7".parse().unwrap(),
            title: "A <button> & more".to_owned(),
            url: "https://tracker.test/7".to_owned(),
            stage: "Plan".to_owned(),
            plan: "0123456789abcdef".to_owned(),
            text: text.to_owned(),
            required: 2,
            asked_at_s: 0,
        }
    }

    fn all_texts(blocks: &Value) -> String {
        blocks.to_string()
    }

    #[test]
    fn a_question_names_the_issue_the_plan_and_how_to_answer() {
        let blocks = blocks(&question("Paint it."));
        let said = all_texts(&blocks);
        for word in ["acme/web#7", "0123456789abcdef", "Paint it.", ":x:", "2 approvals", "tracker.test"] {
            assert!(said.contains(word), "{word} is missing in {said}");
        }
        assert!(said.contains("A &lt;button&gt; &amp; more"), "{said}");
    }

    #[test]
    fn what_an_agent_wrote_calls_nobody_and_ends_no_fence() {
        let said = all_texts(&blocks(&question("<!channel> ``` <!-- baton:x --> done")));
        assert!(said.contains("&lt;!channel&gt; '''") && !said.contains("baton:x "), "{said}");
    }

    #[test]
    fn nothing_of_a_plan_is_hidden_but_marks_of_ours() {
        let shown = |text: &str| plan(text);
        assert_eq!(shown("a <!-- baton:x=1 --> b"), "```a  b```");
        assert_eq!(shown("a <!-- delete it --> b"), "```a &lt;!-- delete it --&gt; b```");
        assert_eq!(shown("a <!-- b"), "```a &lt;!-- b```");
        assert_eq!(shown("a <!-- baton: b"), "```a &lt;!-- baton: b```");
        assert_eq!(shown("a <!-- baton:\nb --> c"), "```a &lt;!-- baton:\nb --&gt; c```");
    }

    #[test]
    fn nothing_is_longer_than_slack_takes() {
        let blocks = blocks(&question(&"é".repeat(50_000)));
        let longest = |block: &Value| block["text"]["text"].as_str().map_or(0, |text| text.chars().count());
        assert!(blocks.as_array().unwrap().iter().map(longest).max().unwrap() <= 3_000);
        let mut long = question("x");
        long.stage = "s".repeat(500);
        assert!(block_id(&long).chars().count() <= BLOCK_ID_CHARS_MAX);
    }
}

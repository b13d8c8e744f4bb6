//! Command blocks of documents: where they are, what they say, and why some are not run.
//!
//! A block is fenced with `sh`, `bash` or `console`. One that is not run has a comment on the line above its fence:
//! `<!-- norun: the reason -->`.

/// The marks of blocks that hold commands.
const LANGUAGES: [&str; 3] = ["sh", "bash", "console"];

/// A block of commands.
#[derive(Debug, PartialEq)]
pub(crate) struct Block {
    /// The line of its fence, from 1.
    pub(crate) line: usize,
    /// What is typed, one command a line unless it is continued.
    pub(crate) script: String,
    /// Why it is not run.
    pub(crate) not_run: Option<String>,
}

/// Collects the blocks of a document.
pub(crate) fn blocks(text: &str) -> Vec<Block> {
    let lines: Vec<_> = text.lines().collect();
    let (mut blocks, mut at) = (Vec::new(), 0);
    while at < lines.len() {
        let Some((indent, language)) = fence(lines[at]) else {
            at += 1;
            continue;
        };
        let body = lines[at + 1..].iter().take_while(|line| line.trim() != "```");
        let body: Vec<_> = body.map(|line| line.get(indent..).unwrap_or_default()).collect();
        let end = at + body.len() + 2;
        if LANGUAGES.contains(&language) {
            let not_run = at.checked_sub(1).and_then(|above| reason(lines[above]));
            blocks.push(Block { line: at + 1, script: script(language, &body), not_run });
        }
        at = end;
    }
    blocks
}

/// Reads the opening of a fence: how far it is indented, and what it is marked as.
fn fence(line: &str) -> Option<(usize, &str)> {
    let start = line.trim_start();
    let info = start.strip_prefix("```")?;
    Some((line.len() - start.len(), info.trim()))
}

fn reason(line: &str) -> Option<String> {
    let comment = line.trim().strip_prefix("<!-- norun:")?.strip_suffix("-->")?;
    Some(comment.trim().to_owned())
}

/// In a `console`, what is typed begins with `$ `; the rest is what was answered.
fn script(language: &str, body: &[&str]) -> String {
    let typed = |line: &&str| match language {
        "console" => line.strip_prefix("$ ").map(str::to_owned),
        _ => Some((*line).to_owned()),
    };
    body.iter().filter_map(typed).collect::<Vec<_>>().join("\n")
}

#[test]
fn blocks_are_found_with_their_place_and_their_reason() {
    let text = "a\n```sh\nb\nc\n```\n```yaml\nd: e\n```\n<!-- norun: it takes hours -->\n```console\n$ f\ng\n```\n- h\n  ```bash\n  i\n  ```\n";
    let block = |line, script: &str, not_run: Option<&str>| Block {
        line,
        script: script.to_owned(),
        not_run: not_run.map(str::to_owned),
    };
    assert_eq!(
        blocks(text),
        [block(2, "b\nc", None), block(10, "f", Some("it takes hours")), block(15, "i", None)]
    );
}

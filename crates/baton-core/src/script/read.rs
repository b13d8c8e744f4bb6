//! From the text of a script to its scenes, or to everything that is wrong with it.

use std::path::PathBuf;
use std::str::FromStr;

use serde_saphyr::Spanned;

use super::situation::{NAMES, names};
use super::{Marker, Scene, Script, ScriptError, ScriptMistake, ScriptedError, Step, When, path};
use crate::config::duration::{self, parse_duration};
use crate::config::edit_distance::nearest;
use crate::config::node::{self, Node, place};
use crate::config::yaml::not_yaml;
use crate::config::{PipelineDialect, Source};
use crate::time::ServerTime;

type Entries = Vec<(Spanned<String>, Spanned<Node>)>;

/// The steps, in the order in which they are told to people. Those in [`BARE`] have nothing after their name.
const STEPS: [&str; 20] = [
    "write",
    "append",
    "replace",
    "delete",
    "run",
    "commit",
    "say",
    "sleep",
    "turn",
    "marker",
    "summary",
    "issue_update",
    "sub_issue",
    "fail",
    "error",
    "hit_turn_limit",
    "flood",
    "crash",
    "hang",
    "log",
];

const BARE: [&str; 4] = ["turn", "hit_turn_limit", "crash", "hang"];

pub(super) fn read(file: &str, text: &str) -> Result<Script, ScriptError> {
    let mut reader = Reader { file, mistakes: Vec::new() };
    let script = match node::parse(text) {
        Ok(root) => reader.script(root),
        Err(error) => {
            reader.mistakes.push(ScriptMistake(not_yaml(file, &error).to_string()));
            None
        }
    };
    script.filter(|_| reader.mistakes.is_empty()).ok_or(ScriptError(reader.mistakes))
}

struct Reader<'a> {
    file: &'a str,
    mistakes: Vec<ScriptMistake>,
}

impl Reader<'_> {
    fn at<T>(&self, node: &Spanned<T>) -> Source {
        place(self.file, node.referenced)
    }

    /// Notes a mistake, and returns nothing in place of what was wanted.
    fn wrong<T>(&mut self, at: &Source, problem: &str) -> Option<T> {
        self.mistakes.push(ScriptMistake(format!("{at}: {problem}")));
        None
    }

    fn unknown<T>(&mut self, key: &Spanned<String>, what: &str, known: &[&str]) -> Option<T> {
        let at = self.at(key);
        let near = nearest(&key.value, known.iter().copied());
        let hint = near.map_or_else(
            || format!(": write one of {}", known.join(", ")),
            |it| format!("; did you mean `{it}`?"),
        );
        self.wrong(&at, &format!("there is no {what} `{}`{hint}", key.value))
    }

    fn script(&mut self, root: Spanned<Node>) -> Option<Script> {
        let mut script = Script { clock: None, dialect: PipelineDialect::Baton, scenes: Vec::new() };
        let at = self.at(&root);
        for (key, node) in self.map(root, "a script", "scenes: [{do: [{say: done}, {marker: complete}]}]")? {
            match key.value.as_str() {
                "clock" => {
                    script.clock = self.word::<ServerTime>(node, "a time such as 2026-01-01T00:00:00Z")
                }
                "dialect" => script.dialect = self.word(node, "baton or fabrik").unwrap_or(script.dialect),
                "scenes" => script.scenes = self.scenes(node),
                _ => {
                    self.unknown(&key, "key of scripts", &["clock", "dialect", "scenes"]).unwrap_or_default()
                }
            }
        }
        if script.scenes.is_empty() && self.mistakes.is_empty() {
            return self.wrong(
                &at,
                "a script needs scenes: write `scenes: [{do: [{say: done}, {marker: complete}]}]`",
            );
        }
        Some(script)
    }

    fn scenes(&mut self, node: Spanned<Node>) -> Vec<Scene> {
        let nodes = self.list(node, "scenes", "- do: [{say: done}]").unwrap_or_default();
        nodes.into_iter().filter_map(|node| self.scene(node)).collect()
    }

    fn scene(&mut self, node: Spanned<Node>) -> Option<Scene> {
        let (at, mut scene) = (self.at(&node), Scene::default());
        let mut has_steps = false;
        for (key, node) in self.map(node, "a scene", "do: [{say: done}]")? {
            match key.value.as_str() {
                "when" => scene.when = self.when(node).unwrap_or_default(),
                "do" => {
                    has_steps = true;
                    let steps = self.list(node, "`do`", "- say: done").unwrap_or_default();
                    scene.steps = steps.into_iter().filter_map(|step| self.step(step)).collect();
                }
                _ => self.unknown(&key, "key of scenes", &["when", "do"]).unwrap_or_default(),
            }
        }
        if !has_steps {
            return self.wrong(&at, "a scene needs steps: write `do: [{say: done}, {marker: complete}]`");
        }
        Some(scene)
    }

    fn when(&mut self, node: Spanned<Node>) -> Option<When> {
        const KEYS: [&str; 6] = ["stage", "job", "attempt", "issue", "repo", "prompt_contains"];
        let mut when = When::default();
        for (key, node) in self.map(node, "`when`", "stage: Implement")? {
            match key.value.as_str() {
                "stage" => when.stage = self.text(node, "the name of a stage"),
                "job" => when.job = self.word(node, "one of stage, comments, review, ci_fix, rebase"),
                "attempt" => when.attempt = self.word(node, "a number from 1"),
                "issue" => when.issue = self.text(node, "an issue, such as acme/app#7, or its number"),
                "repo" => when.repo = self.text(node, "a repository, such as acme/app"),
                "prompt_contains" => when.prompt_contains = self.text(node, "a text"),
                _ => self.unknown(&key, "condition", &KEYS).unwrap_or_default(),
            }
        }
        Some(when)
    }

    fn step(&mut self, node: Spanned<Node>) -> Option<Step> {
        let at = self.at(&node);
        match node.value {
            Node::Text(name) if BARE.contains(&name.as_str()) => bare(&name),
            Node::Text(name) => {
                let key = Spanned { value: name, referenced: node.referenced, defined: node.defined };
                match STEPS.contains(&key.value.as_str()) {
                    true => self.wrong(&at, &format!("the step `{0}` needs more: write `{0}: …`", key.value)),
                    false => self.unknown(&key, "step", &STEPS),
                }
            }
            Node::Map(mut entries) if entries.len() == 1 => {
                let (key, node) = entries.remove(0);
                self.named_step(&key, node)
            }
            Node::Map(_) | Node::Null | Node::List(_) => {
                self.wrong(&at, "a step is one word with what belongs to it: write `- say: done`")
            }
        }
    }

    fn named_step(&mut self, key: &Spanned<String>, node: Spanned<Node>) -> Option<Step> {
        let at = self.at(&node);
        Some(match key.value.as_str() {
            "write" | "append" | "replace" => return self.file_step(&key.value, node),
            "delete" => Step::Delete(self.path(node)?),
            "run" => Step::Run(self.arguments(node)?),
            "commit" => Step::Commit(self.filled(node, "a message")?),
            "say" => Step::Say(self.filled(node, "a text")?),
            "sleep" => Step::Sleep(self.duration(node)?),
            "marker" => Step::Marker(self.word::<Marker>(node, "one of complete, blocked, decomposed")?),
            "summary" => Step::Summary(self.filled(node, "a text")?),
            "issue_update" => Step::IssueUpdate(self.filled(node, "a text")?),
            "sub_issue" => return self.sub_issue(node),
            "fail" => Step::Fail(self.filled(node, "a text")?),
            "error" => Step::Error(self.error(node)?),
            "flood" => Step::Flood(self.word(node, "a number of bytes")?),
            "log" => Step::Log(PathBuf::from(self.filled(node, "a path")?)),
            name if BARE.contains(&name) && node.value == Node::Null => return bare(name),
            name if BARE.contains(&name) => {
                return self.wrong(&at, &format!("nothing belongs to `{name}`: write `- {name}`"));
            }
            _ => return self.unknown(key, "step", &STEPS),
        })
    }

    fn file_step(&mut self, name: &str, node: Spanned<Node>) -> Option<Step> {
        let keys: &[&str] = if name == "replace" { &["path", "from", "to"] } else { &["path", "text"] };
        let mut found = self.fields(node, name, keys, &[])?;
        let mut take = |key: &str| found.iter().position(|(own, _)| *own == key).map(|at| found.remove(at).1);
        let (path, first, second) = (take("path")?, take(keys[1])?, keys.get(2).and_then(|key| take(key)));
        let (path, first) = (self.path(path)?, self.filled(first, "a text")?);
        Some(match (name, second) {
            ("write", _) => Step::Write { path, text: first },
            ("append", _) => Step::Append { path, text: first },
            (_, second) => Step::Replace { path, from: first, to: self.filled(second?, "a text")? },
        })
    }

    fn sub_issue(&mut self, node: Spanned<Node>) -> Option<Step> {
        let mut found = self.fields(node, "sub_issue", &["title", "body"], &["repo"])?;
        let mut take = |key: &str| found.iter().position(|(own, _)| *own == key).map(|at| found.remove(at).1);
        let (title, body, repo) = (take("title")?, take("body")?, take("repo"));
        Some(Step::SubIssue {
            title: self.filled(title, "a text")?,
            body: self.filled(body, "a text")?,
            repo: repo.and_then(|repo| self.filled(repo, "a repository, such as acme/app")),
        })
    }

    fn error(&mut self, node: Spanned<Node>) -> Option<ScriptedError> {
        let at = self.at(&node);
        let mut found = self.fields(node, "error", &["kind"], &["status", "resets_in", "tool"])?;
        let mut take = |key: &str| found.iter().position(|(own, _)| *own == key).map(|at| found.remove(at).1);
        let (kind, status, resets_in, tool) =
            (take("kind")?, take("status"), take("resets_in"), take("tool"));
        let kind = self.text(kind, "one of api, limit, permission, session")?;
        let has =
            [("status", status.is_some()), ("resets_in", resets_in.is_some()), ("tool", tool.is_some())];
        let own = match kind.as_str() {
            "api" => "status",
            "limit" => "resets_in",
            "permission" => "tool",
            "session" => "",
            other => {
                return self.wrong(
                    &at,
                    &format!("`{other}` is no kind of error: write one of api, limit, permission, session"),
                );
            }
        };
        if let Some((other, _)) = has.into_iter().find(|(key, is_there)| *is_there && *key != own) {
            return self
                .wrong(&at, &format!("`{other}` means nothing to an error of the kind `{kind}`: remove it"));
        }
        Some(match kind.as_str() {
            "api" => ScriptedError::Api { status: status.and_then(|it| self.word(it, "a status of HTTP")) },
            "limit" => ScriptedError::Limit { resets_in: resets_in.and_then(|it| self.duration(it)) },
            "permission" => ScriptedError::Permission {
                tool: tool.and_then(|it| self.text(it, "a tool")).unwrap_or_else(|| "Bash".to_owned()),
            },
            _ => ScriptedError::Session,
        })
    }

    /// Returns the fields of a step, all that it needs and some that it may have.
    fn fields(
        &mut self,
        node: Spanned<Node>,
        step: &str,
        needed: &[&'static str],
        also: &[&'static str],
    ) -> Option<Vec<(&'static str, Spanned<Node>)>> {
        let at = self.at(&node);
        let known: Vec<&'static str> = needed.iter().chain(also).copied().collect();
        let example = format!("{}: …", needed[0]);
        let mut found = Vec::new();
        for (key, node) in self.map(node, &format!("`{step}`"), &example)? {
            match known.iter().find(|known| **known == key.value) {
                Some(known) => found.push((*known, node)),
                None => self.unknown(&key, &format!("field of `{step}`"), &known).unwrap_or_default(),
            }
        }
        for key in needed.iter().filter(|key| !found.iter().any(|(own, _)| own == *key)) {
            self.wrong::<()>(&at, &format!("`{step}` needs `{key}`: write `{key}: …`"));
        }
        Some(found)
    }

    fn map(&mut self, node: Spanned<Node>, what: &str, example: &str) -> Option<Entries> {
        let at = self.at(&node);
        match node.value {
            Node::Map(entries) => Some(entries),
            _ => self.wrong(&at, &format!("{what} has keys with values: write `{example}`")),
        }
    }

    fn list(&mut self, node: Spanned<Node>, what: &str, example: &str) -> Option<Vec<Spanned<Node>>> {
        let at = self.at(&node);
        match node.value {
            Node::List(nodes) => Some(nodes),
            _ => self.wrong(&at, &format!("{what} must be a list: write `{example}`")),
        }
    }

    fn text(&mut self, node: Spanned<Node>, allowed: &str) -> Option<String> {
        let at = self.at(&node);
        match node.value {
            Node::Text(text) => Some(text),
            _ => self.wrong(&at, &format!("this must be {allowed}")),
        }
    }

    /// A text that may name what is known of the situation.
    fn filled(&mut self, node: Spanned<Node>, allowed: &str) -> Option<String> {
        let at = self.at(&node);
        let text = self.text(node, allowed)?;
        let unknown = names(&text).find(|name| !NAMES.contains(name)).map(str::to_owned);
        match unknown {
            None => Some(text),
            Some(name) => {
                let near = nearest(&name, NAMES.into_iter());
                let hint = near.map_or_else(
                    || format!(": write one of {}", NAMES.join(", ")),
                    |it| format!("; did you mean `{it}`?"),
                );
                self.wrong(&at, &format!("nothing is called `{name}` here{hint}"))
            }
        }
    }

    fn path(&mut self, node: Spanned<Node>) -> Option<String> {
        let at = self.at(&node);
        let text = self.filled(node, "a path")?;
        match path::complaint(&text) {
            None => Some(text),
            Some(allowed) => self.wrong(&at, &format!("`{text}` cannot be a path: write {allowed}")),
        }
    }

    fn arguments(&mut self, node: Spanned<Node>) -> Option<Vec<String>> {
        let at = self.at(&node);
        let nodes = self.list(node, "a command", "run: [make, test]")?;
        let arguments: Option<Vec<_>> =
            nodes.into_iter().map(|node| self.filled(node, "an argument")).collect();
        match arguments?.as_slice() {
            [program, ..] if program.is_empty() => self.wrong(&at, "a command begins with a program"),
            [] => self.wrong(&at, "a command begins with a program: write `run: [make, test]`"),
            arguments => Some(arguments.to_vec()),
        }
    }

    fn duration(&mut self, node: Spanned<Node>) -> Option<std::time::Duration> {
        let at = self.at(&node);
        let text = self.text(node, duration::ALLOWED)?;
        match parse_duration(&text) {
            Some(duration) => Some(duration),
            None => self.wrong(&at, &format!("`{text}` is no duration: write {}", duration::ALLOWED)),
        }
    }

    fn word<T: FromStr>(&mut self, node: Spanned<Node>, allowed: &str) -> Option<T> {
        let at = self.at(&node);
        let text = self.text(node, allowed)?;
        match text.trim().parse() {
            Ok(value) => Some(value),
            Err(_) => self.wrong(&at, &format!("this cannot be `{}`: write {allowed}", text.trim())),
        }
    }
}

fn bare(name: &str) -> Option<Step> {
    match name {
        "turn" => Some(Step::Turn),
        "hit_turn_limit" => Some(Step::HitTurnLimit),
        "crash" => Some(Step::Crash),
        "hang" => Some(Step::Hang),
        _ => None,
    }
}

//! The texts that are written: the configuration with a word about each setting, and what git is to ignore.

use baton_core::config::stages::defaults::FILES;

use super::answers::{AgentChoice, Answers, BoardChoice};

/// What git is to ignore: state, and secrets; the stages and templates are for everybody.
const IGNORED: [&str; 4] = [".baton/*", "!.baton/stages/", "!.baton/prompts/", ".env"];
const IGNORED_BECAUSE: &str = "# Baton's state on this machine, and secrets; the stages are everybody's.";

/// Returns `baton.yaml`.
pub(super) fn config(answers: &Answers) -> String {
    let parts = [
        Some(HEAD.to_owned()),
        answers.user.as_ref().map(|user| setting(USER, "user", &quoted(user))),
        Some(setting(
            "The repositories whose issues are worked on.",
            "repos",
            &format!("[{}]", answers.repo),
        )),
        answers.api_url.as_ref().map(|url| {
            format!(
                "# Where the tracker's API is (BATON_GITHUB_API_URL).\ntracker:\n  api_url: {}\n",
                quoted(url)
            )
        }),
        answers.token_command.as_ref().map(|command| setting(TOKEN, "token_command", &quoted(command))),
        Some(agents(&answers.agents)),
        Some(setting(STORE, "store", &quoted(&answers.store.to_string()))),
        Some(board(&answers.board)),
        Some(TAIL.to_owned()),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join("\n")
}

const HEAD: &str =
    "# Baton: how issues of this repository travel from stage to stage until their pull request is merged.
# `baton config show` tells what is in force and where it is from, `baton doctor` whether everything is there.
# Secrets do not belong here: put BATON_TOKEN into .env or into the environment.
";
const USER: &str = "Who is mentioned when a person is needed, and whose name locks carry.";
const TOKEN: &str = "What prints a token where neither the environment nor .env has one.";
const STORE: &str = "Where wakeups and runs are kept: a file, or postgres://USER@HOST/DATABASE for engines on several machines.";
const TAIL: &str = "# Without it, people merge; with it, issues go all the way by themselves (a label `baton:yolo` does so for one issue).
# yolo: false

# How often the tracker is asked for news, and how many agents work at one time.
# poll: 30s
# max_concurrent: 5

# Where webhooks are taken, which save asking; BATON_WEBHOOK_SECRET is what they are signed with.
# webhooks:
#   listen: 127.0.0.1:8477
";

fn setting(meaning: &str, key: &str, value: &str) -> String {
    format!("# {meaning}\n{key}: {value}\n")
}

fn agents(agents: &[AgentChoice]) -> String {
    let mut text = "# Who works. Names are free; the adapter says how the program is run: claude, codex, gemini, or any command.\nagents:\n"
        .to_owned();
    for name in agents.iter().map(|agent| agent.as_str()) {
        text.push_str(&format!("  {name}:\n    adapter: {name}\n"));
    }
    if let [first, _, ..] = agents {
        let first = first.as_str();
        text.push_str(&format!("\n# Who works where a stage names nobody.\nagent:\n  default: {first}\n"));
    }
    text
}

fn board(board: &BoardChoice) -> String {
    match board {
        BoardChoice::Labels => "# The board is made of labels: an issue with `stage:Specify` is taken up. A project can be it instead.
# board:
#   project: OWNER/NUMBER
"
        .to_owned(),
        BoardChoice::Project(project) => {
            format!("# The board: a project whose field `Status` has a column for each stage.\nboard:\n  project: {project}\n")
        }
    }
}

/// Returns a text as YAML reads it, whatever is in it.
fn quoted(text: &str) -> String {
    let is_plain = text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || "-_./".contains(c))
        && !["true", "false", "null", "yes", "no", "on", "off", "y", "n"]
            .contains(&text.to_ascii_lowercase().as_str());
    if is_plain { text.to_owned() } else { serde_json::Value::from(text).to_string() }
}

/// Returns the names and texts of the stage files.
pub(super) fn stages() -> impl Iterator<Item = (&'static str, String)> {
    let head = "# A stage of the relay; what each key means is in docs/reference/stages.md (`baton stages schema` for editors).\n";
    FILES.into_iter().map(move |(name, text)| (name, format!("{head}{text}")))
}

/// Returns what `.gitignore` should be, given what it is.
pub(super) fn ignored(there: &str) -> String {
    let has = |wanted: &str| there.lines().any(|line| line.trim() == wanted);
    let missing: Vec<_> = IGNORED.iter().copied().filter(|line| !has(line)).collect();
    if missing.is_empty() {
        return there.to_owned();
    }
    let gap = match there {
        "" => "",
        text if text.ends_with('\n') => "\n",
        _ => "\n\n",
    };
    format!("{there}{gap}{IGNORED_BECAUSE}\n{}\n", missing.join("\n"))
}

#[cfg(test)]
mod tests {
    use baton_core::config::{Layers, TextFile, resolve};

    use super::*;

    fn answers(board: BoardChoice, agents: &[AgentChoice]) -> Answers {
        Answers {
            repo: "acme/web".parse().unwrap(),
            api_url: Some("http://127.0.0.1:7070".to_owned()),
            user: Some("no".to_owned()),
            agents: agents.to_vec(),
            store: "sqlite:.baton/baton.db".parse().unwrap(),
            board,
            token_command: Some("gh auth token".to_owned()),
            stages: true,
            labels: true,
            hook: false,
        }
    }

    #[test]
    fn what_is_written_is_read_as_it_was_meant() {
        let answers = answers("acme/3".parse().unwrap(), &[AgentChoice::Codex, AgentChoice::Claude]);
        let file = TextFile { path: "baton.yaml".to_owned(), text: config(&answers) };
        let resolved = resolve(&Layers { file: Some(file), ..Layers::default() }).unwrap();
        assert!(resolved.warnings.is_empty(), "{:?}", resolved.warnings);
        let config = resolved.config;
        assert_eq!((config.user.as_deref(), config.api_url.as_str()), (Some("no"), "http://127.0.0.1:7070"));
        assert_eq!(config.usual_agent().unwrap().name, "codex");
        assert_eq!(config.sources.project.unwrap().to_string(), "acme/3");
        assert_eq!(config.token_command.as_deref(), Some("gh auth token"));
        assert_eq!((config.sources.repos[0].to_string().as_str(), config.store), ("acme/web", answers.store));
    }

    #[test]
    fn every_setting_that_is_written_has_a_word_before_it() {
        let text = config(&answers(BoardChoice::Labels, &[AgentChoice::Claude]));
        let mut before = "";
        for line in text.lines() {
            let is_setting = line.starts_with(|c: char| c.is_ascii_alphabetic());
            assert!(!is_setting || before.starts_with('#'), "nothing explains `{line}`");
            before = line;
        }
        assert!(stages().all(|(_, text)| text.starts_with('#')));
    }

    #[test]
    fn git_is_told_once_what_to_ignore() {
        let first = ignored("target/");
        assert!(first.starts_with("target/\n\n#") && first.ends_with(".env\n"), "{first}");
        assert_eq!(ignored(&first), first);
        assert_eq!(ignored("").lines().count(), 5);
        assert!(!ignored(".env\n").ends_with(".env\n"));
    }
}

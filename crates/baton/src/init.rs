//! `baton init`: a repository is set up, from what is found, what flags say and what a person answers.
//!
//! Everything is asked and looked at first; then it is shown; only then is anything written, all of it or nothing. What goes
//! to the tracker, and the hook, come afterwards, because they can be repeated. A file that is there is never replaced
//! without a word: a person is asked, and `--yes` refuses unless `--force` says otherwise.

mod answers;
mod ask;
mod found;
mod plan;
mod texts;
mod write;

use std::io::IsTerminal as _;

use baton_core::RepoSlug;
use baton_core::config::StoreAddress;
use clap::{ArgAction, Args};

use crate::claims::context::TrackerArguments;
use crate::claims::labels;
use crate::command_error::CommandError;
use crate::config::Surroundings;
use crate::doctor::Doctor;
use answers::{AgentChoice, Answers, BoardChoice};
use ask::Person;
use found::Found;
use plan::Plan;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  baton init        asks, shows what it would do, and asks again
  baton init --yes  takes what it finds
  baton init --yes --repo acme/web --agent codex --board acme/3 --hook

Exit codes:
  0  the repository is set up, and `baton doctor` has nothing against it
  1  it was called off, a file is in the way, or a check of the doctor failed
  3  the tracker or the store cannot be reached")]
pub(crate) struct Init {
    /// Ask nothing: take what was found, and what flags say.
    #[arg(long, short)]
    yes: bool,
    /// Replace files that are there already.
    #[arg(long)]
    force: bool,
    /// Only show what would be done.
    #[arg(long)]
    dry_run: bool,
    /// The repository; by default that of the remote `origin`.
    #[arg(long, value_name = "OWNER/NAME")]
    repo: Option<RepoSlug>,
    /// Where the tracker's API is; by default where `origin` is.
    #[arg(long, value_name = "URL")]
    api_url: Option<String>,
    /// Who is mentioned when a person is needed.
    #[arg(long, value_name = "LOGIN")]
    user: Option<String>,
    /// Who works; may be given several times, and the first is the usual one. By default those in PATH.
    #[arg(long = "agent", value_name = "AGENT", value_enum)]
    agents: Vec<AgentChoice>,
    /// Where runs are kept: sqlite:PATH or postgres://USER@HOST/DATABASE.
    #[arg(long, value_name = "ADDRESS")]
    store: Option<StoreAddress>,
    /// The board: `labels`, or a project as OWNER/NUMBER.
    #[arg(long, value_name = "BOARD")]
    board: Option<BoardChoice>,
    /// A command that prints a token.
    #[arg(long, value_name = "COMMAND")]
    token_command: Option<String>,
    /// Make the labels in the repository (the default).
    #[arg(long, action = ArgAction::SetTrue, overrides_with = "no_labels")]
    labels: bool,
    /// Leave the labels of the repository alone.
    #[arg(long)]
    no_labels: bool,
    /// Write no stage files: the shipped stages are used.
    #[arg(long)]
    no_stages: bool,
    /// Install the pre-push hook.
    #[arg(long, action = ArgAction::SetTrue, overrides_with = "no_hook")]
    hook: bool,
    /// Install no hook (the default).
    #[arg(long)]
    no_hook: bool,
}

impl Init {
    pub(crate) fn run(&self) -> Result<(), CommandError> {
        let surroundings = Surroundings::of_this_process()?;
        let person = self.person()?;
        let found = Found::look(&surroundings, self)?;
        let answers = Answers::gather(self, &found, person)?;
        let plan = Plan::of(&answers, &found, self.force, person)?;
        say!("{}", plan.shown(&answers, &found));
        if self.dry_run {
            return Ok(());
        }
        if let Some(person) = person
            && !person.agrees("do it", true)?
        {
            return Err(ask::called_off());
        }
        write::write(&found.root, &plan.files)?;
        plan.files.iter().filter(|file| file.is_written()).for_each(|file| say!("wrote {}", file.path));
        afterwards(&answers);
        say!("");
        Doctor::default().run()?;
        say!("\nnext: {}", next_step(&answers.board));
        Ok(())
    }

    /// Returns whoever can be asked; nobody, when nobody is to be.
    fn person(&self) -> Result<Option<Person>, CommandError> {
        match (self.yes, std::io::stdin().is_terminal()) {
            (true, _) => Ok(None),
            (false, true) => Ok(Some(Person)),
            (false, false) => Err(CommandError::Usage(
                "standard input is no terminal, so nobody can answer: say --yes to take what is found, and --repo, --user, \
                 --agent, --store or --board for what should be different"
                    .to_owned(),
            )),
        }
    }
}

/// What a person does when everything is well.
fn next_step(board: &BoardChoice) -> &'static str {
    match board {
        BoardChoice::Labels => "put the label `stage:Specify` on an issue, and start the engine: baton up",
        BoardChoice::Project(_) => {
            "move an issue to the first column of the project, and start the engine: baton up"
        }
    }
}

/// What can be done again, and is told if it fails: labels, columns and the hook.
fn afterwards(answers: &Answers) {
    if answers.labels {
        let has_board = answers.board == BoardChoice::Labels;
        match labels::make(&TrackerArguments::default(), &answers.repo, has_board) {
            Ok(count) => say!("made or changed {count} labels in {}", answers.repo),
            Err(error) => {
                let flag = if has_board { " --board" } else { "" };
                say!("no labels were made: {}", crate::doctor::plain(&error));
                say!("  later: baton labels sync{flag} --repo {}", answers.repo);
            }
        }
    }
    if answers.hook
        && let Err(error) = crate::claims::hook::install_here()
    {
        say!("no hook was installed: {}\n  later: baton hook install", crate::doctor::plain(&error));
    }
}

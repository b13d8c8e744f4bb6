//! What came of the tour: the table, what is stuck and why, and where to look further.

use std::collections::BTreeSet;
use std::path::Path;

use baton_core::pipeline::Explanation;
use baton_core::pipeline::names::{Flag, Names, Said, StageMark};
use baton_core::slot::ItemKey;
use baton_core::slot::effect::EffectStatus;
use baton_core::tracker::IssueKey;
use baton_engine::marshal::Marshal;
use baton_ports::Store as _;

use super::client::Client;
use super::ground::{CHECK, Ground, REPO};
use super::score::{Row, Score};
use super::tour::{Issue, Snapshot, look};
use crate::command_error::CommandError;
use crate::flow::context::Flow;
use crate::flow::machine::Machine;
use crate::flow::table;

/// Returns whether a label says that something is still going on.
pub(super) fn is_transient(names: Names, label: &str) -> bool {
    match names.read(label) {
        Some(Said::Flag(flag)) => !matches!(
            flag,
            Flag::Yolo | Flag::Cruise | Flag::Unrestricted | Flag::ExtendTurns | Flag::SubIssue
        ),
        Some(Said::Stage(_, mark)) => mark != StageMark::Complete,
        Some(Said::Locked(_) | Said::Held | Said::PlanPending) => true,
        None => label.starts_with("agent:") && label != "agent:done",
    }
}

/// Notices checks that fail, and that pass on a later commit.
#[derive(Default)]
pub(super) struct Reds {
    red: BTreeSet<u64>,
    green: BTreeSet<u64>,
}

impl Reds {
    pub(super) async fn look(
        &mut self,
        client: &Client,
        snapshot: &Snapshot,
        score: &Score,
    ) -> Result<(), CommandError> {
        for issue in &snapshot.issues {
            if self.green.contains(&issue.number) {
                continue;
            }
            let is_red = self.red.contains(&issue.number);
            match conclusion(client, issue).await?.as_deref() {
                Some("failure") if !is_red => {
                    self.red.insert(issue.number);
                    score.note(issue.number, &format!("`{CHECK}` is red"));
                }
                Some("success") if is_red => {
                    self.green.insert(issue.number);
                    score.note(issue.number, &format!("`{CHECK}` is green on a later commit"));
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// What the check of an issue's branch came to, if it has ended.
async fn conclusion(client: &Client, issue: &Issue) -> Result<Option<String>, CommandError> {
    let Some(pull) = issue.pull.filter(|_| !issue.is_closed) else { return Ok(None) };
    let pull = client.get(&format!("/repos/{REPO}/pulls/{pull}")).await?;
    let Some(head) = pull["head"]["sha"].as_str() else { return Ok(None) };
    let runs = client.get(&format!("/repos/{REPO}/commits/{head}/check-runs")).await?;
    Ok(runs["check_runs"][0]["conclusion"].as_str().map(str::to_owned))
}

/// Prints the table.
pub(super) async fn tell(ground: &Ground, score: &Score) -> Result<(), CommandError> {
    let rows = score.rows();
    // After bars, the cursor stands at the end of the last one.
    say!("\n");
    let lines: Vec<_> = rows.iter().map(line).collect();
    table::print(["ISSUE", "TITLE", "PR", "STAGES", "RUNS", "TIME", "WHAT HAPPENED"], &lines);
    let merged = look(&ground.admin).await?.issues.iter().filter(|issue| issue.is_done()).count();
    let runs: u32 = rows.iter().map(|row| row.runs).sum();
    say!(
        "\n{merged} of {} issues went from Specify to Done with a merged pull request, in {:.1} s and {runs} runs of agents.",
        rows.len(),
        score.elapsed().as_secs_f64()
    );
    Ok(())
}

fn line(row: &Row) -> table::Line<7> {
    let or_none = |text: Option<String>| text.unwrap_or_else(|| table::NONE.to_owned());
    let notes = if row.notes.is_empty() { "straight through".to_owned() } else { row.notes.join("; ") };
    let cells = [
        format!("#{}", row.number),
        row.title.clone(),
        or_none(row.pull.map(|pull| format!("#{pull}"))),
        row.stages.to_string(),
        row.runs.to_string(),
        or_none(row.took.map(|took| format!("{:.1} s", took.as_secs_f64()))),
        if row.took.is_some() { notes } else { format!("not done: {}", row.doing) },
    ];
    table::Line { cells, is_alarming: row.took.is_none() }
}

/// Says for each issue that is not done why it is not.
pub(super) async fn stuck(
    ground: &Ground,
    flow: &Flow,
    marshal: &Marshal<Machine>,
) -> Result<(), CommandError> {
    let mut text = String::from("not everything is done:");
    for issue in look(&ground.admin).await?.issues.iter().filter(|issue| !issue.is_done()) {
        text.push_str(&format!("\n  {REPO}#{}: {}", issue.number, why(issue, flow, marshal).await));
    }
    Err(CommandError::No(text))
}

async fn why(issue: &Issue, flow: &Flow, marshal: &Marshal<Machine>) -> String {
    let Some(key) =
        marshal.settings.repos.first().map(|repo| IssueKey { repo: repo.clone(), number: issue.number })
    else {
        return "it is not on the board".to_owned();
    };
    let mut why = match marshal.glance(&key).await {
        Ok(glance) => {
            let rules = marshal.rules();
            Explanation::of(&glance.item, &rules.pipeline, &rules.policy, glance.now).sentence()
        }
        Err(error) => format!("it cannot be read: {error}"),
    };
    let effects = flow.relay.store.effects(&ItemKey::issue(&key)).await.unwrap_or_default();
    for effect in effects.iter().filter(|effect| effect.status == EffectStatus::Dead) {
        why.push_str(&format!(
            "; effect {} never takes effect ({})",
            effect.id,
            effect.error.as_deref().unwrap_or("no reason")
        ));
    }
    let unclean: Vec<_> = issue.unclean().collect();
    if !unclean.is_empty() {
        why.push_str(&format!("; labels that should be gone: {}", unclean.join(", ")));
    }
    why
}

/// Says where to look while everything is up.
pub(super) fn invite(ground: &Ground, directory: &Path) {
    let (url, desk) = (ground.forge.url(), super::ground::desk(directory));
    say!("\nThe forge and the engine stay up until Ctrl-C:");
    say!("  git clone {url}/{REPO}.git      the merged history");
    say!("  curl {url}/repos/{REPO}/pulls?state=closed");
    say!(
        "  cd {} && baton status          the board; baton runs, baton logs RUN, baton explain {REPO}#1",
        desk.display()
    );
}

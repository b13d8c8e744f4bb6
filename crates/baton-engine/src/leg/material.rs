//! What the tracker knows of an issue, as material for a prompt.
//!
//! Everything of it is data that strangers may have written; the prompt shows it as such. Deliberately absent: review threads,
//! checks and boards, which a bare run is not about.

use baton_core::agent::Errand;
use baton_core::config::stages::prompts;
use baton_core::config::{Adapter, PipelineDialect};
use baton_core::pipeline::Stage;
use baton_core::pipeline::authors::is_bot_login;
use baton_core::pipeline::effect::Job;
use baton_core::pipeline::item::Comment;
use baton_core::pipeline::names::Names;
use baton_core::pipeline::stage::Instruction;
use baton_core::prompt::Material;
use baton_core::prompt::material::{Issue, StageWork, WakeUp, Workplace};
use baton_core::prompt::stage_outputs;
use baton_core::slot::start::Started;
use baton_core::slot::{ItemKey, Reason};
use baton_core::tracker;
use baton_core::workspace::{Opened, Update};
use baton_ports::{Tracker, TrackerError};

/// What a run is about, as far as words are concerned.
#[derive(Clone, Copy)]
pub(super) struct Scene<'a> {
    pub(super) started: &'a Started,
    pub(super) errand: &'a Errand,
    pub(super) stage: Option<&'a Stage>,
    pub(super) reason: Reason,
    pub(super) adapter: Adapter,
}

impl Scene<'_> {
    /// Returns what the agent is told to do, if it works for a stage.
    pub(super) fn instruction(&self, dialect: PipelineDialect) -> Option<Instruction> {
        self.stage.and_then(|stage| prompts::told(stage, self.errand.job, dialect))
    }

    /// Returns the stages whose words the agent is given: those before its own, and all of them when it answers others.
    fn heard_stages<'b>(&self, stages: &'b [Stage]) -> impl Iterator<Item = &'b str> {
        let own = self.stage.filter(|_| self.errand.job == Job::Stage).map(|stage| stage.order);
        let is_heard = move |stage: &&Stage| own.is_none_or(|own| stage.order < own);
        stages.iter().filter(is_heard).map(|stage| stage.name.as_str())
    }

    /// Returns whether the agent reads words; a plain program that was woken without a stage reads a document.
    pub(super) fn is_told_in_words(&self) -> bool {
        self.stage.is_some() || self.adapter != Adapter::Command
    }
}

/// Reads an issue and its comments.
pub(super) async fn read(
    tracker: &impl Tracker,
    scene: Scene<'_>,
    stages: &[Stage],
    dialect: PipelineDialect,
) -> Result<Option<Material>, TrackerError> {
    let ItemKey::Issue(key) = &scene.started.item.key else { return Ok(None) };
    let issue = tracker.issue(key).await?.value;
    let comments = tracker.comments(key, None).await?.value;
    // Without an account of our own, no comment is ours.
    let own = match tracker.viewer().await {
        Err(error) if error.is_retryable() => return Err(error),
        viewer => viewer.unwrap_or_default(),
    };
    let mut material = Material::new(key.repo.clone());
    material.comments = comments.into_iter().map(|it| comment(it, &own)).collect();
    let names = Names::of(dialect.into());
    material.outputs = stage_outputs(&material.comments, names, scene.heard_stages(stages));
    material.new_comments = scene.errand.comments.clone();
    material.issue = Some(Issue {
        number: issue.number,
        title: issue.title,
        url: issue.url,
        author: issue.author,
        labels: issue.labels,
        body: issue.body,
    });
    material.stage = scene.stage.map(|stage| work(stage, scene.errand));
    material.attempt = scene.started.run.attempt.saturating_add(1);
    let context = scene.started.run.context.as_value();
    material.wake = Some(WakeUp { reason: scene.reason, task: None, context });
    Ok(Some(material))
}

/// Adds where the agent works.
pub(super) fn placed(material: &mut Material, place: Option<&Opened>) {
    material.workplace = place.map(|place| Workplace {
        branch: place.branch.clone(),
        base: place.base.clone(),
        base_commit: place.base_commit.clone(),
        missing_base: place.missing_base.clone(),
        conflicts: match &place.update {
            Update::Conflict(files) => files.clone(),
            Update::NotTried | Update::Unneeded | Update::Done | Update::Dirty => Vec::new(),
        },
    });
}

fn work(stage: &Stage, errand: &Errand) -> StageWork {
    StageWork {
        name: stage.name.clone(),
        job: errand.job,
        read_only: stage.read_only,
        post_to_pr: stage.post_to_pr,
        file: None,
    }
}

fn comment(comment: tracker::Comment, own: &str) -> Comment {
    Comment {
        id: comment.id,
        is_bot: comment.author.app_id.is_some() || is_bot_login(&comment.author.login),
        is_own_account: comment.author.login.eq_ignore_ascii_case(own),
        author: comment.author.login,
        may_write: false,
        body: comment.body,
        created_at: comment.created_at,
        has_rocket: false,
        is_on_pull: false,
    }
}

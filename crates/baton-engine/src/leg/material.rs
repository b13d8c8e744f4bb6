//! What the tracker knows of an issue, as material for a prompt.
//!
//! Everything of it is data that strangers may have written; the prompt shows it as such.

use baton_core::agent::Errand;
use baton_core::config::stages::prompts;
use baton_core::config::{Adapter, PipelineDialect};
use baton_core::pipeline::Stage;
use baton_core::pipeline::approval::{self, Terms};
use baton_core::pipeline::comments::is_new;
use baton_core::pipeline::effect::Job;
use baton_core::pipeline::item::{self, LinkedPull};
use baton_core::pipeline::names::Names;
use baton_core::pipeline::report;
use baton_core::pipeline::stage::Instruction;
use baton_core::prompt::Material;
use baton_core::prompt::material::{Issue, Note, NoteKind, Pull, StageWork, Thread, WakeUp, Workplace};
use baton_core::prompt::stage_outputs;
use baton_core::slot::start::Started;
use baton_core::slot::{ItemKey, ItemMemory, Reason};
use baton_core::workspace::names::issue_branch;
use baton_core::workspace::{Opened, Update};
use baton_ports::{Tracker, TrackerError};

use super::LegSettings;

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

    /// Returns what people said about plans that concerns a stage's own work: why its plan was rejected, or what they added to
    /// the plan that it carries out.
    fn notes(&self, comments: &[item::Comment], settings: &LegSettings, names: Names) -> Vec<Note> {
        let Some(own) = self.stage.filter(|_| self.errand.job == Job::Stage) else { return Vec::new() };
        let up_to_here = settings.pipeline.stages().iter().filter(|stage| stage.order <= own.order);
        let asking: Vec<_> = up_to_here.filter_map(|stage| terms(stage, settings, names)).collect();
        let note = |said: item::Saying| Note {
            kind: if said.is_rejection { NoteKind::Rejected } else { NoteKind::Amendment },
            by: Some(said.by),
            text: said.text,
        };
        approval::sayings(&asking, comments, &own.name).into_iter().map(note).collect()
    }

    /// Returns whether the agent reads words; a plain program that was woken without a stage reads a document.
    pub(super) fn is_told_in_words(&self) -> bool {
        self.stage.is_some() || self.adapter != Adapter::Command
    }
}

/// Returns what approvals of a stage's plan are held to, if it asks for them.
fn terms<'a>(stage: &'a Stage, settings: &'a LegSettings, names: Names) -> Option<Terms<'a>> {
    Some(Terms { names, stage: &stage.name, way: stage.approval?, approvers: &settings.approvers })
}

/// Reads everything that the tracker shows of an issue.
pub(super) async fn read(
    tracker: &impl Tracker,
    scene: Scene<'_>,
    settings: &LegSettings,
) -> Result<Option<Material>, TrackerError> {
    let ItemKey::Issue(key) = &scene.started.item.key else { return Ok(None) };
    let (stages, dialect) = (settings.pipeline.stages(), settings.dialect);
    let seen = tracker.sight(key, &issue_branch(dialect, key.number)).await?.value;
    let mut material = Material::new(key.repo.clone());
    let names = Names::of(dialect.into());
    material.outputs = stage_outputs(&seen.comments, names, scene.heard_stages(stages));
    material.new_comments = scene.errand.comments.clone();
    material.notes = scene.notes(&seen.comments, settings, names);
    material.comments = seen.comments;
    material.issue = Some(Issue {
        number: seen.issue.number,
        title: seen.issue.title,
        url: seen.issue.url,
        author: seen.issue.author,
        labels: seen.issue.labels,
        body: seen.issue.body,
    });
    if let Some(pull) = seen.pull {
        add_pull(&mut material, pull, scene.errand);
    }
    material.stage = scene.stage.map(|stage| work(stage, scene.errand));
    material.attempt = scene.started.run.attempt.saturating_add(1);
    let context = scene.started.run.context.as_value();
    material.wake = Some(WakeUp { reason: scene.reason, task: None, context });
    Ok(Some(material))
}

/// Adds what there is to answer on the pull request: threads that the run is about, and checks that failed.
fn add_pull(material: &mut Material, pull: LinkedPull, errand: &Errand) {
    if errand.job == Job::CiFix {
        material.failed_checks = Some(report::failed_checks(&pull));
    }
    material.pull = Some(Pull { number: pull.number, description: String::new() });
    let is_meant = |thread: &item::Thread| errand.threads.contains(&thread.id);
    let threads = pull.threads.into_iter().filter(is_meant).map(|thread| Thread {
        id: thread.id,
        path: thread.path,
        line: thread.line,
        diff_hunk: String::new(),
        comments: thread.comments,
    });
    material.threads = threads.collect();
}

/// Returns the comments that a stage's own run is told of and that nobody has acted on: they are acted on with it.
pub(super) fn unheard(material: &Material, dialect: PipelineDialect) -> Vec<u64> {
    let (names, memory) = (Names::of(dialect.into()), ItemMemory::default());
    let unheard = material.comments.iter().filter(|comment| is_new(comment, &memory, names));
    unheard.map(|comment| comment.id).collect()
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

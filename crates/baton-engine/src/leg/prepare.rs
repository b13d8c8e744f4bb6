//! Before the start: what the run is for, where it works, and what its agent is told.

use baton_core::agent::command_line::lines_of;
use baton_core::agent::{AgentOrder, Desk, Errand, KeptSession, Told, waking};
use baton_core::agent_lines::Program;
use baton_core::config::{AgentConfig, PipelineDialect, WorkspaceKind};
use baton_core::pipeline::Stage;
use baton_core::pipeline::effect::Job;
use baton_core::pipeline::names::{Flag, Names, modifier};
use baton_core::pipeline::turns::{self, Budget};
use baton_core::prompt::{Material, context_directory, context_files, render};
use baton_core::slot::start::Started;
use baton_core::slot::{ItemKey, Reason, RunEnd, WakeupStatus};
use baton_core::tracker::IssueKey;
use baton_core::workspace::{CloseAsk, OpenAsk, Opened, PushTerms, Standing};
use baton_ports::store::WakeupFilter;
use baton_ports::{AgentPrograms, Store, Tracker, TrackerError, WorkspaceError, Workspaces};

use super::Track;
use super::material::{self, Scene};
use crate::leases::Keeper;

/// An item has one run that is not over, and so one wakeup that it follows; more would be a mistake elsewhere.
const WAKEUPS_MAX: u32 = 16;
/// What labels of a base branch begin with.
const BASE: &str = "base";

/// A run that is ready to start.
pub(super) struct Prepared {
    pub(super) errand: Errand,
    pub(super) stage: Option<Stage>,
    pub(super) place: Option<Place>,
    pub(super) order: AgentOrder,
    /// What the agent is told if the session that it was to go on with is not known.
    pub(super) fresh_prompt: String,
    pub(super) program: Program,
    pub(super) budget: Budget,
    /// Whether the issue's label gives more turns.
    pub(super) extends_turns: bool,
    /// The session that the first invocation goes on with.
    pub(super) session: Option<KeptSession>,
    /// How the place stood before.
    pub(super) standing: Option<Standing>,
    /// The issue and the token of the tracker's lease under which it runs, if it runs under one.
    pub(super) lease: Option<(IssueKey, String)>,
}

/// An order with what it was made of.
struct Ordered {
    order: AgentOrder,
    fresh_prompt: String,
    budget: Budget,
    session: Option<KeptSession>,
}

/// Where a run works.
pub(super) struct Place {
    pub(super) issue: IssueKey,
    pub(super) opened: Opened,
}

impl<W: Workspaces, P: AgentPrograms, T: Tracker, S: Store, K: Keeper> Track<W, P, T, S, K> {
    pub(super) async fn prepare(&self, started: &Started) -> Result<Prepared, RunEnd> {
        // Before anything is read or laid out: who is still alive could change it.
        self.programs.end_earlier(&started.item.key).await.map_err(super::not_started)?;
        let agent = self.agent(started)?;
        let mut errand =
            Errand::read(&started.run.context).map_err(|error| RunEnd::Failed(error.to_string()))?;
        let stage = self.stage(&errand)?;
        let reason = self.reason(started).await?;
        let scene = Scene { started, errand: &errand, stage: stage.as_ref(), reason, adapter: agent.adapter };
        let material = self.material(scene, &agent).await?;
        let dialect = self.settings.get().dialect;
        let labels = Labels::new(material.as_ref(), dialect);
        let told = material.as_ref().filter(|_| errand.is_settled && errand.job == Job::Stage);
        let told = told.map(|material| material::unheard(material, dialect));
        let place = self.open(scene, &agent, &labels).await?;
        let is_read_only = stage.as_ref().is_some_and(|stage| stage.read_only);
        match self.order(scene, &agent, &labels, material, place.as_ref()).await {
            Ok(Ordered { order, fresh_prompt, budget, session }) => {
                let standing = self.standing(place.as_ref()).await;
                let program = lines_of(agent.adapter);
                let extends_turns = labels.has(Flag::ExtendTurns);
                if let Some(told) = told {
                    errand.comments = told;
                }
                Ok(Prepared {
                    errand,
                    stage,
                    place,
                    order,
                    fresh_prompt,
                    program,
                    budget,
                    extends_turns,
                    session,
                    standing,
                    lease: lease_of(started),
                })
            }
            Err(why) => {
                self.leave(place.as_ref(), is_read_only).await;
                Err(RunEnd::Failed(why))
            }
        }
    }

    fn agent(&self, started: &Started) -> Result<AgentConfig, RunEnd> {
        let key = started.run.agent.key();
        let agent = self.settings.get().agents.get(&key.0).cloned();
        agent.ok_or_else(|| RunEnd::Failed(format!("no agent `{key}` is configured on this machine")))
    }

    fn stage(&self, errand: &Errand) -> Result<Option<Stage>, RunEnd> {
        let Some(name) = &errand.stage else { return Ok(None) };
        let settings = self.settings.get();
        let stage = settings.pipeline.stage(name).filter(|stage| stage.is_working()).cloned();
        stage.map(Some).ok_or_else(|| {
            RunEnd::Failed(format!(
                "there is no stage `{name}` in which an agent works; `baton stages check` lists them"
            ))
        })
    }

    /// Why the run was wanted: that of the wakeup it follows, which is queued for as long as the run is not over. A store that
    /// does not answer is not the agent's fault.
    async fn reason(&self, started: &Started) -> Result<Reason, RunEnd> {
        let filter = WakeupFilter {
            item: Some(started.item.key.clone()),
            statuses: vec![WakeupStatus::Queued],
            created_before: None,
            limit: WAKEUPS_MAX,
        };
        let rows = self.store.wakeups(&filter).await.map_err(|_| RunEnd::GivenBack)?;
        let followed = rows.iter().find(|row| row.wakeup.id == started.run.wakeup);
        Ok(followed.map_or(Reason::Manual, |row| row.wakeup.reason))
    }

    /// Reads the issue if it is needed: for words, or for the labels that tell which base branch it has.
    async fn material(&self, scene: Scene<'_>, agent: &AgentConfig) -> Result<Option<Material>, RunEnd> {
        let needs_labels = works_in_a_tree(agent, &scene.started.item.key).is_some();
        if !needs_labels && !scene.is_told_in_words() {
            return Ok(None);
        }
        let settings = self.settings.get();
        let read = material::read(&self.tracker, scene, &settings).await;
        read.map_err(|error| out_of_reach(&error))
    }

    async fn open(
        &self,
        scene: Scene<'_>,
        agent: &AgentConfig,
        labels: &Labels,
    ) -> Result<Option<Place>, RunEnd> {
        let Some(issue) = works_in_a_tree(agent, &scene.started.item.key) else { return Ok(None) };
        let ask = OpenAsk {
            issue: issue.clone(),
            base: modifier(&labels.all, BASE).map(str::to_owned),
            is_read_only: scene.stage.is_some_and(|stage| stage.read_only),
            updates: scene.errand.updates_branch(scene.started),
        };
        let opened = self.workspaces.open(&ask).await.map_err(|error| no_place(&error))?;
        Ok(Some(Place { issue: issue.clone(), opened }))
    }

    /// Words the order, and finds the session that the agent goes on with.
    async fn order(
        &self,
        scene: Scene<'_>,
        agent: &AgentConfig,
        labels: &Labels,
        material: Option<Material>,
        place: Option<&Place>,
    ) -> Result<Ordered, String> {
        let budget = match scene.stage {
            Some(stage) => turns::first(stage, scene.errand.job, labels.has(Flag::ExtendTurns)),
            None => Budget { turns: None, shares: 1 },
        };
        let opened = place.map(|place| &place.opened);
        let desk = Desk {
            agent: agent.clone(),
            started: scene.started,
            cwd: opened.map_or_else(|| self.settings.get().directory.clone(), |opened| opened.path.clone()),
            git_dir: opened.map(|opened| opened.git_dir.clone()),
            is_unrestricted: labels.has(Flag::Unrestricted),
        };
        let mut order = scene.errand.order(desk, scene.stage, &labels.all, budget);
        let session = self.session(scene, &order).await;
        order.session = session.as_ref().map(|session| session.id.clone());
        let fresh = self.told(scene, material.clone(), opened, false)?;
        let fresh_prompt = fresh.prompt.clone();
        order.told = match session {
            Some(_) => self.told(scene, material, opened, true)?,
            None => fresh,
        };
        Ok(Ordered { order, fresh_prompt, budget, session })
    }

    async fn session(&self, scene: Scene<'_>, order: &AgentOrder) -> Option<KeptSession> {
        match scene.errand.goes_on(scene.started) {
            true => self.programs.session(order).await,
            false => None,
        }
    }

    fn told(
        &self,
        scene: Scene<'_>,
        material: Option<Material>,
        place: Option<&Opened>,
        resumes: bool,
    ) -> Result<Told, String> {
        let mut variables = waking::variables(scene.started, scene.reason);
        variables.extend(waking::variables_of_stage(scene.errand, place));
        let settings = self.settings.get();
        variables.extend(settings.variables.iter().cloned());
        let Some(mut material) = material.filter(|_| scene.is_told_in_words()) else {
            let prompt = waking::document(scene.started, scene.reason);
            return Ok(Told { prompt, variables, ..Told::default() });
        };
        material::placed(&mut material, place);
        material.resumes = resumes;
        let dialect = settings.dialect;
        let templates = (settings.templates)(Some(&material.repo))?;
        let instruction = scene.instruction(dialect);
        let prompt =
            render(&templates, &material, instruction.as_ref()).map_err(|error| error.to_string())?;
        let context_dir = context_directory(dialect).to_owned();
        Ok(Told { prompt, context_dir, context_files: context_files(&material), variables })
    }

    async fn standing(&self, place: Option<&Place>) -> Option<Standing> {
        let place = place?;
        self.workspaces.standing(&place.issue).await.ok()
    }

    /// Leaves the place of a run that was not started as it was found.
    pub(super) async fn abandon(&self, prepared: &Prepared) {
        self.leave(prepared.place.as_ref(), prepared.order.is_read_only).await;
    }

    async fn leave(&self, place: Option<&Place>, is_read_only: bool) {
        let Some(place) = place.filter(|_| is_read_only) else { return };
        let issue = place.issue.clone();
        let ask = CloseAsk { issue, is_read_only, commit_rest_as: None, push: PushTerms::Withheld };
        // What was put aside and is not brought back now is brought back when the place is opened again.
        let _ = self.workspaces.close(&ask).await;
    }
}

/// The labels of an issue, in the words of a dialect.
struct Labels {
    all: Vec<String>,
    names: Names,
}

impl Labels {
    fn new(material: Option<&Material>, dialect: PipelineDialect) -> Self {
        let issue = material.and_then(|material| material.issue.as_ref());
        let all = issue.map(|issue| issue.labels.clone()).unwrap_or_default();
        Self { all, names: Names::of(dialect.into()) }
    }

    fn has(&self, flag: Flag) -> bool {
        self.all.iter().any(|label| self.names.is_flag(label, flag))
    }
}

/// Returns the lease under which a run works.
fn lease_of(started: &Started) -> Option<(IssueKey, String)> {
    match (&started.item.key, &started.item.lease) {
        (ItemKey::Issue(issue), Some(token)) => Some((issue.clone(), token.clone())),
        _ => None,
    }
}

/// Returns the issue whose work tree an agent needs.
fn works_in_a_tree<'a>(agent: &AgentConfig, item: &'a ItemKey) -> Option<&'a IssueKey> {
    match (item, agent.workspace) {
        (ItemKey::Issue(issue), WorkspaceKind::Worktree) => Some(issue),
        (ItemKey::Issue(_), WorkspaceKind::Directory) | (ItemKey::Task { .. }, _) => None,
    }
}

fn out_of_reach(error: &TrackerError) -> RunEnd {
    match error.is_retryable() {
        true => RunEnd::NotReady(error.to_string()),
        false => RunEnd::Failed(error.to_string()),
    }
}

fn no_place(error: &WorkspaceError) -> RunEnd {
    match error.is_transient {
        true => RunEnd::NotReady(error.to_string()),
        false => RunEnd::Failed(error.to_string()),
    }
}

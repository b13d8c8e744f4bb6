//! A board of a project: an issue is in the column that a field of choices of the project names.
//!
//! The project says when it last changed, and only then are its items listed. What changes in an issue itself does not
//! change the project, so the repositories are asked for news as well.

use std::sync::Mutex;

use baton_core::RepoSlug;
use baton_core::config::ProjectRef;
use baton_core::time::ServerTime;
use baton_core::tracker::{BoardRow, Dated, IssueKey, Scope, Sighting, Survey};
use baton_ports::{Board, TrackerError, TrackerErrorKind};
use serde_json::{Value, json};

use super::SURVEY_PAGES_MAX;
use super::ledger::Ledger;
use super::news::NewsDesk;
use crate::call::Repeat;
use crate::client::graph::gone;
use crate::client::{Answer, GitHub};
use crate::graphql::board::{
    AddedWire, ContentWire, GateWire, ItemWire, OptionWire, ProjectWire, SubjectIdWire,
};
use crate::graphql::issue::RepositoryWire;
use crate::graphql::page::{InRepository, NodePage};
use crate::graphql::{
    ADD_TO_PROJECT, ISSUE_NODE, MORE_LABELS, MOVE_ITEM, PROJECT_GATE, PROJECT_ITEMS, REPOSITORY_NAME,
};
use crate::layers::lock;
use crate::tracker::slug;

/// How long after a change a list is sure to have all of it.
const SETTLED_S: i64 = 10;

/// A board that is a project.
#[derive(Debug)]
pub struct ProjectBoard {
    github: GitHub,
    repos: Vec<RepoSlug>,
    project: ProjectRef,
    field: String,
    known: Mutex<Option<Seen>>,
    news: NewsDesk,
    ledger: Mutex<Ledger>,
}

/// The project as it was when its items were listed.
#[derive(Debug, Clone)]
struct Seen {
    project: ProjectWire,
    at: ServerTime,
}

impl Seen {
    /// Returns whether the items are still as they were listed. The project tells whole seconds, and what is written may
    /// become visible later, so a list from about the time of the last change may lack a part of it.
    fn is_current(&self, now: &ProjectWire) -> bool {
        let changed_at = now.updated_at.parse::<ServerTime>().ok();
        let is_settled = changed_at.is_some_and(|changed_at| self.at.seconds_since(changed_at) > SETTLED_S);
        is_settled && self.project.updated_at == now.updated_at
    }
}

impl ProjectBoard {
    /// Makes a board of a project, of which the issues of these repositories count. From now on, sights tell where issues
    /// are on projects, which a token needs the right to read.
    pub fn new(github: GitHub, repos: Vec<RepoSlug>, project: ProjectRef, field: String) -> Self {
        github.read_placements();
        let (known, ledger) = (Mutex::default(), Mutex::default());
        Self { github, repos, project, field, known, news: NewsDesk::default(), ledger }
    }

    /// Returns the names of the columns, as people see them.
    pub async fn column_names(&self) -> Answer<Vec<String>> {
        let project = self.gate().await?.value;
        Ok(self.columns(&project)?.1.iter().map(|option| option.name.clone()).collect())
    }

    /// The repository by which an App knows whom it acts for.
    fn home(&self) -> Answer<&RepoSlug> {
        self.repos.first().ok_or_else(|| self.error("no repository is named, so nothing can be on the board"))
    }

    fn error(&self, answer: impl Into<String>) -> TrackerError {
        let tried = format!("reading the project {}", self.project);
        TrackerError::new(TrackerErrorKind::Invalid, tried, answer)
    }

    async fn gate(&self) -> Answer<Dated<ProjectWire>> {
        let ProjectRef { owner, number } = &self.project;
        let variables = json!({ "owner": owner, "number": number, "field": self.field });
        let answer: Dated<GateWire> = self.github.query(self.home()?, &PROJECT_GATE, variables).await?;
        let project = answer.value.repository_owner.and_then(|owner| owner.project);
        let missing = || {
            let answer = "there is no such project, or the token may not read it";
            TrackerError { kind: TrackerErrorKind::NotFound, ..self.error(answer) }
        };
        let project = project.ok_or_else(missing)?;
        self.columns(&project)?;
        Ok(Dated { value: project, date: answer.date, pages: 1 })
    }

    async fn everything(&self, project: Dated<ProjectWire>) -> Answer<Survey> {
        let rows = self.items(&project.value).await?;
        let mut ledger = lock(&self.ledger);
        let rows: Vec<_> = rows.into_iter().map(|row| self.placed(&mut ledger, row)).collect();
        ledger.keep_only(&rows);
        self.repos.iter().for_each(|repo| self.news.begin(repo, project.date));
        *lock(&self.known) = Some(Seen { project: project.value, at: project.date });
        Ok(Survey { rows, is_complete: true })
    }

    /// A row shows when the place changed too; the news of repositories, which know nothing of places, must not undo that.
    fn placed(&self, ledger: &mut Ledger, row: BoardRow) -> BoardRow {
        ledger.touch(&row.issue, row.updated_at);
        ledger.note(row)
    }

    async fn lately(&self) -> Answer<Survey> {
        let project = self.gate().await?;
        let is_current = lock(&self.known).as_ref().is_some_and(|seen| seen.is_current(&project.value));
        if !is_current {
            return self.everything(project).await;
        }
        self.news.survey(&self.github, &self.repos, &self.ledger, &|_| None).await
    }

    async fn items(&self, project: &ProjectWire) -> Answer<Vec<BoardRow>> {
        let home = self.home()?;
        let asked = json!({ "id": project.id, "field": self.field });
        let answer: Dated<NodePage<ItemWire>> =
            self.github.query(home, &PROJECT_ITEMS, asked.clone()).await?;
        let first = answer.value.node.and_then(|node| node.page).ok_or_else(|| gone(&PROJECT_ITEMS))?;
        let items = self.github.whole_with(home, &PROJECT_ITEMS, asked, first, SURVEY_PAGES_MAX).await?;
        let mut rows = Vec::with_capacity(items.len());
        let mut has_foreign = false;
        for item in items.into_iter().filter(|item| !item.is_archived) {
            has_foreign |= self.is_foreign(&item)?;
            rows.extend(self.row(item).await?);
        }
        if has_foreign {
            self.check_names(&rows).await?;
        }
        rows.sort_by(|a: &BoardRow, b| a.issue.cmp(&b.issue).then(b.updated_at.cmp(&a.updated_at)));
        rows.dedup_by(|later, first| later.issue == first.issue);
        Ok(rows)
    }

    fn is_foreign(&self, item: &ItemWire) -> Answer<bool> {
        let Some(repository) = item.content.as_ref().and_then(|content| content.repository.as_ref()) else {
            return Ok(false);
        };
        let repo = slug(&repository.name_with_owner)?;
        Ok(!self.repos.iter().any(|own| is_same(own, &repo)))
    }

    /// The project names repositories as they are called now. One that was renamed would silently have nothing on the board
    /// any more, so those of which nothing is there are asked for their names.
    async fn check_names(&self, rows: &[BoardRow]) -> Answer<()> {
        for repo in self.repos.iter().filter(|repo| !rows.iter().any(|row| row.issue.repo == **repo)) {
            let variables = json!({ "owner": repo.owner(), "name": repo.name() });
            let answer: Dated<InRepository<RepositoryWire>> =
                self.github.query(repo, &REPOSITORY_NAME, variables).await?;
            let found = answer.value.repository.ok_or_else(|| gone(&REPOSITORY_NAME))?;
            let now = slug(&found.name_with_owner)?;
            if !is_same(repo, &now) {
                return Err(self.error(format!(
                    "the repository {repo} is called {now} now: correct `repos` in baton.yaml"
                )));
            }
        }
        Ok(())
    }

    /// Returns the row of an item; nothing for drafts, and for what is in a repository that is not ours.
    async fn row(&self, item: ItemWire) -> Answer<Option<BoardRow>> {
        let Some(ContentWire { id, number, title, closed, updated_at, repository, labels, .. }) =
            item.content
        else {
            return Ok(None);
        };
        let (Some(id), Some(number), Some(repository)) = (id, number, repository) else { return Ok(None) };
        let repo = slug(&repository.name_with_owner)?;
        let Some(repo) = self.repos.iter().find(|own| is_same(own, &repo)) else { return Ok(None) };
        let labels = self.github.whole(repo, &MORE_LABELS, &id, labels).await?;
        let own = updated_at.as_deref().and_then(|text| text.parse().ok()).unwrap_or(item.updated_at);
        Ok(Some(BoardRow {
            issue: IssueKey { repo: repo.clone(), number },
            node_id: id,
            title,
            column: item.field_value_by_name.and_then(|choice| choice.name),
            is_closed: closed,
            labels: labels.into_iter().map(|label| label.name).collect(),
            updated_at: own.max(item.updated_at),
        }))
    }

    /// Returns the id of the field with its options, which are the columns.
    fn columns<'a>(&self, project: &'a ProjectWire) -> Answer<(&'a str, &'a [OptionWire])> {
        let field = project.field.as_ref().and_then(|field| Some((field.id.as_deref()?, &field.options)));
        let missing = || self.error(format!("it has no field `{}` of the kind single select", self.field));
        field.map(|(id, options)| (id, options.as_slice())).ok_or_else(missing)
    }

    /// Returns the ids of the field and of the option that is called so.
    fn option<'a>(&self, project: &'a ProjectWire, column: &str) -> Answer<(&'a str, &'a str)> {
        let (id, options) = self.columns(project)?;
        let option = options.iter().find(|option| option.name.eq_ignore_ascii_case(column));
        let option = option.ok_or_else(|| {
            let names: Vec<_> = options.iter().map(|option| option.name.as_str()).collect();
            let columns = names.join(", ");
            self.error(format!("its field `{}` has no column `{column}`; there are: {columns}", self.field))
        })?;
        Ok((id, &option.id))
    }

    /// Returns the item of an issue, which is put onto the project if it is not there.
    async fn item(&self, project: &ProjectWire, issue: &IssueKey) -> Answer<String> {
        let (owner, name) = (issue.repo.owner(), issue.repo.name());
        let variables = json!({ "owner": owner, "name": name, "number": issue.number });
        let answer: Dated<InRepository<SubjectIdWire>> =
            self.github.query(&issue.repo, &ISSUE_NODE, variables).await?;
        let subject = answer.value.repository.and_then(|repository| repository.subject);
        let content = subject.ok_or_else(|| gone(&ISSUE_NODE))?.id;
        // What is on the project already is not added again: GitHub answers with the item that is there.
        let asked = json!({ "project": project.id, "content": content });
        let added: AddedWire =
            self.github.mutate(&issue.repo, &ADD_TO_PROJECT, asked, Repeat::Always).await?;
        let item = added.added.and_then(|added| added.item);
        item.map(|item| item.id).ok_or_else(|| self.error("the tracker did not tell the item that it added"))
    }
}

fn is_same(one: &RepoSlug, other: &RepoSlug) -> bool {
    one.owner().eq_ignore_ascii_case(other.owner()) && one.name().eq_ignore_ascii_case(other.name())
}

impl Board for ProjectBoard {
    async fn survey(&self, scope: Scope) -> Answer<Survey> {
        match scope {
            Scope::All => self.everything(self.gate().await?).await,
            Scope::News => self.lately().await,
        }
    }

    fn column_of(&self, seen: &Sighting) -> Option<String> {
        // By its configured name, so that the column is known before the project was ever asked for.
        let name = self.project.to_string();
        let place = seen.placements.iter().find(|place| place.board.eq_ignore_ascii_case(&name))?;
        let named = place.options.iter().find(|(field, _)| field.eq_ignore_ascii_case(&self.field));
        named.map(|(_, option)| option.clone())
    }

    async fn move_to(&self, issue: &IssueKey, column: &str) -> Answer<()> {
        let project = self.gate().await?.value;
        let (field, option) = self.option(&project, column)?;
        let item = self.item(&project, issue).await?;
        let asked = json!({ "project": project.id, "item": item, "field": field, "option": option });
        self.github.mutate::<Value>(&issue.repo, &MOVE_ITEM, asked, Repeat::Always).await.map(drop)
    }
}

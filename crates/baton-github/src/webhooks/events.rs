//! Which events are news, and of what.

use std::collections::BTreeSet;

use baton_core::RepoSlug;
use baton_core::board::{Happening, News, Subject};
use baton_core::tracker::IssueKey;

use super::DecodeError;
use super::payload::{Check, Issue, Linked, Payload, Pull, Repository};

type Answer = Result<Vec<News>, DecodeError>;

/// The events of a repository that can be news. The others are not even read.
pub const REPOSITORY_EVENTS: [&str; 14] = [
    "check_run",
    "check_suite",
    "issue_comment",
    "issue_dependencies",
    "issues",
    "label",
    "pull_request",
    "pull_request_review",
    "pull_request_review_comment",
    "pull_request_review_thread",
    "push",
    "repository",
    "status",
    "sub_issues",
];
/// Boards belong to organizations, and so do their events.
const BOARD_EVENT: &str = "projects_v2_item";

pub(super) fn is_of_interest(event: &str) -> bool {
    REPOSITORY_EVENTS.contains(&event) || event == BOARD_EVENT
}

/// Reads the news from a payload.
pub(super) struct Reader<'r> {
    pub(super) payload: &'r Payload<'r>,
    pub(super) branch_issue: &'r dyn Fn(&str) -> Option<u64>,
}

impl Reader<'_> {
    pub(super) fn news_of(&self, event: &str) -> Answer {
        let action = self.payload.action()?;
        match event {
            "issues" => self.of_issue(&action),
            "issue_comment" if action == "created" => self.about_issue(Happening::Commented),
            "pull_request" if self.is_pull_news(&action)? => self.of_pull(),
            "pull_request_review" if matches!(&*action, "submitted" | "edited" | "dismissed") => {
                self.of_pull()
            }
            "pull_request_review_comment" if action == "created" => self.of_pull(),
            "pull_request_review_thread" if matches!(&*action, "resolved" | "unresolved") => self.of_pull(),
            // Only the end of a check can open a gate or close it for good.
            "check_run" if action == "completed" => self.of_check(&self.payload.check_run()?, false),
            "check_suite" if action == "completed" => self.of_check(&self.payload.check_suite()?, true),
            "status" => self.of_status(),
            "push" => self.of_push(),
            "projects_v2_item" => self.of_board_item(&action),
            "sub_issues" => self.relinked([self.payload.sub_issue()?, self.payload.parent_issue()?]),
            "issue_dependencies" => self.relinked([self.payload.blocked_issue()?]),
            "label" => self.of_label(&action),
            "repository" => self.of_repository(&action),
            _ => Ok(Vec::new()),
        }
    }

    fn slug(&self) -> Result<RepoSlug, DecodeError> {
        self.payload.repository()?.slug()
    }

    fn of_issue(&self, action: &str) -> Answer {
        let what = match action {
            "opened" => Happening::Appeared,
            "closed" => Happening::Closed,
            "reopened" => Happening::Reopened,
            "deleted" | "transferred" => Happening::Removed,
            "edited" => Happening::Edited,
            "assigned" | "unassigned" => Happening::Assigned,
            "labeled" => Happening::Labelled(self.payload.label()?),
            "unlabeled" => Happening::Unlabelled(self.payload.label()?),
            _ => return Ok(Vec::new()),
        };
        self.about_issue(what)
    }

    fn about_issue(&self, what: Happening) -> Answer {
        let issue = self.payload.issue()?;
        Ok(vec![News { about: subject(self.slug()?, &issue), what }])
    }

    /// Labels and people of a pull request decide nothing; of its edits, only one of where it goes does.
    fn is_pull_news(&self, action: &str) -> Result<bool, DecodeError> {
        Ok(match action {
            "opened"
            | "closed"
            | "reopened"
            | "synchronize"
            | "ready_for_review"
            | "converted_to_draft"
            | "review_requested"
            | "review_request_removed"
            | "auto_merge_enabled"
            | "auto_merge_disabled"
            | "enqueued"
            | "dequeued" => true,
            "edited" => self.payload.changes()?.base.is_some(),
            _ => false,
        })
    }

    fn of_pull(&self) -> Answer {
        let repository = self.payload.repository()?;
        let pull = self.payload.pull_request()?;
        let mut subjects = Subjects::default();
        subjects.add_pull(&pull, &repository, self.branch_issue);
        subjects.news(&repository.slug()?, &Happening::PullChanged)
    }

    /// The branch of a suite counts; a single run tells only of its pull requests.
    fn of_check(&self, check: &Check<'_>, is_suite: bool) -> Answer {
        let repository = self.payload.repository()?;
        let mut subjects = Subjects::default();
        for pull in check.pull_requests.iter().flatten() {
            subjects.add_pull(pull, &repository, self.branch_issue);
        }
        let branch = check.head_branch.as_deref().filter(|_| is_suite);
        subjects.issues.extend(branch.and_then(self.branch_issue));
        subjects.news(&repository.slug()?, &Happening::Checked)
    }

    fn of_status(&self) -> Answer {
        if self.payload.state()? == "pending" {
            return Ok(Vec::new());
        }
        let branches = self.payload.branches()?;
        let issues = branches.iter().filter_map(|branch| (self.branch_issue)(&branch.name)).collect();
        Subjects { issues, ..Subjects::default() }.news(&self.slug()?, &Happening::Checked)
    }

    fn of_push(&self) -> Answer {
        let git_ref = self.payload.git_ref()?;
        let branch = git_ref.strip_prefix("refs/heads/");
        let issues = branch.and_then(self.branch_issue).into_iter().collect();
        Subjects { issues, ..Subjects::default() }.news(&self.slug()?, &Happening::PullChanged)
    }

    /// An item may be on several boards, and which of them is ours is not told here; so what is taken off one is looked at,
    /// not taken off.
    fn of_board_item(&self, action: &str) -> Answer {
        let what = match action {
            "created" | "restored" | "converted" => Happening::Appeared,
            "edited" if self.payload.changes()?.may_be_a_column() => Happening::Moved,
            "archived" | "deleted" => Happening::Moved,
            _ => return Ok(Vec::new()),
        };
        let node = self.payload.board_item()?.issue()?;
        Ok(node.map(|node| News { about: Subject::Node(node), what }).into_iter().collect())
    }

    fn relinked<'a>(&self, linked: impl IntoIterator<Item = Linked<'a>>) -> Answer {
        let mut news = Vec::new();
        for (issue, repo) in linked.into_iter().flatten() {
            let repo = repo.map_or_else(|| self.slug(), |repo| repo.slug())?;
            news.push(News { about: subject(repo, &issue), what: Happening::Relinked });
        }
        Ok(news)
    }

    fn of_label(&self, action: &str) -> Answer {
        let is_news = action == "deleted" || (action == "edited" && self.payload.changes()?.name.is_some());
        self.of_all(is_news)
    }

    fn of_repository(&self, action: &str) -> Answer {
        self.of_all(matches!(action, "renamed" | "transferred" | "deleted" | "archived" | "unarchived"))
    }

    fn of_all(&self, is_news: bool) -> Answer {
        let repo = is_news.then(|| self.slug()).transpose()?;
        let news = repo.map(|repo| News { about: Subject::Repository(repo), what: Happening::Edited });
        Ok(news.into_iter().collect())
    }
}

/// A pull request is an issue too, but its number alone does not say whose it is.
fn subject(repo: RepoSlug, issue: &Issue<'_>) -> Subject {
    let number = issue.number;
    if issue.is_pull() { Subject::Pull { repo, number } } else { Subject::Issue(IssueKey { repo, number }) }
}

/// Whom an event is about, each once.
#[derive(Default)]
struct Subjects {
    issues: BTreeSet<u64>,
    pulls: BTreeSet<u64>,
}

impl Subjects {
    fn add_pull(
        &mut self,
        pull: &Pull<'_>,
        repository: &Repository<'_>,
        branch_issue: &dyn Fn(&str) -> Option<u64>,
    ) {
        if !pull.is_in(repository) {
            return;
        }
        match pull.own_branch(repository).and_then(branch_issue) {
            Some(issue) => self.issues.insert(issue),
            None => self.pulls.insert(pull.number),
        };
    }

    fn news(self, repo: &RepoSlug, what: &Happening) -> Answer {
        let issues =
            self.issues.into_iter().map(|number| Subject::Issue(IssueKey { repo: repo.clone(), number }));
        let pulls = self.pulls.into_iter().map(|number| Subject::Pull { repo: repo.clone(), number });
        Ok(issues.chain(pulls).map(|about| News { about, what: what.clone() }).collect())
    }
}

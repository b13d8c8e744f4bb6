//! Facts of the tracker: its answer, the account behind the token, the repositories, their labels and the board.

use std::time::Duration;

use baton_claims::machine::SystemClock;
use baton_core::RepoSlug;
use baton_core::config::Config;
use baton_core::doctor::tracker::{self, Budget, RepositoryFacts, TokenFacts};
use baton_core::doctor::{CheckId, Finding, Report};
use baton_core::labels::{FURTHER_LABELS, LIFECYCLE_LABELS};
use baton_core::pipeline::Pipeline;
use baton_core::tracker::LabelDefinition;
use baton_github::{Auth, GitHub, ProjectBoard, RateBudget, RetrySettings, Settings};
use baton_ports::{Clock as _, Tracker as _, TrackerError, TrackerErrorKind};

use super::{plain, within};
use crate::claims::context::github_settings;
use crate::config::Credentials;
use crate::flow::context::Desk;

/// How long one request may take.
const REQUEST_TIME_MAX: Duration = Duration::from_secs(10);
/// The kinds of requests that the relay makes.
const RESOURCES: [&str; 2] = ["core", "graphql"];

/// Looks at the tracker and the token. Returns a client if there is an account behind it.
pub(super) async fn account(desk: &Desk, report: &mut Report) -> Option<GitHub> {
    let config = desk.config();
    let credentials = desk.loaded.credentials(&desk.surroundings);
    let not_had = credentials.as_ref().err().map(plain);
    let settings = match not_had {
        Some(_) => anonymous(config),
        None => github_settings(&desk.loaded, &desk.surroundings).unwrap_or_else(|_| anonymous(config)),
    };
    let github = match GitHub::new(bounded(settings)) {
        Ok(github) => github,
        Err(error) => {
            report.add([tracker::contact(&config.api_url, Err(&error.to_string()))]);
            return None;
        }
    };
    let refused = contact(&github, &config.api_url, report).await?;
    let facts = match (not_had, credentials, refused) {
        (Some(why), ..) => TokenFacts::NotHad(why),
        (None, Ok(Credentials::Anonymous), _) => TokenFacts::Missing,
        (_, _, Some(said)) => TokenFacts::Refused { origin: origin(desk), said },
        _ => return viewer(&github, desk, report).await.then_some(github),
    };
    report.add([tracker::token(&facts)]);
    None
}

fn anonymous(config: &Config) -> Settings {
    Settings { api_url: config.api_url.clone(), auth: Auth::Anonymous, ..Settings::default() }
}

/// A doctor does not wait for better times.
pub(super) fn bounded(settings: Settings) -> Settings {
    let retry = RetrySettings {
        retries_max: 1,
        total_max: REQUEST_TIME_MAX,
        limit_wait_max: Duration::ZERO,
        ..settings.retry
    };
    Settings { timeout: settings.timeout.min(REQUEST_TIME_MAX), retry, ..settings }
}

fn origin(desk: &Desk) -> String {
    desk.loaded.credentials_origin(&desk.surroundings)
}

/// Looks whether the tracker answers. Returns how it refuses the token, if it does, and nothing when it cannot be reached.
async fn contact(github: &GitHub, api_url: &str, report: &mut Report) -> Option<Option<String>> {
    use TrackerErrorKind::{Malformed, Unauthorized, Unavailable, Unclear};
    let answer = tokio::time::timeout(super::CHECK_TIME_MAX, github.rate_limits()).await;
    let refused = match answer {
        Ok(Ok(budgets)) => {
            report.add([tracker::rate_budget(&relevant(&budgets, github))]);
            None
        }
        Ok(Err(error)) if matches!(error.kind, Unavailable | Unclear | Malformed) => {
            report.add([tracker::contact(api_url, Err(&shown(&error)))]);
            return None;
        }
        Ok(Err(error)) => {
            report.add(budget_after(&error));
            (error.kind == Unauthorized).then_some(error.answer)
        }
        Err(_) => {
            report.add([tracker::contact(api_url, Err("there was no answer in time"))]);
            return None;
        }
    };
    report.add([tracker::contact(api_url, Ok(()))]);
    match github.last_date() {
        Some(date) => report.add([tracker::clock(SystemClock.wall_now().seconds_since(date))]),
        None => report.skip(&[CheckId::Clock], "the tracker tells no time"),
    }
    Some(refused)
}

/// What a refusal tells of the budget.
fn budget_after(error: &TrackerError) -> Vec<Finding> {
    match error.kind {
        TrackerErrorKind::RateLimited { retry_after } => {
            let renewed_in_s = retry_after.unwrap_or_default().as_secs();
            vec![tracker::rate_budget(&[Budget {
                resource: "core".to_owned(),
                limit: 1,
                left: 0,
                renewed_in_s,
            }])]
        }
        TrackerErrorKind::Unauthorized => {
            vec![Finding::skip(CheckId::RateBudget, "the token is refused (see `token`)")]
        }
        // Servers of one's own may have no limits.
        _ => vec![tracker::rate_budget(&[])],
    }
}

fn relevant(budgets: &[RateBudget], github: &GitHub) -> Vec<Budget> {
    let now = github.last_date();
    let of_relay = budgets.iter().filter(|budget| RESOURCES.contains(&budget.resource.as_str()));
    let budget = |it: &RateBudget| Budget {
        resource: it.resource.clone(),
        limit: it.limit,
        left: it.remaining,
        renewed_in_s: now.map_or(0, |now| u64::try_from(it.reset.seconds_since(now)).unwrap_or(0)),
    };
    of_relay.map(budget).collect()
}

/// Looks whom the tracker takes us for. Returns whether it takes us for anybody.
async fn viewer(github: &GitHub, desk: &Desk, report: &mut Report) -> bool {
    let is_project = desk.config().sources.project.is_some();
    let origin = origin(desk);
    let asked = tokio::time::timeout(super::CHECK_TIME_MAX, github.viewer_with_scopes()).await;
    let facts = match asked {
        Ok(Ok(viewer)) => {
            report.add([tracker::token(&TokenFacts::Accepted { origin, login: viewer.login })]);
            report.add([tracker::scopes(viewer.scopes.as_deref(), is_project)]);
            return true;
        }
        Ok(Err(error)) => match error.kind {
            TrackerErrorKind::RateLimited { .. } => {
                report.skip(&[CheckId::Token], "no requests are left (see `rate-budget`)");
                return false;
            }
            TrackerErrorKind::Unauthorized | TrackerErrorKind::Forbidden => {
                TokenFacts::Refused { origin, said: error.answer }
            }
            _ => TokenFacts::NotHad(format!("whose token it is cannot be told: {}", shown(&error))),
        },
        Err(_) => {
            TokenFacts::NotHad("whose token it is cannot be told: there was no answer in time".to_owned())
        }
    };
    report.add([tracker::token(&facts)]);
    false
}

/// Looks at the repositories. Returns those that can be seen.
pub(super) async fn repositories(github: &GitHub, repos: &[RepoSlug], report: &mut Report) -> Vec<RepoSlug> {
    let mut seen = Vec::new();
    for repo in repos {
        let sight =
            within(async { github.repository_sight(repo).await.map_err(|error| shown(&error)) }).await;
        let facts = match sight {
            Ok(Some(sight)) => {
                seen.push(repo.clone());
                RepositoryFacts::Seen {
                    may_write: sight.may_write,
                    is_archived: sight.is_archived,
                    has_issues: sight.has_issues,
                }
            }
            Ok(None) => RepositoryFacts::Unseen,
            Err(why) => RepositoryFacts::Unread(why),
        };
        report.add([tracker::repository(&repo.to_string(), &facts)]);
    }
    seen
}

async fn definitions(github: &GitHub, repo: &RepoSlug) -> Result<Vec<LabelDefinition>, String> {
    within(async { github.label_definitions(repo).await.map_err(|error| shown(&error)) }).await
}

pub(super) async fn labels(github: &GitHub, repos: &[RepoSlug], report: &mut Report) {
    for repo in repos {
        let there = match definitions(github, repo).await {
            Ok(there) => there,
            Err(why) => {
                report.add([unlisted(CheckId::Labels, repo, &why)]);
                continue;
            }
        };
        let wanted = || LIFECYCLE_LABELS.into_iter().chain(FURTHER_LABELS);
        let found = |name: &str| there.iter().find(|label| label.name.eq_ignore_ascii_case(name));
        let missing: Vec<_> =
            wanted().filter(|(name, ..)| found(name).is_none()).map(|(name, ..)| name.to_owned()).collect();
        let looks = |label: &LabelDefinition, color: &str, description: &str| {
            label.color.eq_ignore_ascii_case(color) && label.description == description
        };
        let different: Vec<_> = wanted()
            .filter(|(name, color, meaning)| found(name).is_some_and(|it| !looks(it, color, meaning)))
            .map(|(name, ..)| name.to_owned())
            .collect();
        report.add([tracker::labels(&repo.to_string(), &missing, &different, wanted().count())]);
    }
}

pub(super) async fn board(
    github: &GitHub,
    config: &Config,
    pipeline: &Pipeline,
    repos: &[RepoSlug],
    report: &mut Report,
) {
    let stages: Vec<_> = pipeline.stages().iter().map(|stage| stage.name.clone()).collect();
    let field = &config.sources.field;
    if let Some(project) = &config.sources.project {
        let board = ProjectBoard::new(github.clone(), repos.to_vec(), project.clone(), field.clone());
        let columns = within(async { board.column_names().await.map_err(|error| shown(&error)) }).await;
        let columns = columns.as_deref().map_err(String::as_str);
        return report.add([tracker::project_board(project, field, &stages, columns)]);
    }
    for repo in repos {
        report.add([match definitions(github, repo).await {
            Ok(there) => {
                let names: Vec<_> = there.into_iter().map(|label| label.name).collect();
                tracker::label_board(&repo.to_string(), &stages, &names)
            }
            Err(why) => unlisted(CheckId::Board, repo, &why),
        }]);
    }
}

fn unlisted(check: CheckId, repo: &RepoSlug, why: &str) -> Finding {
    let found = format!("the labels of {repo} cannot be listed: {why}");
    Finding::fail(check, found, format!("try it by hand: baton labels sync --dry-run --repo {repo}"))
}

/// What was tried and came back; what to do is said by the finding.
pub(super) fn shown(error: &TrackerError) -> String {
    format!("{}: {}", error.tried, error.answer)
}

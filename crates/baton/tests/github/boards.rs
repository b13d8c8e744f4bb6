//! Boards against the real forge: surveys, columns, moves, and what an idle survey costs.

use baton_core::labels::dialect::Dialect;
use baton_core::tracker::{IssueKey, Scope, Survey};
use baton_github::{GitHubBoard, LabelBoard, ProjectBoard};
use baton_ports::{Board as _, Tracker as _, TrackerErrorKind};
use serde_json::{Value, json};

use crate::github::{Setup, issue, refused, repo};
use baton_fixtures::TestServer;
use baton_fixtures::server::answer;

const STAGES: [&str; 3] = ["Plan", "Build", "Done"];

impl Setup {
    pub(crate) fn label_board(&self) -> GitHubBoard {
        let stages = STAGES.map(str::to_owned).to_vec();
        GitHubBoard::Labels(LabelBoard::new(self.github.clone(), vec![repo()], stages, Dialect::Baton))
    }

    /// Returns how many requests and points were used so far.
    pub(crate) async fn used(&self) -> (u64, u64) {
        let limits = self.forge.admin.must("GET", "/rate_limit", &Value::Null, 200).await;
        let used = |resource: &str| limits["resources"][resource]["used"].as_u64().unwrap();
        (used("core"), used("graphql"))
    }
}

pub(crate) fn numbers(survey: &Survey) -> Vec<u64> {
    survey.rows.iter().map(|row| row.issue.number).collect()
}

fn column(survey: &Survey, issue: &IssueKey) -> Option<String> {
    survey.rows.iter().find(|row| row.issue == *issue).and_then(|row| row.column.clone())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_survey_of_a_label_board_shows_every_open_issue_with_its_column() {
    let setup = Setup::new().await;
    let board = setup.label_board();
    setup.repo.post("/issues", json!({ "title": "second", "labels": ["Stage:build", "bug"] })).await;
    setup.repo.post("/issues", json!({ "title": "third", "labels": ["stage:Plan"] })).await;
    setup.repo.post("/issues", json!({ "title": "closed", "labels": [] })).await;
    setup.repo.post("/issues", json!({ "title": "closed on its way", "labels": ["baton:paused"] })).await;
    for number in [4, 5] {
        setup.github.close_issue(&issue(number)).await.unwrap();
    }
    let survey = board.survey(Scope::All).await.unwrap();
    assert!(survey.is_complete);
    assert_eq!(numbers(&survey), [1, 2, 3, 5]);
    assert_eq!(column(&survey, &issue(1)), None);
    assert_eq!(column(&survey, &issue(2)).as_deref(), Some("Build"));
    assert_eq!(column(&survey, &issue(3)).as_deref(), Some("Plan"));
    assert!(survey.rows[3].is_closed && !survey.rows[0].is_closed);
    assert!(survey.rows.iter().all(|row| !row.node_id.is_empty()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_move_on_a_label_board_leaves_one_column_and_all_marks() {
    let setup = Setup::new().await;
    let board = setup.label_board();
    let marks = ["stage:Plan:complete", "stage:Plan", "bug"];
    setup.github.add_labels(&issue(1), &marks).await.unwrap();
    for _ in 0..2 {
        board.move_to(&issue(1), "build").await.unwrap();
        let seen = setup.github.sight(&issue(1), "none").await.unwrap().value;
        assert_eq!(board.column_of(&seen).as_deref(), Some("Build"));
        let mut labels = seen.issue.labels;
        labels.sort();
        assert_eq!(labels, ["bug", "stage:Build", "stage:Plan:complete"]);
    }
    let error = refused(board.move_to(&issue(1), "Nowhere").await, TrackerErrorKind::Invalid);
    assert!(error.answer.contains("Plan, Build, Done"), "{error}");
    refused(board.move_to(&issue(99), "Plan").await, TrackerErrorKind::NotFound);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_idle_survey_of_a_label_board_costs_nothing() {
    let setup = Setup::new().await;
    let board = setup.label_board();
    board.survey(Scope::All).await.unwrap();
    board.survey(Scope::News).await.unwrap();
    let before = setup.used().await;
    for _ in 0..5 {
        board.survey(Scope::News).await.unwrap();
    }
    assert_eq!(setup.used().await, before);
}

#[tokio::test(flavor = "multi_thread")]
async fn news_of_a_label_board_show_what_changed_and_cost_one_request() {
    let setup = Setup::new().await;
    let board = setup.label_board();
    board.survey(Scope::All).await.unwrap();
    for _ in 0..2 {
        board.survey(Scope::News).await.unwrap();
    }
    setup.github.add_labels(&issue(1), &["stage:Plan"]).await.unwrap();
    let opened = setup.repo.post("/issues", json!({ "title": "new", "labels": ["stage:Build"] })).await;
    let number = opened["number"].as_u64().unwrap();
    let before = setup.used().await;
    let news = board.survey(Scope::News).await.unwrap();
    let after = setup.used().await;
    assert_eq!((after.0 - before.0, after.1 - before.1), (1, 0));
    assert!(!news.is_complete);
    assert_eq!(column(&news, &issue(1)).as_deref(), Some("Plan"));
    assert_eq!(column(&news, &issue(number)).as_deref(), Some("Build"));
    setup.github.close_issue(&issue(number)).await.unwrap();
    let news = board.survey(Scope::News).await.unwrap();
    assert!(news.rows.iter().any(|row| row.issue.number == number && row.is_closed));
}

async fn graph(setup: &Setup, query: &str, variables: Value) -> Value {
    let body = json!({ "query": query, "variables": variables });
    let answer = setup.forge.admin.must("POST", "/graphql", &body, 200).await;
    assert!(answer["errors"].is_null(), "{answer}");
    answer["data"].clone()
}

/// Makes a project with the columns of [`STAGES`] in its field `Status`, and returns its id.
pub(crate) async fn project(setup: &Setup) -> String {
    let viewer = graph(setup, "{ viewer { id } }", json!({})).await;
    let create = "mutation($o: ID!) { createProjectV2(input: {ownerId: $o, title: \"board\"}) { projectV2 { id \
                  field(name: \"Status\") { ... on ProjectV2SingleSelectField { id } } } } }";
    let made = graph(setup, create, json!({ "o": viewer["viewer"]["id"] })).await;
    let project = made["createProjectV2"]["projectV2"].clone();
    let options: Vec<_> =
        STAGES.iter().map(|name| json!({ "name": name, "color": "GRAY", "description": "" })).collect();
    let change = "mutation($f: ID!, $o: [ProjectV2SingleSelectFieldOptionInput!]) \
                  { updateProjectV2Field(input: {fieldId: $f, singleSelectOptions: $o}) { clientMutationId } }";
    graph(setup, change, json!({ "f": project["field"]["id"], "o": options })).await;
    project["id"].as_str().unwrap().to_owned()
}

pub(crate) fn project_board(setup: &Setup, field: &str) -> GitHubBoard {
    let project = "admin/1".parse().unwrap();
    let board = ProjectBoard::new(setup.github.clone(), vec![repo()], project, field.to_owned());
    GitHubBoard::Project(board)
}

#[tokio::test(flavor = "multi_thread")]
async fn an_issue_moves_over_a_project_and_is_put_onto_it_first() {
    let setup = Setup::new().await;
    project(&setup).await;
    let board = project_board(&setup, "status");
    for column in ["plan", "Build", "Build"] {
        board.move_to(&issue(1), column).await.unwrap();
        let seen = setup.github.sight(&issue(1), "none").await.unwrap().value;
        assert_eq!(seen.placements.len(), 1, "{:?}", seen.placements);
        assert!(board.column_of(&seen).unwrap().eq_ignore_ascii_case(column));
    }
    let error = refused(board.move_to(&issue(1), "Nowhere").await, TrackerErrorKind::Invalid);
    assert!(error.answer.contains("Plan, Build, Done"), "{error}");
    refused(board.move_to(&issue(99), "Plan").await, TrackerErrorKind::NotFound);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_board_that_was_never_surveyed_knows_the_column_of_what_is_seen() {
    let setup = Setup::new().await;
    project(&setup).await;
    project(&setup).await;
    project_board(&setup, "Status").move_to(&issue(1), "Build").await.unwrap();
    let seen = setup.github.sight(&issue(1), "none").await.unwrap().value;
    assert_eq!(project_board(&setup, "Status").column_of(&seen).as_deref(), Some("Build"));
    let spelled = "ADMIN/1".parse().unwrap();
    let fresh = ProjectBoard::new(setup.github.clone(), vec![repo()], spelled, "Status".into());
    assert_eq!(fresh.column_of(&seen).as_deref(), Some("Build"));
    let other =
        ProjectBoard::new(setup.github.clone(), vec![repo()], "admin/2".parse().unwrap(), "Status".into());
    assert_eq!(other.column_of(&seen), None, "it is on another project");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_project_or_a_field_that_is_not_there_is_an_error() {
    let setup = Setup::new().await;
    project(&setup).await;
    let error = refused(project_board(&setup, "Size").survey(Scope::All).await, TrackerErrorKind::Invalid);
    assert!(error.answer.contains("`Size`"), "{error}");
    refused(project_board(&setup, "Title").survey(Scope::News).await, TrackerErrorKind::Invalid);
    let other =
        ProjectBoard::new(setup.github.clone(), vec![repo()], "admin/9".parse().unwrap(), "Status".into());
    refused(other.survey(Scope::All).await, TrackerErrorKind::NotFound);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_repository_that_was_renamed_is_told_instead_of_an_empty_board() {
    let check = async |name: &str, current: &str| {
        let gate = json!({ "repositoryOwner": { "projectV2": {
            "id": "PVT_1", "updatedAt": "2026-05-01T11:55:48Z",
            "field": { "__typename": "ProjectV2SingleSelectField", "id": "F", "options": [] } } } });
        let content = json!({ "__typename": "Issue", "id": "I_1", "number": 1, "title": "first", "closed": false,
            "updatedAt": "2026-05-01T11:55:48Z", "repository": { "nameWithOwner": name } });
        let item = json!({ "id": "PVTI_1", "isArchived": false, "updatedAt": "2026-05-01T11:55:48Z", "content": content });
        let items = json!({ "node": { "page": { "nodes": [item] } } });
        let named = json!({ "repository": { "nameWithOwner": current } });
        let server = TestServer::start(move |request| {
            let data = match &request.body {
                body if body.contains("query ProjectGate") => &gate,
                body if body.contains("query ProjectItems") => &items,
                _ => &named,
            };
            answer(200, &[], &json!({ "data": data }).to_string())
        })
        .await;
        let project = "admin/1".parse().unwrap();
        let github = crate::github::github(&server.url, "tok");
        ProjectBoard::new(github, vec![repo()], project, "Status".into()).survey(Scope::All).await
    };
    assert_eq!(numbers(&check("Admin/Web", "unasked").await.unwrap()), [1]);
    assert!(check("admin/other", "admin/web").await.unwrap().rows.is_empty(), "it has nothing on the board");
    let error = refused(check("admin/site", "admin/site").await, TrackerErrorKind::Invalid);
    assert!(error.answer.contains("admin/web is called admin/site now"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_idle_survey_of_a_project_costs_one_point_and_no_request() {
    let setup = Setup::new().await;
    project(&setup).await;
    let board = project_board(&setup, "Status");
    board.move_to(&issue(1), "Plan").await.unwrap();
    setup.forge.shift_clock(30).await;
    assert_eq!(column(&board.survey(Scope::All).await.unwrap(), &issue(1)).as_deref(), Some("Plan"));
    board.survey(Scope::News).await.unwrap();
    let before = setup.used().await;
    for _ in 0..5 {
        board.survey(Scope::News).await.unwrap();
    }
    let after = setup.used().await;
    assert_eq!((after.0 - before.0, after.1 - before.1), (0, 5));
}

#[tokio::test(flavor = "multi_thread")]
async fn news_of_a_project_show_moves_and_changes_of_issues() {
    let setup = Setup::new().await;
    project(&setup).await;
    let board = project_board(&setup, "Status");
    board.move_to(&issue(1), "Plan").await.unwrap();
    setup.forge.shift_clock(30).await;
    let first = board.survey(Scope::News).await.unwrap();
    assert!(first.is_complete, "the first is a whole one");
    setup.github.post_comment(&issue(1), "news").await.unwrap();
    let news = board.survey(Scope::News).await.unwrap();
    let row = news.rows.iter().find(|row| row.issue == issue(1)).unwrap();
    assert!(!news.is_complete && row.updated_at > first.rows[0].updated_at);
    assert_eq!(row.column, None, "the list of issues does not tell the column");
    board.move_to(&issue(1), "Build").await.unwrap();
    // Twice in the same second: the project's own time tells no difference.
    assert_eq!(column(&board.survey(Scope::News).await.unwrap(), &issue(1)).as_deref(), Some("Build"));
    board.move_to(&issue(1), "Done").await.unwrap();
    assert_eq!(column(&board.survey(Scope::News).await.unwrap(), &issue(1)).as_deref(), Some("Done"));
}

#[tokio::test(flavor = "multi_thread")]
async fn news_of_a_pull_request_are_news_of_its_issue() {
    let setup = Setup::new().await;
    let board = setup.label_board();
    setup.commit_to("baton/issue-1", "work.txt").await;
    let pull = setup.open_pull("baton/issue-1").await;
    board.survey(Scope::All).await.unwrap();
    setup.github.sight(&issue(1), "baton/issue-1").await.unwrap();
    let before = board.survey(Scope::News).await.unwrap();
    let at = |survey: &Survey| {
        survey.rows.iter().find(|row| row.issue == issue(1)).map(|row| row.updated_at).unwrap()
    };
    setup.forge.shift_clock(30).await;
    setup.github.post_comment(&issue(pull), "on the pull request").await.unwrap();
    let after = board.survey(Scope::News).await.unwrap();
    assert!(at(&after) > at(&before));
    assert!(!numbers(&after).contains(&pull), "a pull request is not on the board itself");
    assert_eq!(at(&board.survey(Scope::News).await.unwrap()), at(&after), "nothing else happened");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_survey_that_failed_is_made_good_by_the_next() {
    let setup = Setup::new().await;
    setup.forge.admin.must("POST", "/user/repos", &json!({ "name": "api", "auto_init": true }), 201).await;
    let repos = vec![repo(), "admin/api".parse().unwrap()];
    let stages = STAGES.map(str::to_owned).to_vec();
    let board = LabelBoard::new(setup.github.clone(), repos, stages, Dialect::Baton);
    board.survey(Scope::All).await.unwrap();
    setup.repo.post("/issues", json!({ "title": "new" })).await;
    setup.forge.shift_clock(600).await;
    setup.github.add_labels(&issue(1), &["stage:Plan"]).await.unwrap();
    setup.fault("GET", "/repos/admin/api/issues", "before", json!({ "status": 500 }), 4).await;
    refused(board.survey(Scope::News).await, TrackerErrorKind::Unavailable);
    let news = board.survey(Scope::News).await.unwrap();
    assert!(numbers(&news).contains(&1) && numbers(&news).contains(&2), "{news:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crowd_of_changes_does_not_make_idle_surveys_long() {
    let setup = Setup::new().await;
    let board = setup.label_board();
    for number in 0..120 {
        setup.repo.post("/issues", json!({ "title": number.to_string() })).await;
    }
    board.survey(Scope::All).await.unwrap();
    setup.forge.shift_clock(120).await;
    board.survey(Scope::News).await.unwrap();
    board.survey(Scope::News).await.unwrap();
    let (before, used) = (setup.github.requests_sent(), setup.used().await);
    assert!(board.survey(Scope::News).await.unwrap().rows.is_empty());
    assert_eq!((setup.github.requests_sent() - before, setup.used().await), (1, used));
}

//! Payloads of what other parts of the forge write, made from rows that are put there by hand.

use rusqlite::Connection;
use serde_json::{Value, json};

use super::write;
use crate::db::Database;

use crate::git::GitStore;
use crate::hooks::events::{Event, events_of};
use crate::hooks::post::Origin;
use crate::news::{News, Scope, What};
use crate::wire::Links;

/// A repository with a commit, a pull request, a review of it, checks and a board. `OID` stands for the commit.
const ROWS: &str = "
    INSERT INTO accounts (id, login, kind, created_at, updated_at) VALUES (1, 'acme', 'Organization', 1, 1), (2, 'ada', 'User', 1, 1);
    INSERT INTO repos (id, owner_id, name, default_branch, created_at, updated_at, pushed_at) VALUES (1, 1, 'web', 'main', 1, 1, 1);
    INSERT INTO refs (repo_id, name, oid, kind) VALUES (1, 'refs/heads/main', 'OID', 'commit');
    INSERT INTO issues (id, repo_id, number, is_pull, author_id, title, created_at, updated_at) VALUES (1, 1, 1, 1, 2, 'pull', 1, 1);
    INSERT INTO pulls (id, issue_id, repo_id, head_repo_id, head_ref, head_oid, base_ref, base_oid)
        VALUES (7, 1, 1, 1, 'topic', 'OID', 'main', 'OID');
    INSERT INTO teams (id, org_id, slug, name, created_at, updated_at) VALUES (1, 1, 'core', 'Core', 1, 1);
    INSERT INTO reviews (id, repo_id, pull_id, author_id, state, body, commit_oid, created_at, updated_at, submitted_at)
        VALUES (1, 1, 7, 2, 'APPROVED', 'well', 'OID', 1, 1, 1), (2, 1, 7, 2, 'DISMISSED', '', 'OID', 1, 1, 1);
    INSERT INTO review_threads (id, pull_id, path, line, original_line, position, original_position, commit_oid,
            original_commit_oid, diff_hunk, created_at)
        VALUES (1, 7, 'a.txt', 2, 2, 2, 2, 'OID', 'OID', '@@ -1 +1,2 @@' || char(10) || ' a' || char(10) || '+b', 1);
    INSERT INTO review_comments (id, repo_id, pull_id, thread_id, review_id, author_id, body, created_at, updated_at)
        VALUES (1, 1, 7, 1, 1, 2, 'why?', 1, 1);
    INSERT INTO check_suites (id, repo_id, app_id, head_oid, head_branch, created_at, updated_at) VALUES (1, 1, 1, 'OID', 'topic', 1, 1);
    INSERT INTO check_runs (id, repo_id, suite_id, name, head_oid, status, conclusion, started_at, completed_at)
        VALUES (1, 1, 1, 'build', 'OID', 'completed', 'success', 1, 2);
    INSERT INTO statuses (id, repo_id, oid, state, context, creator_id, created_at, updated_at)
        VALUES (1, 1, 'OID', 'success', 'ci', 2, 1, 1);
    INSERT INTO projects (id, owner_id, number, title, creator_id, created_at, updated_at) VALUES (1, 1, 1, 'board', 2, 1, 1);
    INSERT INTO project_items (id, project_id, issue_id, creator_id, position, created_at, updated_at) VALUES (1, 1, 1, 2, 1, 1, 1);
    INSERT INTO project_items (id, project_id, draft_title, creator_id, position, created_at, updated_at) VALUES (2, 1, 'draft', 2, 2, 1, 1);
";

struct Scenery {
    _directory: tempfile::TempDir,
    db: Database,
    origin: Origin,
    oid: String,
}

impl Scenery {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let git = GitStore::new(directory.path().join("repos"));
        let repository = git.init(1, "main").unwrap();
        let by = git2::Signature::new("Ada", "ada@example.com", &git2::Time::new(1, 0)).unwrap();
        let tree = repository.treebuilder(None).unwrap().write().unwrap();
        let tree = repository.find_tree(tree).unwrap();
        let oid =
            repository.commit(Some("refs/heads/main"), &by, &by, "begin", &tree, &[]).unwrap().to_string();
        let db = Database::open(&directory.path().join("forge.db")).unwrap();
        let rows = ROWS.replace("OID", &oid);
        let filled: Result<(), crate::db::WriteError> = db.writer().write_blocking(move |tx| {
            tx.execute_batch(&rows).map_err(|error| crate::db::WriteError::Commit(error.to_string()))
        });
        filled.unwrap();
        let web = "http://forge.test".to_owned();
        let origin = Origin { links: Links { api: web.clone(), web }, git };
        Self { _directory: directory, db, origin, oid }
    }

    /// The payload of news, as the only event that they are.
    fn payload(&self, scope: Scope, what: What) -> Value {
        let news = News { scope, actor_id: 2, now: 3, what };
        let write = |conn: &Connection| {
            let events: Vec<Event> = events_of(&news.what, |_| true);
            write(conn, &self.origin, &news, events[0]).unwrap()
        };
        serde_json::from_str(&self.db.read(write).unwrap()).unwrap()
    }

    fn in_repo(&self, what: What) -> Value {
        self.payload(Scope::Repo(1), what)
    }
}

#[test]
fn reviews_and_what_was_said_in_them_are_shown_with_their_pull_request() {
    let scenery = Scenery::new();
    let review = scenery.in_repo(What::Review { review_id: 1, action: "submitted", detail: Value::Null });
    assert_eq!(
        (&review["review"]["state"], &review["pull_request"]["number"]),
        (&json!("approved"), &json!(1))
    );
    let detail = json!({ "body": { "from": "ill" } });
    let edited = scenery.in_repo(What::Review { review_id: 1, action: "edited", detail: detail.clone() });
    assert_eq!(edited["changes"], detail);
    let dismissed = scenery.in_repo(What::Review { review_id: 2, action: "dismissed", detail: Value::Null });
    assert_eq!(
        (&dismissed["review"]["state"], &dismissed["review"]["body"]),
        (&json!("dismissed"), &Value::Null)
    );
    let created = What::ReviewComment { comment_id: 1, action: "created", detail: Value::Null };
    let comment = scenery.in_repo(created);
    assert_eq!((&comment["comment"]["position"], &comment["comment"]["line"]), (&json!(2), &json!(2)));
    assert_eq!(comment["comment"]["reactions"]["total_count"], 0);
    let gone = json!({ "pull_id": 7, "comment": comment["comment"] });
    let deleted = scenery.in_repo(What::ReviewComment { comment_id: 99, action: "deleted", detail: gone });
    assert_eq!(deleted["comment"], comment["comment"]);
    let thread = scenery.in_repo(What::ReviewThread { thread_id: 1, action: "resolved" });
    assert_eq!(thread["thread"]["comments"], json!([comment["comment"]]));
}

#[test]
fn whoever_is_asked_for_a_review_is_named() {
    let scenery = Scenery::new();
    let asked =
        |detail: Value| scenery.in_repo(What::Issue { issue_id: 1, action: "review_requested", detail });
    assert_eq!(asked(json!({ "requested_reviewer": 2 }))["requested_reviewer"]["login"], "ada");
    assert_eq!(asked(json!({ "requested_team": 1 }))["requested_team"]["slug"], "core");
}

#[test]
fn checks_and_statuses_are_shown_with_their_commit() {
    let scenery = Scenery::new();
    let run = scenery.in_repo(What::CheckRun { run_id: 1, action: "completed" });
    assert_eq!(
        (&run["check_run"]["conclusion"], &run["check_run"]["check_suite"]["status"]),
        (&json!("success"), &json!("completed"))
    );
    assert_eq!(run["check_run"]["pull_requests"][0]["number"], 1);
    let suite = scenery.in_repo(What::CheckSuite { suite_id: 1, action: "completed" });
    assert_eq!(
        (&suite["check_suite"]["conclusion"], &suite["check_suite"]["head_commit"]["message"]),
        (&json!("success"), &json!("begin"))
    );
    let status = scenery.in_repo(What::Status { status_id: 1 });
    assert_eq!((&status["sha"], &status["branches"][0]["name"]), (&json!(scenery.oid), &json!("main")));
    assert_eq!(status["commit"]["commit"]["message"], "begin");
}

#[test]
fn boards_are_told_to_their_organisation_with_what_their_items_show() {
    let scenery = Scenery::new();
    let board = |what| scenery.payload(Scope::Owner(1), what);
    let created = board(What::Project { project_id: 1, action: "created", detail: Value::Null });
    assert_eq!(
        (&created["projects_v2"]["title"], &created["organization"]["login"]),
        (&json!("board"), &json!("acme"))
    );
    assert!(created.get("repository").is_none());
    let item = |item_id, action, detail| board(What::ProjectItem { item_id, action, detail });
    let added = item(1, "created", Value::Null);
    assert_eq!(added["projects_v2_item"]["content_type"], "PullRequest");
    assert_eq!(item(2, "created", Value::Null)["projects_v2_item"]["content_type"], "DraftIssue");
    let changes = json!({ "archived_at": { "from": null, "to": "1970-01-01T00:00:03Z" } });
    assert_eq!(item(1, "archived", changes.clone())["changes"], changes);
    let gone = json!({
        "project_id": 1, "creator_id": 2, "content_node_id": "I_1", "content_type": "Issue",
        "created_at": "1970-01-01T00:00:01Z", "updated_at": "1970-01-01T00:00:01Z", "archived_at": null,
    });
    assert_eq!(item(99, "deleted", gone)["projects_v2_item"]["content_node_id"], "I_1");
}

#[test]
fn an_issue_that_is_gone_is_shown_as_its_news_say() {
    let scenery = Scenery::new();
    let detail = json!({ "issue": { "number": 5 } });
    let news = News {
        scope: Scope::Repo(1),
        actor_id: 2,
        now: 3,
        what: What::Issue { issue_id: 99, action: "deleted", detail },
    };
    let event = events_of(&news.what, |_| false)[0];
    let body = scenery.db.read(|conn| write(conn, &scenery.origin, &news, event).unwrap()).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&body).unwrap()["issue"]["number"], 5);
}

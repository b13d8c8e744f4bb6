//! Protected branches: their rules, and what they say to merges and pushes.

use baton_fixtures::git::run;
use serde_json::{Value, json};

use crate::relay::world::{REPO, World};

const MAIN: &str = "/repos/acme/web/branches/main/protection";

impl World {
    pub(crate) async fn protect(&self, change: Value) {
        self.protect_branch("main", change).await;
    }

    async fn protect_branch(&self, branch: &str, change: Value) {
        let mut rules = json!({
            "required_status_checks": null,
            "enforce_admins": false,
            "required_pull_request_reviews": null,
            "restrictions": null,
        });
        for (key, value) in change.as_object().unwrap() {
            rules[key] = value.clone();
        }
        self.ok(&self.admin, "PUT", &format!("{REPO}/branches/{branch}/protection"), rules).await;
    }
}

fn reviews(count: u64) -> Value {
    json!({ "required_pull_request_reviews": { "required_approving_review_count": count } })
}

fn checks(strict: bool, contexts: &[&str]) -> Value {
    json!({ "required_status_checks": { "strict": strict, "contexts": contexts } })
}

#[tokio::test(flavor = "multi_thread")]
async fn rules_are_written_read_changed_in_parts_and_removed() {
    let world = World::new().await;
    let admin =
        async |method: &str, path: &str, body: Value| world.ask(&world.admin, method, path, body).await;
    assert_eq!(admin("GET", MAIN, Value::Null).await.0, 404);
    assert_eq!(admin("PUT", MAIN, json!({ "enforce_admins": true })).await.0, 422);
    world.protect(checks(true, &["test"])).await;
    let contexts = format!("{MAIN}/required_status_checks/contexts");
    assert_eq!(
        admin("POST", &contexts, json!({ "contexts": ["lint", "test"] })).await,
        (200, json!(["test", "lint"]))
    );
    assert_eq!(admin("DELETE", &contexts, json!(["test"])).await, (200, json!(["lint"])));
    assert_eq!(admin("PUT", &contexts, json!(["a", "b"])).await, (200, json!(["a", "b"])));
    let reviews = format!("{MAIN}/required_pull_request_reviews");
    assert_eq!(admin("GET", &reviews, Value::Null).await.0, 404);
    let (status, view) = admin("PATCH", &reviews, json!({ "required_approving_review_count": 2 })).await;
    assert_eq!((status, &view["required_approving_review_count"]), (200, &json!(2)));
    assert_eq!(admin("PATCH", &reviews, json!({ "required_approving_review_count": 7 })).await.0, 422);
    assert_eq!(admin("POST", &format!("{MAIN}/enforce_admins"), Value::Null).await.1["enabled"], true);
    let (_, whole) = admin("GET", MAIN, Value::Null).await;
    assert_eq!(
        (&whole["required_status_checks"]["strict"], &whole["enforce_admins"]["enabled"]),
        (&json!(true), &json!(true))
    );
    let branch = world.get(&format!("{REPO}/branches/main")).await;
    assert_eq!(
        (&branch["protected"], &branch["protection"]["required_status_checks"]["enforcement_level"]),
        (&json!(true), &json!("everyone"))
    );
    assert_eq!(world.get(&format!("{REPO}/branches?protected=true")).await.as_array().unwrap().len(), 1);
    assert_eq!(world.ask(&world.ada, "DELETE", MAIN, Value::Null).await.0, 403);
    assert_eq!(admin("DELETE", MAIN, Value::Null).await.0, 204);
    assert_eq!(world.get(&format!("{REPO}/branches/main")).await["protected"], false);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_required_check_blocks_a_merge_until_it_passes_but_not_for_administrators() {
    let world = World::new().await;
    world.protect(checks(false, &["test"])).await;
    let pull = world.pull("feature", "").await;
    assert_eq!(world.judged(1).await["mergeable_state"], "blocked");
    let refused = async |why: &str| {
        let (status, answer) = world.merge(&world.ada, 1, json!({})).await;
        assert_eq!((status, &answer["message"]), (405, &json!(why)));
    };
    let report = async |conclusion: &str| {
        let run = json!({ "name": "test", "head_sha": pull["head"]["sha"], "conclusion": conclusion });
        world.ok(&world.bob, "POST", &format!("{REPO}/check-runs"), run).await;
    };
    refused("Required status check \"test\" is expected.").await;
    report("failure").await;
    refused("Required status check \"test\" is failing.").await;
    report("success").await;
    assert_eq!(world.judged(1).await["mergeable_state"], "clean");
    world.pull("second", "").await;
    assert_eq!(world.merge(&world.ada, 2, json!({})).await.0, 405);
    assert_eq!(world.merge(&world.admin, 2, json!({})).await.0, 200);
    assert_eq!(world.merge(&world.ada, 1, json!({})).await.0, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_strict_rule_asks_for_a_head_that_has_the_base() {
    let world = World::new().await;
    let pull = world.pull("feature", "").await;
    let run = json!({ "name": "test", "head_sha": pull["head"]["sha"], "conclusion": "success" });
    world.ok(&world.bob, "POST", &format!("{REPO}/check-runs"), run).await;
    world.protect(checks(true, &["test"])).await;
    let file = json!({ "message": "more", "content": "eA==", "branch": "main" });
    world.ok(&world.admin, "PUT", &format!("{REPO}/contents/more.txt"), file).await;
    assert_eq!(world.judged(1).await["mergeable_state"], "behind");
    assert_eq!(world.merge(&world.ada, 1, json!({})).await.0, 405);
}

#[tokio::test(flavor = "multi_thread")]
async fn pushes_to_a_protected_branch_are_refused_by_git_with_githubs_words() {
    let world = World::new().await;
    world.protect(reviews(1)).await;
    let ada = world.clone_as("direct", &world.ada);
    ada.commit("a.txt", "a\n");
    let push = |arguments: &[&str]| {
        let ran = run(&ada.path, arguments);
        (ran.code == 0, ran.err)
    };
    let (taken, said) = push(&["push", "origin", "HEAD:main", "HEAD:side"]);
    assert!(!taken && said.contains("GH006: Protected branch update failed for refs/heads/main."), "{said}");
    assert!(
        said.contains("At least 1 approving review is required by reviewers with write access."),
        "{said}"
    );
    assert!(said.contains("[new branch]"), "the other branch was taken: {said}");
    let tip = ada.git(&["rev-parse", "HEAD"]);
    let main = format!("{REPO}/git/refs/heads/main");
    let (status, answer) = world.ask(&world.ada, "PATCH", &main, json!({ "sha": tip })).await;
    assert_eq!((status, answer["message"].as_str().unwrap().contains("approving review")), (422, true));
    let file = json!({ "message": "m", "content": "eA==", "branch": "main" });
    assert_eq!(world.ask(&world.ada, "PUT", &format!("{REPO}/contents/x"), file).await.0, 409);
    let merge = json!({ "base": "main", "head": "side" });
    assert_eq!(world.ask(&world.ada, "POST", &format!("{REPO}/merges"), merge).await.0, 403);
    let admin = world.clone_as("chief", &world.admin);
    admin.commit("b.txt", "b\n");
    admin.git(&["push", "-q", "origin", "main"]);
    admin.git(&["commit", "-q", "--amend", "-m", "other words"]);
    let forced = run(&admin.path, &["push", "--force", "origin", "main"]);
    assert!(forced.code != 0 && forced.err.contains("Cannot force-push to this branch"), "{forced:?}");
    world.ok(&world.admin, "POST", &format!("{MAIN}/enforce_admins"), Value::Null).await;
    let forced = run(&admin.path, &["push", "--force", "origin", "main"]);
    assert!(forced.err.contains("approving review"), "{forced:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_commit_that_has_passed_its_checks_may_be_pushed_directly() {
    let world = World::new().await;
    world.protect(checks(false, &["test"])).await;
    let ada = world.clone_as("direct", &world.ada);
    ada.commit("a.txt", "a\n");
    assert_ne!(run(&ada.path, &["push", "origin", "main"]).code, 0);
    ada.git(&["push", "-q", "origin", "HEAD:side"]);
    let run = json!({ "name": "test", "head_sha": ada.git(&["rev-parse", "HEAD"]), "conclusion": "success" });
    world.ok(&world.ada, "POST", &format!("{REPO}/check-runs"), run).await;
    ada.git(&["push", "-q", "origin", "main"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_protected_head_is_not_brought_up_to_date_by_one_who_may_not_push_to_it() {
    let world = World::new().await;
    let pull = world.pull("topic", "").await;
    let file = json!({ "message": "more", "content": "eA==", "branch": "main" });
    world.ok(&world.admin, "PUT", &format!("{REPO}/contents/more.txt"), file).await;
    world.protect_branch("topic", reviews(1)).await;
    let update = format!("{REPO}/pulls/1/update-branch");
    let (status, answer) = world.ask(&world.ada, "PUT", &update, Value::Null).await;
    let why = "At least 1 approving review is required by reviewers with write access.";
    assert_eq!((status, &answer["message"]), (422, &json!(why)));
    assert_eq!(world.get(&format!("{REPO}/pulls/1")).await["head"]["sha"], pull["head"]["sha"]);
    let rule = format!("{REPO}/branches/topic/protection");
    world.ok(&world.admin, "DELETE", &rule, Value::Null).await;
    assert_eq!(world.ask(&world.ada, "PUT", &update, Value::Null).await.0, 202);
}

#[tokio::test(flavor = "multi_thread")]
async fn graphql_changes_no_protected_branch_alone_or_among_others() {
    let world = World::new().await;
    let topic = world.branch("topic", "a.txt", "a\n");
    let next = world.branch("next", "b.txt", "b\n");
    world.protect_branch("topic", json!({})).await;
    let repo = world.repo_id().await;
    let batch = |name: &str, after: &str| {
        let free = json!({ "name": "refs/heads/free", "afterOid": next });
        let bound = json!({ "name": name, "afterOid": after, "force": true });
        json!({ "repositoryId": repo, "refUpdates": [free, bound] })
    };
    let at = async |name: &str| {
        let path = format!("{REPO}/git/ref/heads/{name}");
        world.ask(&world.ada, "GET", &path, Value::Null).await.1["object"]["sha"].clone()
    };
    let refused = async |token: &str, name: &str, input: Value, why: &str| {
        assert_eq!(world.refused(token, name, input).await["message"], why);
        assert_eq!((at("topic").await, at("free").await), (json!(topic), Value::Null));
    };
    let (force, delete) = ("Cannot force-push to this branch", "Cannot delete this branch");
    refused(&world.admin, "updateRefs", batch("refs/heads/topic", &next), force).await;
    refused(&world.ada, "updateRefs", batch("refs/heads/topic", &"0".repeat(40)), delete).await;
    let query = "query { repository(owner: \"acme\", name: \"web\") { ref(qualifiedName: \"refs/heads/topic\") { id } } }";
    let id = world.data(&world.ada, query, json!({})).await["repository"]["ref"]["id"].clone();
    let forced = json!({ "refId": id, "oid": next, "force": true });
    refused(&world.ada, "updateRef", forced, force).await;
    refused(&world.ada, "deleteRef", json!({ "refId": id }), delete).await;
    world.change(&world.ada, "updateRefs", batch("refs/heads/more", &next), "clientMutationId").await;
    assert_eq!(at("free").await, json!(next));
}

#[tokio::test(flavor = "multi_thread")]
async fn graphql_shows_rules_to_those_who_may_push() {
    let world = World::new().await;
    world.protect(reviews(2)).await;
    let query = "query { repository(owner: \"acme\", name: \"web\") { branchProtectionRules(first: 9) {
        totalCount nodes { id pattern requiredApprovingReviewCount } } } }";
    let rules = async |token: &str| {
        world.data(token, query, json!({})).await["repository"]["branchProtectionRules"].clone()
    };
    let shown = rules(&world.ada).await;
    assert_eq!((&shown["totalCount"], &shown["nodes"][0]["pattern"]), (&json!(1), &json!("main")));
    assert_eq!(rules(&world.eve).await, json!({ "totalCount": 0, "nodes": [] }));
    let node = "query($id: ID!) { node(id: $id) { ... on BranchProtectionRule { pattern } } }";
    let id = json!({ "id": shown["nodes"][0]["id"] });
    assert_eq!(world.data(&world.ada, node, id.clone()).await["node"]["pattern"], "main");
    assert_eq!(world.graph(&world.eve, node, id).await["errors"][0]["type"], "NOT_FOUND");
}

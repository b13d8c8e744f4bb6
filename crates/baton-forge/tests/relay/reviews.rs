//! Reviews: verdicts, pending ones, requests, dismissals.

use serde_json::{Value, json};

use crate::relay::world::{REPO, World};

async fn pull_path(world: &World, branch: &str) -> String {
    let pull = world.pull(branch, "").await;
    format!("{REPO}/pulls/{}", pull["number"])
}

#[tokio::test(flavor = "multi_thread")]
async fn a_submitted_review_answers_the_request_and_shows_in_the_timeline() {
    let world = World::new().await;
    let path = pull_path(&world, "topic").await;
    let asked = format!("{path}/requested_reviewers");
    let pull = world.ok(&world.ada, "POST", &asked, json!({ "reviewers": ["bob"] })).await;
    assert_eq!(pull["requested_reviewers"][0]["login"], "bob");
    let review = json!({ "event": "APPROVE", "body": "fine" });
    let (status, review) = world.ask(&world.bob, "POST", &format!("{path}/reviews"), review).await;
    assert_eq!((status, &review["state"], &review["body"]), (200, &json!("APPROVED"), &json!("fine")));
    assert_eq!(world.get(&asked).await, json!({ "users": [], "teams": [] }));
    let timeline = world.get(&path.replace("pulls", "issues")).await;
    assert_eq!(timeline["number"], 1);
    let timeline = world.get(&format!("{}/timeline", path.replace("pulls", "issues"))).await;
    let kinds: Vec<_> = timeline.as_array().unwrap().iter().map(|entry| entry["event"].clone()).collect();
    assert_eq!(kinds, ["review_requested", "reviewed"]);
    assert_eq!(timeline[0]["requested_reviewer"]["login"], "bob");
    assert_eq!(timeline[1]["state"], "approved");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_reviewed_or_asked_for_is_refused() {
    let world = World::new().await;
    let path = pull_path(&world, "topic").await;
    let reviews = format!("{path}/reviews");
    for (body, why) in [
        (json!({ "event": "APPROVE" }), "Can not approve your own pull request"),
        (
            json!({ "event": "REQUEST_CHANGES", "body": "x" }),
            "Can not request changes on your own pull request",
        ),
        (json!({ "event": "COMMENT" }), "Body can't be blank"),
    ] {
        let (status, answer) = world.ask(&world.ada, "POST", &reviews, body).await;
        assert_eq!((status, &answer["errors"]), (422, &json!([why])));
    }
    assert_eq!(world.get(&reviews).await, json!([]));
    let asked = format!("{path}/requested_reviewers");
    for (login, status) in [("ada", 422), ("eve", 422), ("nobody", 422), ("bob", 201)] {
        let (found, answer) = world.ask(&world.ada, "POST", &asked, json!({ "reviewers": [login] })).await;
        assert_eq!(found, status, "{login}: {answer}");
    }
    let (status, _) = world.ask(&world.eve, "POST", &asked, json!({ "reviewers": ["bob"] })).await;
    assert_eq!(status, 403);
    let gone = world.ok(&world.ada, "DELETE", &asked, json!({ "reviewers": ["bob"] })).await;
    assert_eq!(gone["requested_reviewers"], json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pending_review_is_its_authors_alone_until_it_is_submitted() {
    let world = World::new().await;
    let path = pull_path(&world, "topic").await;
    let comment = json!({ "path": "topic.txt", "line": 2, "body": "why two?" });
    let review = json!({ "body": "soon", "comments": [comment] });
    let review = world.ok(&world.bob, "POST", &format!("{path}/reviews"), review).await;
    assert_eq!((&review["state"], review.get("submitted_at")), (&json!("PENDING"), None));
    let own = format!("{path}/reviews/{}", review["id"]);
    assert_eq!(world.ask(&world.ada, "GET", &own, Value::Null).await.0, 404);
    assert_eq!(world.get(&format!("{path}/comments")).await, json!([]));
    let (status, _) = world.ask(&world.bob, "POST", &format!("{path}/reviews"), json!({ "body": "2" })).await;
    assert_eq!(status, 422);
    let verdict = json!({ "event": "REQUEST_CHANGES" });
    let review = world.ok(&world.bob, "POST", &format!("{own}/events"), verdict).await;
    assert_eq!((&review["state"], &review["body"]), (&json!("CHANGES_REQUESTED"), &json!("soon")));
    let comments = world.get(&format!("{own}/comments")).await;
    assert_eq!((&comments[0]["position"], &comments[0]["body"]), (&json!(2), &json!("why two?")));
    let edited = world.ok(&world.bob, "PUT", &own, json!({ "body": "now" })).await;
    assert_eq!(edited["body"], "now");
    assert_eq!(world.ask(&world.bob, "DELETE", &own, Value::Null).await.0, 422);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dismissed_review_keeps_its_words_and_loses_its_weight() {
    let world = World::new().await;
    let path = pull_path(&world, "topic").await;
    let review = json!({ "event": "APPROVE" });
    let review = world.ok(&world.bob, "POST", &format!("{path}/reviews"), review).await;
    let dismissals = format!("{path}/reviews/{}/dismissals", review["id"]);
    let (status, _) = world.ask(&world.eve, "PUT", &dismissals, json!({ "message": "no" })).await;
    assert_eq!(status, 403);
    let after = world.ok(&world.ada, "PUT", &dismissals, json!({ "message": "too early" })).await;
    assert_eq!(after["state"], "DISMISSED");
    let events = world.get(&format!("{}/events", path.replace("pulls", "issues"))).await;
    let dismissed = &events[0]["dismissed_review"];
    assert_eq!(
        (&dismissed["state"], &dismissed["dismissal_message"]),
        (&json!("approved"), &json!("too early"))
    );
    let (status, _) = world.ask(&world.ada, "PUT", &dismissals, json!({ "message": "again" })).await;
    assert_eq!(status, 422);
}

#[tokio::test(flavor = "multi_thread")]
async fn graphql_shows_reviews_requests_and_the_latest_of_each_reviewer() {
    let world = World::new().await;
    let pull = world.pull("topic", "").await;
    let path = format!("{REPO}/pulls/{}", pull["number"]);
    for event in ["REQUEST_CHANGES", "APPROVE", "COMMENT"] {
        let review = json!({ "event": event, "body": event });
        world.ok(&world.bob, "POST", &format!("{path}/reviews"), review).await;
    }
    let request = "mutation($i: RequestReviewsByLoginInput!) { requestReviewsByLogin(input: $i) { pullRequest {
        reviewRequests(first: 5) { totalCount nodes { requestedReviewer { __typename ... on User { login } } } }
        reviews(first: 9, states: [APPROVED]) { totalCount }
        latestReviews(first: 9) { nodes { state } }
        latestOpinionatedReviews(first: 9) { nodes { state author { login } } } } } }";
    let input = json!({ "i": { "pullRequestId": pull["node_id"], "userLogins": ["bob"] } });
    let data = world.data(&world.ada, request, input).await;
    let shown = &data["requestReviewsByLogin"]["pullRequest"];
    let reviewer = json!({ "__typename": "User", "login": "bob" });
    assert_eq!(shown["reviewRequests"]["nodes"], json!([{ "requestedReviewer": reviewer }]));
    assert_eq!(shown["reviews"]["totalCount"], 1);
    assert_eq!(shown["latestReviews"]["nodes"], json!([{ "state": "COMMENTED" }]));
    let opinion = json!([{ "state": "APPROVED", "author": { "login": "bob" } }]);
    assert_eq!(shown["latestOpinionatedReviews"]["nodes"], opinion);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_review_is_written_piece_by_piece_over_graphql() {
    let world = World::new().await;
    let pull = world.pull("topic", "").await;
    let add = "mutation($i: AddPullRequestReviewThreadInput!) { addPullRequestReviewThread(input: $i) {
        thread { id isResolved path line diffSide subjectType comments(first: 5) { nodes {
          body diffHunk state pullRequestReview { id state } } } } } }";
    let input =
        json!({ "i": { "pullRequestId": pull["node_id"], "path": "topic.txt", "line": 2, "body": "hm" } });
    let data = world.data(&world.bob, add, input.clone()).await;
    let thread = &data["addPullRequestReviewThread"]["thread"];
    let comment = &thread["comments"]["nodes"][0];
    assert_eq!((&thread["line"], &comment["state"]), (&json!(2), &json!("PENDING")));
    assert_eq!(comment["diffHunk"], "@@ -0,0 +1,3 @@\n+one\n+two");
    let submit = "mutation($i: SubmitPullRequestReviewInput!) { submitPullRequestReview(input: $i) {
        pullRequestReview { state body comments(first: 5) { totalCount } } } }";
    let verdict =
        json!({ "i": { "pullRequestReviewId": comment["pullRequestReview"]["id"], "event": "APPROVE" } });
    let refused = world.graph(&world.ada, submit, verdict.clone()).await;
    assert_eq!(refused["errors"][0]["type"], "NOT_FOUND");
    let data = world.data(&world.bob, submit, verdict).await;
    let review = &data["submitPullRequestReview"]["pullRequestReview"];
    assert_eq!((&review["state"], &review["comments"]["totalCount"]), (&json!("APPROVED"), &json!(1)));
    let own = "mutation($i: AddPullRequestReviewInput!) { addPullRequestReview(input: $i) { pullRequestReview { id } } }";
    let input = json!({ "i": { "pullRequestId": pull["node_id"], "event": "APPROVE" } });
    let refused = world.graph(&world.ada, own, input).await;
    let message = refused["errors"][0]["message"].as_str().unwrap();
    assert!(message.contains("Can not approve your own pull request"), "{message}");
}

/// Approves a pull request as Bob, pushes to its head with git as Ada, and returns the reviews.
async fn reviews_after_a_push(world: &World, branch: &str) -> Value {
    let path = pull_path(world, branch).await;
    for event in ["COMMENT", "APPROVE"] {
        let review = json!({ "event": event, "body": event });
        world.ok(&world.bob, "POST", &format!("{path}/reviews"), review).await;
    }
    let clone = world.clone_as(&format!("again-{branch}"), &world.ada);
    clone.git(&["checkout", "-q", branch]);
    clone.commit("more.txt", "more\n");
    clone.git(&["push", "-q", "origin", branch]);
    world.get(&format!("{path}/reviews")).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_push_dismisses_approvals_where_the_protection_of_the_base_says_so_and_not_otherwise() {
    let world = World::new().await;
    let states = |reviews: &Value| (reviews[0]["state"].clone(), reviews[1]["state"].clone());
    let kept = (json!("COMMENTED"), json!("APPROVED"));
    assert_eq!(states(&reviews_after_a_push(&world, "free").await), kept);
    let rule = |dismiss: bool| json!({ "required_pull_request_reviews": { "required_approving_review_count": 1, "dismiss_stale_reviews": dismiss } });
    world.protect(rule(false)).await;
    assert_eq!(states(&reviews_after_a_push(&world, "kept").await), kept);
    assert_eq!(world.judged(2).await["mergeable_state"], "clean");
    world.protect(rule(true)).await;
    let stale = reviews_after_a_push(&world, "stale").await;
    assert_eq!(states(&stale), (json!("COMMENTED"), json!("DISMISSED")));
    assert_eq!(world.judged(3).await["mergeable_state"], "blocked");
    let events = world.get(&format!("{REPO}/issues/3/events")).await;
    let head = world.get(&format!("{REPO}/pulls/3")).await["head"]["sha"].clone();
    assert_eq!(events[0]["dismissed_review"]["dismissal_commit_id"], head);
}

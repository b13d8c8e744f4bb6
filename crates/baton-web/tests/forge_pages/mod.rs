//! The pages of the embedded forge, over a real forge and real connections: what a person without an account elsewhere does.

mod world;

use serde_json::json;
use world::{REPO, World};

#[tokio::test(flavor = "multi_thread")]
async fn repositories_are_listed_and_lead_to_their_issues() {
    let world = World::new().await;
    let page = world.see("/forge").await;
    assert!(page.contains("href=\"/forge/acme/web/issues\""), "{page}");
    let page = world.see("/forge/acme/web").await;
    assert!(page.contains("Open an issue"), "an empty list says what to do: {page}");
    let (status, page) = world.look("/forge/acme/none/issues").await;
    assert_eq!(status, 404, "{page}");
    let (status, _) = world.look("/forge/acme/..%2f..%2fuser/issues").await;
    assert_eq!(status, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_issue_is_opened_commented_labelled_closed_and_opened_again() {
    let world = World::new().await;
    let form = [("title", "Say hello"), ("body", "in\r\nFrench"), ("labels", "bug, stage:Specify")];
    let page = world.post("/forge/acme/web/issues/new", &form).await;
    for part in ["Say hello", "in<br />\nFrench", "The issue was opened.", "stage:Specify"] {
        assert!(page.contains(part), "{part}: {page}");
    }
    let issue = "/forge/acme/web/issues/1";
    let page = world.post(issue, &[("order", "comment"), ("comment", "Bonjour?")]).await;
    assert!(page.contains("Bonjour?") && page.contains("Your comment was added."), "{page}");
    world.post(issue, &[("order", "label"), ("label", "urgent/now")]).await;
    let labels = world.forge_get("/issues/1/labels").await;
    assert_eq!(labels.as_array().unwrap().len(), 3, "{labels}");
    let page = world.post(issue, &[("order", "unlabel"), ("label", "urgent/now")]).await;
    assert!(!page.contains("Remove label urgent/now"), "{page}");
    world.post(issue, &[("order", "close")]).await;
    assert!(!world.see("/forge/acme/web/issues").await.contains("Say hello"));
    assert!(world.see("/forge/acme/web/issues?state=closed").await.contains("Say hello"));
    let page = world.post(issue, &[("order", "reopen")]).await;
    assert!(page.contains("It was opened again."), "{page}");
    assert!(world.see("/forge/acme/web/issues?label=bug").await.contains("Say hello"));
    assert!(!world.see("/forge/acme/web/issues?label=other").await.contains("Say hello"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_order_is_told_in_place_and_loses_nothing() {
    let world = World::new().await;
    let path = "/forge/acme/web/issues/new";
    let (status, page) = world.send(path, &[("title", ""), ("body", "a long text")]).await;
    assert_eq!(status, 422, "{page}");
    assert!(page.contains("The forge refused:") && page.contains("a long text"), "{page}");
    world.post(path, &[("title", "x"), ("body", "")]).await;
    let (status, page) = world.send("/forge/acme/web/issues/1", &[("order", "dance")]).await;
    assert_eq!(status, 400, "{page}");
    let (status, _) = world.send("/forge/acme/web/issues/99", &[("order", "close")]).await;
    assert_eq!(status, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_strangers_wrote_is_shown_and_never_obeyed() {
    let world = World::new().await;
    let evil = "<script>alert(1)</script>\"'><img src=x onerror=y>";
    let pull = world.pull("evil", evil, "<b>body</b>", "<i>\n").await;
    world.say(&world.eve, "POST", &format!("{REPO}/issues"), json!({ "title": evil, "body": evil })).await;
    for page in [
        "/forge/acme/web/issues".to_owned(),
        "/forge/acme/web/issues?label=%22%3E%3Cscript%3E".to_owned(),
        "/forge/acme/web/issues/2".to_owned(),
        "/forge/acme/web/pulls".to_owned(),
        format!("/forge/acme/web/pulls/{pull}"),
        format!("/forge/acme/web/pulls/{pull}/files"),
        "/forge/acme/web/issues/2?done=%3Cscript%3E".to_owned(),
    ] {
        let shown = world.see(&page).await;
        for mark in ["<script>alert", "<script>\"", "<img", "<b>body", "<i>"] {
            assert!(!shown.contains(mark), "{page}: {mark}\n{shown}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pull_request_is_read_reviewed_and_merged() {
    let world = World::new().await;
    let protection = json!({
        "required_status_checks": null, "enforce_admins": true, "restrictions": null,
        "required_pull_request_reviews": { "required_approving_review_count": 1 },
    });
    world.say(&world.admin, "PUT", &format!("{REPO}/branches/main/protection"), protection).await;
    let number = world.pull("topic", "Add a greeting", "As agreed.", "one\ntwo\n").await;
    let pull = format!("/forge/acme/web/pulls/{number}");
    // The forge finds out in the background whether a pull request can be merged.
    let page = world.see_once_it_says(&pull, "A rule of the base branch").await;
    for part in ["Add a greeting", "As agreed.", "topic"] {
        assert!(page.contains(part), "{part}: {page}");
    }
    let sha = world.forge_get(&format!("/pulls/{number}")).await["head"]["sha"].as_str().unwrap().to_owned();
    let merge = [("order", "merge"), ("method", "squash"), ("sha", sha.as_str())];
    let (status, page) = world.send(&pull, &merge).await;
    assert_eq!(status, 405, "{page}");
    assert!(page.contains("At least 1 approving review is required"), "{page}");

    let review = |event| [("order", "review"), ("event", event), ("review", "Fine."), ("sha", sha.as_str())];
    let page = world.post(&pull, &review("REQUEST_CHANGES")).await;
    assert!(page.contains("bob requested changes"), "{page}");
    let page = world.post(&pull, &review("APPROVE")).await;
    assert!(page.contains("It can be merged.") && !page.contains("bob requested changes"), "{page}");
    let stale =
        [("order", "merge"), ("method", "squash"), ("sha", "0000000000000000000000000000000000000000")];
    let (status, page) = world.send(&pull, &stale).await;
    assert_eq!(status, 409, "{page}");
    let page = world.post(&pull, &merge).await;
    assert!(page.contains("The pull request was merged.") && page.contains("Merged by bob"), "{page}");
    assert!(world.see("/forge/acme/web/pulls?state=closed").await.contains("Add a greeting"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_line_is_commented_answered_and_its_thread_resolved() {
    let world = World::new().await;
    let number = world.pull("topic", "Add a greeting", "", "one\ntwo\n").await;
    let files = format!("/forge/acme/web/pulls/{number}/files");
    let page = world.see(&files).await;
    assert!(page.contains("Comment on line 2 of topic.txt"), "{page}");
    let page = world.see(&format!("{files}?path=topic.txt&side=RIGHT&line=2")).await;
    assert!(page.contains("id=\"line-note\""), "{page}");
    let sha = world.forge_get(&format!("/pulls/{number}")).await["head"]["sha"].as_str().unwrap().to_owned();
    let note = |line| {
        let place = [("path", "topic.txt"), ("side", "RIGHT"), ("line", line), ("sha", sha.as_str())];
        [place.as_slice(), &[("order", "line"), ("note", "Two what?")]].concat()
    };
    let (status, page) = world.send(&files, &note("9")).await;
    assert_eq!(status, 422, "{page}");
    let page = world.post(&files, &note("2")).await;
    assert!(page.contains("Two what?") && page.contains("topic.txt:2"), "{page}");

    let comments = world.forge_get(&format!("/pulls/{number}/comments")).await;
    let first = comments[0]["id"].to_string();
    let page = world.post(&files, &[("order", "reply"), ("reply_to", &first), ("reply", "Apples.")]).await;
    assert!(page.contains("Apples."), "{page}");
    let (_, rest) = page.split_once("name=\"thread\" value=\"").unwrap();
    let thread = rest.split('"').next().unwrap().to_owned();
    let pull = format!("/forge/acme/web/pulls/{number}");
    assert!(world.see(&pull).await.contains("One thread is not resolved"));
    let page = world.post(&pull, &[("order", "resolve"), ("thread", &thread)]).await;
    assert!(
        page.contains("The thread was resolved.") && !page.contains("One thread is not resolved"),
        "{page}"
    );
    let page = world.post(&pull, &[("order", "unresolve"), ("thread", &thread)]).await;
    assert!(page.contains("One thread is not resolved"), "{page}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_large_difference_is_cut_and_says_so() {
    let world = World::new().await;
    let content: String = (0..4000).map(|line| format!("text {line};\n")).collect();
    let number = world.pull("large", "Much", "", &content).await;
    let page = world.see(&format!("/forge/acme/web/pulls/{number}/files")).await;
    assert!(page.contains("1000 more lines of this file are not shown"), "{}", page.len());
    assert!(page.contains("text 2999;") && !page.contains("text 3000;"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_list_comes_in_pages() {
    let world = World::new().await;
    for number in 1..=31 {
        let issue = json!({ "title": format!("issue number {number}.") });
        world.say(&world.eve, "POST", &format!("{REPO}/issues"), issue).await;
    }
    let first = world.see("/forge/acme/web/issues").await;
    assert!(first.contains("31 open issues") && first.contains("issue number 31."), "{first}");
    assert!(!first.contains("issue number 1."), "{first}");
    let (_, rest) = first.split_once("rel=\"next\" href=\"").unwrap();
    let older = rest.split('"').next().unwrap().replace("&amp;", "&");
    let second = world.see(&older).await;
    assert!(second.contains("issue number 1.") && second.contains("rel=\"prev\""), "{second}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_forge_that_is_gone_is_said_to_be_gone() {
    let world = World::new().await;
    let site = world.without_forge().await;
    let answer = reqwest::get(format!("{site}/forge/acme/web/issues")).await.unwrap();
    assert_eq!(answer.status(), 502);
    assert!(answer.text().await.unwrap().contains("the forge could not be reached"));
}

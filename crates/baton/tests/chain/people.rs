//! People's own words in bodies: before, between, during and after.

use baton_fixtures::processes::{Signal, send};
use baton_fixtures::wait::eventually;
use baton_fixtures::{Deed, Proxy, Side, Strike, TestEnv};
use serde_json::json;

use crate::chain::gate::Gate;
use crate::chain::setup::{Setup, branch, execute};

const BEGIN: &str = "<!-- baton:chain:begin login -->";
const END: &str = "<!-- baton:chain:end -->";

/// What is before and after our section.
fn around(body: &str) -> (String, String) {
    let (before, rest) = body.split_once(BEGIN).unwrap_or_else(|| panic!("no section in {body:?}"));
    let (_, after) = rest.split_once(END).unwrap_or_else(|| panic!("no end in {body:?}"));
    (before.to_owned(), after.to_owned())
}

#[tokio::test(flavor = "multi_thread")]
async fn words_before_between_and_after_survive_byte_for_byte() {
    let setup = Setup::new().await;
    ["api", "web"].iter().for_each(|repo| setup.push(repo, &[&branch("login")]));
    let quoted = format!("```\r\n{BEGIN}\r\nquoted\r\n{END}\r\n```\r\n");
    let first = format!("  Mine, with\ttabs. \r\n\r\n{quoted}Ünïcode ✅ \r\n");
    setup.open_by_hand("web", &branch("login"), "main", &first).await;
    let env = setup.env();
    env.run_async(&execute("login")).await.exits(1).says("admin/web: found by its branch");
    let body = setup.body("web", "login").await;
    assert!(body.starts_with(&first), "{body:?}");
    let section = body[first.len()..].to_owned();
    assert!(
        section.starts_with(&format!("\r\n{BEGIN}\r\n")) && !section.replace("\r\n", "").contains('\n'),
        "{section:?}"
    );
    let (before, after) = ("Above.\r\n- [ ] todo\r\n", "\r\n\r\nBelow, at last. \r\n");
    let edited = format!("{before}{}{after}", section.trim_start());
    setup.edit("web", "login", json!({ "body": edited })).await;
    setup.edit("web", "login", json!({ "title": "A better title" })).await;
    setup.push("docs", &[&branch("login")]);
    env.run_async(&["chain", "execute", "login"]).await.exits(0);
    let body = setup.body("web", "login").await;
    assert_eq!(around(&body), (before.to_owned(), after.to_owned()));
    assert!(body.contains("3. ☐ [admin/docs#1]("), "{body}");
    assert_eq!(setup.pull("web", "login").await["title"], "A better title");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_section_that_somebody_deleted_comes_back_and_a_broken_one_is_repaired() {
    let setup = Setup::with_branches("login").await;
    let env = setup.env();
    env.run_async(&execute("login")).await.exits(0);
    let whole = setup.body("web", "login").await;
    for (edited, expected) in [
        ("Only mine.".to_owned(), format!("Only mine.\n\n{whole}")),
        (String::new(), whole.clone()),
        (format!("{}\nMine.", whole.strip_suffix(END).unwrap()), format!("{whole}\n\nMine.")),
        (whole.replace("☐", "?"), whole.clone()),
        (format!("```\n{whole}\n```"), format!("```\n{whole}\n```\n\n{whole}")),
    ] {
        setup.edit("web", "login", json!({ "body": edited })).await;
        env.run_async(&["chain", "execute", "login"])
            .await
            .exits(0)
            .says("admin/web: body brought up to date");
        assert_eq!(setup.body("web", "login").await, expected, "after {edited:?}");
    }
}

/// Stops an execution after one of its requests has taken effect, lets a person work, and lets it go on.
async fn interrupted(setup: &Setup, env: &TestEnv, gate: &Gate, at: usize, body: &str) {
    let strike = Strike { at, side: Side::After, deed: Deed::Stop };
    let proxy = Proxy::start(&setup.forge.url, Some(strike)).await;
    gate.lead_to(&proxy.url);
    let child = env.spawn(&["chain", "execute", "login"]);
    let pid = child.id().unwrap();
    proxy.aim(pid);
    eventually("the strike", || proxy.is_struck().then_some(())).await;
    let last = proxy.seen().pop().unwrap();
    assert_eq!((last.method.as_str(), last.path.as_str()), ("PATCH", "/repos/admin/api/pulls/1"));
    setup.edit("api", "login", json!({ "body": body })).await;
    send(i32::try_from(pid).unwrap(), Signal::CONT);
    TestEnv::ended(child).await.exits(0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_who_saves_an_older_text_just_after_our_write_keeps_it_and_the_section_comes_back() {
    let setup = Setup::with_branches("login").await;
    let gate = Gate::start(&setup.forge.url).await;
    let env = setup.env_at(&gate.url);
    env.run_async(&execute("login")).await.exits(0);
    setup.edit("api", "login", json!({ "body": "An older text." })).await;
    // What an undisturbed execution asks tells which request is the write.
    let proxy = Proxy::start(&setup.forge.url, None).await;
    gate.lead_to(&proxy.url);
    env.run_async(&["chain", "execute", "login"]).await.exits(0);
    let at = proxy.seen().iter().position(|seen| seen.method == "PATCH").unwrap() + 1;
    setup.edit("api", "login", json!({ "body": "An older text." })).await;
    interrupted(&setup, &env, &gate, at, "A text that was begun before.").await;
    let (before, after) = around(&setup.body("api", "login").await);
    assert_eq!((before.as_str(), after.as_str()), ("A text that was begun before.\n\n", ""));
}

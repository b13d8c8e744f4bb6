//! People's own words in bodies: before, between, during and after.

use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use crate::chain::gate::Gate;
use crate::chain::proxy::{Deed, Proxy, Side, Strike};
use crate::chain::seat::Seat;
use crate::chain::waiting::{SOON, eventually};
use crate::chain::world::{World, branch, execute};

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
    let world = World::new().await;
    ["api", "web"].iter().for_each(|repo| world.push(repo, &[&branch("login")]));
    let quoted = format!("```\r\n{BEGIN}\r\nquoted\r\n{END}\r\n```\r\n");
    let first = format!("  Mine, with\ttabs. \r\n\r\n{quoted}Ünïcode ✅ \r\n");
    world.open_by_hand("web", &branch("login"), "main", &first).await;
    let seat = world.seat();
    seat.run(&execute("login")).await.exits(1).says("admin/web: found by its branch");
    let body = world.body("web", "login").await;
    assert!(body.starts_with(&first), "{body:?}");
    let section = body[first.len()..].to_owned();
    assert!(
        section.starts_with(&format!("\r\n{BEGIN}\r\n")) && !section.replace("\r\n", "").contains('\n'),
        "{section:?}"
    );
    let (before, after) = ("Above.\r\n- [ ] todo\r\n", "\r\n\r\nBelow, at last. \r\n");
    let edited = format!("{before}{}{after}", section.trim_start());
    world.edit("web", "login", json!({ "body": edited })).await;
    world.edit("web", "login", json!({ "title": "A better title" })).await;
    world.push("docs", &[&branch("login")]);
    seat.run(&["chain", "execute", "login"]).await.exits(0);
    let body = world.body("web", "login").await;
    assert_eq!(around(&body), (before.to_owned(), after.to_owned()));
    assert!(body.contains("3. ☐ [admin/docs#1]("), "{body}");
    assert_eq!(world.pull("web", "login").await["title"], "A better title");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_section_that_somebody_deleted_comes_back_and_a_broken_one_is_repaired() {
    let world = World::with_branches("login").await;
    let seat = world.seat();
    seat.run(&execute("login")).await.exits(0);
    let whole = world.body("web", "login").await;
    for (edited, expected) in [
        ("Only mine.".to_owned(), format!("Only mine.\n\n{whole}")),
        (String::new(), whole.clone()),
        (format!("{}\nMine.", whole.strip_suffix(END).unwrap()), format!("{whole}\n\nMine.")),
        (whole.replace("☐", "?"), whole.clone()),
        (format!("```\n{whole}\n```"), format!("```\n{whole}\n```\n\n{whole}")),
    ] {
        world.edit("web", "login", json!({ "body": edited })).await;
        seat.run(&["chain", "execute", "login"]).await.exits(0).says("admin/web: body brought up to date");
        assert_eq!(world.body("web", "login").await, expected, "after {edited:?}");
    }
}

/// Stops an execution after one of its requests has taken effect, lets a person work, and lets it go on.
async fn interrupted(world: &World, seat: &Seat, gate: &Gate, at: usize, body: &str) {
    let strike = Strike { at, side: Side::After, deed: Deed::Stop };
    let proxy = Proxy::start(&world.url, Some(strike)).await;
    gate.lead_to(&proxy.url);
    let child = seat.command(&["chain", "execute", "login"]).spawn().unwrap();
    let pid = child.id().unwrap();
    proxy.aim(pid);
    eventually("the strike", SOON, || proxy.is_struck().then_some(())).await;
    let last = proxy.seen().pop().unwrap();
    assert_eq!((last.method.as_str(), last.path.as_str()), ("PATCH", "/repos/admin/api/pulls/1"));
    world.edit("api", "login", json!({ "body": body })).await;
    kill_process(Pid::from_raw(i32::try_from(pid).unwrap()).unwrap(), Signal::CONT).unwrap();
    Seat::end(child).await.exits(0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_who_saves_an_older_text_just_after_our_write_keeps_it_and_the_section_comes_back() {
    let world = World::with_branches("login").await;
    let gate = Gate::start(&world.url).await;
    let seat = world.seat_at(&gate.url);
    seat.run(&execute("login")).await.exits(0);
    world.edit("api", "login", json!({ "body": "An older text." })).await;
    // What an undisturbed execution asks tells which request is the write.
    let proxy = Proxy::start(&world.url, None).await;
    gate.lead_to(&proxy.url);
    seat.run(&["chain", "execute", "login"]).await.exits(0);
    let at = proxy.seen().iter().position(|seen| seen.method == "PATCH").unwrap() + 1;
    world.edit("api", "login", json!({ "body": "An older text." })).await;
    interrupted(&world, &seat, &gate, at, "A text that was begun before.").await;
    let (before, after) = around(&world.body("api", "login").await);
    assert_eq!((before.as_str(), after.as_str()), ("A text that was begun before.\n\n", ""));
}

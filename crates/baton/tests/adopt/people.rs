//! Setting up by a person before a terminal: defaults, answers of one's own, mistakes, and leaving in the middle.

use crate::adopt::checkout::Checkout;
use crate::adopt::terminal::Terminal;

#[tokio::test(flavor = "multi_thread")]
async fn a_person_takes_what_was_found_and_ends_with_a_healthy_relay() {
    let checkout = Checkout::new().await;
    let mut terminal = Terminal::start(checkout.env.command(&["init"]));
    terminal.sees("repository (OWNER/NAME) [admin/web]:").types("");
    terminal.sees("your login").types("ann");
    terminal.sees("agents (claude, codex, gemini) [claude]:").types("");
    terminal.sees("[sqlite:.baton/baton.db]:").types("");
    terminal.sees("[labels]:").types("");
    terminal.sees("write the stages").sees("[Y/n]:").types("");
    terminal.sees("make the labels").types("y");
    terminal.sees("install the hook").sees("[y/N]:").types("");
    terminal.sees("create     baton.yaml").sees("do it [Y/n]:").types("");
    let (code, shown) = terminal.ends();
    assert_eq!(code, 0, "{shown}");
    assert!(shown.contains("wrote baton.yaml") && shown.contains("0 fail"), "{shown}");
    assert!(checkout.env.read("baton.yaml").contains("user: ann"));
    assert!(!checkout.env.path(".git/hooks/pre-push").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_meant_is_asked_again() {
    let checkout = Checkout::new().await;
    let mut terminal = Terminal::start(checkout.env.command(&[
        "init",
        "--user",
        "ann",
        "--store",
        "sqlite:.baton/baton.db",
    ]));
    terminal.sees("repository").types("web").sees("repository").types("admin/web");
    terminal.sees("agents").types("clippy").sees("`clippy` is none of claude, codex, gemini").types("claude");
    terminal.sees("board").types("wall").sees("is no board").types("labels");
    terminal.sees("write the stages").types("perhaps").sees("say y or n").types("n");
    terminal.sees("make the labels").types("y").sees("install the hook").types("y");
    terminal.sees("do it").types("yes");
    let (code, shown) = terminal.ends();
    assert_eq!(code, 0, "{shown}");
    assert!(
        checkout.env.path(".git/hooks/pre-push").is_file() && !checkout.env.path(".baton/stages").exists()
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn leaving_in_the_middle_leaves_nothing_behind() {
    let checkout = Checkout::new().await;
    let labels = checkout.labels().await;
    let questions =
        ["repository", "your login", "agents", "store", "board", "write the stages", "make the labels"];
    for until in 0..questions.len() {
        let mut terminal = Terminal::start(checkout.env.command(&["init"]));
        for question in &questions[..until] {
            terminal.sees(question).types("");
        }
        terminal.sees(questions[until]).leaves();
        let (code, shown) = terminal.ends();
        assert_eq!(code, 1, "{shown}");
        assert!(shown.contains("nothing was written"), "{shown}");
        assert!(checkout.files().is_empty(), "{:?}", checkout.files());
    }
    assert_eq!(checkout.labels().await, labels);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_no_at_the_end_leaves_nothing_behind() {
    let checkout = Checkout::new().await;
    let flags =
        ["init", "--repo", "admin/web", "--user", "ann", "--agent", "claude", "--labels", "--no-hook"];
    let mut terminal = Terminal::start(checkout.env.command(&flags));
    terminal.sees("store").types("").sees("board").types("").sees("write the stages").types("");
    terminal.sees("do it").types("n");
    let (code, shown) = terminal.ends();
    assert_eq!((code, checkout.files().len()), (1, 0), "{shown}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_is_asked_before_a_file_is_replaced() {
    let checkout = Checkout::set_up().await;
    checkout.env.write("baton.yaml", "user: eve\nrepos: [admin/web]\nagents: {claude: {adapter: claude}}\n");
    let flags =
        ["init", "--repo", "admin/web", "--user", "ann", "--agent", "claude", "--no-labels", "--no-hook"];
    for (answer, owner) in [("", "user: eve"), ("y", "user: ann")] {
        let mut terminal = Terminal::start(checkout.env.command(&flags));
        terminal.sees("store").types("").sees("board").types("");
        terminal.sees("says something else; replace it [y/N]:").types(answer).sees("do it").types("");
        terminal.ends();
        assert!(checkout.env.read("baton.yaml").contains(owner), "{}", checkout.env.read("baton.yaml"));
    }
}

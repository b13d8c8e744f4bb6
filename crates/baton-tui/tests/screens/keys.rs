//! What keys lead to, as tables.

use baton_tui::app::{Ask, Msg, Pane, Screen, Section, Step};
use baton_view::{LookoutError, Order, Reply};

use crate::screens::stage::Stage;

#[test]
fn keys_open_and_close_screens() {
    for (keys, wanted) in [
        ("", Screen::Board),
        ("<Enter>", Screen::Issue),
        ("<Enter>q", Screen::Board),
        ("<Enter><Esc>", Screen::Board),
        ("r", Screen::Runs),
        ("rr", Screen::Board),
        ("r<Enter>", Screen::Issue),
        ("r<Enter>q", Screen::Runs),
        ("rl", Screen::Log),
        ("rlq", Screen::Runs),
        ("w", Screen::Warnings),
        ("w<Enter>", Screen::Issue),
        ("wr", Screen::Runs),
        ("rwq", Screen::Runs),
        ("?q", Screen::Board),
        ("?<Esc>r", Screen::Runs),
        ("<Tab>l", Screen::Log),
        ("<Tab><Enter>", Screen::Issue),
    ] {
        let mut stage = Stage::lit(80, 24);
        stage.press(keys);
        assert_eq!(stage.app.screen(), wanted, "{keys}");
        assert!(!stage.asks.contains(&Ask::Quit), "{keys}");
    }
}

#[test]
fn leaving_is_asked_for_on_the_board_and_by_control_c_anywhere() {
    for keys in ["q", "<Esc>", "<Ctrl-C>", "<Enter>qq", "?<Ctrl-C>", "/x<Ctrl-C>", "a<Ctrl-C>", "/#9<Enter>q"]
    {
        let mut stage = Stage::lit(80, 24);
        stage.press(keys);
        assert_eq!(stage.asks.last(), Some(&Ask::Quit), "{keys}");
    }
    let mut stage = Stage::lit(80, 24);
    stage.press("/#9<Enter><Esc>");
    assert_eq!(
        (stage.asks.contains(&Ask::Quit), stage.app.filter.as_str()),
        (false, ""),
        "the filter goes first"
    );
}

#[test]
fn the_cursor_walks_columns_when_wide_and_one_list_when_narrow() {
    for (width, keys, wanted) in [
        (80, "", Some(17)),
        (80, "<Right>", Some(12)),
        (80, "<Right><Right>", None),
        (80, "LLL", Some(14)),
        (80, "LLLLj", Some(16)),
        (80, "LLLLjjj", Some(16)),
        (80, "LLLLG", Some(16)),
        (80, "LLLLGg", Some(15)),
        (80, "LLLLHH", None),
        (80, "LL/#9<Enter>", Some(9)),
        (80, "LL/#9<Esc>", Some(9)),
        (80, "/zone<Enter>", Some(9)),
        (80, "/nowhere<Enter>", None),
        (80, "LLLLLLLLLLLL", Some(3)),
        (40, "", Some(17)),
        (40, "jj", Some(14)),
        (40, "G", Some(3)),
        (40, "Gg", Some(17)),
        (40, "LL", Some(14)),
        (40, "LLL", Some(15)),
        (40, "LLLjH", Some(14)),
        (40, "k", Some(17)),
    ] {
        let mut stage = Stage::lit(width, 24);
        stage.press(keys);
        let wanted = wanted.map(|number: u64| format!("acme/web#{number}"));
        assert_eq!(stage.app.cursor.issue, wanted, "{keys} at {width}");
    }
}

#[test]
fn tab_goes_through_panes_and_parts() {
    let mut stage = Stage::lit(80, 24);
    for wanted in [Pane::Active, Pane::Warnings, Pane::Cards] {
        stage.press("<Tab>");
        assert_eq!(stage.app.pane, wanted);
    }
    stage.press("<BackTab>");
    assert_eq!(stage.app.pane, Pane::Warnings);
    stage.press("<Enter><Tab><Tab><BackTab>");
    assert_eq!(stage.app.near.as_ref().unwrap().section, Section::Pull);
}

#[test]
fn orders_are_sent_with_what_was_typed() {
    let words = |text: &str| Some(text.to_owned());
    for (keys, wanted) in [
        ("a<Enter>not yet<Enter>", Order::Pause { reason: words("not yet") }),
        ("a<Enter><Enter>", Order::Pause { reason: None }),
        ("ajj<Enter>look at q<Enter>", Order::Wake { agent: None, note: words("look at q") }),
        ("ajjj<Enter>y", Order::Cancel {}),
        ("ajjjj<Enter>", Order::Hold {}),
        ("aG<Enter>hu<Backspace>i<Enter>", Order::Comment { text: "hi".to_owned() }),
        ("aGk<Enter>j<Enter>", Order::Move { to: "Review".to_owned() }),
    ] {
        let mut stage = Stage::lit(80, 24);
        stage.press("/#15<Enter>").press(keys);
        let orders: Vec<_> = stage.asks.iter().filter(|ask| matches!(ask, Ask::Order(..))).collect();
        let issue = "acme/web#15".parse().unwrap();
        assert_eq!(orders, [&Ask::Order(issue, wanted)], "{keys}");
        assert!(stage.app.menu.is_none(), "{keys}: it was done");
        assert!(stage.app.notice.as_ref().unwrap().words.ends_with("it was done"), "{keys}");
    }
}

#[test]
fn what_is_not_offered_not_meant_or_without_words_is_not_sent() {
    for (keys, said) in [
        ("aj<Enter>", "resume is not possible: it is not paused"),
        ("ajjjjjj<Enter>", "approve is not possible: nobody asked for an approval"),
        ("aG<Enter>  <Enter>", "comment needs some words"),
    ] {
        let mut stage = Stage::lit(80, 24);
        stage.press("/#15<Enter>").press(keys);
        assert!(!stage.asks.iter().any(|ask| matches!(ask, Ask::Order(..))), "{keys}");
        assert_eq!(stage.app.notice.as_ref().unwrap().words, said);
        assert!(stage.app.menu.is_some(), "{keys}");
    }
    let mut stage = Stage::lit(80, 24);
    stage.press("/#15<Enter>ajjj<Enter>n<Esc>");
    assert!(!stage.asks.iter().any(|ask| matches!(ask, Ask::Order(..))));
    assert!(stage.app.menu.is_none());
}

#[test]
fn words_are_kept_when_an_order_fails_or_is_refused() {
    let refused = Reply { is_done: false, outcome: "not-now".to_owned(), said: "not now".to_owned() };
    for reply in [Err(LookoutError::OutOfReach("gone".to_owned())), Ok(refused)] {
        let mut stage = Stage::lit(80, 24);
        stage.reply = reply;
        stage.press("/#15<Enter>aG<Enter>a long remark<Enter>");
        let menu = stage.app.menu.as_ref().unwrap();
        assert_eq!((menu.step, menu.text.as_str()), (Step::Type, "a long remark"));
        assert!(stage.app.notice.as_ref().unwrap().is_bad);
    }
}

#[test]
fn good_news_goes_by_itself_and_bad_news_with_the_next_key() {
    let mut stage = Stage::lit(80, 24);
    stage.press("/#15<Enter>ajjjj<Enter>");
    stage.app.now.0 += 7_000;
    stage.tell(Msg::Ticked);
    assert!(stage.app.notice.is_some());
    stage.app.now.0 += 2_000;
    stage.tell(Msg::Ticked);
    assert_eq!(stage.app.notice, None);
    stage.press("<Esc>ggHHHHHHl");
    stage.app.now.0 += 60_000;
    stage.tell(Msg::Ticked);
    assert!(stage.app.notice.as_ref().is_some_and(|notice| notice.is_bad));
    stage.press("j");
    assert_eq!(stage.app.notice, None);
}

#[test]
fn an_issue_without_a_run_has_no_log() {
    let mut stage = Stage::lit(80, 24);
    stage.press("l");
    assert_eq!(stage.app.screen(), Screen::Board);
    assert!(stage.app.notice.as_ref().unwrap().words.contains("no run of acme/web#17"));
}

#[test]
fn every_key_of_the_table_does_something() {
    for (names, does) in baton_tui::app::KEYS {
        for name in names.split(' ') {
            let keys = match name {
                "↑" => "<Up>".to_owned(),
                "↓" => "<Down>".to_owned(),
                "←" => "<Left>".to_owned(),
                "→" => "<Right>".to_owned(),
                name if name.chars().count() > 1 => format!("<{name}>"),
                name => name.to_owned(),
            };
            let is_moved =
                ["", "LLLL", "LLLLj", "rj", "<Enter>", "<Tab>lk", "<Tab>lt"].iter().any(|before| {
                    let mut stage = Stage::lit(80, 15);
                    stage.press(before);
                    let (shown, asks) = (stage.shown(), stage.asks.len());
                    stage.press(&keys);
                    stage.shown() != shown || stage.asks.len() != asks
                });
            assert!(is_moved, "{name}: {does}");
        }
    }
}

#[test]
fn an_issue_is_read_only_while_somebody_sees_it() {
    for (keys, wanted) in [
        ("<Enter>", true),
        ("a", true),
        ("", false),
        ("<Enter>q", false),
        ("a<Esc>", false),
        ("<Enter>r", false),
        ("LLLL<Enter>l", false),
    ] {
        let mut stage = Stage::lit(80, 24);
        stage.press(keys);
        stage.asks.clear();
        stage.tell(Msg::Changed);
        let is_read = stage.asks.iter().any(|ask| matches!(ask, Ask::Issue(_)));
        assert_eq!(is_read, wanted, "{keys}");
        let is_log_read = stage.asks.iter().any(|ask| matches!(ask, Ask::Log { .. }));
        assert!(!is_log_read || stage.app.screen() == Screen::Log, "{keys}");
    }
    let mut stage = Stage::lit(80, 24);
    stage.press("<Enter>r");
    stage.asks.clear();
    stage.press("q");
    assert!(matches!(stage.asks[..], [Ask::Issue(_)]), "what is in sight again is read: {:?}", stage.asks);
}

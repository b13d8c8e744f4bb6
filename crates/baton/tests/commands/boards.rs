//! `baton board` where it cannot be shown: without a terminal, and without a dashboard.

use baton_fixtures::TestEnv;
use baton_fixtures::ports::free_port;

#[test]
fn a_board_without_a_terminal_names_what_works_without_one() {
    TestEnv::new().run(&["board"]).exits(2).says("`baton status`").says("--once");
}

#[test]
fn a_board_without_a_dashboard_tells_what_was_tried_and_what_to_do() {
    let url = format!("http://127.0.0.1:{}", free_port());
    let ran = TestEnv::new().run(&["board", "--once", "--url", &url]).exits(3);
    assert_eq!(ran.out, "");
    for word in [url.as_str(), "refused", "`baton up`", "--url"] {
        assert!(ran.err.contains(word), "{word} is missing in: {ran:?}");
    }
}

#[test]
fn sizes_and_addresses_that_cannot_be_meant_are_refused() {
    for arguments in
        [["--once", "--width", "10"], ["--once", "--height", "0"], ["--once", "--url", "localhost"]]
    {
        TestEnv::new().run(&[&["board"][..], &arguments].concat()).exits(2);
    }
}

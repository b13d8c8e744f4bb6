//! `baton board` where it cannot be shown: without a terminal, and without a dashboard.

use std::net::TcpListener;

use crate::support::baton;

#[test]
fn a_board_without_a_terminal_names_what_works_without_one() {
    let (code, _, errors) = baton(&["board"]);
    assert_eq!(code, 2, "{errors}");
    assert!(errors.contains("`baton status`") && errors.contains("--once"), "{errors}");
}

#[test]
fn a_board_without_a_dashboard_tells_what_was_tried_and_what_to_do() {
    // The port was free a moment ago, and nobody answers on it.
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let url = format!("http://{address}");
    let (code, shown, errors) = baton(&["board", "--once", "--url", &url]);
    assert_eq!((code, shown.as_str()), (3, ""), "{errors}");
    for word in [url.as_str(), "refused", "`baton up`", "--url"] {
        assert!(errors.contains(word), "{word} is missing in: {errors}");
    }
}

#[test]
fn sizes_and_addresses_that_cannot_be_meant_are_refused() {
    for arguments in
        [["--once", "--width", "10"], ["--once", "--height", "0"], ["--once", "--url", "localhost"]]
    {
        let (code, _, errors) = baton(&[&["board"][..], &arguments].concat());
        assert_eq!(code, 2, "{errors}");
    }
}

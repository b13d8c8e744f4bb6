//! Pictures of screens. `INSTA_UPDATE=always` draws them anew; a change is looked at before it is kept.

use baton_view::{Board, LookoutError};

use crate::screens::stage::Stage;

const SIZES: [(u16, u16); 3] = [(80, 24), (120, 40), (40, 15)];

fn check(name: &str, keys: &str) {
    for (width, height) in SIZES {
        let mut stage = Stage::lit(width, height);
        stage.press(keys);
        insta::assert_snapshot!(format!("{name}_{width}x{height}"), stage.shown());
    }
}

#[test]
fn the_board_shows_every_column_with_runs_and_warnings_below() {
    check("board", "");
}

#[test]
fn the_board_follows_the_cursor_to_the_right() {
    check("board_right", "<Right><Right><Right><Right>");
}

#[test]
fn an_issue_tells_why_it_moves_or_not() {
    check("issue_why", "/#9<Enter><Enter>");
}

#[test]
fn an_issue_tells_of_its_pull_request() {
    check("issue_pull", "/#9<Enter><Enter><Tab>");
}

#[test]
fn an_issue_tells_its_history_and_what_was_said() {
    check("issue_history", "/#15<Enter><Enter><Tab><Tab>");
    check("issue_comments", "/#15<Enter><Enter><Tab><Tab><Tab>");
    check("issue_runs", "/#15<Enter><Enter><Tab><Tab><Tab><Tab>");
}

#[test]
fn runs_are_listed_with_more_about_the_chosen_one() {
    check("runs", "r<Down><Down>");
}

#[test]
fn a_log_folds_tools_to_a_line_each() {
    check("log", "<Tab>l");
    check("log_unfolded", "<Tab>lt");
}

#[test]
fn warnings_are_told_in_full() {
    check("warnings", "w");
}

#[test]
fn actions_that_are_not_offered_say_why() {
    check("actions", "/#15<Enter>a");
}

#[test]
fn an_action_asks_for_words_or_whether_it_is_meant() {
    check("actions_typing", "/#15<Enter>a<Enter>not before the release");
    check("actions_confirm", "/#15<Enter>a<Down><Down><Down><Enter>");
    check("actions_move", "/#15<Enter>ajjjjjjjj<Enter>");
}

#[test]
fn help_lists_the_keys() {
    check("help", "?");
}

#[test]
fn a_filter_is_typed_in_the_last_line() {
    check("filter", "/vouch");
    check("filter_nothing", "/nowhere<Enter>");
}

#[test]
fn an_empty_board_tells_the_next_step() {
    for (width, height) in SIZES {
        let mut stage = Stage::dark(width, height);
        let mut board: Board = stage.board.clone();
        board.columns.iter_mut().for_each(|column| column.cards.clear());
        board.warnings.clear();
        stage.board = board;
        stage.tell(baton_tui::app::Msg::Started);
        insta::assert_snapshot!(format!("empty_{width}x{height}"), stage.shown());
    }
}

#[test]
fn a_server_out_of_reach_is_told_and_the_last_board_stays() {
    for (width, height) in SIZES {
        let gone = LookoutError::OutOfReach("http://127.0.0.1:8477 does not answer".to_owned());
        let mut dark = Stage::dark(width, height);
        dark.outage = Some(gone.clone());
        dark.tell(baton_tui::app::Msg::Started);
        insta::assert_snapshot!(format!("error_at_first_{width}x{height}"), dark.shown());
        let mut stage = Stage::lit(width, height);
        stage.outage = Some(gone);
        stage.app.now.0 += 20_000;
        stage.tell(baton_tui::app::Msg::Changed);
        insta::assert_snapshot!(format!("error_later_{width}x{height}"), stage.shown());
    }
}

//! Any size, any text, any keys: no panic, and every line keeps to its width.

use baton_tui::app::Msg;
use proptest::prelude::*;
use unicode_width::UnicodeWidthStr as _;

use crate::screens::stage::Stage;

const KEYS: [&str; 24] = [
    "<Enter>", "<Esc>", "<Tab>", "<Up>", "<Down>", "<Left>", "<Right>", "<PgDn>", "<PgUp>", "j", "k", "g",
    "G", "l", "r", "w", "a", "/", "?", "t", "漢", "R", "L", "n",
];

fn odd_text() -> impl Strategy<Value = String> {
    let parts = prop::sample::select(vec![
        "plain",
        " ",
        "漢字",
        "👨\u{200d}👩\u{200d}👧",
        "שלום",
        "مرحبا",
        "\u{202e}",
        "\u{1b}[2J",
        "\n",
        "\t",
        "\u{7}",
        "e\u{301}",
        "🇩🇪",
        "\u{200d}",
        "\u{fe0f}",
        "a-very-long-word-without-any-space-in-it",
        "",
        "\u{0}",
    ]);
    prop::collection::vec(parts, 0..12).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn no_size_text_or_key_breaks_the_screen(
        (width, height) in (1u16..=200, 1u16..=60),
        (later_width, later_height) in (1u16..=200, 1u16..=60),
        texts in prop::collection::vec(odd_text(), 6),
        keys in prop::collection::vec(prop::sample::select(KEYS.to_vec()), 0..14),
    ) {
        let mut stage = Stage::dark(width, height);
        for card in stage.board.columns.iter_mut().flat_map(|column| &mut column.cards) {
            card.title.clone_from(&texts[0]);
            card.words.clone_from(&texts[1]);
            card.holder.iter_mut().for_each(|holder| holder.name.clone_from(&texts[2]));
        }
        stage.board.columns[3].name.clone_from(&texts[3]);
        stage.board.warnings[0].words.clone_from(&texts[4]);
        stage.tell(Msg::Started);
        for key in keys {
            stage.press(key);
            check(&stage, width);
        }
        stage.tell(Msg::Pasted(texts[5].clone()));
        stage.tell(Msg::Resized(later_width, later_height));
        check(&stage, later_width);
    }
}

fn check(stage: &Stage, width: u16) {
    let shown = stage.shown();
    for line in shown.lines() {
        assert!(!line.chars().any(char::is_control), "{line:?}");
        assert!(line.width() <= usize::from(width).max(2), "{} cells in {width}: {line:?}", line.width());
    }
}

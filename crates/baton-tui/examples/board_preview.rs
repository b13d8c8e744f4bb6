//! The terminal board over a relay that is always the same: `cargo run -p baton-tui --example board_preview`.

use baton_tui::{Settings, TuiError};
use baton_view::example::ExampleLookout;

#[tokio::main]
async fn main() -> Result<(), TuiError> {
    let settings = Settings { is_coloured: true, source: "an example".to_owned(), by: "you".to_owned() };
    baton_tui::run(ExampleLookout, settings).await
}

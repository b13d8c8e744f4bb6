//! Whether every grammar takes time in proportion to its text, also when the text was made to be slow.
//!
//! Each family of texts is read at three lengths, each four times the one before, and compared with a plain pass over the
//! same bytes, so that the machine and its memory are on both sides. Nothing is asserted: the table shows how much more a byte
//! costs in the longest text than in the shortest, and marks what grew to more than twice. Run by
//! `cargo xtask bench grammars`.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a benchmark: it reads the clock and the environment, and prints"
)]

mod families;
#[path = "../../tests/grammars/grammar.rs"]
mod grammar;
mod pace;
mod table;

use families::Family;
use grammar::Grammar;
use table::{Row, Table};

fn main() {
    let is_quick = std::env::var_os("BATON_BENCH_QUICK").is_some();
    let named = std::env::var("BATON_BENCH_PARTS").unwrap_or_default();
    let shortest = if is_quick { 4 * 1024 } else { 16 * 1024 };
    let mut table = Table::new(shortest);
    for grammar in grammar::ALL.iter().filter(|grammar| named.is_empty() || grammar.name.contains(&named)) {
        let rows = families::of(grammar).iter().map(|family| row(grammar, family, shortest)).collect();
        table.grammar(grammar.name, rows);
    }
    table.end();
    if let Some(path) = std::env::var_os("BATON_BENCH_OUT") {
        std::fs::write(path, table.all()).expect("the figures can be written");
    }
}

fn row(grammar: &Grammar, family: &Family, shortest: usize) -> Row {
    // What is measured must also be right.
    (grammar.check)(&family.text(shortest / 16));
    let measured = [1, 4, 16].map(|times| pace::measured(grammar.read, &family.text(shortest * times)));
    Row { family: family.name.clone(), measured }
}

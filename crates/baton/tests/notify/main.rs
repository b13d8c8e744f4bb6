//! Notices and budgets as people meet them: the real engine on the real forge, with a real command and a real listener that
//! are told, and what is shown of budgets that are spent.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "a test program: it starts processes, waits for what they do, and fails where it stands"
)]

mod budgets;
#[expect(dead_code, reason = "the relay's tests ask for more")]
#[path = "../relay/diary.rs"]
mod diary;
mod listener;
mod notices;
#[expect(dead_code, reason = "the relay's tests ask for more")]
#[path = "../relay/scripts.rs"]
mod scripts;
#[path = "../support/mod.rs"]
mod support;
#[expect(dead_code, reason = "the relay's tests ask for more")]
#[path = "../relay/world.rs"]
mod world;

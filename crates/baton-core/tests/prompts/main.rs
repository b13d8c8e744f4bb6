//! Prompts as agents read them: built-in templates, templates of users, and strangers who want to be obeyed.

#![expect(clippy::unwrap_used, reason = "a test program: it fails where it stands")]

mod files;
mod fuzz;
mod overrides;
mod strangers;
mod written;

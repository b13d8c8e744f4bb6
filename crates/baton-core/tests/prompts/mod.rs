//! Prompts as agents read them: built-in templates, templates of users, and strangers who want to be obeyed.

mod files;
mod fuzz;
mod overrides;
mod strangers;
mod written;

//! Asking a person: a question with what is taken when nothing is typed, again when an answer cannot be meant.
//!
//! The end of the input means that the person has left; then nothing is written.

use std::io::Write as _;

use crate::command_error::CommandError;

/// How often a question is asked.
const TRIES_MAX: usize = 3;

/// Somebody before the terminal.
#[derive(Debug, Clone, Copy)]
pub(super) struct Person;

/// It was called off.
pub(super) fn called_off() -> CommandError {
    CommandError::No("called off: nothing was written".to_owned())
}

impl Person {
    /// Asks until the answer can be read. What is found is taken when nothing is typed.
    pub(super) fn answer<T>(
        self,
        question: &str,
        found: Option<&str>,
        read: impl Fn(&str) -> Result<T, String>,
    ) -> Result<T, CommandError> {
        let shown = found.map_or_else(String::new, |found| format!(" [{found}]"));
        for _ in 0..TRIES_MAX {
            let typed = self.line(&format!("{question}{shown}: "))?;
            let text = if typed.is_empty() { found.unwrap_or_default() } else { &typed };
            match read(text) {
                Ok(answer) => return Ok(answer),
                Err(why) => say!("  {why}"),
            }
        }
        Err(called_off())
    }

    /// Asks for yes or no.
    pub(super) fn agrees(self, question: &str, otherwise: bool) -> Result<bool, CommandError> {
        let choices = if otherwise { "Y/n" } else { "y/N" };
        self.answer(question, Some(choices), |text| match text.to_ascii_lowercase().as_str() {
            "y" | "yes" => Ok(true),
            "n" | "no" => Ok(false),
            text if text == choices.to_ascii_lowercase() => Ok(otherwise),
            _ => Err("say y or n".to_owned()),
        })
    }

    fn line(self, question: &str) -> Result<String, CommandError> {
        let mut out = std::io::stdout();
        let _ = out.write_all(question.as_bytes()).and_then(|()| out.flush());
        let mut line = String::new();
        match std::io::stdin().read_line(&mut line) {
            Ok(1..) => Ok(line.trim().to_owned()),
            // A terminal that is gone is somebody who left.
            Ok(0) | Err(_) => {
                say!("");
                Err(called_off())
            }
        }
    }
}

//! A line as it stands in a document or a help, taken apart into the words that the program would get.
//!
//! It knows quotes, comments, variables before the command, and where a command ends: at a pipe, a redirection, `&&` or `;`.
//! It is no shell: nothing is expanded or executed.

/// Returns the arguments of the first `baton` in the line, its name included, or none if there is no such command.
pub(crate) fn baton(line: &str) -> Option<Vec<String>> {
    let words = words(line.trim_start().trim_start_matches("$ "));
    let command: Vec<_> = words.into_iter().skip_while(|word| is_assignment(word)).collect();
    (command.first().map(String::as_str) == Some("baton")).then_some(command)
}

/// Splits the first command of a line into words.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None::<char>);
    let mut rest = line.chars().peekable();
    while let Some(character) = rest.next() {
        match (quote, character) {
            (Some(open), _) if open == character => quote = None,
            (Some('\''), _) => word.get_or_insert_default().push(character),
            (None, '\'' | '"') => {
                quote = Some(character);
                word.get_or_insert_default();
            }
            (_, '\\') => word.get_or_insert_default().extend(rest.next()),
            (Some(_), _) => word.get_or_insert_default().push(character),
            (None, '#') if word.is_none() => break,
            (None, '|' | '>' | '<' | ';' | '&') => break,
            (None, _) if character.is_whitespace() => words.extend(word.take()),
            (None, _) => word.get_or_insert_default().push(character),
        }
    }
    words.extend(word);
    words
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.chars().all(|it| it == '_' || it.is_ascii_uppercase() || it.is_ascii_digit())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, wanted: &[&str]) {
        assert_eq!(baton(line).unwrap_or_default(), wanted, "{line}");
    }

    #[test]
    fn a_line_is_split_as_a_shell_would() {
        check("baton check acme/web#42   # who holds it", &["baton", "check", "acme/web#42"]);
        check("$ baton explain '#7'", &["baton", "explain", "#7"]);
        check(
            r#"baton chain plan x --title "Log \"in\"" --part 'a/b:c=>d'"#,
            &["baton", "chain", "plan", "x", "--title", "Log \"in\"", "--part", "a/b:c=>d"],
        );
        check(
            "baton claim a/b#1 --label '' -- ./agent.sh",
            &["baton", "claim", "a/b#1", "--label", "", "--", "./agent.sh"],
        );
    }

    #[test]
    fn a_command_ends_where_the_shell_takes_over() {
        for line in [
            "baton status | less",
            "baton status > x",
            "baton status < x",
            "baton status && y",
            "baton status; y",
            "baton status &",
        ] {
            check(line, &["baton", "status"]);
        }
        check("GH_ORG=acme NAME='a b' baton status", &["baton", "status"]);
    }

    #[test]
    fn other_programs_are_none_of_ours() {
        for line in ["", "# baton", "git status", "ln -s baton x", "=baton status"] {
            assert_eq!(baton(line), None, "{line}");
        }
    }
}

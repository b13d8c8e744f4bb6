//! Who wrote something: a person, or a program; and whether a program only tells about itself.
//!
//! A tracker does not always say that an account is a program, so some are known by their names.

/// Returns whether an account is a program by its name.
pub fn is_bot_login(login: &str) -> bool {
    const SUFFIXES: [&str; 2] = ["[bot]", "-bot"];
    const NAMES: [&str; 3] = ["dependabot", "gemini-code-assist", "coderabbitai"];
    const PREFIX: &str = "copilot-";
    let (bytes, is) =
        (login.as_bytes(), |part: &[u8], word: &str| part.eq_ignore_ascii_case(word.as_bytes()));
    let ends_with =
        |suffix: &str| bytes.len() >= suffix.len() && is(&bytes[bytes.len() - suffix.len()..], suffix);
    SUFFIXES.iter().any(|suffix| ends_with(suffix))
        || bytes.get(..PREFIX.len()).is_some_and(|head| is(head, PREFIX))
        || NAMES.iter().any(|name| is(bytes, name))
}

/// Returns whether the words of a program are about its own service and not about the work. A person who speaks of rate
/// limits means work, so only programs are asked.
pub fn is_service_notice(body: &str) -> bool {
    const PHRASES: [&str; 9] = [
        "quota",
        "rate limit",
        "rate-limit",
        "usage limit",
        "out of credits",
        "will be sunset",
        "being sunset",
        "this is an automated reply",
        "auto-reply",
    ];
    // What a notice is about stands in its first words; a finding may quote any of these further down.
    const HEAD_CHARS: usize = 400;
    let end = body.char_indices().nth(HEAD_CHARS).map_or(body.len(), |(end, _)| end);
    let contains = |phrase: &str| {
        body.as_bytes()[..end].windows(phrase.len()).any(|part| part.eq_ignore_ascii_case(phrase.as_bytes()))
    };
    PHRASES.iter().any(|phrase| contains(phrase))
}

/// Returns the text with mentions of programs in backticks, so that nobody is woken by being quoted.
pub fn with_quiet_bots(text: &str) -> String {
    let mut quiet = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('@') {
        let is_word_before = rest[..at].ends_with(|c: char| c.is_alphanumeric() || c == '`' || c == '/');
        let after = &rest[at + 1..];
        let end =
            after.find(|c: char| !(c.is_ascii_alphanumeric() || "-[]".contains(c))).unwrap_or(after.len());
        quiet.push_str(&rest[..at]);
        match !is_word_before && is_bot_login(&after[..end]) {
            true => quiet.extend(["`@", &after[..end], "`"]),
            false => quiet.extend(["@", &after[..end]]),
        }
        rest = &after[end..];
    }
    quiet + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_known_by_their_names() {
        for login in ["renovate[bot]", "acme-bot", "copilot-swe-agent", "Dependabot", "gemini-code-assist"] {
            assert!(is_bot_login(login), "{login}");
        }
        for login in ["ana", "robot", "bot", "copilot", "botany", "dependabot-fan"] {
            assert!(!is_bot_login(login), "{login}");
        }
    }

    #[test]
    fn a_notice_is_about_the_service_in_its_first_words() {
        assert!(is_service_notice("You have reached your daily Quota limit. Please wait."));
        assert!(is_service_notice("> [!WARNING]\n> Rate limit exceeded"));
        assert!(!is_service_notice("This loop never ends."));
        assert!(!is_service_notice(&format!("{} rate limit", "A finding. ".repeat(50))));
    }

    #[test]
    fn quoting_a_program_does_not_wake_it() {
        let table = [
            ("ask @copilot-review please", "ask `@copilot-review` please"),
            ("@renovate[bot], see", "`@renovate[bot]`, see"),
            ("@ana and mail@acme-bot.org and `@acme-bot`", "@ana and mail@acme-bot.org and `@acme-bot`"),
            ("@", "@"),
            ("a@@acme-bot", "a@`@acme-bot`"),
        ];
        for (text, expected) in table {
            assert_eq!(with_quiet_bots(text), expected);
        }
    }
}

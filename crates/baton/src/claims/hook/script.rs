//! The text of the hook, and how it is told from others.
//!
//! It is a shell script, because git starts it and the binary may have moved or gone since. It keeps what git says on
//! its input, so that the hook that was there before and Baton both read all of it.

/// What the hook is called.
pub(super) const HOOK: &str = "pre-push";
/// What the hook that was there before is called now.
pub(super) const BEFORE: &str = "pre-push.before-baton";

/// The line by which a hook is known as ours.
const MARK: &str = "# baton-hook: written by `baton hook install`, taken away by `baton hook uninstall`";

/// Returns the hook that calls the binary at `program`.
pub(super) fn script(program: &str) -> String {
    let program = quoted(program);
    format!(
        r#"#!/bin/sh
{MARK}
pushed=$(cat)
feed() {{ if [ -n "$pushed" ]; then printf '%s\n' "$pushed"; fi; }}

before="${{0%/*}}/{BEFORE}"
if [ -f "$before" ] && [ -x "$before" ]; then
  feed | "$before" "$@" || exit
fi

baton={program}
if ! [ -f "$baton" ] || ! [ -x "$baton" ]; then
  baton=$(command -v baton) || baton=
fi
if [ -z "$baton" ]; then
  echo "baton: warning: nobody checked whether these commits close somebody else's issue:" >&2
  echo "baton: neither" {program} "nor baton on PATH is there; run \`baton hook install\` again" >&2
  exit 0
fi
feed | "$baton" hook pre-push "$@"
"#
    )
}

/// Returns whether a hook was written by us.
pub(super) fn is_ours(hook: &[u8]) -> bool {
    String::from_utf8_lossy(hook).lines().take(3).any(|line| line == MARK)
}

/// Quotes a word for the shell.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hook_is_known_by_its_mark_and_not_by_what_it_mentions() {
        assert!(is_ours(script("/opt/baton").as_bytes()));
        for other in
            ["", "#!/bin/sh\nbaton hook pre-push \"$@\"\n", "#!/bin/sh\n# baton-hook:\n", "\u{0}\u{1}"]
        {
            assert!(!is_ours(other.as_bytes()), "{other:?}");
        }
    }

    #[test]
    fn a_word_stays_one_word_in_the_shell() {
        assert_eq!(quoted("/a b/baton"), "'/a b/baton'");
        assert_eq!(quoted("it's $HOME"), r"'it'\''s $HOME'");
    }
}

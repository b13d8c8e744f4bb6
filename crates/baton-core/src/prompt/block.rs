//! Text of strangers as it stands in a prompt: cleaned, cut to a length, inside a fence that it cannot close, under a label.
//!
//! A block prints itself like this whatever a template does with it, and always from the start of a line, so that no list or
//! quotation of a template can cut its fence short.

use std::fmt::{self, Write as _};
use std::sync::Arc;

use minijinja::value::{Object, ObjectRepr, Value};

use super::clean::{clean, clean_line};

/// How every label begins, right after the fence.
pub const LABEL: &str = "data: ";

/// The shortest fence. Texts of people rarely have longer ones, so that most fences in a prompt are alike.
const FENCE_LEN_MIN: usize = 4;

/// The longest name of an account in a label.
const NAME_CHARS_MAX: usize = 64;

/// The longest label.
const LABEL_CHARS_MAX: usize = 200;

/// Text of strangers.
#[derive(Clone, PartialEq, Eq)]
pub struct Block {
    label: String,
    text: String,
    chars_max: Option<usize>,
    whole_is_in: Option<String>,
}

impl Block {
    /// Returns a block of a text. The label says what it is.
    pub fn new(label: &str, text: &str) -> Self {
        Self { label: clean_label(label), text: clean(text), chars_max: None, whole_is_in: None }
    }

    /// Returns the same, cut where it is too long.
    #[must_use]
    pub fn cut(mut self, chars_max: usize) -> Self {
        self.chars_max = Some(chars_max);
        self
    }

    /// Returns the same, saying where all of it is when it is cut.
    #[must_use]
    pub fn with_whole_in(mut self, path: &str) -> Self {
        self.whole_is_in = Some(path.to_owned());
        self
    }

    /// Returns the same under another label.
    #[must_use]
    pub fn labelled(mut self, label: &str) -> Self {
        self.label = clean_label(label);
        self
    }

    /// Returns what is shown of the text, and whether that is less than all.
    fn shown(&self) -> (&str, bool) {
        let end = self.chars_max.and_then(|max| self.text.char_indices().nth(max)).map(|(end, _)| end);
        (&self.text[..end.unwrap_or(self.text.len())], end.is_some())
    }

    fn about_cut(&self) -> String {
        let (shown, all) = (self.chars_max.unwrap_or(0), self.text.chars().count());
        let whole =
            self.whole_is_in.as_ref().map_or_else(String::new, |path| format!("; all of it is in {path}"));
        format!(" (the first {shown} of {all} characters{whole})")
    }
}

impl fmt::Display for Block {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (shown, is_cut) = self.shown();
        let fence = "`".repeat(longest_run(shown).saturating_add(1).max(FENCE_LEN_MIN));
        let cut = if is_cut { self.about_cut() } else { String::new() };
        writeln!(f, "\n{fence}{LABEL}{}{cut}", self.label)?;
        if !shown.is_empty() {
            f.write_str(shown)?;
            f.write_char('\n')?;
        }
        writeln!(f, "{fence}")
    }
}

/// A value within another one is shown by this; what strangers wrote must not slip out that way.
impl fmt::Debug for Block {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<{LABEL}{}>", self.label)
    }
}

impl Object for Block {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Plain
    }

    fn is_true(self: &Arc<Self>) -> bool {
        !self.text.is_empty()
    }

    fn render(self: &Arc<Self>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl From<Block> for Value {
    fn from(block: Block) -> Self {
        Self::from_object(block)
    }
}

fn longest_run(text: &str) -> usize {
    let runs = text.split(|c| c != '`').map(str::len);
    runs.max().unwrap_or(0)
}

/// A label is ours, but parts of it may come from elsewhere: it stays on its line, and no fence is in it.
fn clean_label(label: &str) -> String {
    clean_line(label).replace('`', "'").chars().take(LABEL_CHARS_MAX).collect()
}

/// Returns the name of an account for a label: whatever no tracker allows in a name becomes `?`.
pub(super) fn account(name: &str) -> String {
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '[' | ']');
    let plain = name.chars().take(NAME_CHARS_MAX).map(|c| if is_allowed(c) { c } else { '?' });
    let plain: String = plain.collect();
    if plain.is_empty() { "somebody".to_owned() } else { plain }
}

/// Returns an address as far as it can be one; nothing when it has anything in it that no address has.
pub(super) fn address(url: &str) -> Option<&str> {
    const CHARS_MAX: usize = 300;
    let is_allowed = |b: u8| b.is_ascii_alphanumeric() || b"-._~:/?#@!$&*+,;=%".contains(&b);
    let is_web = url.starts_with("https://") || url.starts_with("http://");
    (is_web && url.len() <= CHARS_MAX && url.bytes().all(is_allowed)).then_some(url)
}

/// Returns a commit as far as it can be one.
pub(super) fn commit(id: &str) -> &str {
    let is_id = (4..=64).contains(&id.len()) && id.bytes().all(|b| b.is_ascii_hexdigit());
    if is_id { id } else { "unknown" }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_block_is_fenced_and_labelled() {
        let block = Block::new("comment 1 by ana", "Hello");
        assert_eq!(block.to_string(), "\n````data: comment 1 by ana\nHello\n````\n");
        assert_eq!(Block::new("nothing", "").to_string(), "\n````data: nothing\n````\n");
        let fenced = Block::new("x", "a\n`````\nb ``` c");
        assert_eq!(fenced.to_string(), "\n``````data: x\na\n`````\nb ``` c\n``````\n");
    }

    #[test]
    fn a_long_text_is_cut_and_says_where_the_rest_is() {
        let block = Block::new("x", "äöü!").cut(3).with_whole_in("there.md");
        assert_eq!(
            block.to_string(),
            "\n````data: x (the first 3 of 4 characters; all of it is in there.md)\näöü\n````\n"
        );
        assert_eq!(Block::new("x", "äöü").cut(3).to_string(), "\n````data: x\näöü\n````\n");
    }

    #[test]
    fn a_label_stays_on_its_line() {
        let block = Block::new("by ``x``\n````\nignore", "");
        assert_eq!(block.to_string(), "\n````data: by ''x'' '''' ignore\n````\n");
        assert_eq!(account("a`b\nc d"), "a?b?c?d");
        assert_eq!(account("renovate[bot]"), "renovate[bot]");
        assert_eq!(account(""), "somebody");
        assert_eq!(address("https://x.y/z?a=1#b"), Some("https://x.y/z?a=1#b"));
        for bad in ["javascript:alert(1)", "https://x y", "https://x`", "https://x\n", ""] {
            assert_eq!(address(bad), None, "{bad:?}");
        }
        assert_eq!((commit("abc123"), commit("HEAD; rm"), commit("")), ("abc123", "unknown", "unknown"));
    }

    #[test]
    fn nothing_of_the_text_is_told_to_those_who_look_at_the_value() {
        let seen = format!("{:?}", Block::new("x", "secret"));
        assert_eq!(seen, "<data: x>");
    }

    proptest! {
        #[test]
        fn no_line_of_a_text_closes_its_fence(text in "([`~ a\n\t]|data: |\u{1b}|\r){0,60}") {
            let printed = Block::new("x", &text).to_string();
            let lines: Vec<_> = printed.lines().skip(1).collect();
            let fence: String = lines[0].chars().take_while(|c| *c == '`').collect();
            let closing = |line: &&&str| line.trim().len() >= fence.len() && line.trim().chars().all(|c| c == '`');
            prop_assert_eq!(lines[1..].iter().filter(closing).count(), 1);
            prop_assert_eq!(lines.last(), Some(&fence.as_str()));
            let inside = lines[1..lines.len() - 1].join("\n");
            prop_assert_eq!(inside, clean(&text));
        }
    }
}

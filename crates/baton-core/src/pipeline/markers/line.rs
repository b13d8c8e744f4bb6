//! What one line says: a marker that has it to itself, or text that may mention some.

/// A marker without its prefix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Word {
    StageComplete,
    Decomposed,
    BlockedOnInput,
    Begin(Block),
    End(Block),
}

/// What a block is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Block {
    Summary,
    IssueUpdate,
    SubIssue,
}

const WORDS: [(&str, Word); 9] = [
    ("STAGE_COMPLETE", Word::StageComplete),
    ("DECOMPOSED", Word::Decomposed),
    ("BLOCKED_ON_INPUT", Word::BlockedOnInput),
    ("SUMMARY_BEGIN", Word::Begin(Block::Summary)),
    ("SUMMARY_END", Word::End(Block::Summary)),
    ("ISSUE_UPDATE_BEGIN", Word::Begin(Block::IssueUpdate)),
    ("ISSUE_UPDATE_END", Word::End(Block::IssueUpdate)),
    ("SUB_ISSUE_BEGIN", Word::Begin(Block::SubIssue)),
    ("SUB_ISSUE_END", Word::End(Block::SubIssue)),
];

/// How much is told of a marker that does not exist.
const UNKNOWN_LEN_MAX: usize = 64;

/// A line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Line<'a> {
    /// A marker that has the line to itself, and what a sub-issue's names as its repository.
    Marker(Word, Option<&'a str>),
    /// Something that looks like one.
    Unknown(&'a str),
    /// Anything else.
    Text,
}

impl Word {
    pub(super) fn name(self) -> &'static str {
        WORDS.iter().find(|(_, word)| *word == self).map_or("", |(name, _)| name)
    }
}

/// Reads a line.
pub(super) fn read<'a>(line: &'a str, prefix: &str) -> Line<'a> {
    let line = line.trim_matches([' ', '\t', '\r']);
    let Some(said) = line.strip_prefix(prefix) else { return Line::Text };
    let (name, argument) = match said.split_once([' ', '\t']) {
        Some((name, argument)) => (name, Some(argument.trim_matches([' ', '\t']))),
        None => (said, None),
    };
    let word = WORDS.iter().find(|(own, _)| *own == name).map(|(_, word)| *word);
    match (word, argument) {
        (Some(word), None) => Line::Marker(word, None),
        // More than one word is a sentence about the marker.
        (Some(word @ Word::Begin(Block::SubIssue)), Some(argument)) if !argument.contains([' ', '\t']) => {
            Line::Marker(word, Some(argument))
        }
        (None, None) if is_name(name) => Line::Unknown(&line[..line.len().min(UNKNOWN_LEN_MAX)]),
        _ => Line::Text,
    }
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(is_name_byte)
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_'
}

/// Returns the markers that a line contains, wherever they stand.
pub(super) fn mentions<'a>(line: &'a str, prefix: &'a str) -> impl Iterator<Item = Word> + 'a {
    line.match_indices(prefix).filter_map(move |(at, _)| {
        let begins = line[..at].bytes().next_back().is_none_or(|byte| !is_word_byte(byte));
        begins.then(|| word_at_start_of(&line[at + prefix.len()..])).flatten()
    })
}

/// Compares with each name, and looks no further than its end: a line may be one long run of letters.
fn word_at_start_of(text: &str) -> Option<Word> {
    let ends = |rest: &str| rest.bytes().next().is_none_or(|byte| !is_word_byte(byte));
    WORDS.iter().find(|(name, _)| text.strip_prefix(name).is_some_and(ends)).map(|(_, word)| *word)
}

fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_marker_has_its_line_to_itself() {
        let complete = Line::Marker(Word::StageComplete, None);
        for line in ["BATON_STAGE_COMPLETE", "  BATON_STAGE_COMPLETE\t ", "BATON_STAGE_COMPLETE\r"] {
            assert_eq!(read(line, "BATON_"), complete, "{line:?}");
        }
        for line in [
            "",
            "BATON_STAGE_COMPLETE.",
            "**BATON_STAGE_COMPLETE**",
            "> BATON_STAGE_COMPLETE",
            "BATON_STAGE_COMPLETE now",
            "baton_stage_complete",
            "FABRIK_STAGE_COMPLETE",
            "BATON_",
            "BATON_é",
            "BATON_SUB_ISSUE_BEGIN opens an issue",
            "BATON_SUB_ISSUE_END acme/web",
        ] {
            assert_eq!(read(line, "BATON_"), Line::Text, "{line:?}");
        }
        assert_eq!(read("BATON_STAGE_DONE", "BATON_"), Line::Unknown("BATON_STAGE_DONE"));
        let long = format!("BATON_{}", "A".repeat(1000));
        assert_eq!(read(&long, "BATON_"), Line::Unknown(&long[..UNKNOWN_LEN_MAX]));
    }

    #[test]
    fn only_the_beginning_of_a_sub_issue_names_a_repository() {
        let begin = |argument| Line::Marker(Word::Begin(Block::SubIssue), argument);
        assert_eq!(read("BATON_SUB_ISSUE_BEGIN", "BATON_"), begin(None));
        assert_eq!(read("BATON_SUB_ISSUE_BEGIN  acme/web ", "BATON_"), begin(Some("acme/web")));
        assert_eq!(read("BATON_SUB_ISSUE_BEGIN\t[x]", "BATON_"), begin(Some("[x]")));
    }

    #[test]
    fn whole_words_are_mentions() {
        let found = |line: &'static str| mentions(line, "BATON_").map(Word::name).collect::<Vec<_>>();
        assert_eq!(
            found("say `BATON_DECOMPOSED`, or BATON_STAGE_COMPLETE."),
            ["DECOMPOSED", "STAGE_COMPLETE"]
        );
        assert_eq!(found("BATON_BATON_DECOMPOSED XBATON_DECOMPOSED BATON_DECOMPOSEDX"), [""; 0]);
        assert_eq!(found("éBATON_DECOMPOSEDé BATON_TOKEN"), ["DECOMPOSED"]);
    }
}

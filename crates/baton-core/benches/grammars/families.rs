//! Texts that were made to be slow, of any length.

use crate::grammar::Grammar;

/// Texts of one kind.
pub(crate) struct Family {
    pub(crate) name: String,
    make: Box<dyn Fn(usize) -> String>,
}

impl Family {
    fn new(name: impl Into<String>, make: impl Fn(usize) -> String + 'static) -> Self {
        Self { name: name.into(), make: Box::new(make) }
    }

    /// The text of about so many bytes.
    pub(crate) fn text(&self, bytes: usize) -> String {
        (self.make)(bytes)
    }
}

/// Pieces that are nobody's in particular.
const PIECES: [&str; 14] =
    ["a", " ", "\n", "\r\n", "<!--", "<!-- ", "- ", "[", "{", "{{", "```\n", "~~~\n", "é", "a b\n"];

/// Every piece over and over, after every beginning; good texts over and over; and what needs more than repetition.
pub(crate) fn of(grammar: &Grammar) -> Vec<Family> {
    let mut families = Vec::new();
    for opening in grammar.openings {
        let pieces = grammar.tokens.iter().chain(&PIECES);
        families
            .extend(pieces.map(|piece| Family::new(shown(opening, piece), over_and_over(opening, piece))));
    }
    families.extend(
        grammar
            .corpus
            .iter()
            .enumerate()
            .map(|(at, text)| Family::new(format!("example {at} over and over"), over_and_over("", text))),
    );
    families.extend(made());
    families
}

fn over_and_over(opening: &'static str, piece: &'static str) -> impl Fn(usize) -> String {
    move |bytes| format!("{opening}{}", piece.repeat(bytes / piece.len().max(1)))
}

/// A name for a cell of a table.
fn shown(opening: &str, piece: &str) -> String {
    let cell = |text: &str| format!("{text:?}").replace('|', "\\|");
    if opening.is_empty() { cell(piece) } else { format!("{} after {}", cell(piece), cell(opening)) }
}

fn made() -> Vec<Family> {
    let numbered = NUMBERED.iter().map(|(name, piece)| Family::new(*name, |bytes| fill(*piece, bytes)));
    let nested = [
        Family::new("brackets opened and closed", |bytes| "[".repeat(bytes / 2) + &"]".repeat(bytes / 2)),
        Family::new("objects in objects", |bytes| "{\"a\":".repeat(bytes / 6) + "1" + &"}".repeat(bytes / 6)),
    ];
    numbered.chain(nested).collect()
}

/// Puts pieces together until there are enough.
fn fill(piece: fn(usize) -> String, bytes: usize) -> String {
    let mut text = String::new();
    for at in 0.. {
        text.push_str(&piece(at));
        if text.len() >= bytes {
            break;
        }
    }
    text
}

/// The name of texts, and their piece of each number.
type Numbered = (&'static str, fn(usize) -> String);

/// Texts whose pieces differ.
const NUMBERED: [Numbered; 19] = [
    ("fences that grow", |at| format!("{}\n", "`".repeat(3 + at % 500))),
    ("blocks of the same kind without end", |at| format!("BATON_SUMMARY_BEGIN\n{at}\n")),
    ("blocks in turn without end", |at| {
        format!("BATON_{}_BEGIN\n", ["SUMMARY", "ISSUE_UPDATE", "SUB_ISSUE"][at % 3])
    }),
    ("sub-issues", |at| format!("BATON_SUB_ISSUE_BEGIN\nTITLE: {at}\nBATON_SUB_ISSUE_END\n")),
    ("summaries", |at| format!("BATON_SUMMARY_BEGIN\n{at}\nBATON_SUMMARY_END\n")),
    ("keys of YAML", |at| format!("k{at}: v\n")),
    ("keys of a group", |at| after("claims:\n", at, format!("  k{at}: v\n"))),
    ("agents", |at| after("agents:\n", at, format!("  a{at}: {{command: [x]}}\n"))),
    ("anchors", |at| format!("k{at}: &a{at} v\n")),
    ("aliases", |at| after("k0: &a v\n", at, format!("k{at}: *a\n"))),
    ("aliases of aliases", |at| {
        let earlier = at.saturating_sub(1);
        after("k0: &a0 [v, v]\n", at, format!("k{at}: &a{at} [*a{earlier}, *a{earlier}]\n"))
    }),
    ("lists in lists, by indentation", |at| format!("{}-\n", " ".repeat(at % 200))),
    ("variables", |at| format!("V{at}=v\n")),
    ("variables nearly of ours", |at| format!("BATON_USR{at}=v\n")),
    ("fields of a claim", |at| after("<!-- agent-claim:codename=a firing_id=F ", at, format!("k{at}=v "))),
    ("references", |at| format!("fixes #{at} ")),
    ("tools in use", |at| {
        format!("{{\"type\":\"tool_use\",\"tool_name\":\"t{at}\",\"tool_id\":\"i{at}\"}}\n")
    }),
    ("denied tools", |at| {
        format!("{{\"type\":\"system\",\"subtype\":\"permission_denied\",\"tool_name\":\"t{at}\"}}\n")
    }),
    ("results", |at| format!("{{\"type\":\"result\",\"result\":\"{at}\"}}\n")),
];

/// Returns what comes first, or what comes after it.
fn after(first: &str, at: usize, then: String) -> String {
    if at == 0 { first.to_owned() } else { then }
}

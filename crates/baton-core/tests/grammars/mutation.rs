//! Texts made wrong: pieces of good ones spliced, repeated, left out, exchanged, cut off, nested and mixed with noise.

/// A splitmix64 sequence.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`; 0 when there is none.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }

    fn pick<'a>(&mut self, items: &[&'a str]) -> &'a str {
        items.get(self.below(items.len())).copied().unwrap_or_default()
    }

    /// A piece of a text, short ones more often than long ones.
    fn range(&mut self, len: usize) -> std::ops::Range<usize> {
        let longest = 1 << self.below(12);
        let from = self.below(len + 1);
        from..(from + self.below(longest + 1)).min(len)
    }
}

/// How long a text may become.
const BYTES_MAX: usize = 16 * 1024;
const MUTATIONS_MAX: usize = 8;
/// Characters that are more than a byte, or look like something else.
const ODD: &[&str] =
    &["é", "😀", "\u{feff}", "\u{2028}", "\u{a0}", "\u{0}", "\u{200b}", "e\u{301}", "\u{85}", "İ", "ß"];

/// Makes a text from a corpus and pieces of its grammar.
pub(crate) fn text(dice: &mut Dice, corpus: &[&str], tokens: &[&str]) -> String {
    let mut bytes = dice.pick(corpus).as_bytes().to_vec();
    for _ in 0..=dice.below(MUTATIONS_MAX) {
        mutate(&mut bytes, dice, corpus, tokens);
        bytes.truncate(BYTES_MAX);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn mutate(bytes: &mut Vec<u8>, dice: &mut Dice, corpus: &[&str], tokens: &[&str]) {
    let at = dice.below(bytes.len() + 1);
    match dice.below(11) {
        0 => splice(bytes, at, dice.pick(corpus), dice),
        1 => {
            let piece = bytes[dice.range(bytes.len())].to_vec();
            insert(bytes, at, &piece);
        }
        2 => drop(bytes.drain(dice.range(bytes.len()))),
        3 => swap(bytes, dice),
        4 | 5 => insert(bytes, at, dice.pick(tokens).as_bytes()),
        6 => insert(bytes, at, dice.pick(ODD).as_bytes()),
        7 => insert(bytes, at, &[dice.below(256) as u8]),
        8 => bytes.truncate(at),
        9 => nest(bytes, at, dice, tokens),
        _ => replace_byte(bytes, at, dice),
    }
}

fn insert(bytes: &mut Vec<u8>, at: usize, piece: &[u8]) {
    bytes.splice(at..at, piece.iter().copied());
}

/// Puts a piece of another text in.
fn splice(bytes: &mut Vec<u8>, at: usize, other: &str, dice: &mut Dice) {
    let piece = &other.as_bytes()[dice.range(other.len())];
    insert(bytes, at, piece);
}

/// Exchanges two lines.
fn swap(bytes: &mut Vec<u8>, dice: &mut Dice) {
    let mut lines: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').collect();
    let (one, other) = (dice.below(lines.len()), dice.below(lines.len()));
    lines.swap(one, other);
    *bytes = lines.join(&b'\n');
}

/// Repeats a piece up to thousands of times; readers that call themselves run out of stack here.
fn nest(bytes: &mut Vec<u8>, at: usize, dice: &mut Dice, tokens: &[&str]) {
    let times_max = 1 << dice.below(13);
    let times = dice.below(times_max);
    insert(bytes, at, dice.pick(tokens).repeat(times).as_bytes());
}

fn replace_byte(bytes: &mut [u8], at: usize, dice: &mut Dice) {
    if let Some(byte) = bytes.get_mut(at) {
        *byte = dice.below(256) as u8;
    }
}

#[test]
fn a_seed_repeats_its_texts() {
    let texts = |seed| {
        let mut dice = Dice::new(seed);
        (0..50).map(|_| text(&mut dice, &["abc\ndef"], &["[", "]"])).collect::<Vec<_>>()
    };
    assert_eq!(texts(1), texts(1));
    assert_ne!(texts(1), texts(2));
}

//! What a command prints: the end of it, and the lines that point at a place in a file.

use crate::db::checks::Annotation;

/// How much of the output is kept: its end, where the failure usually is.
pub(super) const KEPT_BYTES_MAX: usize = 64 * 1024;

/// GitHub shows fifty from one request, and a reader does not need more.
const ANNOTATIONS_MAX: usize = 50;

/// The last part of a stream of bytes. It never holds more than twice what it keeps.
#[derive(Debug, Default)]
pub(super) struct Tail {
    bytes: Vec<u8>,
    is_cut: bool,
}

impl Tail {
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        if self.bytes.len() > 2 * KEPT_BYTES_MAX {
            self.cut();
        }
    }

    fn cut(&mut self) {
        if let Some(excess) = self.bytes.len().checked_sub(KEPT_BYTES_MAX).filter(|excess| *excess > 0) {
            self.bytes.drain(..excess);
            self.is_cut = true;
        }
    }

    /// The end as text, from the beginning of a line where something was left out.
    pub(super) fn into_text(mut self) -> String {
        self.cut();
        let text = String::from_utf8_lossy(&self.bytes).replace('\0', "\u{fffd}");
        match (self.is_cut, text.split_once('\n')) {
            (true, Some((_, rest))) => format!("(the beginning was left out)\n{rest}"),
            _ => text,
        }
    }
}

/// Reads the lines `::error file=PATH,line=N::MESSAGE` (and `warning`, `notice`) that many tools print for CI.
pub(super) fn annotations(text: &str) -> Vec<Annotation> {
    text.lines().filter_map(annotation).take(ANNOTATIONS_MAX).collect()
}

fn annotation(line: &str) -> Option<Annotation> {
    let (head, message) = line.trim().strip_prefix("::")?.split_once("::")?;
    let (kind, properties) = head.split_once(' ').unwrap_or((head, ""));
    let level = match kind {
        "error" => "failure",
        "warning" | "notice" => kind,
        _ => return None,
    };
    let property = |name: &str| {
        let pairs = properties.split(',').filter_map(|pair| pair.split_once('='));
        pairs.filter(|(key, _)| key.trim() == name).map(|(_, value)| unescape(value)).next()
    };
    let number = |name: &str| property(name).and_then(|value| value.parse::<i64>().ok()).filter(|n| *n > 0);
    let start_line = number("line").unwrap_or(1);
    let end_line = number("endLine").unwrap_or(start_line).max(start_line);
    let is_one_line = start_line == end_line;
    Some(Annotation {
        id: 0,
        path: property("file").filter(|path| !path.is_empty())?,
        start_line,
        end_line,
        start_column: number("col").filter(|_| is_one_line),
        end_column: number("endColumn").filter(|_| is_one_line),
        level: level.to_owned(),
        message: unescape(message),
        title: property("title"),
        raw_details: None,
    })
}

fn unescape(text: &str) -> String {
    let escapes = [("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")];
    escapes.into_iter().fold(text.to_owned(), |text, (from, to)| text.replace(from, to))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_end_of_a_flood_is_kept() {
        let mut tail = Tail::default();
        for number in 0..200_000 {
            tail.push(format!("line {number}\n").as_bytes());
            assert!(tail.bytes.len() <= 2 * KEPT_BYTES_MAX);
        }
        let text = tail.into_text();
        assert!(text.len() <= KEPT_BYTES_MAX + 64 && text.ends_with("line 199999\n"));
        assert!(text.starts_with("(the beginning was left out)\nline "));
        let mut short = Tail::default();
        short.push(b"whole\n\xff");
        assert_eq!(short.into_text(), "whole\n\u{fffd}");
    }

    #[test]
    fn lines_for_ci_become_annotations() {
        let text = "noise\n::error file=src/a.rs,line=3,endLine=4,title=Oops::it%0Abroke: badly\n::warning file=b::hm\n::debug::x\n::error::nowhere\n";
        let found = annotations(text);
        let shown: Vec<_> = found
            .iter()
            .map(|n| (n.path.as_str(), n.start_line, n.end_line, n.level.as_str(), n.message.as_str()))
            .collect();
        assert_eq!(shown, [("src/a.rs", 3, 4, "failure", "it\nbroke: badly"), ("b", 1, 1, "warning", "hm")]);
        assert_eq!(found[0].title.as_deref(), Some("Oops"));
    }
}

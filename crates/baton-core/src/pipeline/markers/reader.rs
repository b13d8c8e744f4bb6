//! The walk over the lines of a text, once from the first to the last.

use super::fence::Fence;
use super::line::{self, Block, Line, Word};
use super::{Marks, Mention, SubIssue, Why};
use crate::repo_slug::{NameError, RepoSlug};

const TITLE: &str = "TITLE:";

/// Reads a text whose markers have this prefix.
pub(super) fn read(text: &str, prefix: &'static str) -> Marks {
    let mut reader = Reader {
        prefix,
        number: 0,
        place: Place::Prose,
        marks: Marks::default(),
        counted: [None, None],
        rest: Vec::new(),
    };
    text.lines().for_each(|line| reader.line(line));
    reader.finish()
}

struct Reader<'a> {
    prefix: &'static str,
    /// The line, from 1.
    number: usize,
    place: Place<'a>,
    marks: Marks,
    /// Where the summary and the issue update that count so far begin.
    counted: [Option<usize>; 2],
    rest: Vec<&'a str>,
}

/// Where the line stands.
enum Place<'a> {
    Prose,
    /// In a fence, which was opened after so many mentions.
    Fence(Fence, usize),
    Block(Open<'a>),
}

/// A block that is open.
struct Open<'a> {
    block: Block,
    repo: Option<&'a str>,
    number: usize,
    content: Vec<&'a str>,
}

impl<'a> Reader<'a> {
    fn line(&mut self, line: &'a str) {
        self.number += 1;
        match std::mem::replace(&mut self.place, Place::Prose) {
            Place::Prose => self.prose(line),
            Place::Fence(fence, before) => self.fenced(line, fence, before),
            Place::Block(open) => self.block(line, open),
        }
    }

    fn prose(&mut self, line: &'a str) {
        match line::read(line, self.prefix) {
            Line::Marker(word, repo) => self.obey(word, repo),
            Line::Unknown(marker) => {
                let marker = marker.to_owned();
                self.marks.mentions.push(Mention { marker, line: self.number, why: Why::Unknown });
                self.rest.push(line);
            }
            Line::Text => {
                self.mentions(line, &Why::InProse);
                self.rest.push(line);
                if let Some(fence) = Fence::opened_by(line) {
                    self.place = Place::Fence(fence, self.marks.mentions.len());
                }
            }
        }
    }

    fn obey(&mut self, word: Word, repo: Option<&'a str>) {
        match word {
            Word::StageComplete => self.marks.complete = true,
            Word::Decomposed => self.marks.decomposed = true,
            Word::BlockedOnInput => self.marks.blocked = true,
            Word::Begin(block) => self.open(block, repo),
            Word::End(_) => self.mention(word, self.number, Why::Unopened),
        }
    }

    fn open(&mut self, block: Block, repo: Option<&'a str>) {
        self.place = Place::Block(Open { block, repo, number: self.number, content: Vec::new() });
    }

    fn fenced(&mut self, line: &'a str, fence: Fence, before: usize) {
        self.rest.push(line);
        if !fence.is_closed_by(line) {
            self.mentions(line, &Why::InFence);
            self.place = Place::Fence(fence, before);
        }
    }

    /// Reads a line of a block. Fences are content here and hide nothing, so that one which an agent forgot to close does
    /// not swallow the end of the block and all that comes after it.
    fn block(&mut self, line: &'a str, mut open: Open<'a>) {
        match line::read(line, self.prefix) {
            Line::Marker(Word::End(block), _) if block == open.block => self.close(&open),
            // Nobody puts a block into another of its kind: the first was forgotten, or only told of.
            Line::Marker(Word::Begin(block), repo) if block == open.block => {
                self.give_up(&open, Why::Unfinished);
                self.open(block, repo);
            }
            Line::Marker(..) | Line::Unknown(_) | Line::Text => {
                self.mentions(line, &Why::InBlock);
                open.content.push(line);
                self.place = Place::Block(open);
            }
        }
    }

    fn close(&mut self, open: &Open<'a>) {
        let content = without_blank_ends(&open.content);
        match open.block {
            Block::SubIssue => match sub_issue(open.repo, content) {
                Ok(issue) => self.marks.sub_issues.push(issue),
                Err(why) => self.give_up(open, why),
            },
            // An empty text would wipe out the issue's own.
            _ if content.is_empty() => self.mention(Word::Begin(open.block), open.number, Why::Empty),
            Block::Summary | Block::IssueUpdate => self.count(open, content),
        }
    }

    /// Lets a block count in place of an earlier one of its kind.
    fn count(&mut self, open: &Open<'a>, content: &[&str]) {
        let (slot, counted) = match open.block {
            Block::Summary => (&mut self.marks.summary, &mut self.counted[0]),
            Block::IssueUpdate | Block::SubIssue => (&mut self.marks.issue_update, &mut self.counted[1]),
        };
        *slot = Some(content.join("\n"));
        if let Some(earlier) = counted.replace(open.number) {
            self.mention(Word::Begin(open.block), earlier, Why::Superseded);
        }
    }

    /// Tells why a block does not count, and leaves what is in it to people.
    fn give_up(&mut self, open: &Open<'a>, why: Why) {
        self.mention(Word::Begin(open.block), open.number, why);
        self.rest.extend_from_slice(&open.content);
    }

    fn mentions(&mut self, line: &str, why: &Why) {
        for word in line::mentions(line, self.prefix) {
            self.mention(word, self.number, why.clone());
        }
    }

    fn mention(&mut self, word: Word, line: usize, why: Why) {
        let marker = format!("{}{}", self.prefix, word.name());
        self.marks.mentions.push(Mention { marker, line, why });
    }

    fn finish(mut self) -> Marks {
        match std::mem::replace(&mut self.place, Place::Prose) {
            Place::Prose => {}
            // A fence that is not closed goes to the end of the text, as it does where people read it. Its markers may have
            // been meant, or quoted; taking them for meant could call a stage complete that is not.
            Place::Fence(_, before) => {
                self.marks.mentions[before..].iter_mut().for_each(|mention| mention.why = Why::InOpenFence);
            }
            Place::Block(open) => self.give_up(&open, Why::Unfinished),
        }
        self.marks.rest = without_blank_ends(&self.rest).join("\n");
        self.marks
    }
}

fn sub_issue(repo: Option<&str>, content: &[&str]) -> Result<SubIssue, Why> {
    let repo = repo.map(repository).transpose()?;
    let (first, body) = content.split_first().ok_or(Why::Empty)?;
    let title = first.trim().strip_prefix(TITLE).map(str::trim).filter(|title| !title.is_empty());
    let title = title.ok_or(Why::Untitled)?.to_owned();
    Ok(SubIssue { repo, title, body: without_blank_ends(body).join("\n") })
}

/// The form is shown to agents with brackets around what may be left out, and some write those too.
fn repository(text: &str) -> Result<RepoSlug, Why> {
    let bare = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
    bare.parse().map_err(|error: NameError| Why::BadRepo(error.to_string()))
}

fn without_blank_ends<'b, 'a>(lines: &'b [&'a str]) -> &'b [&'a str] {
    let is_said = |line: &&str| !line.trim().is_empty();
    let first = lines.iter().position(is_said).unwrap_or(lines.len());
    let end = lines.iter().rposition(is_said).map_or(first, |last| last + 1);
    &lines[first..end]
}

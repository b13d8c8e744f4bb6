//! How the difference of a file looks: a table with the numbers of both sides, a mark beside the colour, and threads
//! beneath the lines they are about.

use maud::{Markup, html};

use super::diff::{Change, Line, hunks};
use super::files::Spotted;
use super::notice::{Notice, Spot};
use super::parts::badge;
use super::place::query;
use super::shell::Reader;
use super::threads;
use super::wire::{ChangedFile, Thread};

/// A line that is longer is cut; it was not written by hand.
const LINE_CHARS_MAX: usize = 1000;

/// What all files of a page share.
pub(crate) struct Table<'a> {
    pub(crate) address: &'a str,
    pub(crate) head_sha: &'a str,
    pub(crate) reader: &'a Reader,
    pub(crate) notice: &'a Notice,
    pub(crate) spotted: Option<&'a Spotted>,
    /// How many lines may still be shown.
    pub(crate) lines_left: usize,
}

pub(crate) fn show_file(table: &mut Table<'_>, file: &ChangedFile, threads: &[Thread]) -> Markup {
    let here: Vec<&Thread> = threads.iter().filter(|thread| thread.path == file.filename).collect();
    let (rows, cut, placed) = rows(table, file, &here);
    let homeless = here.iter().filter(|thread| !placed.contains(&thread.id.as_str()));
    html! {
        section class="forge-file" aria-label=(file.filename) {
            header {
                h2 { code { (file.filename) } }
                (badge("quiet", &file.status))
                @if let Some(before) = &file.previous_filename { span class="quiet" { "was " code { (before) } } }
                span class="forge-added" { "+" (file.additions) } " "
                span class="forge-deleted" { "−" (file.deletions) }
            }
            @match &file.patch {
                None => p class="quiet forge-pad" { "Its difference is not text, or too large to be shown." },
                Some(_) => {
                    div class="forge-scroll" tabindex="0" role="region" aria-label={ "Difference of " (file.filename) } {
                        table class="forge-diff" {
                            thead class="sr-only" { tr { th scope="col" { "Before" } th scope="col" { "After" } th scope="col" { "Line" } } }
                            tbody { (rows) }
                        }
                    }
                }
            }
            @if cut > 0 { p class="result warn" { (cut) " more lines of this file are not shown: the difference is too large for one page." } }
            @for thread in homeless { (threads::show(table.reader, thread, &table.notice.typed)) }
        }
    }
}

/// Returns the rows, how many lines were left out, and the threads that found their line.
fn rows<'t>(table: &mut Table<'_>, file: &ChangedFile, here: &[&'t Thread]) -> (Markup, usize, Vec<&'t str>) {
    let hunks = hunks(file.patch.as_deref().unwrap_or(""));
    let (mut cut, mut placed) = (0, Vec::new());
    let mut shown = Vec::new();
    for hunk in &hunks {
        let fitting = hunk.lines.len().min(table.lines_left);
        table.lines_left -= fitting;
        cut += hunk.lines.len() - fitting;
        if fitting == 0 {
            continue;
        }
        shown.push(html! { tr class="forge-hunk" { td {} td {} td { (hunk.heading) } } });
        for line in hunk.lines.iter().take(fitting) {
            shown.push(row(table, file, line));
            for thread in here.iter().filter(|thread| stands_at(thread, line)) {
                placed.push(thread.id.as_str());
                shown.push(beneath(&threads::show(table.reader, thread, &table.notice.typed)));
            }
            if table.spotted.is_some_and(|spotted| is_spotted(spotted, file, line)) {
                shown.push(beneath(&form(table, file, line)));
            }
        }
    }
    (html! { @for row in &shown { (row) } }, cut, placed)
}

fn stands_at(thread: &Thread, line: &Line<'_>) -> bool {
    let same = |(side, number): (&str, u64)| thread.diff_side == side && thread.line == Some(number);
    !thread.is_outdated && line.place().is_some_and(same)
}

fn is_spotted(spotted: &Spotted, file: &ChangedFile, line: &Line<'_>) -> bool {
    let same = |(side, number): (&str, u64)| spotted.side == side && spotted.line == number;
    spotted.path == file.filename && line.place().is_some_and(same)
}

fn row(table: &Table<'_>, file: &ChangedFile, line: &Line<'_>) -> Markup {
    let (class, mark, word) = match line.change {
        Change::Added => ("forge-plus", "+", "added"),
        Change::Deleted => ("forge-minus", "-", "deleted"),
        Change::Kept => ("forge-kept", " ", "unchanged"),
        Change::Remark => ("forge-hunk", "\\", "remark"),
    };
    let text: String = line.text.chars().take(LINE_CHARS_MAX).collect();
    let is_cut = text.len() < line.text.len();
    html! {
        tr class=(class) {
            td class="forge-no" { (number(table, file, line, "LEFT", line.old)) }
            td class="forge-no" { (number(table, file, line, "RIGHT", line.new)) }
            td class="forge-code" {
                span class="forge-mark" aria-label=(word) role="img" { (mark) } (text)
                @if is_cut { span class="quiet" { " … (the line is longer)" } }
            }
        }
    }
}

/// The number of a line on one side; on the side by which a comment names the line, it leads to the form for one.
fn number(table: &Table<'_>, file: &ChangedFile, line: &Line<'_>, side: &str, number: Option<u64>) -> Markup {
    let Some(number) = number else { return html! {} };
    if line.place() != Some((if side == "LEFT" { "LEFT" } else { "RIGHT" }, number)) {
        return html! { (number) };
    }
    let digits = number.to_string();
    let query = query(&[("path", Some(&file.filename)), ("side", Some(side)), ("line", Some(&digits))]);
    html! {
        a href={ (table.address) (query) "#line" } aria-label={ "Comment on line " (number) " of " (file.filename) } { (number) }
    }
}

fn beneath(inner: &Markup) -> Markup {
    html! { tr class="forge-beneath" { td colspan="3" { (inner) } } }
}

fn form(table: &Table<'_>, file: &ChangedFile, line: &Line<'_>) -> Markup {
    let Some((side, number)) = line.place() else { return html! {} };
    html! {
        form method="post" action=(table.address) class="forge-form" id="line" {
            (table.reader.field())
            (table.notice.at(Spot::Line))
            input type="hidden" name="path" value=(file.filename);
            input type="hidden" name="side" value=(side);
            input type="hidden" name="line" value=(number);
            input type="hidden" name="sha" value=(table.head_sha);
            label for="line-note" { "Comment on line " (number) }
            textarea id="line-note" name="note" rows="3" required { (table.notice.typed.text("note")) }
            div class="forge-row" {
                button class="main" name="order" value="line" { "Comment" }
                a class="forge-button" href=(table.address) { "Cancel" }
            }
        }
    }
}

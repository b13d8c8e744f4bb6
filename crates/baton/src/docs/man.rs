//! The manual pages: one for each command, as roff.
//!
//! The sections about examples and exit codes are written here, because the generator knows of them only as text that
//! comes last.

use std::io;
use std::path::Path;

use clap::Command;
use clap_mangen::Man;

use super::surface;

/// A manual page and the name of its file.
pub(crate) struct ManPage {
    pub(crate) path: String,
    pub(crate) file_name: String,
    pub(crate) text: Vec<u8>,
}

/// Writes the pages of all commands that are not hidden.
pub(crate) fn pages(root: Command) -> io::Result<Vec<ManPage>> {
    let known = surface::pages(root.clone());
    let mut root = root.disable_help_subcommand(true);
    root.build();
    let mut written = Vec::new();
    for page in &known {
        let names: Vec<_> = page.path.split(' ').skip(1).collect();
        let Some(command) = find(&root, &names) else { continue };
        let name = page.path.replace(' ', "-");
        let man = Man::new(command.clone().display_name(name.clone())).title(name.to_uppercase());
        written.push(ManPage {
            path: page.path.clone(),
            file_name: format!("{name}.1"),
            text: render(&man, page)?,
        });
    }
    Ok(written)
}

/// Puts the pages into a directory, which is made if it is not there.
pub(crate) fn write(pages: &[ManPage], directory: &Path) -> io::Result<()> {
    std::fs::create_dir_all(directory)?;
    pages.iter().try_for_each(|page| std::fs::write(directory.join(&page.file_name), &page.text))
}

fn find<'a>(root: &'a Command, names: &[&str]) -> Option<&'a Command> {
    names.iter().try_fold(root, |command, name| command.find_subcommand(name))
}

fn render(man: &Man, page: &surface::CommandPage) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    man.render_title(&mut text)?;
    man.render_name_section(&mut text)?;
    man.render_synopsis_section(&mut text)?;
    man.render_description_section(&mut text)?;
    if !page.arguments.is_empty() {
        man.render_options_section(&mut text)?;
    }
    if page.is_group {
        man.render_subcommands_section(&mut text)?;
    }
    text.extend(own_sections(page).into_bytes());
    Ok(text)
}

fn own_sections(page: &surface::CommandPage) -> String {
    let mut text = String::new();
    if !page.exit_codes.is_empty() {
        text.push_str(".SH \"EXIT STATUS\"\n");
        for it in &page.exit_codes {
            text.push_str(&format!(".TP\n{}\n{}\n", it.code, escaped(&it.meaning)));
        }
        if page.exit_codes.iter().all(|it| it.code != 2) {
            text.push_str(".TP\n2\narguments or configuration that cannot be meant\n");
        }
    }
    if !page.examples.is_empty() {
        text.push_str(".SH EXAMPLES\n");
        for it in &page.examples {
            text.push_str(&format!(".TP\n{}\n{}\n", escaped(&it.line), escaped(&it.meaning)));
        }
    }
    if !page.notes.is_empty() {
        text.push_str(".SH NOTES\n");
        page.notes.iter().for_each(|note| text.push_str(&format!(".PP\n{}\n", escaped(note))));
    }
    text
}

/// Writes a line so that roff takes it as text.
fn escaped(line: &str) -> String {
    let text = line.replace('\\', "\\e").replace('-', "\\-").replace('\'', "\\(aq").replace('`', "\\(ga");
    if text.starts_with('.') { format!("\\&{text}") } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_has_the_exit_codes_and_the_examples_of_its_command() {
        let check = Command::new("check")
            .about("Tell it.")
            .after_help("Examples:\n  baton check --json  for programs\n\nExit codes:\n  0  yes");
        let root = Command::new("baton").about("Runs.").subcommand(check);
        let pages = pages(root).unwrap();
        let names: Vec<_> = pages.iter().map(|page| page.file_name.as_str()).collect();
        assert_eq!(names, ["baton.1", "baton-check.1"]);
        let text = String::from_utf8(pages[1].text.clone()).unwrap();
        assert!(text.contains(".SH \"EXIT STATUS\"\n.TP\n0\nyes\n.TP\n2\n"), "{text}");
        assert!(text.contains(".SH EXAMPLES\n.TP\nbaton check \\-\\-json\nfor programs\n"), "{text}");
    }

    #[test]
    fn a_line_cannot_become_a_request_of_roff() {
        assert_eq!(escaped(".SH it's a\\b"), "\\&.SH it\\(aqs a\\eb");
    }
}

//! Writing files so that either all of them are there or none: drafts first, beside their places, and then their names. What a
//! draft replaces is kept aside until all are in place, and is put back when one of them cannot be.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::plan::Wanted;
use crate::command_error::CommandError;

const DRAFT_SUFFIX: &str = ".baton-draft";
/// What the name of a file ends with that was there before.
const BEFORE_SUFFIX: &str = ".baton-before";

/// What was made on the way, and is taken back when something fails.
#[derive(Default)]
struct Drafts {
    /// Drafts, and the places that they are for.
    files: Vec<(PathBuf, PathBuf)>,
    directories: Vec<PathBuf>,
}

/// Writes what is to be written.
pub(super) fn write(root: &Path, files: &[Wanted]) -> Result<(), CommandError> {
    let mut drafts = Drafts::default();
    for file in files.iter().filter(|file| file.is_written()) {
        if let Err(error) = drafts.add(&root.join(&file.path), &file.text) {
            drafts.take_back();
            return Err(CommandError::OutOfReach(format!(
                "cannot write {}: {error}; nothing was written",
                file.path
            )));
        }
    }
    drafts.put_in_place()
}

impl Drafts {
    fn add(&mut self, place: &Path, text: &str) -> io::Result<()> {
        if let Some(parent) = place.parent() {
            self.make(parent)?;
        }
        let draft = beside(place, DRAFT_SUFFIX);
        self.files.push((draft.clone(), place.to_owned()));
        fs::write(&draft, text)
    }

    fn make(&mut self, directory: &Path) -> io::Result<()> {
        let missing: Vec<_> =
            directory.ancestors().take_while(|it| !it.exists()).map(Path::to_owned).collect();
        for directory in missing.into_iter().rev() {
            fs::create_dir(&directory)?;
            self.directories.push(directory);
        }
        Ok(())
    }

    fn take_back(&self) {
        // What cannot be removed is a draft, which nobody reads.
        self.files.iter().for_each(|(draft, _)| drop(fs::remove_file(draft)));
        self.directories.iter().rev().for_each(|directory| drop(fs::remove_dir(directory)));
    }

    fn put_in_place(&self) -> Result<(), CommandError> {
        let mut replaced = Vec::new();
        for (draft, place) in &self.files {
            match replace(draft, place) {
                Ok(it) => replaced.push(it),
                Err(error) => {
                    let end = put_back(&replaced);
                    self.take_back();
                    let place = place.display();
                    let said = format!("cannot put {place} in its place: {error}; {end}");
                    return Err(CommandError::OutOfReach(said));
                }
            }
        }
        // One that stays is in nobody's way.
        replaced.iter().filter_map(|it| it.before.as_ref()).for_each(|before| drop(fs::remove_file(before)));
        Ok(())
    }
}

/// A place that has its new file, and where the one is that was there.
struct Replaced {
    place: PathBuf,
    before: Option<PathBuf>,
}

fn beside(place: &Path, suffix: &str) -> PathBuf {
    let mut name = place.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// Keeps what is there by a second name, so that there is a file in the place at every moment, and puts the draft there.
fn replace(draft: &Path, place: &Path) -> io::Result<Replaced> {
    let before = fs::symlink_metadata(place).is_ok().then(|| beside(place, BEFORE_SUFFIX));
    if let Some(before) = &before {
        keep(place, before)?;
    }
    if let Err(error) = fs::rename(draft, place) {
        before.iter().for_each(|before| drop(fs::remove_file(before)));
        return Err(error);
    }
    Ok(Replaced { place: place.to_owned(), before })
}

fn keep(place: &Path, before: &Path) -> io::Result<()> {
    // A name that a crash has left may be one of this very file, which a copy would empty.
    drop(fs::remove_file(before));
    // Not every disk knows second names.
    fs::hard_link(place, before).or_else(|_| fs::copy(place, before).map(drop))
}

/// Puts back what was there, and says how that went.
fn put_back(replaced: &[Replaced]) -> String {
    let back = |it: &Replaced| match &it.before {
        Some(before) => fs::rename(before, &it.place),
        None => fs::remove_file(&it.place),
    };
    let stuck: Vec<_> = replaced.iter().rev().filter(|it| back(it).is_err()).collect();
    if stuck.is_empty() {
        return "nothing was written".to_owned();
    }
    let names: Vec<_> = stuck.iter().map(|it| it.place.display().to_string()).collect();
    format!(
        "what was there could not be put back in {}: look beside it for *{BEFORE_SUFFIX}",
        names.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::super::plan::Deed;
    use super::*;

    fn wanted(path: &str) -> Wanted {
        Wanted { path: path.to_owned(), text: "x".to_owned(), deed: Deed::Create }
    }

    #[test]
    fn a_write_that_fails_leaves_nothing_behind() {
        let root = tempfile::tempdir().unwrap();
        fs::write(root.path().join("in-the-way"), "a file").unwrap();
        let error = write(root.path(), &[wanted("a"), wanted("d/e/f"), wanted("in-the-way/b")]).unwrap_err();
        assert!(error.to_string().contains("nothing was written"), "{error}");
        let left: Vec<_> = fs::read_dir(root.path()).unwrap().map(|it| it.unwrap().file_name()).collect();
        assert_eq!(left, ["in-the-way"]);
    }

    #[test]
    fn a_file_that_cannot_be_put_in_its_place_leaves_everything_as_it_was() {
        let root = tempfile::tempdir().unwrap();
        let path = |name: &str| root.path().join(name);
        fs::write(path("old"), "before").unwrap();
        fs::create_dir_all(path("taken/by")).unwrap();
        let files = [wanted("new"), wanted("old"), wanted("d/e"), wanted("taken")];
        let error = write(root.path(), &files).unwrap_err();
        assert!(error.to_string().contains("taken in its place"), "{error}");
        assert!(error.to_string().ends_with("nothing was written"), "{error}");
        assert_eq!(fs::read_to_string(path("old")).unwrap(), "before");
        let mut left: Vec<_> = fs::read_dir(root.path()).unwrap().map(|it| it.unwrap().file_name()).collect();
        left.sort();
        assert_eq!(left, ["old", "taken"]);
    }

    #[test]
    fn what_was_replaced_is_gone_when_all_is_in_place() {
        let root = tempfile::tempdir().unwrap();
        fs::write(root.path().join("old"), "before").unwrap();
        write(root.path(), &[wanted("old")]).unwrap();
        assert_eq!(fs::read_to_string(root.path().join("old")).unwrap(), "x");
        assert_eq!(fs::read_dir(root.path()).unwrap().count(), 1);
    }

    #[test]
    fn all_files_are_there_when_it_is_done() {
        let root = tempfile::tempdir().unwrap();
        write(root.path(), &[wanted("a"), wanted("d/e/f")]).unwrap();
        assert_eq!(fs::read_to_string(root.path().join("d/e/f")).unwrap(), "x");
        assert!(!root.path().join("a.baton-draft").exists());
    }
}

//! Files that say what is expected, and how they are written again.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

/// A directory of snapshots.
pub(crate) struct Snapshots {
    directory: PathBuf,
    seen: BTreeSet<String>,
    wrong: Vec<String>,
}

impl Snapshots {
    pub(crate) fn of(name: &str) -> Self {
        let directory = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/surface/snapshots").join(name);
        Self { directory, seen: BTreeSet::new(), wrong: Vec::new() }
    }

    /// Compares a text with its file, or writes the file when BATON_BLESS is set.
    pub(crate) fn compare(&mut self, name: &str, text: &str) {
        let path = self.directory.join(name);
        self.seen.insert(name.to_owned());
        if is_blessing() {
            fs::create_dir_all(&self.directory).unwrap();
            fs::write(&path, text).unwrap();
            return;
        }
        match fs::read_to_string(&path) {
            Ok(expected) if expected == text => {}
            Ok(expected) => self.wrong.push(format!("{name} was\n{expected}\nand is\n{text}")),
            Err(error) => self.wrong.push(format!("{name}: {error}; it would be\n{text}")),
        }
    }

    /// Fails if anything differs, or if a file is there that nothing was compared with.
    #[track_caller]
    pub(crate) fn finish(self) {
        let files = fs::read_dir(&self.directory).map(|entries| {
            entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect()
        });
        let files: BTreeSet<String> = files.unwrap_or_default();
        for stale in files.difference(&self.seen) {
            if is_blessing() {
                fs::remove_file(self.directory.join(stale)).unwrap();
            }
        }
        let stale: Vec<_> = files.difference(&self.seen).filter(|_| !is_blessing()).collect();
        assert!(
            self.wrong.is_empty() && stale.is_empty(),
            "the surface has changed; if that is meant, run `BATON_BLESS=1 cargo xtask test surface` and commit \
             crates/baton/tests/surface/snapshots\nfiles of nothing: {stale:?}\n{}",
            self.wrong.join("\n\n")
        );
    }
}

fn is_blessing() -> bool {
    std::env::var_os("BATON_BLESS").is_some()
}

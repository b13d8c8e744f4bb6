//! One value in one JSON file, which processes share.
//!
//! A writer holds an advisory lock on a sibling `.lock` file while it reads, changes and replaces the value, so that
//! two writers lose nothing. The file is replaced by a rename, so that a reader, who takes no lock, sees the old value
//! or the new one. The lock file stays: whoever removed it would let two writers hold two different locks.
//!
//! Deliberately absent: a policy for files that cannot be understood. [`StateFile::update`] refuses them;
//! [`StateFile::update_cache`] is for values that can be found out again.

use std::fs::{File, OpenOptions, Permissions};
use std::io::{self, Write as _};
use std::marker::PhantomData;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Why a state file could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum StateFileError {
    /// The file is there and could not be read.
    #[error("cannot read {}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// The file could not be replaced; it is as it was.
    #[error("cannot write {}; check that its directory can be written and has space", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// The file that guards it could not be locked; nothing was changed.
    #[error("cannot lock {}; check that its directory can be written", path.display())]
    Lock {
        /// The lock file.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// The file is not the JSON it should be; it was left alone.
    #[error("{} cannot be understood; repair it, or move it away to start without it", path.display())]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// Where it goes wrong.
        #[source]
        source: serde_json::Error,
    },
}

/// A value of type `T` in a JSON file.
#[derive(Debug, Clone)]
pub struct StateFile<T> {
    path: PathBuf,
    value: PhantomData<fn() -> T>,
}

/// Holds the lock for as long as it lives. The kernel takes it back when the process dies.
struct Guard {
    _file: File,
}

impl<T: Serialize + DeserializeOwned + Default> StateFile<T> {
    /// Names the file. Neither it nor its directory need exist.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), value: PhantomData }
    }

    /// Returns where the value is kept.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the value; without a file, the default one.
    pub fn read(&self) -> Result<T, StateFileError> {
        let bytes = match std::fs::read(&self.path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(T::default()),
            Err(source) => return Err(StateFileError::Read { path: self.path.clone(), source }),
        };
        serde_json::from_slice(&bytes)
            .map_err(|source| StateFileError::Corrupt { path: self.path.clone(), source })
    }

    /// Returns the value; one that cannot be understood counts as the default, with a warning.
    pub fn read_cache(&self) -> Result<T, StateFileError> {
        match self.read() {
            Err(error @ StateFileError::Corrupt { .. }) => {
                tracing::warn!("{error}; it is only a cache and is begun anew");
                Ok(T::default())
            }
            answer => answer,
        }
    }

    /// Changes the value under the lock, and returns what `change` returns. A file that cannot be understood is left
    /// alone.
    pub fn update<R>(&self, change: impl FnOnce(&mut T) -> R) -> Result<R, StateFileError> {
        self.update_from(Self::read, change)
    }

    /// Changes the value under the lock; one that cannot be understood is dropped, with a warning.
    pub fn update_cache<R>(&self, change: impl FnOnce(&mut T) -> R) -> Result<R, StateFileError> {
        self.update_from(Self::read_cache, change)
    }

    fn update_from<R>(
        &self,
        read: impl FnOnce(&Self) -> Result<T, StateFileError>,
        change: impl FnOnce(&mut T) -> R,
    ) -> Result<R, StateFileError> {
        let _guard = self.lock()?;
        let mut value = read(self)?;
        let result = change(&mut value);
        self.replace(&value).map_err(|source| StateFileError::Write { path: self.path.clone(), source })?;
        Ok(result)
    }

    fn lock(&self) -> Result<Guard, StateFileError> {
        let path = sibling(&self.path, ".lock");
        let locked = make_parent(&path).and_then(|()| lock_file(&path));
        locked.map(|file| Guard { _file: file }).map_err(|source| StateFileError::Lock { path, source })
    }

    /// Replaces the file. The value is on the disk before the name changes, and the name before this returns, so that
    /// a machine that loses power has the old value or the new one.
    fn replace(&self, value: &T) -> io::Result<()> {
        let mut bytes = serde_json::to_vec_pretty(value)?;
        bytes.push(b'\n');
        let directory = parent(&self.path);
        let mut file = tempfile::Builder::new()
            .prefix(".baton-")
            .suffix(".tmp")
            .permissions(self.permissions())
            .tempfile_in(directory)?;
        file.write_all(&bytes)?;
        file.as_file().sync_all()?;
        file.persist(&self.path)?;
        File::open(directory)?.sync_all()
    }

    /// A file that is there keeps its permissions; a new one gets those of any new file.
    fn permissions(&self) -> Permissions {
        let old = std::fs::metadata(&self.path).map(|metadata| metadata.permissions());
        old.unwrap_or_else(|_| Permissions::from_mode(0o666))
    }
}

fn lock_file(path: &Path) -> io::Result<File> {
    let file = OpenOptions::new().create(true).truncate(false).write(true).open(path)?;
    loop {
        match flock(&file, FlockOperation::LockExclusive) {
            Ok(()) => return Ok(file),
            Err(Errno::INTR) => {}
            Err(errno) => return Err(errno.into()),
        }
    }
}

fn make_parent(path: &Path) -> io::Result<()> {
    std::fs::create_dir_all(parent(path))
}

/// Returns the directory of a file; that of a bare name is the current one.
fn parent(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

fn sibling(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    type Numbers = BTreeMap<String, u32>;

    fn numbers(directory: &tempfile::TempDir) -> StateFile<Numbers> {
        StateFile::new(directory.path().join("deep/er/numbers.json"))
    }

    #[test]
    fn without_a_file_the_value_is_the_default() {
        let directory = tempfile::tempdir().unwrap();
        assert_eq!(numbers(&directory).read().unwrap(), Numbers::new());
    }

    #[test]
    fn a_change_is_there_for_the_next_reader() {
        let directory = tempfile::tempdir().unwrap();
        let old = numbers(&directory).update(|numbers| numbers.insert("a".into(), 1)).unwrap();
        assert_eq!(old, None);
        assert_eq!(numbers(&directory).read().unwrap()["a"], 1);
    }

    #[test]
    fn writers_at_the_same_time_lose_nothing() {
        let directory = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for writer in 0..8 {
                let file = numbers(&directory);
                let add = move |round: u32| {
                    file.update(|numbers| numbers.insert(format!("{writer}-{round}"), round)).unwrap();
                };
                scope.spawn(move || (0..10).for_each(add));
            }
        });
        assert_eq!(numbers(&directory).read().unwrap().len(), 80);
    }

    #[test]
    fn a_reader_never_sees_half_a_value() {
        let directory = tempfile::tempdir().unwrap();
        let many: Numbers = (0..2000).map(|number| (number.to_string(), number)).collect();
        let file = numbers(&directory);
        file.update(|numbers| *numbers = many.clone()).unwrap();
        std::thread::scope(|scope| {
            let writer = scope.spawn(|| {
                (0..50).for_each(|_| file.update(|numbers| *numbers = many.clone()).unwrap());
            });
            while !writer.is_finished() {
                assert_eq!(file.read().unwrap().len(), 2000);
            }
        });
    }

    #[test]
    fn what_cannot_be_understood_is_refused_and_left_alone() {
        let directory = tempfile::tempdir().unwrap();
        let file = numbers(&directory);
        file.update(|_| ()).unwrap();
        for text in ["", "{", "[]", "{\"a\": \"b\"}"] {
            std::fs::write(file.path(), text).unwrap();
            let error = file.update(|_| ()).unwrap_err().to_string();
            assert!(error.contains("numbers.json") && error.contains("repair it"), "{error}");
            assert!(file.read().is_err());
            assert_eq!(std::fs::read_to_string(file.path()).unwrap(), text);
        }
    }

    #[test]
    fn a_cache_that_cannot_be_understood_is_begun_anew() {
        let directory = tempfile::tempdir().unwrap();
        let file = numbers(&directory);
        file.update(|_| ()).unwrap();
        std::fs::write(file.path(), "{").unwrap();
        assert_eq!(file.read_cache().unwrap(), Numbers::new());
        file.update_cache(|numbers| numbers.insert("a".into(), 1)).unwrap();
        assert_eq!(file.read().unwrap().len(), 1);
    }

    #[test]
    fn a_file_keeps_its_permissions() {
        let directory = tempfile::tempdir().unwrap();
        let file = numbers(&directory);
        file.update(|_| ()).unwrap();
        std::fs::set_permissions(file.path(), Permissions::from_mode(0o600)).unwrap();
        file.update(|_| ()).unwrap();
        assert_eq!(std::fs::metadata(file.path()).unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn nothing_is_left_beside_the_file_but_its_lock() {
        let directory = tempfile::tempdir().unwrap();
        let file = numbers(&directory);
        file.update(|_| ()).unwrap();
        let names = std::fs::read_dir(parent(file.path())).unwrap().map(|entry| entry.unwrap().file_name());
        let mut names: Vec<_> = names.collect();
        names.sort();
        assert_eq!(names, ["numbers.json", "numbers.json.lock"]);
    }

    #[test]
    fn a_directory_that_cannot_be_made_is_an_error_that_names_the_file() {
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join("deep"), "").unwrap();
        let error = numbers(&directory).update(|_| ()).unwrap_err().to_string();
        assert!(error.contains("numbers.json.lock"), "{error}");
    }
}

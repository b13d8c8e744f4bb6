//! Records of runs on this machine: one file for each item, agent and stage, in a directory for each item.
//!
//! Supervisors write them and engines read them. A file is replaced as a whole, so that a reader sees the old record or the
//! new one. What cannot be read is no record. Deliberately absent: which records matter, and ending what they name.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use baton_core::agent::{AgentRecord, KeptSession};
use baton_core::slot::{AgentKey, ItemKey, RunId};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// The most of a name that a file name shows; the rest is told by a digest of the whole.
const NAME_BYTES_MAX: usize = 80;
const DIGEST_BYTES: usize = 8;
const ENDING: &str = "json";

/// What a supervisor needs to keep a record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordTerms {
    /// Where it is kept; see [`path`].
    #[serde(with = "as_name")]
    pub path: PathBuf,
    /// What is worked on, as its key is written.
    pub item: String,
    /// By whom.
    pub agent: AgentKey,
    /// In which stage, if it is for one.
    pub stage: Option<String>,
    /// In which run.
    pub run: RunId,
}

impl RecordTerms {
    /// The record of a run, in the directory that all records of a machine are in.
    pub fn new(directory: &Path, item: &ItemKey, agent: &AgentKey, stage: Option<&str>, run: RunId) -> Self {
        Self {
            path: path(directory, item, agent, stage),
            item: item.to_string(),
            agent: agent.clone(),
            stage: stage.map(str::to_owned),
            run,
        }
    }
}

/// Returns where the record of an agent in a stage of an item is.
pub fn path(directory: &Path, item: &ItemKey, agent: &AgentKey, stage: Option<&str>) -> PathBuf {
    // No name contains the sign between the two, as it is encoded.
    let name = match stage {
        Some(stage) => format!("{}@{}", file_name(&agent.0), file_name(stage)),
        None => file_name(&agent.0),
    };
    item_directory(directory, item).join(format!("{name}.{ENDING}"))
}

/// Returns a record, if there is one that can be read.
pub fn read(path: &Path) -> Option<AgentRecord> {
    serde_json::from_slice(&std::fs::read(path).ok()?).ok()
}

/// Replaces a record. When this returns, it survives a power failure.
pub fn write(path: &Path, record: &AgentRecord) -> io::Result<()> {
    let new = write_new(path, record)?;
    new.sync_all()?;
    replace(path)?;
    path.parent().map_or(Ok(()), |directory| File::open(directory)?.sync_all())
}

/// Replaces a record for every process of this machine without waiting for the disk, which gets it in the background. A
/// power failure until then may take the record, and also takes every process that it could name.
pub(crate) fn write_quickly(path: &Path, record: &AgentRecord) -> io::Result<()> {
    let new = write_new(path, record)?;
    replace(path)?;
    std::thread::spawn(move || new.sync_all());
    Ok(())
}

/// Returns the records of an item whose end nobody has noted, and where they are.
pub fn unfinished(directory: &Path, item: &ItemKey) -> Vec<(PathBuf, AgentRecord)> {
    let mut records = of_item(directory, item);
    records.retain(|(_, record)| record.end.is_none());
    records
}

/// Returns all records of an item, and where they are.
pub fn of_item(directory: &Path, item: &ItemKey) -> Vec<(PathBuf, AgentRecord)> {
    let Ok(files) = std::fs::read_dir(item_directory(directory, item)) else { return Vec::new() };
    let paths = files.flatten().map(|file| file.path());
    let paths = paths.filter(|path| path.extension().is_some_and(|ending| ending == ENDING));
    let mut records: Vec<_> = paths
        .filter_map(|path| read(&path).map(|record| (path, record)))
        .filter(|(_, record)| record.item == *item)
        .collect();
    records.sort_by(|a, b| a.0.cmp(&b.0));
    records
}

/// Changes the session that a record keeps, if there is a record. Only the engine does so, when no agent runs.
pub fn change_session(path: &Path, change: impl FnOnce(&mut Option<KeptSession>)) -> io::Result<()> {
    let Some(mut record) = read(path) else { return Ok(()) };
    let before = record.session.clone();
    change(&mut record.session);
    if record.session == before { Ok(()) } else { write(path, &record) }
}

fn write_new(path: &Path, record: &AgentRecord) -> io::Result<File> {
    if let Some(parent) = path.parent() {
        DirBuilder::new().recursive(true).mode(0o700).create(parent)?;
    }
    let mut file =
        OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(new_path(path))?;
    file.write_all(&serde_json::to_vec(record).map_err(io::Error::other)?)?;
    Ok(file)
}

fn replace(path: &Path) -> io::Result<()> {
    std::fs::rename(new_path(path), path)
}

/// Only one process writes a record at a time: its supervisor, and before and after that its engine.
fn new_path(path: &Path) -> PathBuf {
    path.with_extension("new")
}

fn item_directory(directory: &Path, item: &ItemKey) -> PathBuf {
    directory.join(file_name(&item.to_string()))
}

/// Returns a name for a file: the same for the same text, and another one for every other text, also on disks that do not
/// tell small letters from capitals.
pub(crate) fn file_name(text: &str) -> String {
    let mut name = String::new();
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' => name.push(char::from(byte)),
            b'.' if !name.is_empty() => name.push('.'),
            _ => name.extend(format!("%{byte:02x}").chars()),
        }
    }
    if !name.is_empty() && name.len() <= NAME_BYTES_MAX {
        return name;
    }
    let digest = Sha256::digest(text.as_bytes());
    let digest: String = digest.iter().take(DIGEST_BYTES).map(|byte| format!("{byte:02x}")).collect();
    name.truncate(NAME_BYTES_MAX);
    // A sign that no encoded name contains, so that no other text can have this name.
    format!("{name}+{digest}")
}

/// A path as the system takes it, which need not be text.
mod as_name {
    use std::ffi::OsString;
    use std::path::{Path, PathBuf};

    use serde::{Deserialize as _, Deserializer, Serialize as _, Serializer};

    pub(super) fn serialize<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
        path.as_os_str().serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<PathBuf, D::Error> {
        OsString::deserialize(deserializer).map(PathBuf::from)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use baton_core::agent::{AgentExit, RecordedEnd, RecordedProcess};

    use super::*;

    fn record(item: &str, run: i64, is_over: bool) -> AgentRecord {
        let process = RecordedProcess { pid: 7, born: "1".to_owned() };
        AgentRecord {
            item: item.parse().unwrap(),
            agent: AgentKey("vera".to_owned()),
            stage: None,
            run: RunId(run),
            mark: String::new(),
            program: "x".to_owned(),
            supervisor: process.clone(),
            leader: process,
            started_at: 0,
            end: is_over.then_some(RecordedEnd { at: 1, exit: AgentExit::Stopped }),
            session: None,
        }
    }

    fn agent(name: &str) -> AgentKey {
        AgentKey(name.to_owned())
    }

    #[test]
    fn names_of_files_are_safe_short_and_all_different() {
        let long = "x".repeat(300);
        let other = format!("{}y", "x".repeat(299));
        let texts = [
            "",
            ".",
            "..",
            "a",
            "A",
            "a/b",
            "a%2fb",
            "../../etc",
            "a\0",
            "a b",
            "Ä",
            ".hidden",
            "a.b",
            &long,
            &other,
        ];
        let names: BTreeSet<_> = texts.iter().map(|text| file_name(text)).collect();
        assert_eq!(names.len(), texts.len());
        let is_safe = |name: &String| {
            name.len() <= 100
                && !name.starts_with('.')
                && name.bytes().all(|byte| {
                    byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-_.%+".contains(&byte)
                })
        };
        assert!(names.iter().all(is_safe), "{names:?}");
    }

    #[test]
    fn agents_stages_and_items_have_records_of_their_own() {
        let (one, two) = ("o/r#7".parse().unwrap(), "o/r#77".parse().unwrap());
        let root = Path::new("/r");
        let paths: BTreeSet<_> = [
            path(root, &one, &agent("a"), None),
            path(root, &one, &agent("a"), Some("plan")),
            path(root, &one, &agent("a"), Some("Plan")),
            path(root, &one, &agent("a@plan"), None),
            path(root, &two, &agent("a"), None),
        ]
        .into();
        assert_eq!(paths.len(), 5);
        assert!(
            paths.iter().all(|path| path.starts_with(root) && path.components().count() == 4),
            "{paths:?}"
        );
    }

    #[test]
    fn what_is_written_is_read_and_only_what_has_not_ended_is_unfinished() {
        let root = tempfile::tempdir().unwrap();
        let (item, other): (ItemKey, _) = ("o/r#7".parse().unwrap(), "o/r#8".parse().unwrap());
        let over = path(root.path(), &item, &agent("a"), Some("plan"));
        let open = path(root.path(), &item, &agent("b"), None);
        write(&over, &record("o/r#7", 1, true)).unwrap();
        write_quickly(&open, &record("o/r#7", 2, false)).unwrap();
        write(&path(root.path(), &other, &agent("a"), None), &record("o/r#8", 3, false)).unwrap();
        // Half a record, and one that is being written, are none.
        std::fs::write(open.with_file_name("half.json"), "{\"item\":").unwrap();
        std::fs::write(open.with_extension("new"), "{}").unwrap();
        assert_eq!(unfinished(root.path(), &item), [(open.clone(), record("o/r#7", 2, false))]);
        assert_eq!(of_item(root.path(), &item).len(), 2);
        assert!(unfinished(&root.path().join("nowhere"), &item).is_empty());
        write(&open, &record("o/r#7", 2, true)).unwrap();
        assert!(unfinished(root.path(), &item).is_empty());
    }

    #[test]
    fn a_session_is_changed_where_there_is_a_record() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("a.json");
        let set = |session: &mut Option<KeptSession>| *session = Some(KeptSession::default());
        change_session(&path, set).unwrap();
        assert_eq!(read(&path), None);
        write(&path, &record("o/r#7", 1, true)).unwrap();
        change_session(&path, set).unwrap();
        assert_eq!(read(&path).unwrap().session, Some(KeptSession::default()));
        change_session(&path, |session| *session = None).unwrap();
        assert_eq!(read(&path).unwrap().session, None);
    }
}

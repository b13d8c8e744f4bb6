//! The watchtower of this machine: what people see of the engine in this process, or of the store alone.

use std::fs::File;
use std::io::{ErrorKind, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use baton_claims::machine::SystemClock;
use baton_core::slot::effect::Deed;
use baton_core::slot::{ItemKey, RunId};
use baton_engine::marshal::{Happened, Marshal};
use baton_engine::outbox::Performed;
use baton_engine::watchtower::{Links, Live, Watchtower};
use baton_engine::worker::News;
use baton_ports::{Clock as _, RunLogError, RunLogs};
use baton_view::Stamp;

use super::context::{Desk, host_name};
use super::log_file;
use super::machine::Machine;
use super::station::Witness;

/// The watchtower of this machine.
pub(crate) type Tower = Watchtower<Machine, LogFiles>;

/// Returns a watchtower over a marshal.
pub(crate) fn tower(
    desk: &Desk,
    marshal: Arc<Marshal<Machine>>,
    live: Arc<Live>,
    links: Option<Links>,
) -> Tower {
    Watchtower {
        marshal,
        logs: LogFiles { directory: desk.log_dir() },
        live,
        links,
        host: host_name(),
        deferred_alarm: desk.config().deferred_alarm,
    }
}

/// Where people read the issues of a tracker, as far as its API's address tells.
pub(crate) fn links(api_url: &str) -> Option<Links> {
    let base = match api_url.trim_end_matches('/') {
        "https://api.github.com" => "https://github.com".to_owned(),
        own => own.strip_suffix("/api/v3")?.to_owned(),
    };
    Some(Links { base, pulls: "pull" })
}

/// The files that logs of runs are written to.
#[derive(Debug, Clone)]
pub(crate) struct LogFiles {
    directory: PathBuf,
}

impl RunLogs for LogFiles {
    async fn read(&self, run: RunId, from: u64, bytes_max: usize) -> Result<Option<Vec<u8>>, RunLogError> {
        let path = log_file::path(&self.directory, run);
        let reading = path.clone();
        let read = tokio::task::spawn_blocking(move || part(&reading, from, bytes_max)).await;
        let error = |answer: String| RunLogError { path: path.display().to_string(), answer };
        read.map_err(|stopped| error(stopped.to_string()))?.map_err(|answer| error(answer.to_string()))
    }
}

fn part(path: &Path, from: u64, bytes_max: usize) -> std::io::Result<Option<Vec<u8>>> {
    let mut file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    file.seek(SeekFrom::Start(from))?;
    let mut bytes = Vec::new();
    file.take(u64::try_from(bytes_max).unwrap_or(u64::MAX)).read_to_end(&mut bytes)?;
    Ok(Some(bytes))
}

/// Lets the watchtower hear what a witness hears.
pub(super) struct Watched {
    pub(super) live: Arc<Live>,
    pub(super) witness: Arc<dyn Witness>,
}

impl Witness for Watched {
    fn happened(&self, happened: &Happened<'_>) {
        self.live.happened(happened, now());
        self.witness.happened(happened);
    }

    fn run(&self, news: &News<'_>) {
        self.live.run(news, now());
        self.witness.run(news);
    }

    fn deed(&self, item: &ItemKey, deed: &Deed, performed: &Performed) {
        self.live.deed(item, performed, now());
        self.witness.deed(item, deed, performed);
    }
}

fn now() -> Stamp {
    SystemClock.wall_now().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_where_the_api_belongs() {
        let base = |api_url: &str| links(api_url).map(|links| links.base);
        assert_eq!(base("https://api.github.com/"), Some("https://github.com".to_owned()));
        assert_eq!(base("https://git.acme.test/api/v3"), Some("https://git.acme.test".to_owned()));
        assert_eq!(base("http://127.0.0.1:7070"), None);
    }

    #[test]
    fn a_log_is_read_from_a_place_on() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("7.log");
        assert_eq!(part(&path, 0, 10).unwrap(), None);
        std::fs::write(&path, "one\ntwo\n").unwrap();
        assert_eq!(part(&path, 4, 2).unwrap(), Some(b"tw".to_vec()));
        assert_eq!(part(&path, 99, 2).unwrap(), Some(Vec::new()));
    }
}

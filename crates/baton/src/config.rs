//! The configuration of this process: finds the files, takes the environment, and hands both to the core as text.
//!
//! `baton.yaml` is the one that `--config` names, or the nearest from the current directory up to the root of the git
//! repository; above that root, and outside of a repository, nobody has put files for us. `.env` is read beside it, and
//! `.fabrik/config.yaml` if the dialect is Fabrik's.
//!
//! Deliberately absent: what settings exist and what they may be (that is in the core), and watching for edits.

mod credentials;
mod schema;
mod show;

pub(crate) use credentials::{Credentials, printed_token};
pub(crate) use show::stage_as_json;

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use baton_core::config::dotenv::{self, Variable};
use baton_core::config::{FlagValue, Layers, PipelineDialect, Resolved, Source, TextFile, dialect, resolve};
use clap::{Args, Subcommand};

use crate::command_error::CommandError;

/// What the file is called.
pub(crate) const FILE_NAME: &str = "baton.yaml";

/// The directory of a Fabrik engine, and its file there.
const FABRIK_DIRECTORY: &str = ".fabrik";
const FABRIK_FILE_NAME: &str = "config.yaml";

#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Show every setting, its value and where that came from.
    Show(show::Show),
    /// Print the JSON schema of baton.yaml, for editors.
    Schema(schema::Schema),
}

pub(crate) fn run(command: &ConfigCommand) -> Result<(), CommandError> {
    match command {
        ConfigCommand::Show(show) => show.run(),
        ConfigCommand::Schema(schema) => {
            schema.run();
            Ok(())
        }
    }
}

/// Which configuration to read.
#[derive(Debug, Default, Clone, Args)]
pub(crate) struct ConfigArgument {
    /// Read this file instead of looking for `baton.yaml` from here up to the root of the repository.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

/// What the process was started with.
#[derive(Debug, Default, Clone)]
pub(crate) struct Surroundings {
    environment: BTreeMap<String, String>,
    directory: PathBuf,
}

impl Surroundings {
    pub(crate) fn of_this_process() -> Result<Self, CommandError> {
        let directory = std::env::current_dir().map_err(|error| {
            CommandError::OutOfReach(format!("cannot tell the current directory: {error}"))
        })?;
        // A variable that is not text cannot be one of ours, and is no reason to fail.
        let text = |(name, value): (std::ffi::OsString, std::ffi::OsString)| {
            Some((name.into_string().ok()?, value.into_string().ok()?))
        };
        Ok(Self { environment: std::env::vars_os().filter_map(text).collect(), directory })
    }

    /// Returns a variable of the environment; an empty one counts as not set.
    pub(crate) fn variable(&self, name: &str) -> Option<&str> {
        self.environment.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// Lets a variable have a value, for this process alone.
    pub(crate) fn set(&mut self, name: &str, value: &str) {
        self.environment.insert(name.to_owned(), value.to_owned());
    }

    /// Returns the directory that the process was started in.
    pub(crate) fn directory(&self) -> &Path {
        &self.directory
    }

    /// Returns a path as people see it from the current directory.
    pub(crate) fn shown(&self, path: &Path) -> String {
        path.strip_prefix(&self.directory).unwrap_or(path).display().to_string()
    }
}

/// A configuration that has been read.
#[derive(Debug)]
pub(crate) struct Loaded {
    /// The values, their sources, and warnings.
    pub(crate) resolved: Resolved,
    /// Where relative paths begin: the directory of `baton.yaml`, or the root of the repository, or where we are.
    pub(crate) directory: PathBuf,
    /// The `baton.yaml` that was read.
    pub(crate) file: Option<PathBuf>,
    dotenv: Option<(String, Vec<Variable>)>,
}

impl Loaded {
    /// Returns the variables of `.env`.
    pub(crate) fn dotenv(&self) -> &[Variable] {
        self.dotenv.as_ref().map_or(&[], |(_, variables)| variables)
    }

    /// Returns the directory of this machine's state.
    pub(crate) fn state_dir(&self) -> PathBuf {
        self.directory.join(&self.resolved.config.state_dir)
    }

    /// Tells people what is suspicious.
    pub(crate) fn print_warnings(&self) {
        self.resolved.warnings.iter().for_each(|warning| eprintln!("warning: {warning}"));
    }
}

impl ConfigArgument {
    /// Reads the configuration, with what flags of the command say.
    pub(crate) fn load(
        &self,
        flags: Vec<FlagValue>,
        surroundings: &Surroundings,
    ) -> Result<Loaded, CommandError> {
        let (directory, file) = self.place(surroundings)?;
        let yaml = file.as_deref().map(|path| read(path, surroundings)).transpose()?.flatten();
        let dotenv = read(&directory.join(".env"), surroundings)?;
        let environment = surroundings.environment.clone();
        let mut layers = Layers { flags, environment, dotenv: dotenv.clone(), file: yaml, fabrik: None };
        let fabrik = directory.join(FABRIK_DIRECTORY);
        if dialect(&layers) == PipelineDialect::Fabrik {
            layers.fabrik = read(&fabrik.join(FABRIK_FILE_NAME), surroundings)?;
        }
        let mut resolved = resolve(&layers).map_err(|errors| CommandError::Usage(errors.to_string()))?;
        if file.is_none() && resolved.source("dialect") == &Source::Default && fabrik.is_dir() {
            resolved.warnings.push(fabrik_is_not_read(&surroundings.shown(&fabrik)));
        }
        let variables = dotenv.map(|it| (it.path, dotenv::parse(&it.text).unwrap_or_default()));
        Ok(Loaded { resolved, directory, file, dotenv: variables })
    }

    /// Returns the directory that the configuration is for, and its file.
    fn place(&self, surroundings: &Surroundings) -> Result<(PathBuf, Option<PathBuf>), CommandError> {
        let Some(named) = &self.config else { return Ok(find(&surroundings.directory)) };
        let path = surroundings.directory.join(named);
        if !path.is_file() {
            let message = format!("--config {}: there is no such file", named.display());
            return Err(CommandError::Usage(message));
        }
        Ok((path.parent().unwrap_or(&surroundings.directory).to_owned(), Some(path)))
    }
}

fn fabrik_is_not_read(fabrik: &str) -> String {
    format!(
        "{fabrik} is not read: if Baton is to go on with its board, write `dialect: fabrik` to {FILE_NAME} beside it"
    )
}

/// Looks for the file from here up to the root of the repository.
fn find(start: &Path) -> (PathBuf, Option<PathBuf>) {
    let root = start.ancestors().find(|directory| directory.join(".git").exists()).unwrap_or(start);
    let mut within = start.ancestors().take_while(|directory| directory.starts_with(root));
    match within.find(|directory| directory.join(FILE_NAME).is_file()) {
        Some(directory) => (directory.to_owned(), Some(directory.join(FILE_NAME))),
        None => (root.to_owned(), None),
    }
}

/// Reads a file if it is there; its name is shown as seen from the current directory.
fn read(path: &Path, surroundings: &Surroundings) -> Result<Option<TextFile>, CommandError> {
    let shown = surroundings.shown(path);
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(Some(TextFile { path: shown, text })),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(CommandError::Usage(format!("cannot read {shown}: {error}"))),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    pub(super) fn surroundings(directory: &Path, variables: &[(&str, &str)]) -> Surroundings {
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        Surroundings { environment: variables.iter().map(owned).collect(), directory: directory.to_owned() }
    }

    pub(super) fn load(directory: &Path, variables: &[(&str, &str)]) -> Result<Loaded, String> {
        let loaded = ConfigArgument::default().load(Vec::new(), &surroundings(directory, variables));
        loaded.map_err(|error| error.to_string())
    }

    /// A repository with a directory in it, in a directory that also has a file.
    fn repository() -> (tempfile::TempDir, PathBuf, PathBuf) {
        let outside = tempfile::tempdir().unwrap();
        let root = outside.path().join("repo");
        let deep = root.join("src/deep");
        fs::create_dir_all(&deep).unwrap();
        fs::create_dir(root.join(".git")).unwrap();
        fs::write(outside.path().join(FILE_NAME), "user: stranger\n").unwrap();
        (outside, root, deep)
    }

    fn user(directory: &Path) -> Option<String> {
        load(directory, &[]).unwrap().resolved.config.user
    }

    #[test]
    fn the_file_is_found_from_here_up_to_the_root_of_the_repository() {
        let (_outside, root, deep) = repository();
        assert_eq!(user(&deep), None, "a file outside of the repository was read");
        fs::write(root.join(FILE_NAME), "user: ann\n").unwrap();
        assert_eq!(user(&deep).as_deref(), Some("ann"));
        fs::write(root.join("src").join(FILE_NAME), "user: bob\n").unwrap();
        assert_eq!(user(&deep).as_deref(), Some("bob"));
        assert_eq!(user(&root).as_deref(), Some("ann"));
    }

    #[test]
    fn outside_of_a_repository_only_the_current_directory_counts() {
        let outside = tempfile::tempdir().unwrap();
        let inner = outside.path().join("inner");
        fs::create_dir(&inner).unwrap();
        fs::write(outside.path().join(FILE_NAME), "user: ann\n").unwrap();
        assert_eq!(user(outside.path()).as_deref(), Some("ann"));
        assert_eq!(user(&inner), None);
    }

    #[test]
    fn state_is_kept_at_the_root_wherever_one_stands() {
        let (_outside, root, deep) = repository();
        assert_eq!(load(&deep, &[]).unwrap().state_dir(), root.join(".baton/state"));
        fs::write(root.join(FILE_NAME), "state_dir: /elsewhere\n").unwrap();
        assert_eq!(load(&deep, &[]).unwrap().state_dir(), Path::new("/elsewhere"));
    }

    #[test]
    fn the_file_that_a_flag_names_is_read_and_must_be_there() {
        let (_outside, root, deep) = repository();
        fs::write(root.join("other.yaml"), "user: eve\n").unwrap();
        let argument = |name: &str| ConfigArgument { config: Some(name.into()) };
        let around = surroundings(&deep, &[]);
        let loaded = argument("../../other.yaml").load(Vec::new(), &around).unwrap();
        assert_eq!(loaded.resolved.config.user.as_deref(), Some("eve"));
        let error = argument("none.yaml").load(Vec::new(), &around).unwrap_err();
        assert_eq!(error.to_string(), "error: --config none.yaml: there is no such file");
    }

    #[test]
    fn variables_beside_the_file_count_less_than_the_environment() {
        let (_outside, root, deep) = repository();
        fs::write(root.join(".env"), "BATON_USER='from .env'\nBATON_CLAIMS_TTL=2h\n").unwrap();
        let loaded = load(&deep, &[("BATON_USER", "from outside")]).unwrap();
        assert_eq!(loaded.resolved.config.user.as_deref(), Some("from outside"));
        let expected = format!("BATON_CLAIMS_TTL in {}:2", root.join(".env").display());
        assert_eq!(loaded.resolved.source("claims.ttl").to_string(), expected);
    }

    /// A repository in which a Fabrik engine was at work.
    fn fabrik_repository() -> (tempfile::TempDir, PathBuf) {
        let (outside, root, _) = repository();
        fs::create_dir(root.join(FABRIK_DIRECTORY)).unwrap();
        fs::write(root.join(".fabrik/config.yaml"), "user: ann\npoll: 15\n").unwrap();
        (outside, root)
    }

    #[test]
    fn a_file_of_fabrik_is_read_when_the_dialect_is_its_own() {
        let (_outside, root) = fabrik_repository();
        fs::write(root.join(FILE_NAME), "dialect: fabrik\n").unwrap();
        let loaded = load(&root, &[]).unwrap();
        assert_eq!(loaded.resolved.config.user.as_deref(), Some("ann"));
        assert_eq!(loaded.resolved.source("poll").to_string(), ".fabrik/config.yaml:2:7");
        assert!(loaded.resolved.warnings.is_empty(), "{:?}", loaded.resolved.warnings);
        fs::remove_file(root.join(FILE_NAME)).unwrap();
        let loaded = load(&root, &[("BATON_DIALECT", "fabrik")]).unwrap();
        assert_eq!(loaded.resolved.config.user.as_deref(), Some("ann"));
        fs::write(root.join(".fabrik/config.yaml"), [0xff, 0xfe]).unwrap();
        let error = load(&root, &[("BATON_DIALECT", "fabrik")]).unwrap_err();
        assert!(error.contains("cannot read .fabrik/config.yaml"), "{error}");
    }

    #[test]
    fn a_file_of_fabrik_that_nobody_asked_for_is_not_read_but_spoken_of() {
        let (_outside, root) = fabrik_repository();
        fs::write(root.join(".fabrik/config.yaml"), [0xff, 0xfe]).unwrap();
        let warnings = |variables: &[(&str, &str)]| load(&root, variables).unwrap().resolved.warnings;
        let [warning] = warnings(&[]).try_into().unwrap();
        assert!(
            warning.starts_with(".fabrik is not read") && warning.contains("`dialect: fabrik`"),
            "{warning}"
        );
        assert!(warnings(&[("BATON_DIALECT", "baton")]).is_empty());
        fs::write(root.join(FILE_NAME), "").unwrap();
        assert!(warnings(&[]).is_empty());
    }

    #[test]
    fn a_bad_file_is_a_usage_error_that_says_where() {
        let (_outside, root, _) = repository();
        fs::write(root.join(FILE_NAME), "claims:\n  tll: 4h\n").unwrap();
        let loaded = ConfigArgument::default().load(Vec::new(), &surroundings(&root, &[]));
        let Err(CommandError::Usage(message)) = loaded else { panic!("{loaded:?}") };
        assert_eq!(message, "baton.yaml:2:3: there is no setting `claims.tll`; did you mean `claims.ttl`?");
        fs::write(root.join(FILE_NAME), [0xff, 0xfe]).unwrap();
        assert!(load(&root, &[]).unwrap_err().contains("cannot read baton.yaml"));
        fs::remove_file(root.join(FILE_NAME)).unwrap();
        fs::create_dir(root.join(".env")).unwrap();
        assert!(load(&root, &[]).unwrap_err().contains("cannot read .env"));
    }

    #[test]
    fn the_reference_page_lists_the_settings_as_they_are() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/config.md");
        let (page, found) = (baton_core::config::document::document(), fs::read_to_string(&path));
        if std::env::var_os("BATON_BLESS").is_some() {
            fs::write(&path, &page).expect("the page can be written");
        } else {
            assert_eq!(
                page,
                found.unwrap_or_default(),
                "docs/reference/config.md is stale: run `BATON_BLESS=1 cargo xtask test the_reference_page` and commit it"
            );
        }
    }
}

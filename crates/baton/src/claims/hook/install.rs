//! `baton hook install` and `baton hook uninstall`: the hook comes, and goes without a trace.
//!
//! What to do is decided from what lies in the directory of hooks; a crash between two steps leaves a state that the
//! same command finishes. A hook that is not ours is moved aside and never changed or deleted.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use clap::Args;

use super::git::git_text;
use super::script::{BEFORE, HOOK, is_ours, script};
use crate::command_error::CommandError;
use crate::config::Surroundings;

#[derive(Debug, Default, Args)]
#[command(after_help = "Examples:
  baton hook install            in a checkout
  baton hook install --dry-run  what would be done

Exit codes:
  0  the hook is there
  1  hooks are in the way that cannot be kept; they are named")]
pub(crate) struct Install {
    /// Only tell what would be done.
    #[arg(long)]
    dry_run: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  baton hook uninstall            what was there before is restored
  baton hook uninstall --dry-run  what would be done

Exit codes:
  0  the hook is gone, or was not there
  1  the hook that is there is not ours")]
pub(crate) struct Uninstall {
    /// Only tell what would be done.
    #[arg(long)]
    dry_run: bool,
}

/// What lies where the hook goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lying {
    Nothing,
    /// Ours, word for word as it would be written now.
    Current,
    /// Ours, of another version or for a binary elsewhere.
    Outdated,
    Foreign,
}

/// What is to be done about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Deed {
    /// Nothing: it is as it should be.
    Leave,
    Write,
    Renew,
    /// The foreign hook is moved aside first.
    Chain,
    Remove,
    /// What was moved aside comes back.
    Restore,
    /// There are two foreign hooks, and one place aside.
    RefuseTwo,
    /// The hook is not ours.
    RefuseForeign,
}

fn to_install(lying: Lying, has_before: bool) -> Deed {
    match (lying, has_before) {
        (Lying::Current, _) => Deed::Leave,
        (Lying::Outdated, _) => Deed::Renew,
        (Lying::Nothing, _) => Deed::Write,
        (Lying::Foreign, false) => Deed::Chain,
        (Lying::Foreign, true) => Deed::RefuseTwo,
    }
}

fn to_uninstall(lying: Lying, has_before: bool) -> Deed {
    match (lying, has_before) {
        (Lying::Foreign, _) => Deed::RefuseForeign,
        (_, true) => Deed::Restore,
        (Lying::Nothing, false) => Deed::Leave,
        (Lying::Current | Lying::Outdated, false) => Deed::Remove,
    }
}

impl Install {
    pub(crate) fn run(&self) -> Result<(), CommandError> {
        let place = Place::of_this_repository()?;
        let deed = to_install(place.lying()?, place.has_before());
        place.perform(deed, self.dry_run, "the hook is installed already")
    }
}

impl Uninstall {
    pub(crate) fn run(&self) -> Result<(), CommandError> {
        let place = Place::of_this_repository()?;
        let deed = to_uninstall(place.lying()?, place.has_before());
        place.perform(deed, self.dry_run, "no hook is installed")
    }
}

/// The directory of hooks of one repository, and what the hook would say.
struct Place {
    hooks: PathBuf,
    script: String,
}

impl Place {
    fn of_this_repository() -> Result<Self, CommandError> {
        let surroundings = Surroundings::of_this_process()?;
        let directory = surroundings.directory();
        // Git knows about worktrees and about `core.hooksPath`.
        let found = git_text(directory, &["rev-parse", "--path-format=absolute", "--git-path", "hooks"]);
        let hooks = found.map_err(|problem| CommandError::Usage(format!("no repository here: {problem}")))?;
        Ok(Self { hooks: PathBuf::from(hooks), script: script(&own_path()?) })
    }

    fn hook(&self) -> PathBuf {
        self.hooks.join(HOOK)
    }

    fn before(&self) -> PathBuf {
        self.hooks.join(BEFORE)
    }

    fn has_before(&self) -> bool {
        self.before().symlink_metadata().is_ok()
    }

    fn lying(&self) -> Result<Lying, CommandError> {
        let hook = self.hook();
        match fs::read(&hook) {
            Ok(text) if text == self.script.as_bytes() && is_executable(&hook) => Ok(Lying::Current),
            Ok(text) if is_ours(&text) => Ok(Lying::Outdated),
            Ok(_) => Ok(Lying::Foreign),
            // A link that leads nowhere is somebody's too.
            Err(error) if error.kind() == io::ErrorKind::NotFound => match hook.symlink_metadata() {
                Ok(_) => Ok(Lying::Foreign),
                Err(_) => Ok(Lying::Nothing),
            },
            Err(error) => Err(failed("read", &hook, &error)),
        }
    }

    fn perform(&self, deed: Deed, is_dry_run: bool, nothing_to_do: &str) -> Result<(), CommandError> {
        let (hook, before) = (self.hook(), self.before());
        match deed {
            Deed::RefuseTwo => return Err(CommandError::No(two_hooks(&hook, &before))),
            Deed::RefuseForeign => return Err(CommandError::No(foreign_hook(&hook))),
            Deed::Leave => say!("{nothing_to_do}: {}", hook.display()),
            _ if is_dry_run => say!("would have {}", self.said(deed)),
            _ => {
                self.change(deed)?;
                say!("{}", self.said(deed));
            }
        }
        Ok(())
    }

    fn change(&self, deed: Deed) -> Result<(), CommandError> {
        let (hook, before) = (self.hook(), self.before());
        match deed {
            Deed::Chain => {
                fs::rename(&hook, &before).map_err(|error| failed("move", &hook, &error))?;
                self.write()
            }
            Deed::Write | Deed::Renew => self.write(),
            Deed::Restore => fs::rename(&before, &hook).map_err(|error| failed("restore", &hook, &error)),
            Deed::Remove => fs::remove_file(&hook).map_err(|error| failed("remove", &hook, &error)),
            Deed::Leave | Deed::RefuseTwo | Deed::RefuseForeign => Ok(()),
        }
    }

    /// Git may run the hook at any moment, so it appears whole and executable, or not at all.
    fn write(&self) -> Result<(), CommandError> {
        let hook = self.hook();
        let fresh = self.hooks.join(format!("{HOOK}.baton-{}", std::process::id()));
        let written = fs::create_dir_all(&self.hooks)
            .and_then(|()| fs::write(&fresh, &self.script))
            .and_then(|()| fs::set_permissions(&fresh, Permissions::from_mode(0o755)))
            .and_then(|()| fs::rename(&fresh, &hook));
        written.map_err(|error| {
            let _ = fs::remove_file(&fresh);
            failed("write", &hook, &error)
        })
    }

    fn said(&self, deed: Deed) -> String {
        let hook = self.hook().display().to_string();
        match deed {
            Deed::Chain => format!("written {hook}; the hook that was there runs first, as {BEFORE}"),
            Deed::Write if self.has_before() => format!("written {hook}; {BEFORE} runs first"),
            Deed::Renew => format!("written {hook} anew"),
            Deed::Restore => format!("restored {hook} as it was before"),
            Deed::Remove => format!("removed {hook}"),
            Deed::Write | Deed::Leave | Deed::RefuseTwo | Deed::RefuseForeign => format!("written {hook}"),
        }
    }
}

/// Where this binary is. When it has gone from there, as after an upgrade, the hook looks on PATH.
fn own_path() -> Result<String, CommandError> {
    let path = std::env::current_exe()
        .map_err(|error| CommandError::OutOfReach(format!("cannot tell where this program is: {error}")))?;
    let text = path.into_os_string().into_string();
    text.map_err(|path| {
        CommandError::Usage(format!("the path of this program is no text: {}", path.display()))
    })
}

fn is_executable(path: &Path) -> bool {
    path.metadata().is_ok_and(|metadata| metadata.permissions().mode() & 0o111 != 0)
}

fn two_hooks(hook: &Path, before: &Path) -> String {
    format!(
        "{} is not Baton's, and {} is kept from an earlier install; merge the two into one {HOOK} and remove the other, \
         then install again",
        hook.display(),
        before.display()
    )
}

fn foreign_hook(hook: &Path) -> String {
    format!("{} is not Baton's, so it is left as it is", hook.display())
}

fn failed(verb: &str, path: &Path, error: &io::Error) -> CommandError {
    CommandError::OutOfReach(format!("cannot {verb} {}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_there_decides_what_is_done() {
        let table = [
            (Lying::Nothing, false, Deed::Write, Deed::Leave),
            // Someone died between moving a hook aside and writing ours.
            (Lying::Nothing, true, Deed::Write, Deed::Restore),
            (Lying::Current, false, Deed::Leave, Deed::Remove),
            (Lying::Current, true, Deed::Leave, Deed::Restore),
            (Lying::Outdated, false, Deed::Renew, Deed::Remove),
            (Lying::Outdated, true, Deed::Renew, Deed::Restore),
            (Lying::Foreign, false, Deed::Chain, Deed::RefuseForeign),
            (Lying::Foreign, true, Deed::RefuseTwo, Deed::RefuseForeign),
        ];
        for (lying, has_before, install, uninstall) in table {
            assert_eq!(to_install(lying, has_before), install, "{lying:?} {has_before}");
            assert_eq!(to_uninstall(lying, has_before), uninstall, "{lying:?} {has_before}");
        }
    }
}

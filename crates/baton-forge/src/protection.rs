//! What the rules of protected branches say to a change of a ref: by git, by REST, by GraphQL.
//!
//! Reviews and checks bind everybody but administrators, and those as well where the rule says so. Rewriting or removing a
//! protected branch is for nobody unless the rule allows it. A push is judged twice: what its head says is decided here,
//! before git sees it; what can only be known from the objects that it brings is decided by git's `update` hook, which the
//! forge writes and which is run only where there is something to decide.

use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use git2::{Oid, Repository};
use rusqlite::Connection;

use crate::db::protections::{self, Protection};
use crate::db::repos::{Permission, Repo};
use crate::git::history;
use crate::git::pkt_line::RefCommand;
use crate::http::error::ApiError;
use crate::merging::standing::verdicts;
use crate::merging::state::{check_obstacle, reviews_are_missing};
use crate::server::Inner;

/// The variable that tells git's hook what it has to refuse.
pub(crate) const RULINGS: &str = "BATON_FORGE_RULINGS";

/// A variable of the environment has a bound; a push with more to decide is refused as a whole.
const RULINGS_BYTES_MAX: usize = 100 * 1024;

const CANNOT_DELETE: &str = "Cannot delete this branch";
const CANNOT_FORCE: &str = "Cannot force-push to this branch";
const NO_MERGES: &str = "This branch must not contain merge commits.";

/// A wish to change a ref; nothing before makes it, nothing after removes it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RefWish<'a> {
    pub(crate) name: &'a str,
    pub(crate) before: Option<&'a str>,
    pub(crate) after: Option<&'a str>,
}

/// What the rules say to a wish.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Ruling {
    Free,
    Refused(String),
    /// It depends on the commits that it brings.
    Depends {
        only_forward: bool,
        only_linear: bool,
    },
}

/// Judges one wish. `rules` are those of its repository.
pub(crate) fn judge(
    conn: &Connection,
    rules: &[Protection],
    permission: Permission,
    wish: RefWish<'_>,
) -> rusqlite::Result<Ruling> {
    let Some(branch) = wish.name.strip_prefix("refs/heads/") else { return Ok(Ruling::Free) };
    let Some(rule) = protections::applying(rules.to_vec(), branch) else { return Ok(Ruling::Free) };
    let settings = &rule.settings;
    let is_bound = permission < Permission::Admin || settings.enforce_admins;
    Ok(match (wish.before, wish.after) {
        (_, None) if !settings.allow_deletions => Ruling::Refused(CANNOT_DELETE.to_owned()),
        // A branch that a pattern protects can be made; it is protected from then on.
        (_, None) | (None, _) => Ruling::Free,
        (Some(_), Some(after)) => match refusal(conn, &rule, after)?.filter(|_| is_bound) {
            Some(why) => Ruling::Refused(why),
            None => Ruling::Depends {
                only_forward: !settings.allow_force_pushes,
                only_linear: is_bound && settings.required_linear_history,
            },
        },
    })
}

/// Why one who is bound may not move a branch to this commit.
fn refusal(conn: &Connection, rule: &Protection, after: &str) -> rusqlite::Result<Option<String>> {
    let settings = &rule.settings;
    if settings.lock_branch {
        return Ok(Some("Cannot change this locked branch".to_owned()));
    }
    if let Some(reviews) = &settings.required_reviews {
        return Ok(Some(match reviews.count {
            0 => "Changes must be made through a pull request.".to_owned(),
            count => reviews_are_missing(count),
        }));
    }
    let Some(checks) = &settings.required_checks else { return Ok(None) };
    // A commit that has passed elsewhere, such as on a pull request, may come in directly.
    Ok(check_obstacle(&checks.contexts, &verdicts(conn, rule.repo_id, after)?))
}

/// Judges a change that the forge itself is about to make, whose objects are there already.
pub(crate) fn check(
    forge: &Inner,
    repo: &Repo,
    permission: Permission,
    repository: &Repository,
    wish: RefWish<'_>,
) -> Result<(), ApiError> {
    let ruling = forge.db.read(|conn| {
        let rules = protections::of_repo(conn, repo.id)?;
        judge(conn, &rules, permission, wish)
    })??;
    let refused = |why: &str| Err(ApiError::unprocessable(why));
    match ruling {
        Ruling::Free => Ok(()),
        Ruling::Refused(why) => refused(&why),
        Ruling::Depends { only_forward, only_linear } => {
            let ends = wish.before.zip(wish.after);
            let Some((before, after)) = ends.map(|(a, b)| (Oid::from_str(a), Oid::from_str(b))) else {
                return Ok(());
            };
            let (before, after) = (before?, after?);
            if only_forward && !history::contains(repository, after, before) {
                return refused(CANNOT_FORCE);
            }
            match only_linear && has_merges(repository, before, after)? {
                true => refused(NO_MERGES),
                false => Ok(()),
            }
        }
    }
}

fn has_merges(repository: &Repository, before: Oid, after: Oid) -> Result<bool, git2::Error> {
    let mut walk = repository.revwalk()?;
    walk.push(after)?;
    walk.hide(before)?;
    for oid in walk {
        if repository.find_commit(oid?)?.parent_count() > 1 {
            return Ok(true);
        }
    }
    Ok(false)
}

/// What git's hook has to know about a push; nothing when it has nothing to decide.
pub(crate) fn rulings(
    conn: &Connection,
    repo: &Repo,
    permission: Permission,
    commands: Option<&[RefCommand]>,
) -> Result<Option<String>, ApiError> {
    let rules = protections::of_repo(conn, repo.id)?;
    if rules.is_empty() {
        return Ok(None);
    }
    let Some(commands) = commands else {
        return Err(ApiError::bad_request(
            "This repository has protected branches, and the head of this push cannot be read.",
        ));
    };
    let mut lines = String::new();
    for command in commands {
        let wish = RefWish { name: &command.name, before: command.before(), after: command.after() };
        match judge(conn, &rules, permission, wish)? {
            Ruling::Free => {}
            Ruling::Refused(why) => lines.push_str(&line(&command.name, "refuse", &why)),
            Ruling::Depends { only_forward, only_linear } => {
                if only_forward {
                    lines.push_str(&line(&command.name, "forward", CANNOT_FORCE));
                }
                if only_linear {
                    lines.push_str(&line(&command.name, "linear", NO_MERGES));
                }
            }
        }
    }
    match lines.len() > RULINGS_BYTES_MAX {
        true => Err(ApiError::bad_request("This push changes too many protected branches at once.")),
        false => Ok(Some(lines).filter(|lines| !lines.is_empty())),
    }
}

/// One ruling on a line. A ref's name has neither tabs nor line ends; git refuses such names itself.
fn line(name: &str, kind: &str, why: &str) -> String {
    let why: String = why.chars().filter(|character| !character.is_control()).collect();
    format!("{name}\t{kind}\t{why}\n")
}

/// Git calls it for each ref with the name, the id before and the id after.
const HOOK: &str = r#"#!/bin/sh
# Refuses what the rules of protected branches forbid. The forge passes its rulings, one on a line: REF, KIND, REASON.
tab=$(printf '\t')
while IFS="$tab" read -r ref kind reason; do
  [ "$ref" = "$1" ] || continue
  case $kind in
    forward) git merge-base --is-ancestor "$2" "$3" && continue ;;
    linear) [ -z "$(git rev-list --merges --max-count=1 "$2..$3")" ] && continue ;;
  esac
  printf 'error: GH006: Protected branch update failed for %s.\nerror: %s\n' "$1" "$reason" >&2
  exit 1
done <<END
$BATON_FORGE_RULINGS
END
exit 0
"#;

/// Writes the hook into a directory of its own, as the forge does when it starts.
pub(crate) fn install_hook(directory: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(directory)?;
    // A push may be running the old one, so the new one takes its place in one step.
    let fresh = directory.join("update.new");
    drop(std::fs::remove_file(&fresh));
    let mut file = std::fs::File::options().write(true).create_new(true).mode(0o755).open(&fresh)?;
    file.write_all(HOOK.as_bytes())?;
    drop(file);
    std::fs::rename(&fresh, directory.join("update"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::protections::{ProtectionSettings, RequiredReviews};

    const A: &str = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
    const B: &str = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb";

    fn ruling(
        settings: ProtectionSettings,
        permission: Permission,
        before: Option<&str>,
        after: Option<&str>,
    ) -> Ruling {
        let rule = Protection { id: 1, repo_id: 1, pattern: "main".to_owned(), settings, creator_id: 1 };
        let conn = Connection::open_in_memory().unwrap();
        let wish = RefWish { name: "refs/heads/main", before, after };
        judge(&conn, &[rule], permission, wish).unwrap()
    }

    #[test]
    fn rules_bind_writers_always_and_administrators_where_they_say_so() {
        let reviews = Some(RequiredReviews { count: 2, ..RequiredReviews::default() });
        let lenient = ProtectionSettings { required_reviews: reviews, ..ProtectionSettings::default() };
        let strict = ProtectionSettings { enforce_admins: true, ..lenient.clone() };
        let refused = Ruling::Refused(
            "At least 2 approving reviews are required by reviewers with write access.".to_owned(),
        );
        let forward = Ruling::Depends { only_forward: true, only_linear: false };
        let push = |settings: &ProtectionSettings, who| ruling(settings.clone(), who, Some(A), Some(B));
        assert_eq!(push(&lenient, Permission::Write), refused);
        assert_eq!(push(&lenient, Permission::Admin), forward);
        assert_eq!(push(&strict, Permission::Admin), refused);
    }

    #[test]
    fn removing_is_for_nobody_unless_allowed_and_making_is_free() {
        let none = ProtectionSettings::default();
        let allowed = ProtectionSettings { allow_deletions: true, ..none.clone() };
        let refused = Ruling::Refused(CANNOT_DELETE.to_owned());
        assert_eq!(ruling(none.clone(), Permission::Admin, Some(A), None), refused);
        assert_eq!(ruling(allowed, Permission::Write, Some(A), None), Ruling::Free);
        assert_eq!(ruling(none, Permission::Write, None, Some(A)), Ruling::Free);
    }
}

//! Who acts, and who may do what.

use baton_core::RepoSlug;
use baton_core::tracker::Permission;
use http::Method;

use crate::client::{Answer, GitHub};
use crate::wire::PermissionWire;

pub(super) async fn viewer(github: &GitHub) -> Answer<String> {
    Ok(github.viewer_with_scopes().await?.login)
}

pub(super) async fn permission(github: &GitHub, repo: &RepoSlug, login: &str) -> Answer<Permission> {
    let endpoint = "/repos/{owner}/{repo}/collaborators/{username}/permission";
    let sent = github.send(github.call(Method::GET, repo, endpoint, &[login])?).await?;
    if sent.status() == 404 {
        return Ok(Permission::None);
    }
    let wire: PermissionWire = sent.succeeded()?.parse()?;
    Ok(level(wire.permission.as_deref()).max(level(wire.role_name.as_deref())))
}

/// Reads GitHub's roles. A role of an organisation's own is known by the `permission` beside it, and a word that
/// nobody knows allows nothing.
fn level(word: Option<&str>) -> Permission {
    match word {
        Some("admin" | "maintain" | "write" | "push") => Permission::Write,
        Some("triage" | "read" | "pull") => Permission::Read,
        _ => Permission::None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_become_levels() {
        let check = |words: &[&str], expected: Permission| {
            for word in words {
                assert_eq!(level(Some(word)), expected, "{word}");
            }
        };
        check(&["admin", "maintain", "write"], Permission::Write);
        check(&["triage", "read"], Permission::Read);
        check(&["none", "", "Security Champion"], Permission::None);
        assert_eq!(level(None), Permission::None);
    }
}

//! Full names of git refs, by the rules of `git check-ref-format`.
//!
//! A name that passes is safe to join onto a repository's directory and to pass to git after `--`. Short names
//! (`main`) are not refs here: a caller says which namespace it means.

/// The longest ref name accepted. Git's own limit is the file system's; this one keeps paths portable.
pub const REF_NAME_BYTES_MAX: usize = 255;

/// Returns whether `name` is a well-formed full ref name with at least two levels, such as `refs/heads/main`.
pub fn is_full_ref_name(name: &str) -> bool {
    name.len() <= REF_NAME_BYTES_MAX
        && name.strip_prefix("refs/").is_some_and(|rest| rest.contains('/'))
        && !name.contains("..")
        && !name.contains("@{")
        && !name.ends_with('.')
        && name.bytes().all(is_ref_byte)
        && name.split('/').all(is_component)
}

/// Returns whether `name` may follow `refs/heads/`.
pub fn is_branch_name(name: &str) -> bool {
    name != "HEAD" && !name.starts_with('-') && is_full_ref_name(&format!("refs/heads/{name}"))
}

fn is_ref_byte(byte: u8) -> bool {
    byte > b' ' && byte != 0x7f && !b"~^:?*[\\".contains(&byte)
}

fn is_component(component: &str) -> bool {
    !component.is_empty() && !component.starts_with('.') && !component.ends_with(".lock")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn branches_tags_and_custom_namespaces_are_refs() {
        for name in [
            "refs/heads/main",
            "refs/tags/v1.0",
            "refs/baton/claims/42",
            "refs/heads/feature/a-b_c",
            "refs/heads/ünï",
            "refs/heads/@",
            "refs/pull/1/head",
        ] {
            assert!(is_full_ref_name(name), "{name}");
        }
    }

    #[test]
    fn names_that_git_refuses_are_not() {
        for name in [
            "main",
            "heads/main",
            "refs/heads",
            "refs/heads/",
            "refs//main",
            "refs/heads/.hidden",
            "refs/heads/a.lock",
            "refs/heads/a.lock/b",
            "refs/heads/a..b",
            "refs/../heads/main",
            "refs/heads/a b",
            "refs/heads/a~1",
            "refs/heads/a^",
            "refs/heads/a:b",
            "refs/heads/a?",
            "refs/heads/*",
            "refs/heads/a[",
            "refs/heads/a\\b",
            "refs/heads/a@{1}",
            "refs/heads/a.",
            "refs/heads/a\x7f",
            "refs/heads/a\n",
            "/refs/heads/a",
            "",
        ] {
            assert!(!is_full_ref_name(name), "{name:?} was accepted");
        }
    }

    #[test]
    fn a_branch_is_never_an_option_or_head() {
        assert!(is_branch_name("main") && is_branch_name("baton/issue-7"));
        assert!(!is_branch_name("-d") && !is_branch_name("HEAD") && !is_branch_name(""));
    }
}

//! What git says on the input of the hook: one line for each ref, `<local ref> <local oid> <remote ref> <remote oid>`.

/// A ref that is about to be made or moved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pushed {
    /// The commit that it will be at.
    pub(super) local_oid: String,
    /// Its full name over there.
    pub(super) remote_ref: String,
    /// The commit that it is at, if it is there already.
    pub(super) remote_oid: Option<String>,
}

impl Pushed {
    /// The branch, if it is one.
    pub(super) fn branch(&self) -> Option<&str> {
        self.remote_ref.strip_prefix("refs/heads/")
    }
}

/// Reads the lines. Deletions bring no commits and tags close no issues, so both are left out. A line that cannot be
/// read is an error, because what it pushes would go unchecked.
pub(super) fn pushed(text: &str) -> Result<Vec<Pushed>, String> {
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    let all = lines.map(read).collect::<Result<Vec<_>, _>>()?;
    Ok(all.into_iter().flatten().collect())
}

fn read(line: &str) -> Result<Option<Pushed>, String> {
    // The local side is whatever was typed, such as `HEAD~1` or `(delete)`; the other three have no white space.
    let mut words = line.trim_end().rsplitn(4, ' ');
    let (Some(remote_oid), Some(remote_ref), Some(local_oid), Some(_)) =
        (words.next(), words.next(), words.next(), words.next())
    else {
        return Err(format!("git said `{line}`, which names no ref that is pushed"));
    };
    if !is_oid(local_oid) || !is_oid(remote_oid) {
        return Err(format!("git said `{line}`, which names no commits"));
    }
    if is_zero(local_oid) || remote_ref.starts_with("refs/tags/") {
        return Ok(None);
    }
    Ok(Some(Pushed {
        local_oid: local_oid.to_owned(),
        remote_ref: remote_ref.to_owned(),
        remote_oid: (!is_zero(remote_oid)).then(|| remote_oid.to_owned()),
    }))
}

fn is_oid(word: &str) -> bool {
    word.len() >= 40 && word.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn is_zero(oid: &str) -> bool {
    oid.bytes().all(|byte| byte == b'0')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<(String, bool)> {
        let read = pushed(text).unwrap();
        read.into_iter().map(|it| (it.remote_ref, it.remote_oid.is_some())).collect()
    }

    #[test]
    fn branches_are_read_and_deletions_and_tags_left_out() {
        let (zero, one, two) = ("0".repeat(40), "1".repeat(40), "2".repeat(40));
        let text = format!(
            "refs/heads/a {one} refs/heads/a {two}\n\
             HEAD {one} refs/heads/b {zero}\n\
             (delete) {zero} refs/heads/c {two}\n\
             refs/tags/v1 {one} refs/tags/v1 {zero}\n\
             refs/heads/a {one} refs/for/main {zero}\n\n"
        );
        let expected = [("refs/heads/a", true), ("refs/heads/b", false), ("refs/for/main", false)];
        assert_eq!(names(&text), expected.map(|(name, is_there)| (name.to_owned(), is_there)));
        assert!(names("").is_empty());
    }

    #[test]
    fn longer_object_names_are_object_names_too() {
        let (zero, one) = ("0".repeat(64), "1".repeat(64));
        assert_eq!(names(&format!("x {one} refs/heads/x {zero}")), [("refs/heads/x".to_owned(), false)]);
        assert!(names(&format!("(delete) {zero} refs/heads/x {one}")).is_empty());
    }

    #[test]
    fn what_is_no_such_line_is_an_error() {
        for line in ["x", "a b c", "a b c d", &format!("a {} refs/heads/x y", "1".repeat(40))] {
            assert!(pushed(line).is_err(), "{line:?}");
        }
    }
}

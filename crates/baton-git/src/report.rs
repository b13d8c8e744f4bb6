//! Reading what `git push --porcelain` and `git ls-remote` print.
//!
//! Only lines are read here. Whether a refusal means that a claim is lost is decided where both refs are known.

use crate::oid::Oid;

/// What became of one ref of a push.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RefReport {
    /// The ref on the remote.
    pub(crate) name: String,
    /// Whether it was refused.
    pub(crate) is_refused: bool,
    /// What git says about it.
    pub(crate) summary: String,
}

impl RefReport {
    /// Returns whether the ref was not where it was expected.
    pub(crate) fn is_stale(&self) -> bool {
        self.is_refused && self.summary.ends_with("(stale info)")
    }
}

/// Reads lines such as `!\t<oid>:refs/heads/topic\t[rejected] (stale info)`; all others say nothing about a ref.
pub(crate) fn read_push(stdout: &str) -> Vec<RefReport> {
    stdout.lines().filter_map(read_line).collect()
}

fn read_line(line: &str) -> Option<RefReport> {
    let mut fields = line.split('\t');
    let (flag, refs, summary) = (fields.next()?, fields.next()?, fields.next()?);
    let (_, name) = refs.split_once(':').filter(|_| flag.len() == 1)?;
    Some(RefReport { name: name.to_owned(), is_refused: flag == "!", summary: summary.to_owned() })
}

/// Finds where a ref points at, in lines such as `<oid>\trefs/heads/topic`.
pub(crate) fn find_ref(stdout: &str, name: &str) -> Option<Oid> {
    let pairs = stdout.lines().filter_map(|line| line.split_once('\t'));
    pairs.into_iter().find(|(_, own)| *own == name).and_then(|(oid, _)| oid.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    const OID: &str = "2eb978ea6541483ca86101ca57484f0e1e74376c";

    #[test]
    fn every_ref_of_a_push_is_found_with_what_became_of_it() {
        let text = format!(
            "To /srv/web.git\n!\t{OID}:refs/baton/claims/1\t[rejected] (stale info)\n!\t{OID}:refs/heads/t\t[rejected] \
             (atomic push failed)\n \t{OID}:refs/heads/u\t6dbf12e..2eb978e\n=\t{OID}:refs/heads/v\t[up to date]\nDone\n"
        );
        let read = read_push(&text);
        let shown: Vec<_> =
            read.iter().map(|report| (report.name.as_str(), report.is_refused, report.is_stale())).collect();
        assert_eq!(
            shown,
            [
                ("refs/baton/claims/1", true, true),
                ("refs/heads/t", true, false),
                ("refs/heads/u", false, false),
                ("refs/heads/v", false, false),
            ]
        );
    }

    #[test]
    fn what_hooks_print_is_no_report() {
        for text in ["", "Done", "!\tno refs here\t", "two\ta:b\tc", "! a:b [rejected]"] {
            assert_eq!(read_push(text), [], "{text:?}");
        }
    }

    #[test]
    fn a_ref_is_found_by_its_whole_name() {
        let text = format!("{OID}\trefs/heads/a/refs/heads/t\n{OID}\trefs/heads/t\n");
        assert_eq!(find_ref(&text, "refs/heads/t").map(|oid| oid.to_string()).as_deref(), Some(OID));
        assert_eq!(find_ref(&text, "refs/heads/x"), None);
    }
}

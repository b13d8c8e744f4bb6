//! The head of a push: which refs it wants to change.
//!
//! A push begins with lines of four hexadecimal digits of length and `OLD NEW REF`, ended by `0000`; the objects follow.
//! The forge reads only that head, to know afterwards which refs to look at.

/// Collects the head of a push as it streams by.
#[derive(Debug, Default)]
pub(crate) struct PushHead {
    pending: Vec<u8>,
    commands: Vec<RefCommand>,
    state: State,
}

#[derive(Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Reading,
    Done,
    /// Not a push as this reads it; every ref may have changed.
    Unknown,
}

/// One change that a push asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RefCommand {
    pub(crate) old: String,
    pub(crate) new: String,
    pub(crate) name: String,
}

impl RefCommand {
    /// The id that the client believes the ref to have; none where it believes that there is no ref.
    pub(crate) fn before(&self) -> Option<&str> {
        given(&self.old)
    }

    /// The id that the ref is to have; none where it is to go.
    pub(crate) fn after(&self) -> Option<&str> {
        given(&self.new)
    }
}

/// Git writes zeros for an id that is not there.
fn given(oid: &str) -> Option<&str> {
    (!oid.bytes().all(|byte| byte == b'0')).then_some(oid)
}

/// A head longer than this is not read to its end.
const HEAD_BYTES_MAX: usize = 8 * 1024 * 1024;

impl PushHead {
    /// A push whose head cannot be read, because it is compressed.
    pub(crate) fn unknown() -> Self {
        Self { state: State::Unknown, ..Self::default() }
    }

    pub(crate) fn feed(&mut self, bytes: &[u8]) {
        if self.state != State::Reading {
            return;
        }
        self.pending.extend_from_slice(bytes);
        if self.pending.len() > HEAD_BYTES_MAX {
            self.state = State::Unknown;
        }
        while self.state == State::Reading && self.take_line() {}
        if self.state != State::Reading {
            self.pending = Vec::new();
        }
    }

    /// Returns whether there is nothing more to read.
    pub(crate) fn is_read(&self) -> bool {
        self.state != State::Reading
    }

    /// What the push asks for, or nothing when it could not be read.
    pub(crate) fn commands(&self) -> Option<&[RefCommand]> {
        (self.state == State::Done).then_some(self.commands.as_slice())
    }

    /// The refs that the push named, or nothing when all must be looked at.
    pub(crate) fn refs(self) -> Option<Vec<String>> {
        let names = |commands: Vec<RefCommand>| commands.into_iter().map(|command| command.name).collect();
        (self.state == State::Done).then(|| names(self.commands))
    }

    /// Takes one line off the front; false when it is not there yet.
    fn take_line(&mut self) -> bool {
        let Some(length) = self.pending.get(..4) else { return false };
        let Some(length) =
            std::str::from_utf8(length).ok().and_then(|text| usize::from_str_radix(text, 16).ok())
        else {
            self.state = State::Unknown;
            return false;
        };
        if length == 0 {
            self.state = State::Done;
            return false;
        }
        if length < 4 {
            self.state = State::Unknown;
            return false;
        }
        if self.pending.len() < length {
            return false;
        }
        let line: Vec<u8> = self.pending.drain(..length).skip(4).collect();
        self.commands.extend(command_of(&line));
        true
    }
}

/// The command of a line; shallow and certificate lines are none.
fn command_of(line: &[u8]) -> Option<RefCommand> {
    let command = line.split(|byte| *byte == 0).next()?;
    let text = std::str::from_utf8(command).ok()?.trim_end_matches('\n');
    let mut words = text.splitn(3, ' ');
    let is_oid = |word: &str| word.len() >= 40 && word.bytes().all(|b| b.is_ascii_hexdigit());
    let mut oid = || words.next().filter(|word| is_oid(word)).map(str::to_owned);
    let (old, new) = (oid()?, oid()?);
    words.next().map(|name| RefCommand { old, new, name: name.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn line(text: &str) -> String {
        format!("{:04x}{text}", text.len() + 4)
    }

    fn push() -> Vec<u8> {
        let (zero, one) = ("0".repeat(40), "1".repeat(40));
        let first = line(&format!("{zero} {one} refs/heads/main\0 report-status atomic"));
        let second = line(&format!("{one} {zero} refs/baton/claims/7\n"));
        format!("{first}{second}0000PACK....").into_bytes()
    }

    #[test]
    fn the_refs_of_a_push_are_read_however_it_is_cut() {
        for size in [1, 3, 7, 1_000] {
            let mut head = PushHead::default();
            push().chunks(size).for_each(|chunk| head.feed(chunk));
            assert_eq!(
                head.refs().unwrap(),
                ["refs/heads/main", "refs/baton/claims/7"],
                "in chunks of {size}"
            );
        }
    }

    #[test]
    fn what_cannot_be_read_means_look_at_everything() {
        for bytes in [&b"zzzz"[..], b"0001", b"00"] {
            let mut head = PushHead::default();
            head.feed(bytes);
            assert!(head.refs().is_none());
        }
        assert!(PushHead::unknown().refs().is_none());
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let mut head = PushHead::default();
            bytes.chunks(11).for_each(|chunk| head.feed(chunk));
            head.refs();
        }
    }
}

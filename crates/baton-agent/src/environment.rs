//! The environment of an agent: what is allowed by name, and nothing else.
//!
//! Nothing here reads the environment; it comes in as a list.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};

/// What every agent may have: where programs, the home and temporary files are, and how to speak to a person.
pub const ALWAYS_ALLOWED: [&str; 7] = ["PATH", "HOME", "LANG", "TERM", "TMPDIR", "USER", "SHELL"];

/// The whole environment of an agent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Environment {
    variables: BTreeMap<OsString, OsString>,
}

impl Environment {
    /// Returns those of `variables` that every agent may have or that `also` names.
    pub fn allowed(variables: impl IntoIterator<Item = (OsString, OsString)>, also: &[&str]) -> Self {
        let is_allowed = |name: &OsStr| ALWAYS_ALLOWED.iter().chain(also).any(|allowed| name == *allowed);
        Self { variables: variables.into_iter().filter(|(name, _)| is_allowed(name)).collect() }
    }

    /// Returns this environment with one more variable.
    #[must_use]
    pub fn with(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.variables.insert(name.into(), value.into());
        self
    }

    /// Returns this environment without a variable.
    #[must_use]
    pub fn without(mut self, name: &str) -> Self {
        self.variables.remove(OsStr::new(name));
        self
    }

    /// Returns every variable, in the order of their names.
    pub fn iter(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        self.variables.iter().map(|(name, value)| (name.as_os_str(), value.as_os_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(names: &[&str], also: &[&str], expected: &[&str]) {
        let variables = names.iter().map(|name| (OsString::from(name), OsString::from("x")));
        let environment = Environment::allowed(variables, also);
        let left: Vec<_> = environment.iter().map(|(name, _)| name.to_str().unwrap()).collect();
        assert_eq!(left, expected);
    }

    #[test]
    fn only_what_is_named_is_left() {
        check(&["PATH", "GITHUB_TOKEN", "HOME"], &[], &["HOME", "PATH"]);
        check(&["PATH", "GITHUB_TOKEN"], &["GITHUB_TOKEN"], &["GITHUB_TOKEN", "PATH"]);
        check(&["path", "PATHS", "XPATH", ""], &[], &[]);
        check(&["PATH"], &["MISSING"], &["PATH"]);
    }

    #[test]
    fn a_variable_of_the_caller_comes_before_an_inherited_one() {
        let inherited = Environment::allowed([("HOME".into(), "/a".into())], &[]);
        let environment = inherited.with("HOME", "/b").with("RUN", "7");
        let all: Vec<_> = environment.iter().collect();
        assert_eq!(all, [("HOME".as_ref(), "/b".as_ref()), ("RUN".as_ref(), OsStr::new("7"))]);
        assert_eq!(environment.without("HOME").without("MISSING").iter().count(), 1);
    }
}

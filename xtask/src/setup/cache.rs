//! The directory of the user's cache that every clone on this machine shares.
//!
//! This module decides where it is and makes it. What is in it is made by [entries](super::entry).

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

/// Names the directory, whatever the others say.
const VARIABLE: &str = "BATON_TEST_CACHE";
const NAME: &str = "baton-tests";

/// Finds the directory and makes it.
pub(crate) fn find() -> Result<PathBuf> {
    let chosen = choose(|name| env::var_os(name), cfg!(target_os = "macos"))
        .with_context(|| format!("neither HOME nor {VARIABLE} is set; set one of them"))?;
    let absolute = std::path::absolute(&chosen).context("making the path of the cache absolute")?;
    fs::create_dir_all(&absolute).with_context(|| {
        format!("creating `{}`; set {VARIABLE} to a directory that you may write", absolute.display())
    })?;
    // A virtual environment carries its path, so one directory must have one name.
    absolute.canonicalize().with_context(|| format!("resolving `{}`", absolute.display()))
}

fn choose(variable: impl Fn(&str) -> Option<OsString>, is_mac: bool) -> Option<PathBuf> {
    let path = |name| variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let home = |below: &str| path("HOME").map(|home| home.join(below).join(NAME));
    path(VARIABLE)
        // The XDG specification says to ignore relative paths.
        .or_else(|| path("XDG_CACHE_HOME").filter(|path| path.is_absolute()).map(|path| path.join(NAME)))
        .or_else(|| home(if is_mac { "Library/Caches" } else { ".cache" }))
}

/// Hashes texts into a name that is the same on every machine and with every compiler: 64 bits of FNV-1a.
///
/// It tells versions of a lock file apart; nobody gains anything by making two that collide.
pub(crate) fn fingerprint(texts: &[&str]) -> String {
    // No text has a byte of 0xff, so it keeps neighbors apart.
    let bytes = texts.iter().flat_map(|text| text.bytes().chain([0xff]));
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    format!("{:016x}", bytes.fold(0xcbf2_9ce4_8422_2325, step))
}

/// Points a link somewhere else in one step, so that nobody finds it missing.
pub(crate) fn link(link: &Path, to: &Path) -> Result<()> {
    let failed = || format!("linking `{}` to `{}`", link.display(), to.display());
    if fs::read_link(link).is_ok_and(|current| current == to) {
        return Ok(());
    }
    let parent = link.parent().with_context(failed)?;
    fs::create_dir_all(parent).with_context(failed)?;
    // Earlier versions installed into the target directory itself.
    if link.symlink_metadata().is_ok_and(|found| found.is_dir()) {
        fs::remove_dir_all(link).with_context(failed)?;
    }
    let new = link.with_extension(format!("new-{}", std::process::id()));
    std::os::unix::fs::symlink(to, &new).with_context(failed)?;
    fs::rename(&new, link).with_context(failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_specific_variable_decides_where_the_cache_is() {
        type Variables<'a> = &'a [(&'a str, &'a str)];
        let table: [(Variables<'_>, bool, Option<&str>); 8] = [
            (&[("BATON_TEST_CACHE", "/b"), ("XDG_CACHE_HOME", "/x"), ("HOME", "/h")], false, Some("/b")),
            (&[("XDG_CACHE_HOME", "/x"), ("HOME", "/h")], false, Some("/x/baton-tests")),
            (&[("XDG_CACHE_HOME", "/x"), ("HOME", "/h")], true, Some("/x/baton-tests")),
            (&[("XDG_CACHE_HOME", "x"), ("HOME", "/h")], false, Some("/h/.cache/baton-tests")),
            (&[("BATON_TEST_CACHE", ""), ("HOME", "/h")], false, Some("/h/.cache/baton-tests")),
            (&[("HOME", "/h")], false, Some("/h/.cache/baton-tests")),
            (&[("HOME", "/h")], true, Some("/h/Library/Caches/baton-tests")),
            (&[], false, None),
        ];
        for (variables, is_mac, wanted) in table {
            let variable = |name: &str| {
                variables.iter().find(|(known, _)| *known == name).map(|(_, value)| OsString::from(value))
            };
            assert_eq!(choose(variable, is_mac).as_deref(), wanted.map(Path::new), "{variables:?}");
        }
    }

    #[test]
    fn a_fingerprint_depends_on_every_text_and_on_where_each_ends() {
        // The published test vector of FNV-1a for "a", followed by the end of the text.
        assert_eq!(fingerprint(&[]), "cbf29ce484222325");
        let names = [&["ab", "c"][..], &["a", "bc"], &["abc"], &["abc", ""], &["c", "ab"]].map(fingerprint);
        for (index, name) in names.iter().enumerate() {
            assert!(!names[..index].contains(name), "{names:?}");
        }
    }

    #[test]
    fn a_link_is_pointed_elsewhere_and_replaces_what_an_earlier_version_left() {
        let place = tempfile::tempdir().unwrap();
        let at = place.path().join("contract/venv");
        fs::create_dir_all(at.join("bin")).unwrap();
        for to in ["/cache/one", "/cache/two", "/cache/two"] {
            link(&at, Path::new(to)).unwrap();
            assert_eq!(fs::read_link(&at).unwrap(), Path::new(to));
        }
        assert_eq!(fs::read_dir(at.parent().unwrap()).unwrap().count(), 1);
    }
}

//! Where the programs and files are that tests use.

use std::path::{Path, PathBuf};

/// Returns the path of the `baton` that was built with this test or benchmark.
///
/// Test programs are in `deps` beside the binary. Cargo tells only tests of the binary's own package where it is.
pub fn baton() -> PathBuf {
    let own = std::env::current_exe().expect("this program has a path");
    let path = own.ancestors().nth(2).expect("the program is in the target directory").join("baton");
    assert!(path.is_file(), "`{}` is missing: run `cargo build -p baton`", path.display());
    path
}

/// Returns the directory that `cargo xtask test` has filled with clients, agents and drivers of others.
pub fn contract_dir() -> PathBuf {
    let directory = std::env::var_os("BATON_CONTRACT_DIR");
    directory
        .expect("BATON_CONTRACT_DIR is not set: run `cargo xtask test`, which installs what this needs")
        .into()
}

/// Returns the root of the repository.
pub fn repository_root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("two levels up")
}

/// Returns whether the long variants of tests are wanted.
pub fn is_full() -> bool {
    std::env::var_os("BATON_TEST_FULL").is_some()
}

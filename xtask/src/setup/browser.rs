//! What drives the browser of the tests and judges the pages it shows: Playwright and axe, from the lock file in
//! `contract/browser`.
//!
//! The browser itself is a program of the system; Playwright's own download of one is not used.

use std::path::Path;

use anyhow::Result;

use super::packages::Packages;
use crate::workspace::Workspace;

pub(crate) fn ensure(workspace: &Workspace, cache: &Path) -> Result<()> {
    let source = workspace.root.join("contract").join("browser");
    let packages = Packages { title: "drivers of the browser", name: "browser-drivers", source: &source };
    packages.ensure(cache, |_| Ok(()))?.link(&workspace.contract().join("browser"))
}

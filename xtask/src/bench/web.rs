//! `cargo xtask bench web`: the dashboard beside a static file of the same size, and its streams of events.

use anyhow::Result;

use super::Target;

#[derive(clap::Args)]
pub(crate) struct Args {}

pub(crate) fn run(_: &Args) -> Result<()> {
    Target::new("baton-web", "web")?.run()
}

//! The benchmark of the embedded forge: not built yet, and it says so.

/// Options of `cargo xtask bench forge`.
#[derive(clap::Args)]
pub(crate) struct Args {}

pub(crate) fn run(_args: Args) -> anyhow::Result<()> {
    anyhow::bail!("`bench forge` is not built yet; there is nothing to measure with it")
}

//! `cargo xtask sim`: simulated worlds with the real engine in them, each lived twice.
//!
//! The worlds are in `baton-sim`; this only builds them with optimisation and passes the options on.

use anyhow::Result;

use crate::command;

/// Options of `cargo xtask sim`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// How many seeds to live.
    #[arg(long, default_value_t = 300)]
    seeds: u64,

    /// The first of them.
    #[arg(long, default_value_t = 0)]
    from: u64,

    /// Live only this one, again.
    #[arg(long, conflicts_with_all = ["seeds", "from"])]
    seed: Option<u64>,

    /// Show everything that happened in it.
    #[arg(long, requires = "seed")]
    log: bool,

    /// Plant a bug, and stop at the first seed that finds it; a wrong name is answered with all of them.
    #[arg(long, value_name = "BUG")]
    plant: Option<String>,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let mut cargo = command::cargo();
    cargo.args(["run", "--quiet", "--profile", "bench", "--package", "baton-sim", "--bin", "sim", "--"]);
    cargo.args(words(args));
    command::run(&mut cargo)
}

fn words(args: &Args) -> Vec<String> {
    let mut words = match args.seed {
        Some(seed) => vec!["--seed".to_owned(), seed.to_string()],
        None => {
            let (seeds, from) = (args.seeds.to_string(), args.from.to_string());
            ["--seeds", &seeds, "--from", &from].map(str::to_owned).to_vec()
        }
    };
    if args.log {
        words.push("--log".to_owned());
    }
    words.extend(args.plant.iter().flat_map(|plant| ["--plant".to_owned(), plant.clone()]));
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_passed_on() {
        let args = |seed, plant: Option<&str>| Args {
            seeds: 9,
            from: 2,
            seed,
            log: seed.is_some(),
            plant: plant.map(str::to_owned),
        };
        assert_eq!(words(&args(None, None)), ["--seeds", "9", "--from", "2"]);
        assert_eq!(
            words(&args(Some(7), Some("no-healing"))),
            ["--seed", "7", "--log", "--plant", "no-healing"]
        );
    }
}

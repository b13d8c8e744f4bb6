//! `cargo xtask sim`: lives through simulated worlds and says what was seen.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "development tool: talks to a terminal")]

use std::process::ExitCode;

use baton_sim::world::{Plant, campaign, try_seed};

struct Asked {
    seeds: u64,
    from: u64,
    seed: Option<u64>,
    plant: Option<Plant>,
    shows_log: bool,
}

fn main() -> ExitCode {
    match asked().map(|asked| run(&asked)) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(problem) => {
            eprintln!("error: {problem}");
            ExitCode::from(2)
        }
    }
}

fn asked() -> Result<Asked, String> {
    let mut asked = Asked { seeds: 300, from: 0, seed: None, plant: None, shows_log: false };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or_else(|| format!("{word} needs a value"));
        let number = |text: String| text.parse::<u64>().map_err(|_| format!("`{text}` is no number"));
        match word.as_str() {
            "--seeds" => asked.seeds = number(value()?)?,
            "--from" => asked.from = number(value()?)?,
            "--seed" => asked.seed = Some(number(value()?)?),
            "--plant" => asked.plant = Some(value()?.parse::<Plant>().map_err(|error| error.to_string())?),
            "--log" => asked.shows_log = true,
            other => {
                return Err(format!(
                    "there is no option `{other}`; there are --seeds, --from, --seed, --plant and --log"
                ));
            }
        }
    }
    Ok(asked)
}

/// Lives through what was asked for. Returns whether nothing went wrong.
fn run(asked: &Asked) -> bool {
    if let Some(seed) = asked.seed {
        let (life, failure) = try_seed(seed, asked.plant);
        if asked.shows_log {
            life.log.lines().iter().for_each(|line| println!("{line}"));
        }
        println!(
            "seed {seed}: {} lines, {:.1} simulated hours",
            life.log.lines().len(),
            life.lasted.as_secs_f64() / 3600.0
        );
        println!("{}", failure.as_deref().unwrap_or("nothing went wrong"));
        return failure.is_none();
    }
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let seeds = asked.from..asked.from.saturating_add(asked.seeds);
    let tally = campaign(seeds, asked.plant, asked.plant.is_some(), threads);
    println!("{}", tally.report(asked.plant));
    tally.failures.is_empty()
}

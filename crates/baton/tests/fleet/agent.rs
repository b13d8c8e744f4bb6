//! The agent: this test program, started again by a supervisor. It writes down that it lives, for as long as it does.
//!
//! What it does is thrown by dice from the seed and its run: most work for a moment, some for longer than a worker's
//! lease, some fail, some hear no signal, and some leave a process behind that goes on writing in their name, also one
//! that has left their group.

use std::io::Read as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use baton_fixtures::Dice;
use serde_json::Value;
use tokio::signal::unix::{SignalKind, signal};

use crate::fleet::diary::{Pen, Word};

/// Names the directory of the diaries, and says by that that this process is an agent.
pub(crate) const DIARIES: &str = "BATON_TEST_FLEET_DIARIES";
/// What dice are thrown from.
pub(crate) const SEED: &str = "BATON_TEST_FLEET_SEED";
/// Says that this process was left behind by an agent.
const LEFT_BEHIND: &str = "BATON_TEST_FLEET_LEFT_BEHIND";
/// The test that is the agent.
pub(crate) const ENTRY: &str = "fleet::agent::an_agent_writes_down_that_it_lives";

const WRITE_EVERY: Duration = Duration::from_millis(10);
/// What is left behind ends by itself at last, should nobody end it.
const LEFT_BEHIND_MS: u64 = 20_000;

struct Mood {
    work: Duration,
    fails: bool,
    hears_no_signal: bool,
    leaves: Option<Leaves>,
}

/// What an agent leaves behind.
enum Leaves {
    InGroup,
    OutOfGroup,
}

impl Mood {
    fn of(run: i64) -> Self {
        let seed = std::env::var(SEED).unwrap().parse().unwrap();
        let mut dice = Dice::new(seed, run.unsigned_abs());
        let work = match dice.up_to(99) {
            // Longer than it takes until its issue is another's, if its worker is lost.
            0..6 => dice.between(12_000, 17_000),
            6..14 => dice.between(1_000, 4_000),
            _ => dice.between(20, 200),
        };
        let (fails, hears_no_signal) = (dice.percent(12), dice.percent(25));
        let leaves = match dice.up_to(99) {
            0..8 => Some(Leaves::InGroup),
            8..12 => Some(Leaves::OutOfGroup),
            _ => None,
        };
        Self { work: Duration::from_millis(work), fails, hears_no_signal, leaves }
    }
}

#[tokio::test]
async fn an_agent_writes_down_that_it_lives() {
    let Some(diaries) = std::env::var_os(DIARIES).map(PathBuf::from) else { return };
    let number = |name: &str| std::env::var(name).unwrap().parse::<i64>().unwrap();
    let (run, fence) = (number("BATON_RUN_ID"), number("BATON_FENCE"));
    let path = diaries.join(number("BATON_ISSUE_NUMBER").to_string());
    let mut pen = Pen::open(&path, run, fence);
    let mood = Mood::of(run);
    // From here on the signal is heard by nobody: the handler keeps it from ending the process.
    let _unheard = mood.hears_no_signal.then(|| signal(SignalKind::terminate()).unwrap());
    if std::env::var_os(LEFT_BEHIND).is_some() {
        return live(&mut pen, Duration::from_millis(LEFT_BEHIND_MS)).await;
    }
    pen.write(Word::Begins);
    pen.write(Word::Heard(comment_ids()));
    mood.leaves.iter().for_each(leave_behind);
    live(&mut pen, mood.work).await;
    pen.write(Word::Ends);
    std::process::exit(i32::from(mood.fails));
}

async fn live(pen: &mut Pen, long: Duration) {
    let began = Instant::now();
    let mut beat = tokio::time::interval(WRITE_EVERY);
    while began.elapsed() < long {
        beat.tick().await;
        pen.write(Word::Lives);
    }
}

/// Reads what the agent was told.
fn comment_ids() -> Vec<u64> {
    let mut told = String::new();
    std::io::stdin().read_to_string(&mut told).unwrap();
    let told: Value = serde_json::from_str(&told).unwrap();
    let ids = told["context"]["comment_ids"].as_array();
    ids.into_iter().flatten().filter_map(Value::as_u64).collect()
}

fn leave_behind(leaves: &Leaves) {
    let own = std::env::current_exe().unwrap();
    let mut command = match leaves {
        Leaves::InGroup => Command::new(own),
        Leaves::OutOfGroup => {
            let mut command = Command::new("setsid");
            command.arg(own);
            command
        }
    };
    command.args([ENTRY, "--exact", "--nocapture"]).env(LEFT_BEHIND, "1").stdin(Stdio::null());
    drop(command.spawn().unwrap());
}

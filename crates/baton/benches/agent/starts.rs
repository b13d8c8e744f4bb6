//! From "start" to the first byte of the program, which it writes into a pipe of ours, whoever started it.

use std::fs::{File, OpenOptions};
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use baton_agent::{Environment, Graces, Launch, RecordTerms, StartingBlock, launch};
use baton_claims::machine::SystemClock;
use baton_core::agent_lines::Program;
use baton_core::slot::{AgentKey, AgentName, ItemKey, RunId};
use baton_ports::Clock as _;

use crate::{Row, median, ms};

/// How long an idle engine has between two launches here, which is less than between two runs.
const PAUSE: Duration = Duration::from_millis(60);

pub(crate) async fn measure(rounds: usize) -> Vec<Row> {
    let directory = tempfile::tempdir().unwrap();
    let pipe = directory.path().join("first");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        &pipe,
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::from_raw_mode(0o600),
        0,
    )
    .unwrap();
    // Opened for both, so that it never ends.
    let mut first = OpenOptions::new().read(true).write(true).open(&pipe).unwrap();
    let block = StartingBlock::new(env!("CARGO_BIN_EXE_baton").into());
    block.prepare();
    let (mut bare, mut warm, mut cold) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..rounds {
        bare.push(from_bare(directory.path(), &pipe, &mut first));
        tokio::time::sleep(PAUSE).await;
        warm.push(ours(directory.path(), &pipe, &mut first, round, Some(&block)).await);
        tokio::time::sleep(PAUSE).await;
        cold.push(ours(directory.path(), &pipe, &mut first, round, None).await);
        tokio::time::sleep(PAUSE).await;
    }
    let bare = median(&mut bare);
    let row = |what, ours: Duration, aim, limit: Option<f64>| {
        let ratio = ours.as_secs_f64() / bare.as_secs_f64();
        Row {
            what,
            ours: ms(ours),
            yardstick: format!("fork+exec {}", ms(bare)),
            ratio,
            aim,
            is_met: limit.map(|limit| ratio <= limit),
        }
    };
    vec![
        row("start to first byte, an engine at rest", median(&mut warm), "≤ 1.5", Some(1.5)),
        row("start to first byte, without a supervisor that waits", median(&mut cold), "–", None),
    ]
}

fn argv(pipe: &Path) -> [String; 3] {
    ["sh".to_owned(), "-c".to_owned(), format!("echo > {}", pipe.display())]
}

fn from_bare(directory: &Path, pipe: &Path, first: &mut File) -> Duration {
    let [program, option, script] = argv(pipe);
    let began = Instant::now();
    let mut child = Command::new(program)
        .args([option, script])
        .current_dir(directory)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    first.read_exact(&mut [0]).unwrap();
    let took = began.elapsed();
    child.wait().unwrap();
    took
}

async fn ours(
    directory: &Path,
    pipe: &Path,
    first: &mut File,
    round: usize,
    block: Option<&StartingBlock>,
) -> Duration {
    let launch_order = order(directory, pipe, round);
    let began = Instant::now();
    let agent = match block {
        Some(block) => block.launch(launch_order, SystemClock).await,
        None => launch(launch_order, SystemClock).await,
    };
    let agent = agent.unwrap();
    first.read_exact(&mut [0]).unwrap();
    let took = began.elapsed();
    agent.wait().await;
    took
}

fn order(directory: &Path, pipe: &Path, round: usize) -> Launch {
    let item = ItemKey::task(&AgentName::from("bench"), "start");
    let run = RunId(i64::try_from(round).unwrap() + 1);
    let record =
        RecordTerms::new(&directory.join("records"), &item, &AgentKey("bench".to_owned()), None, run);
    Launch {
        supervisor: PathBuf::from(env!("CARGO_BIN_EXE_baton")),
        argv: argv(pipe).iter().map(Into::into).collect(),
        cwd: directory.to_owned(),
        env: Environment::allowed(std::env::vars_os(), &[]),
        stdin: b"a prompt\n".to_vec(),
        program: Program::Claude,
        log: directory.join(format!("{round}.log")),
        log_cap: 1 << 20,
        redact: vec!["a secret that is not there".to_owned()],
        deadline: SystemClock.boot_now().plus(Duration::from_secs(60)),
        kill_grace: Graces::both(Duration::from_secs(1)),
        wall_time: None,
        inactivity: None,
        record: Some(record),
    }
}

//! Output of an agent: drained, cleaned of secrets, read line by line and kept, beside `cat` into a reader that forgets it.

use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use baton_agent::{Environment, Graces, Launch, launch};
use baton_claims::machine::SystemClock;
use baton_core::agent_lines::Program;
use baton_ports::Clock as _;
use serde_json::json;

use crate::{Row, median};

const BYTES: usize = 400 << 20;

pub(crate) async fn measure(rounds: usize) -> Vec<Row> {
    let directory = tempfile::tempdir().unwrap();
    let transcript = directory.path().join("transcript.ndjson");
    let bytes = write_transcript(&transcript);
    let (mut bare, mut ours) = (Vec::new(), Vec::new());
    // The first round warms the cache of the disk.
    for round in 0..=rounds {
        let by_cat = from_bare(&transcript, bytes);
        let by_us = through_supervisor(directory.path(), &transcript, round, bytes).await;
        if round > 0 {
            bare.push(by_cat);
            ours.push(by_us);
        }
    }
    let (bare, ours) = (median(&mut bare), median(&mut ours));
    let shown = |rate: f64| format!("{:.0} MB/s", rate / 1e6);
    vec![Row {
        what: "output through the supervisor: drained, cleaned, read, kept up to 50 MB",
        ours: shown(ours),
        yardstick: format!("`cat` {}", shown(bare)),
        ratio: ours / bare,
        aim: "≥ 0.50",
        is_met: Some(ours >= bare / 2.0),
    }]
}

/// A transcript as Claude Code writes them: mostly results of tools, of 1 to 30 KB, with what the agent says between them.
fn write_transcript(path: &Path) -> usize {
    let mut file = std::io::BufWriter::new(std::fs::File::create(path).unwrap());
    let mut written = 0;
    let mut line = |value: serde_json::Value| {
        let text = format!("{value}\n");
        file.write_all(text.as_bytes()).unwrap();
        written += text.len();
        written
    };
    let session = "0b6ff1f4-2f34-4f0a-8d33-0a5d2f4c9c11";
    line(json!({"type":"system","subtype":"init","cwd":"/srv/web","session_id":session,"model":"claude"}));
    let source = "fn main() { println!(\"a \\\"quoted\\\" text and a path /usr/lib\"); }\n".repeat(500);
    let mut turn = 0_usize;
    loop {
        turn += 1;
        let id = format!("msg_{turn}");
        line(json!({"type":"assistant","message":{"id":id,"model":"claude","role":"assistant","content":[
            {"type":"text","text":"I look at the next file, to see how it is used elsewhere."}],
            "usage":{"input_tokens":3,"output_tokens":40}},"parent_tool_use_id":null,"session_id":session}));
        line(json!({"type":"assistant","message":{"id":id,"model":"claude","role":"assistant","content":[
            {"type":"tool_use","id":format!("toolu_{turn}"),"name":"Read","input":{"file_path":"src/main.rs"}}],
            "usage":{"input_tokens":3,"output_tokens":40}},"parent_tool_use_id":null,"session_id":session}));
        let length = 1_000 + turn * 7_919 % 29_000;
        let result = json!({"type":"user","message":{"role":"user","content":[
            {"tool_use_id":format!("toolu_{turn}"),"type":"tool_result","content":&source[..length]}]},
            "parent_tool_use_id":null,"session_id":session});
        if line(result) >= BYTES {
            break;
        }
    }
    let total =
        line(json!({"type":"result","subtype":"success","is_error":false,"num_turns":turn,"result":"done",
        "session_id":session,"total_cost_usd":1.5,"usage":{"input_tokens":9,"output_tokens":9}}));
    file.flush().unwrap();
    total
}

/// Bytes a second.
fn from_bare(transcript: &Path, bytes: usize) -> f64 {
    let began = Instant::now();
    let mut child = Command::new("cat").arg(transcript).stdout(Stdio::piped()).spawn().unwrap();
    let mut output = child.stdout.take().unwrap();
    let mut piece = vec![0; 64 * 1024];
    let mut heard = 0;
    while let Ok(read @ 1..) = output.read(&mut piece) {
        heard += read;
    }
    child.wait().unwrap();
    assert_eq!(heard, bytes);
    rate(bytes, began.elapsed())
}

async fn through_supervisor(directory: &Path, transcript: &Path, round: usize, bytes: usize) -> f64 {
    let order = Launch {
        supervisor: PathBuf::from(env!("CARGO_BIN_EXE_baton")),
        argv: vec!["cat".into(), transcript.into()],
        cwd: directory.to_owned(),
        env: Environment::allowed(std::env::vars_os(), &[]),
        stdin: Vec::new(),
        program: Program::Claude,
        log: directory.join(format!("{round}.log")),
        log_cap: 52_428_800,
        redact: ["ghp_0123456789abcdefghijklmnopqrstuvwxyz", "sk-ant-0123456789", "postgres://u:p@h/db"]
            .map(str::to_owned)
            .to_vec(),
        deadline: SystemClock.boot_now().plus(Duration::from_secs(120)),
        kill_grace: Graces::both(Duration::from_secs(1)),
        wall_time: None,
        inactivity: None,
        record: None,
    };
    let agent = launch(order, SystemClock).await.unwrap();
    let began = Instant::now();
    let end = agent.wait().await;
    let took = began.elapsed();
    assert_eq!(end.output_bytes, bytes as u64);
    assert!(end.report.is_success() && end.report.text.as_deref() == Some("done"), "{:?}", end.exit);
    rate(bytes, took)
}

fn rate(bytes: usize, took: Duration) -> f64 {
    bytes as f64 / took.as_secs_f64()
}

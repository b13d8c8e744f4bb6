//! `baton mcp` as agents meet it: the real binary on a real forge, driven by a client library that nobody here wrote
//! (contract/mcp_flow.py), and by plain lines where a library would be too polite.

mod flow;
mod plain;

use baton_fixtures::{TestEnv, TestForge};

/// Times that a flow waits for are short. The agent is never run, because no engine is.
const SETTINGS: &str = "user: ann
repos: [admin/web]
request_timeout: 10s
claims: {ttl: 10min, bid_ttl: 3min, margin: 1s, settle: 1s}
agents:
  coder: {adapter: command, command: [\"true\"], workspace: directory}
";

/// Starts a forge with `admin/web`, and returns where `baton mcp` is started.
async fn start() -> (TestForge, TestEnv) {
    let (forge, _) = TestForge::start_with_repo("web").await;
    let env = TestEnv::of(&forge, "mcp").with("BATON_LOG", "debug").isolated();
    env.write("baton.yaml", SETTINGS);
    (forge, env)
}

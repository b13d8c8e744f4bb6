//! The server's edges, line by line: what is on standard output, how it ends, and what it says when it cannot begin.

use baton_fixtures::{CommandOutput, TOKEN, TestEnv};
use serde_json::{Value, json};

fn serve(env: &TestEnv, lines: &[Value]) -> CommandOutput {
    let lines: String = lines.iter().map(|line| format!("{line}\n")).collect();
    env.run_with_input(&["mcp", "--codename", "lucius"], lines.as_bytes())
}

fn hello() -> [Value; 2] {
    let parameters = json!({
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "plain", "version": "1" },
    });
    [
        json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": parameters }),
        json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
    ]
}

fn call(id: u32, tool: &str, arguments: &Value) -> Value {
    let parameters = json!({ "name": tool, "arguments": arguments });
    json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": parameters })
}

fn lines(ran: &CommandOutput) -> Vec<Value> {
    ran.out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn standard_output_has_the_protocol_alone_and_calls_under_way_are_answered_before_the_end() {
    let (_forge, env) = crate::mcp::start().await;
    let [hello, ready] = hello();
    let ran = serve(&env, &[hello, ready, call(1, "check", &json!({ "issue": "admin/web#1" }))]).exits(0);
    let (lines, told) = (lines(&ran), ran.err);
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert!(lines.iter().all(|line| line["jsonrpc"] == "2.0"), "{lines:?}");
    assert_eq!(lines[0]["result"]["serverInfo"]["name"], "baton");
    assert_eq!((&lines[1]["id"], &lines[1]["result"]["isError"]), (&json!(1), &json!(true)));
    assert!(told.contains("DEBUG"), "logs go to standard error: {told}");
    assert!(!told.contains(TOKEN), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_configuration_that_cannot_be_read_is_told_before_anything_is_served() {
    let (_forge, env) = crate::mcp::start().await;
    env.write("baton.yaml", "claims: {ttl: soon}\n");
    let ran = serve(&env, &hello()).exits(2);
    assert!(ran.out.is_empty() && ran.err.contains("ttl") && ran.err.contains("soon"), "{ran:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_says_nothing_costs_nothing() {
    let (_forge, env) = crate::mcp::start().await;
    let ran = serve(&env, &[]).exits(0);
    assert_eq!(lines(&ran).len(), 0);
}

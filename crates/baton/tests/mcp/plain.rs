//! The server's edges, line by line: what is on standard output, how it ends, and what it says when it cannot begin.

use std::io::Write as _;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

use crate::mcp::place::Place;
use crate::support::TOKEN;

fn serve(place: &Place, lines: &[Value]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_baton"))
        .args(["mcp", "--codename", "lucius"])
        .current_dir(place.work())
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("BATON_LOG", "debug")
        .env("BATON_GITHUB_API_URL", &place.forge.url)
        .env("BATON_TOKEN", TOKEN)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    for line in lines {
        // A server that has refused to begin does not read any further.
        let _ = writeln!(stdin, "{line}");
    }
    drop(stdin);
    child.wait_with_output().unwrap()
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

fn lines(output: &Output) -> Vec<Value> {
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn standard_output_has_the_protocol_alone_and_calls_under_way_are_answered_before_the_end() {
    let place = Place::new().await;
    let [hello, ready] = hello();
    let output = serve(&place, &[hello, ready, call(1, "check", &json!({ "issue": "admin/web#1" }))]);
    let (lines, told) = (lines(&output), String::from_utf8_lossy(&output.stderr));
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert!(lines.iter().all(|line| line["jsonrpc"] == "2.0"), "{lines:?}");
    assert_eq!(lines[0]["result"]["serverInfo"]["name"], "baton");
    assert_eq!((&lines[1]["id"], &lines[1]["result"]["isError"]), (&json!(1), &json!(true)));
    assert!(told.contains("DEBUG"), "logs go to standard error: {told}");
    assert!(!told.contains(TOKEN), "{told}");
    assert!(output.status.success(), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_configuration_that_cannot_be_read_is_told_before_anything_is_served() {
    let place = Place::new().await;
    place.configure("claims: {ttl: soon}\n");
    let output = serve(&place, &hello());
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty());
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(told.contains("ttl") && told.contains("soon"), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_says_nothing_costs_nothing() {
    let place = Place::new().await;
    let output = serve(&place, &[]);
    assert_eq!((output.status.code(), lines(&output).len()), (Some(0), 0));
}

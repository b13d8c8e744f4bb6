//! Runs the clients that nobody here wrote: githubkit, PyGithub, Octokit and gh.

use std::path::Path;
use std::process::Command;

use crate::support::{ForgeProcess, TOKEN, baton};

pub(crate) fn run_all(contract: &Path, scripts: &Path, forge: &ForgeProcess, socket: &Path) {
    let data = forge.data.to_str().unwrap();
    let (code, _, complaint) = baton(&["forge", "user", "add", "second", "--data", data]);
    assert_eq!(code, 0, "{complaint}");
    let (code, token, complaint) = baton(&["forge", "token", "create", "--user", "second", "--data", data]);
    assert_eq!(code, 0, "{complaint}");
    let python = contract.join("venv/bin/python");
    for flow in ["githubkit_flow.py", "pygithub_flow.py"] {
        run(flow, Command::new(&python).arg(scripts.join(flow)).args([&forge.url, TOKEN]), &token);
    }
    let node = &mut Command::new("node");
    run(
        "octokit_flow.mjs",
        node.arg(scripts.join("octokit_flow.mjs"))
            .args([&forge.url, TOKEN])
            .current_dir(contract.join("node")),
        &token,
    );
    for flow in ["gh_flow.sh", "gh_issue_flow.sh", "gh_pr_flow.sh", "gh_project_flow.sh"] {
        let gh = &mut Command::new("bash");
        gh.arg(scripts.join(flow)).arg(socket).arg(TOKEN).arg(contract.join("venv/bin/gh")).arg(&forge.url);
        run(flow, gh, &token);
    }
}

fn run(name: &str, command: &mut Command, second_token: &str) {
    let output = command.env("FORGE_USER2", "second").env("FORGE_TOKEN2", second_token).output();
    let output = output.unwrap_or_else(|error| panic!("{name} cannot be started: {error}"));
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{name} found a difference:\n{out}\n{err}");
    println!("{name}: {} steps", out.lines().filter(|line| line.starts_with("ok")).count());
}

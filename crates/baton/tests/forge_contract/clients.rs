//! Runs the clients that nobody here wrote: githubkit, PyGithub, Octokit and gh.

use std::path::Path;
use std::process::Command;

use baton_fixtures::{CommandOutput, TOKEN, TestForge};

pub(crate) fn run_all(contract: &Path, scripts: &Path, forge: &TestForge, socket: &Path) {
    forge.administer(&["user", "add", "second"]).exits(0);
    let token = forge.token(&["--user", "second"]);
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
    let ran = CommandOutput::from(output.unwrap_or_else(|error| panic!("{name} cannot be started: {error}")));
    assert_eq!(ran.code, 0, "{name} found a difference:\n{}", ran.both());
    println!("{name}: {} steps", ran.out.lines().filter(|line| line.starts_with("ok")).count());
}

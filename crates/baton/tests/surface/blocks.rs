//! Every command block of the documents is run, or says why not; and every `baton` line is understood in any case.
//!
//! The blocks of one document run in order, in one shell, so that later ones can rely on earlier ones. The shell stands in
//! a checkout of a repository on a running forge (see `checkout`). Ports that documents name are exchanged for free ones, and
//! what a document takes for granted is prepared by [`PREPARED`].

use std::fmt::Write as _;
use std::fs;

use baton_fixtures::{TestEnv, repository_root};

use crate::surface::checkout::Checkout;
use crate::surface::markdown::{Block, blocks};

/// What must be there before a document's first block runs.
const PREPARED: [(&str, &str); 9] = [
    (
        "docs/claims.md",
        "baton protocol set ref; printf '#!/bin/sh\\nexit 0\\n' | tee agent.sh > worker.sh; chmod +x agent.sh worker.sh; \
         curl -sf -H \"Authorization: Bearer $BATON_TOKEN\" \"$FORGE/repos/acme/web/issues/3\" -X PATCH -d '{\"labels\":[\"stage:ready\"]}' > /dev/null",
    ),
    (
        "docs/chains.md",
        "push() { git push -q \"${FORGE/http:\\/\\//http://ann:$BATON_TOKEN@}/acme/$1.git\" \"$(git commit-tree -p HEAD -m \"feat: $1\" 'HEAD^{tree}'):refs/heads/$2\"; }; \
         push api baton/feature-login; push web baton/feature-login; push docs guide; \
         git push -q \"${FORGE/http:\\/\\//http://ann:$BATON_TOKEN@}/acme/docs.git\" HEAD:refs/heads/next",
    ),
    (
        "docs/api.md",
        "baton up --listen 127.0.0.1:$PORT > up.log 2>&1 & until curl -sf http://127.0.0.1:$PORT/readyz > /dev/null; do kill -0 $! || exit 1; done",
    ),
    (
        "docs/board.md",
        "baton up --listen 127.0.0.1:$PORT > up.log 2>&1 & until curl -sf http://127.0.0.1:$PORT/readyz > /dev/null; do kill -0 $! || exit 1; done",
    ),
    ("docs/forge.md", "mkdir -p ~/src && git clone -q . ~/src/web"),
    ("docs/explain.md", "cp docs/examples/items/waiting-for-ci.json item.json"),
    ("docs/orchestration.md", "printf '  dev: {adapter: script, script: coder.yaml}\\n' >> baton.yaml"),
    ("docs/guide/fleet.md", "baton protocol set ref"),
    (
        "docs/worktrees.md",
        "baton wake acme/web#42 --agent coder --context '{\"stage\": \"Plan\"}'; baton engine --idle --once",
    ),
];

/// All documents with command blocks, by their path in the repository.
fn documents() -> Vec<(String, Vec<Block>)> {
    let root = repository_root();
    let mut found: Vec<_> = ["README.md", "CONTRIBUTING.md", "contract/README.md"].map(str::to_owned).into();
    let mut directories = vec![root.join("docs")];
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                directories.push(path);
            } else if path.extension().is_some_and(|it| it == "md") {
                found.push(path.strip_prefix(root).unwrap().to_str().unwrap().to_owned());
            }
        }
    }
    found.sort();
    let read = |name: String| {
        let text = fs::read_to_string(root.join(&name)).unwrap();
        (name, blocks(&text))
    };
    found.into_iter().map(read).filter(|(_, blocks)| !blocks.is_empty()).collect()
}

#[test]
fn every_block_that_is_not_run_says_why() {
    for (name, blocks) in documents() {
        for block in blocks {
            let is_reason =
                block.not_run.as_ref().is_none_or(|reason| reason.split_whitespace().count() >= 2);
            assert!(is_reason, "{name}:{}: `norun:` needs a reason", block.line);
        }
    }
}

#[test]
fn every_baton_line_of_a_document_would_be_understood() {
    let mut lines = String::new();
    for (name, blocks) in documents() {
        let script = blocks.iter().flat_map(|block| joined(&block.script)).collect::<Vec<_>>();
        script.iter().for_each(|line| writeln!(lines, "{line} # {name}").unwrap());
    }
    TestEnv::new().run_with_input(&["docs", "parse"], lines.as_bytes()).exits(0);
}

/// Joins lines that end in a backslash with the next.
fn joined(script: &str) -> Vec<String> {
    script.replace("\\\n", " ").lines().map(str::to_owned).collect()
}

#[test]
fn every_block_does_what_the_document_says() {
    let (mut ran, mut left, mut wrong) = (0, 0, Vec::new());
    for (name, blocks) in documents() {
        let (running, others): (Vec<_>, Vec<_>) = blocks.iter().partition(|it| it.not_run.is_none());
        others
            .iter()
            .for_each(|it| println!("{name}:{}: not run: {}", it.line, it.not_run.as_ref().unwrap()));
        left += others.len();
        if running.is_empty() {
            continue;
        }
        match run(&name, &running) {
            Ok(()) => ran += running.len(),
            Err(why) => wrong.push(why),
        }
    }
    println!("{ran} blocks were run, {left} were not");
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// Runs the blocks of a document in one shell.
fn run(name: &str, blocks: &[&Block]) -> Result<(), String> {
    let checkout = Checkout::new();
    std::os::unix::fs::symlink(repository_root().join("docs"), checkout.env.path("docs")).unwrap();
    let prepared = PREPARED.iter().find(|(document, _)| *document == name).map_or("", |(_, script)| script);
    let mut script = format!("set -euo pipefail\n{prepared}\n");
    for block in blocks {
        let text = with_ports(&block.script, &checkout);
        write!(script, "echo '== {name}:{}' >&2\n{text}\n", block.line).unwrap();
    }
    let ran = checkout.run(&script);
    match ran.code {
        0 => Ok(()),
        code => {
            Err(format!("{name} ends with {code} at the last of these blocks:\n{}\n{}", ran.err, ran.out))
        }
    }
}

/// Documents name the ports that people use; tests run beside each other and beside people.
fn with_ports(script: &str, checkout: &Checkout) -> String {
    script
        .replace("127.0.0.1:8477", &format!("127.0.0.1:{}", checkout.port))
        .replace("127.0.0.1:7070", &format!("127.0.0.1:{}", checkout.second_port))
}

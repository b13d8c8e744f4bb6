//! `baton explain` and `baton docs` as people use them: the real binary on recorded items.

mod mistakes;
mod screens;
mod shapes;

use std::path::PathBuf;

use baton_fixtures::{CommandOutput, TestEnv, repository_root};

/// Explains one of the examples of the documentation.
fn explain(env: &TestEnv, example: &str, further: &[&str]) -> CommandOutput {
    let path = example_path(example);
    env.run(&[&["explain", "--from", path.to_str().unwrap()], further].concat()).exits(0)
}

fn examples() -> PathBuf {
    repository_root().join("docs/examples/items")
}

fn example_path(name: &str) -> PathBuf {
    examples().join(format!("{name}.json"))
}

fn example(name: &str) -> String {
    std::fs::read_to_string(example_path(name)).unwrap()
}

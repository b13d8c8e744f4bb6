//! The reference page of stage files, made from the table.

use std::fmt::Write as _;

use super::defaults::FILES;
use super::table::{KeyKind, STAGE_KEYS, StageKey};

/// Returns the page.
pub fn document() -> String {
    let mut text = String::from(HEAD);
    for row in &STAGE_KEYS {
        let _ = writeln!(text, "{}", as_row(row));
    }
    text += SHIPPED;
    for (file, _) in FILES {
        let _ = writeln!(text, "- `{file}`");
    }
    text + TAIL
}

fn as_row(row: &StageKey) -> String {
    let default = if row.default.is_empty() { "–".to_owned() } else { format!("`{}`", row.default) };
    format!("| `{}` | {} | {default} | {} |", row.key, kind(row.kind), row.description)
}

fn kind(kind: KeyKind) -> String {
    match kind {
        KeyKind::Name => "name, at most 32 characters; needed".to_owned(),
        KeyKind::Order => "whole number, also below 0".to_owned(),
        KeyKind::Prose => "text".to_owned(),
        KeyKind::Line => "text on one line".to_owned(),
        KeyKind::Agent => "name of an agent".to_owned(),
        KeyKind::Tools => "list of tools, not empty".to_owned(),
        KeyKind::Reviewers => "list of handles".to_owned(),
        KeyKind::Turns => "number from 0".to_owned(),
        KeyKind::Time => "duration".to_owned(),
        KeyKind::Switch => "true or false".to_owned(),
        KeyKind::Choice(words) => words.join(", "),
    }
}

const HEAD: &str = "# Stage files

Made from the table in the code. A test fails when this page is stale;
`BATON_BLESS=1 cargo xtask test the_reference_page` writes it again.

The pipeline is the directory of the setting [`stages`](config.md): `.baton/stages`, or `.fabrik/stages` with `dialect: fabrik`.
Every `*.yaml` and `*.yml` in it is one stage. Without that directory, the shipped stages are used; with it, they are not, and
nothing is merged. `baton stages check` reads the files, shows the stages and says whether they make a sane pipeline;
`baton stages show NAME` tells where every value comes from; `baton stages schema` prints the
[JSON schema](stage.schema.json), which editors take from a file: `baton stages schema > .baton/stage.schema.json`.

```yaml
# yaml-language-server: $schema=../stage.schema.json
name: Plan
order: 2
agent: coder
read_only: true
max_turns: 50
max_wall_time: 1h30m
approval: tracker
prompt: |
  Decide how this issue is built. …
```

- A dot in a key is a level: `kill_grace.sigint` is `sigint` under `kill_grace`. Unknown keys are errors, with the nearest
  known key. Nothing after a key counts as not set.
- A stage needs `prompt` or `skill`, unless it is one of `cleanup_worktree`, `holding_stage` and `unmanaged`, of which at most
  one is true.
- Two stages cannot have one name (case does not count), two working stages cannot have one order, and there is one
  `cleanup_worktree` stage.
- Durations are `90s`, `15min`, `1h30m`, and Go's forms such as `1h30m0s` and `1.5h`; a bare number is seconds.
- With `dialect: fabrik`, Fabrik's files are read unchanged: keys that only Fabrik knows are warnings, and empty texts, and an
  empty list of tools, count as not set.

| key | type | default | what it is for |
|---|---|---|---|
";

const SHIPPED: &str = "
## The shipped stages

`baton init` writes each to `.baton/stages`, where it can be changed; `baton stages show NAME --prompt` prints what its agent is
told, and `--prompt=comment`, `review`, `ci-fix` or `rebase` what it is told about those.

";

const TAIL: &str = "
With `dialect: fabrik`, their prompts name Fabrik's markers and `.fabrik-context`.

## How a stage ends

An agent says how its run went by words that stand alone on a line of its last message, outside code fences.

| word | meaning |
|---|---|
| `BATON_STAGE_COMPLETE` | the stage is done |
| `BATON_BLOCKED_ON_INPUT` | a person has to answer; the question stands between `BATON_SUMMARY_BEGIN` and `BATON_SUMMARY_END` |
| `BATON_DECOMPOSED` | the work was divided; each part stands between `BATON_SUB_ISSUE_BEGIN [owner/repo]` and `BATON_SUB_ISSUE_END`, with `TITLE: …` first |
| `BATON_ISSUE_UPDATE_BEGIN`, `BATON_ISSUE_UPDATE_END` | the new body of the issue stands between them |

## `baton stages check`

Exit code 0: fine, warnings included; 1: the pipeline cannot work; 2: the files cannot be read as stage files. With `--json`:

| field | content |
|---|---|
| `origin` | `directory` or `shipped` |
| `directory` | the directory of the setting `stages`, whether it is there or not |
| `dialect` | `baton` or `fabrik` |
| `stages` | in order: `name`, `order`, `kind` (`working`, `cleanup`, `holding`, `unmanaged`), `agent` (or null), `gates` (of `approval`, `reviews`, `ci`), `next` (the stage that follows, or null), `file` |
| `findings` | `severity` (`error`, `warning`), `stage` (or null), `what`, `do` |
| `warnings` | what is suspicious in the files |

`baton stages show NAME --json` has `name`, `file` and `settings`, the latter as [`baton config show --json`](config.md) has them;
that has all stages in the same shape under `stages`.
";

#[cfg(test)]
mod tests {
    use super::super::super::choice::PipelineDialect;
    use super::super::super::resolve::TextFile;
    use super::super::read_stages;
    use super::super::table::KINDS;
    use super::*;

    #[test]
    fn every_key_has_one_row_of_four_cells() {
        let page = document();
        for row in STAGE_KEYS {
            let rows: Vec<_> =
                page.lines().filter(|line| line.starts_with(&format!("| `{}` |", row.key))).collect();
            assert_eq!(rows.len(), 1, "{}", row.key);
            assert_eq!(rows[0].split(" | ").count(), 4, "{}", rows[0]);
        }
    }

    #[test]
    fn the_example_is_read() {
        let text =
            HEAD.split("```").nth(1).and_then(|block| block.strip_prefix("yaml\n")).unwrap().to_owned();
        let file = TextFile { path: "plan.yaml".to_owned(), text };
        let set = read_stages(&[file], PipelineDialect::Baton).unwrap();
        assert!(set.pipeline.stages()[0].read_only);
    }

    #[test]
    fn every_key_that_says_the_kind_is_explained() {
        assert!(KINDS.iter().all(|key| HEAD.contains(&format!("`{key}`"))));
    }
}

//! The reference page of the settings, made from the table.

use std::fmt::Write as _;

use super::agents::table::{AGENT_SETTINGS, AgentSetting, GROUP};
use super::choice::Adapter;
use super::table::{Kind, SETTINGS, Setting};

/// Returns the page.
pub fn document() -> String {
    let mut text = String::from(HEAD);
    for setting in &SETTINGS {
        let _ = writeln!(text, "{}", row(setting));
    }
    text += AGENTS;
    for setting in &AGENT_SETTINGS {
        let _ = writeln!(text, "{}", agent_row(setting));
    }
    text + TAIL
}

fn agent_row(setting: &AgentSetting) -> String {
    let words =
        |adapters: &[Adapter]| adapters.iter().map(|it| format!("`{it}`")).collect::<Vec<_>>().join(", ");
    let some = |adapters: &'static [Adapter], none: &str| match adapters {
        [] => none.to_owned(),
        adapters if adapters == Adapter::ALL => "all".to_owned(),
        adapters => words(adapters),
    };
    let (means, needs) = (some(setting.adapters, "–"), some(setting.needed_by, "–"));
    let (key, kind) = (setting.key, kind(setting.kind));
    format!("| `{GROUP}.NAME.{key}` | {kind} | {means} | {needs} | {} |", setting.description)
}

fn row(setting: &Setting) -> String {
    let code = |text: &str| if text.is_empty() { "–".to_owned() } else { format!("`{text}`") };
    format!(
        "| {} | {} | {} | {} | {} | {} |",
        code(setting.key),
        kind(setting.kind),
        code(setting.default),
        code(&setting.variable()),
        code(setting.flag.unwrap_or_default()),
        setting.description
    )
}

fn kind(kind: Kind) -> String {
    match kind {
        Kind::Text => "text".to_owned(),
        Kind::Address => "address".to_owned(),
        Kind::Path => "path".to_owned(),
        Kind::RefPrefix => "beginning of ref names".to_owned(),
        Kind::Store => "`sqlite:PATH` or `postgres://…`".to_owned(),
        Kind::Duration => "duration".to_owned(),
        Kind::PositiveDuration => "duration, not 0".to_owned(),
        Kind::WholeSeconds => "duration, whole seconds".to_owned(),
        Kind::Count => "number from 1".to_owned(),
        Kind::CountFromZero => "number from 0".to_owned(),
        Kind::Switch => "true or false".to_owned(),
        Kind::Dollars => "US dollars, such as 12.5".to_owned(),
        Kind::Command => "list of the program and its arguments".to_owned(),
        Kind::Arguments => "list of arguments".to_owned(),
        Kind::Variables => "list of names of variables".to_owned(),
        Kind::Repositories => "list of `OWNER/NAME`".to_owned(),
        Kind::Project => "`OWNER/NUMBER`".to_owned(),
        Kind::List => "list".to_owned(),
        Kind::Choice(words) => words.join(", "),
        Kind::Choices(words) => format!("list of {}", words.join(", ")),
    }
}

const HEAD: &str = "# Settings

Made from the table in the code. A test fails when this page is stale;
`BATON_BLESS=1 cargo xtask test the_reference_page` writes it again.

A value comes from the first of these that says something: the flag, the environment, `.env`, `baton.yaml`, the default.
`baton config show` tells which one did.

- `baton.yaml` is the file named by `--config`; otherwise it is looked for in the current directory and upwards, as far as
  the root of the git repository. A dot in a key is a level: `claims.ttl` is `ttl` under `claims`. An unknown key is an
  error.
- `baton config schema` prints a JSON schema ([baton.schema.json](baton.schema.json)). For an editor that understands it, write
  `baton config schema > .baton/baton.schema.json`, and `# yaml-language-server: $schema=.baton/baton.schema.json` as the first
  line of `baton.yaml`.
- `.env` is read beside `baton.yaml`, or in the root of the repository. Lines are `NAME=value`; quotes and `#` comments are
  understood, values over several lines and variables within values are not.
- An empty variable, and nothing after a key in `baton.yaml`, count as not set.
- Durations are `500ms`, `90s`, `15min`, `4h`, `1h30m`; a bare number is seconds.
- In a variable, the items of a list have commas between them.
- Under `dialect: fabrik`, `stages` is `.fabrik/stages` and `claims.dialect` is `fabrik` unless somebody says otherwise, and
  the `.fabrik/config.yaml` beside `baton.yaml` comes between `baton.yaml` and the default: see [Fabrik](#fabrik).
- Relative paths start at the directory of `baton.yaml`, or at the root of the repository.

| key | type | default | environment | flag | what it is for |
|---|---|---|---|---|---|
";

const AGENTS: &str = "
## Agents

Under `agents:` in `baton.yaml` every agent has a name, and under its name the settings below. No variable and no flag sets
them. A name is 1 to 64 letters, digits, spaces, dots, underscores and hyphens, with a letter or a digit first; case, and
spaces around it, do not count, so that `Coder` and `coder` are one agent and cannot both be there.

```yaml
agents:
  coder:
    adapter: claude
    model: opus
    max_concurrent: 2
    cost_per_day: 12.5
    env: [ANTHROPIC_API_KEY]
  reviewer:
    adapter: command
    command: [my-agent, --print]
    workspace: directory
```

`claude`, `codex` and `gemini` run the programs of these names, found by `PATH` unless `command` says something else. An agent
with a setting that its adapter has no use for is refused. Relative paths, and a `command` that begins with a relative path,
start at the directory of `baton.yaml`.

| key | type | for | needed by | what it is for |
|---|---|---|---|---|
";

const TAIL: &str = "
## Fabrik

A team that runs Fabrik sets `dialect: fabrik` and keeps its files. These keys of `.fabrik/config.yaml` are taken over:

| key of Fabrik | setting |
|---|---|
| `user`, `stages`, `poll`, `max_concurrent`, `max_retries`, `yolo` | the same |
| `auto_merge_strategy` | `merge_method` |
| `max_comment_cycles_per_window`, `comment_cycle_window` (minutes) | `max_comment_cycles`, `comment_cycle_window` |
| `required_status_contexts` | `ci.required_checks`: the checks of the file's own `owner` and `repo`; without them, those of all repositories if they are the same |
| `ghes_host` | `tracker.api_url` |
| `github_app_id`, `github_app_private_key_path`, `github_app_installation_id` | `app.id`, `app.private_key_file`, `app.installation_id` |

Its other keys, and keys that Fabrik does not know, are not used, and a warning says so. Fabrik's variables are not read.

## Secrets

A token is never read from `baton.yaml`; one that is found there is an error. It comes from the first of these:

1. `BATON_TOKEN`, `GITHUB_TOKEN`, `GH_TOKEN` in the environment;
2. the same in `.env`;
3. what `token_command` prints; it is run by `sh` in the directory of `baton.yaml`;
4. the app of `app.id` and `app.private_key_file`.

The password of a PostgreSQL server is not read from `baton.yaml` either. Write `store` without it, and give it in
`PGPASSWORD` or `~/.pgpass`; or give the whole address in `BATON_STORE`, in the environment or in `.env`. Where a password is
shown, it is shown as `***`.

`token_command` and the commands of agents run programs, and `tracker.api_url` receives the token, so read a `baton.yaml`
that somebody else wrote before using it, as you would read a Makefile.

## `baton config show --json`

| field | content |
|---|---|
| `file` | the `baton.yaml` that was read, or null |
| `directory` | where relative paths begin |
| `token` | where the token comes from, never the token |
| `settings` | in the order above, without agents: `key`, `value` (text, or null for nothing), `source` (`flag`, `environment`, `dotenv`, `file`, `dialect` (the default of the dialect), `default`), `at` (the place, for people) |
| `agents` | in the order of the file: `name`, `key` (the name in lower case), `settings` (as above, with the last part of the key) |
| `stages` (of the pipeline) | in their order: `name`, `file`, `settings` (as above); null when a stage file is wrong; see [stages](stages.md) |
| `warnings` | what is suspicious and no error |
";

#[cfg(test)]
mod tests {
    use super::super::resolve::{Layers, TextFile, resolve};
    use super::*;

    #[test]
    fn every_setting_has_one_row_of_six_cells() {
        let page = document();
        for setting in SETTINGS {
            let rows: Vec<_> =
                page.lines().filter(|line| line.starts_with(&format!("| `{}` |", setting.key))).collect();
            assert_eq!(rows.len(), 1, "{}", setting.key);
            assert_eq!(rows[0].split(" | ").count(), 6, "{}", rows[0]);
        }
    }

    #[test]
    fn every_setting_of_an_agent_has_one_row_of_five_cells() {
        let page = document();
        for setting in AGENT_SETTINGS {
            let beginning = format!("| `agents.NAME.{}` |", setting.key);
            let rows: Vec<_> = page.lines().filter(|line| line.starts_with(&beginning)).collect();
            assert_eq!(rows.len(), 1, "{}", setting.key);
            assert_eq!(rows[0].split(" | ").count(), 5, "{}", rows[0]);
        }
    }

    #[test]
    fn the_example_of_an_agent_is_read() {
        let yaml = AGENTS.split("```").nth(1).and_then(|block| block.strip_prefix("yaml\n")).unwrap();
        let file = Some(TextFile { path: "baton.yaml".to_owned(), text: yaml.to_owned() });
        let resolved = resolve(&Layers { file, ..Layers::default() }).unwrap();
        assert_eq!(resolved.config.agents["coder"].model.as_deref(), Some("opus"));
        assert_eq!(resolved.config.agents["reviewer"].command, ["my-agent", "--print"]);
    }
}

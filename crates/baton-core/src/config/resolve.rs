//! Which of several sources wins, for each setting.

use std::collections::BTreeMap;

use super::agents::EffectiveAgent;
use super::agents::read::Agents;
use super::choice::PipelineDialect;
use super::conflict::conflicts;
use super::dotenv::{self, Variable};
use super::edit_distance::nearest;
use super::error::{ConfigError, ConfigErrors, suggestion};
use super::fabrik;
use super::source::Source;
use super::table::{GROUPS, SETTINGS, Setting, setting};
use super::typed::{Config, Values};
use super::value::{RawValue, Value, parse, shown};
use super::yaml::{self, FileSettings};

/// The dialect that has defaults of its own.
const FABRIK: &str = "fabrik";

/// Everything that may say something, as text.
#[derive(Debug, Clone, Default)]
pub struct Layers {
    /// What the command line says.
    pub flags: Vec<FlagValue>,
    /// The environment.
    pub environment: BTreeMap<String, String>,
    /// `.env`, if there is one.
    pub dotenv: Option<TextFile>,
    /// `baton.yaml`, if there is one.
    pub file: Option<TextFile>,
    /// `.fabrik/config.yaml` beside it, if there is one; it counts only under that dialect, see [`dialect`].
    pub fabrik: Option<TextFile>,
}

/// A flag of the command line that sets a setting.
#[derive(Debug, Clone)]
pub struct FlagValue {
    /// The setting.
    pub key: &'static str,
    /// The flag, such as `--ttl`.
    pub flag: String,
    /// What was given.
    pub value: String,
}

/// A file that has been read.
#[derive(Debug, Clone)]
pub struct TextFile {
    /// Its path, as errors should show it.
    pub path: String,
    /// What is in it.
    pub text: String,
}

/// A configuration, and where it came from.
#[derive(Debug, Clone)]
pub struct Resolved {
    /// The values.
    pub config: Config,
    /// The same as text with their sources, in the order of the table.
    pub settings: Vec<Effective>,
    /// The agents with their sources, in the order of the file.
    pub agents: Vec<EffectiveAgent>,
    /// What is suspicious and no error.
    pub warnings: Vec<String>,
}

/// A setting with the value that won.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Effective {
    /// The setting.
    pub key: &'static str,
    /// Its value; empty for nothing.
    pub value: String,
    /// Who said so.
    pub source: Source,
}

impl Resolved {
    /// Returns who said what a setting is.
    ///
    /// # Panics
    ///
    /// Panics when the table has no such setting.
    pub fn source(&self, key: &str) -> &Source {
        let found = self.settings.iter().find(|setting| setting.key == key);
        &found.unwrap_or_else(|| panic!("`{key}` is no setting")).source
    }
}

/// What the layers say, read but not yet judged.
struct Said {
    flags: Vec<FlagValue>,
    environment: BTreeMap<String, String>,
    dotenv: Option<(String, Vec<Variable>)>,
    file: FileSettings,
    fabrik: FileSettings,
}

/// Returns the dialect of the pipeline, which says whether a file of Fabrik's is to be read. Where something is wrong, it
/// is ours; [`resolve`] says what.
pub fn dialect(layers: &Layers) -> PipelineDialect {
    let said = listen(layers, &mut Vec::new());
    fabrik_chosen_by(&said).map_or(PipelineDialect::Baton, |_| PipelineDialect::Fabrik)
}

/// Finds the value of every setting, or everything that is wrong.
pub fn resolve(layers: &Layers) -> Result<Resolved, ConfigErrors> {
    let mut errors = Vec::new();
    let said = listen(layers, &mut errors);
    let warnings = [&said.file, &said.fabrik].into_iter().flat_map(|file| file.warnings.clone());
    let warnings = warnings.chain(misspelled(&said)).collect();
    let (mut values, mut settings) = (Values::new(), Vec::new());
    let fabrik = fabrik_chosen_by(&said);
    for setting in &SETTINGS {
        match winner(setting, &said, fabrik.as_ref()) {
            Ok((value, source)) => {
                settings.push(Effective { key: setting.key, value: value.to_string(), source });
                values.insert(setting.key, value);
            }
            Err(error) => errors.push(error),
        }
    }
    if errors.is_empty() {
        errors = conflicts(&values, &settings);
    }
    match errors.is_empty() {
        true => {
            let Agents { configs, effective: agents, .. } = said.file.agents;
            Ok(Resolved { config: Config::new(&values, configs), settings, agents, warnings })
        }
        false => Err(ConfigErrors(errors)),
    }
}

fn listen(layers: &Layers, errors: &mut Vec<ConfigError>) -> Said {
    let mut file =
        layers.file.as_ref().map_or_else(FileSettings::default, |it| yaml::read(&it.path, &it.text));
    errors.append(&mut file.errors);
    let mut read_dotenv = |it: &TextFile| match dotenv::parse(&it.text) {
        Ok(variables) => Some((it.path.clone(), variables)),
        Err((line, problem)) => {
            errors.push(ConfigError::DotEnv { path: it.path.clone(), line, problem });
            None
        }
    };
    let dotenv = layers.dotenv.as_ref().and_then(&mut read_dotenv);
    let (flags, environment) = (layers.flags.clone(), layers.environment.clone());
    let mut said = Said { flags, environment, dotenv, file, fabrik: FileSettings::default() };
    if let (Some(it), Some(_)) = (&layers.fabrik, fabrik_chosen_by(&said)) {
        said.fabrik = fabrik::read(&it.path, &it.text);
        errors.append(&mut said.fabrik.errors);
    }
    said
}

/// Returns who chose Fabrik's dialect, if that was chosen: some defaults depend on it.
fn fabrik_chosen_by(said: &Said) -> Option<Source> {
    let setting = setting("dialect")?;
    let (raw, source) = said.strongest(setting)?;
    (parse(setting.kind, &raw).ok()? == Value::Text(FABRIK.to_owned())).then_some(source)
}

fn winner(setting: &Setting, said: &Said, fabrik: Option<&Source>) -> Result<(Value, Source), ConfigError> {
    let Some((raw, source)) = said.strongest(setting) else {
        return Ok(default(setting, fabrik));
    };
    match parse(setting.kind, &raw) {
        Ok(value) => Ok((value, source)),
        Err(allowed) => {
            let (key, value) = (setting.key.into(), shown(setting.kind, &raw));
            Err(ConfigError::BadValue { key, value, at: source, allowed })
        }
    }
}

/// # Panics
///
/// Panics when the table's default is none of the values that the table allows; a test reads them all.
fn default(setting: &Setting, fabrik: Option<&Source>) -> (Value, Source) {
    use super::table::Kind::{Choices, List, Repositories, Variables};
    let read = |text: &str| parse(setting.kind, &RawValue::Text(text.to_owned())).expect("it is allowed");
    match (setting, fabrik) {
        (Setting { default_in_fabrik: Some(text), .. }, Some(at)) => {
            (read(text), Source::Dialect { dialect: FABRIK, at: Box::new(at.clone()) })
        }
        (Setting { default: "", kind: List | Choices(_) | Variables | Repositories, .. }, _) => {
            (Value::List(Vec::new()), Source::Default)
        }
        (Setting { default: "", .. }, _) => (Value::Unset, Source::Default),
        _ => (read(setting.default), Source::Default),
    }
}

impl Said {
    fn strongest(&self, setting: &Setting) -> Option<(RawValue, Source)> {
        self.flag(setting)
            .or_else(|| self.in_environment(setting))
            .or_else(|| self.in_dotenv(setting))
            .or_else(|| in_file(&self.file, setting))
            .or_else(|| in_file(&self.fabrik, setting))
    }

    fn flag(&self, setting: &Setting) -> Option<(RawValue, Source)> {
        let found = self.flags.iter().rev().find(|flag| flag.key == setting.key)?;
        Some((RawValue::Text(found.value.clone()), Source::Flag { flag: found.flag.clone() }))
    }

    fn in_environment(&self, setting: &Setting) -> Option<(RawValue, Source)> {
        let variable = setting.variable();
        let value = self.environment.get(&variable).filter(|value| !value.is_empty())?;
        Some((RawValue::Text(value.clone()), Source::Environment { variable }))
    }

    fn in_dotenv(&self, setting: &Setting) -> Option<(RawValue, Source)> {
        let (path, variables) = self.dotenv.as_ref()?;
        let found = dotenv::find(variables, &setting.variable()).filter(|found| !found.value.is_empty())?;
        let source = Source::DotEnv { path: path.clone(), line: found.line, variable: found.name.clone() };
        Some((RawValue::Text(found.value.clone()), source))
    }

    fn variables(&self) -> impl Iterator<Item = &str> {
        let dotenv = self.dotenv.iter().flat_map(|(_, variables)| variables).map(|it| it.name.as_str());
        self.environment.keys().map(String::as_str).chain(dotenv)
    }
}

fn in_file(file: &FileSettings, setting: &Setting) -> Option<(RawValue, Source)> {
    let found = file.values.iter().rev().find(|(of, _, _)| of.key == setting.key)?;
    Some((found.1.clone(), found.2.clone()))
}

/// A variable that begins like those of a group, or like those that agents would have, was meant for something.
fn misspelled(said: &Said) -> Vec<String> {
    let known: Vec<String> = SETTINGS.iter().map(Setting::variable).collect();
    let begins = |name: &&str| {
        let rest = name.strip_prefix("BATON_").and_then(|rest| rest.split_once('_'));
        let is_of_group = |group: &str| GROUPS.contains(&group.to_ascii_lowercase().as_str());
        rest.is_some_and(|(group, _)| is_of_group(group) && !is_secret(name)) || is_for_agents(name)
    };
    let unknown = said.variables().filter(begins).filter(|name| !known.iter().any(|known| known == name));
    let warn = |name: &str| {
        let meant = match is_for_agents(name) {
            true => ": agents are set in baton.yaml alone".to_owned(),
            false => suggestion(nearest(name, known.iter().map(String::as_str))),
        };
        format!("the variable {name} sets nothing{meant}")
    };
    unknown.map(warn).collect()
}

/// Secrets have variables and no settings: `BATON_DASHBOARD_TOKEN` is read where it is needed.
fn is_secret(variable: &str) -> bool {
    variable.ends_with("_TOKEN") || variable.ends_with("_SECRET")
}

fn is_for_agents(variable: &str) -> bool {
    variable.strip_prefix("BATON_AGENTS").is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
}

impl FlagValue {
    /// Makes what a flag says.
    ///
    /// # Panics
    ///
    /// Panics when the table has no such setting: that is a mistake in the program and not in its input.
    pub fn new(key: &'static str, flag: &str, value: &str) -> Self {
        assert!(setting(key).is_some(), "`{key}` is no setting");
        Self { key, flag: flag.to_owned(), value: value.to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::store_address::StoreAddress;
    use super::*;

    fn variables(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    fn file(path: &str, text: &str) -> Option<TextFile> {
        Some(TextFile { path: path.to_owned(), text: text.to_owned() })
    }

    fn errors(layers: &Layers) -> Vec<String> {
        resolve(layers).unwrap_err().0.iter().map(ToString::to_string).collect()
    }

    /// All layers say something else about the same setting.
    fn all_layers() -> Layers {
        Layers {
            flags: vec![FlagValue::new("claims.ttl", "--ttl", "1h")],
            environment: variables(&[("BATON_CLAIMS_TTL", "2h")]),
            dotenv: file(".env", "BATON_CLAIMS_TTL=3h\n"),
            file: file("baton.yaml", "claims:\n  ttl: 5h\n"),
            fabrik: None,
        }
    }

    #[track_caller]
    fn check_ttl(layers: &Layers, hours: u64, source: &str) {
        let resolved = resolve(layers).unwrap();
        assert_eq!(resolved.config.claims.ttl, Duration::from_secs(hours * 3600));
        assert_eq!(resolved.source("claims.ttl").to_string(), source);
    }

    #[test]
    fn the_strongest_source_wins() {
        let mut layers = all_layers();
        check_ttl(&layers, 1, "--ttl");
        layers.flags.clear();
        check_ttl(&layers, 2, "BATON_CLAIMS_TTL in the environment");
        layers.environment.clear();
        check_ttl(&layers, 3, "BATON_CLAIMS_TTL in .env:1");
        layers.dotenv = None;
        check_ttl(&layers, 5, "baton.yaml:2:8");
        layers.file = None;
        check_ttl(&layers, 4, "default");
    }

    #[test]
    fn an_empty_variable_counts_as_not_set() {
        let layers = Layers { environment: variables(&[("BATON_CLAIMS_TTL", "")]), ..Layers::default() };
        check_ttl(&layers, 4, "default");
        let layers = Layers { dotenv: file(".env", "BATON_CLAIMS_TTL=\n"), ..Layers::default() };
        check_ttl(&layers, 4, "default");
    }

    #[test]
    fn a_dialect_has_defaults_of_its_own_and_says_who_chose_it() {
        let layers = Layers { file: file("baton.yaml", "dialect: fabrik\n"), ..Layers::default() };
        let resolved = resolve(&layers).unwrap();
        let config = &resolved.config;
        assert_eq!(config.pipeline.stages, std::path::Path::new(".fabrik/stages"));
        assert_eq!((config.pipeline.dialect.as_str(), config.claims.dialect.name()), ("fabrik", "fabrik"));
        let source = resolved.source("claims.dialect");
        assert_eq!(source.to_string(), "default of dialect fabrik (baton.yaml:1:10)");
        assert_eq!(source.kind(), "dialect");
        assert_eq!(resolved.source("dialect").kind(), "file");
        assert_eq!(resolved.source("poll"), &Source::Default);
    }

    #[test]
    fn what_somebody_says_counts_more_than_the_default_of_a_dialect() {
        let layers = Layers {
            environment: variables(&[("BATON_DIALECT", "fabrik")]),
            file: file("baton.yaml", "stages: steps\n"),
            ..Layers::default()
        };
        let resolved = resolve(&layers).unwrap();
        assert_eq!(resolved.config.pipeline.stages, std::path::Path::new("steps"));
        assert_eq!(resolved.source("stages").to_string(), "baton.yaml:1:9");
        let at = "default of dialect fabrik (BATON_DIALECT in the environment)";
        assert_eq!(resolved.source("claims.dialect").to_string(), at);
    }

    #[test]
    fn a_bad_value_is_told_with_key_value_source_and_what_is_allowed() {
        let layers = Layers {
            environment: variables(&[
                ("BATON_CLAIMS_PROTOCOL", "raft"),
                ("BATON_GITHUB_API_URL", "localhost"),
            ]),
            file: file("baton.yaml", "claims:\n  ttl: 4x\n  foreign: [alfred, robin]\n"),
            ..Layers::default()
        };
        assert_eq!(
            errors(&layers),
            [
                "BATON_GITHUB_API_URL in the environment: `tracker.api_url` cannot be `localhost`: write an address such as https://api.github.com, without a user, a query or a fragment",
                "baton.yaml:2:8: `claims.ttl` cannot be `4x`: write a duration such as 90s, 15min or 4h, in whole seconds and longer than 0",
                "BATON_CLAIMS_PROTOCOL in the environment: `claims.protocol` cannot be `raft`: write one of ref, comment",
                "baton.yaml:3:12: `claims.foreign` cannot be `[alfred, robin]`: write a list of some of alfred, labels-as-locks, fabrik",
            ]
        );
    }

    #[test]
    fn a_variable_repairs_a_bad_value_in_the_file() {
        let layers = Layers {
            environment: variables(&[("BATON_CLAIMS_TTL", "2h")]),
            file: file("baton.yaml", "claims: {ttl: soon}\n"),
            ..Layers::default()
        };
        check_ttl(&layers, 2, "BATON_CLAIMS_TTL in the environment");
    }

    #[test]
    fn all_complaints_come_at_once() {
        let layers = Layers {
            dotenv: file(".env", "what\n"),
            file: file("baton.yaml", "claims: {ttl: x, tll: 4h}\nhook: 3\n"),
            ..Layers::default()
        };
        assert_eq!(errors(&layers).len(), 4);
    }

    #[test]
    fn the_password_of_a_store_comes_from_outside_of_the_file_and_is_not_shown() {
        let url = "postgres://me:hunter2@host/db";
        for layers in [
            Layers { environment: variables(&[("BATON_STORE", url)]), ..Layers::default() },
            Layers { dotenv: file(".env", &format!("BATON_STORE={url}\n")), ..Layers::default() },
        ] {
            let resolved = resolve(&layers).unwrap();
            assert_eq!(resolved.config.store, StoreAddress::Postgres(url.to_owned()));
            let shown = resolved.settings.iter().find(|setting| setting.key == "store").unwrap();
            assert_eq!(shown.value, "postgres://me:***@host/db");
            assert!(!format!("{resolved:?}").contains("hunter2"));
        }
    }

    #[test]
    fn the_password_of_a_store_is_refused_in_the_file_even_if_a_variable_wins() {
        for url in
            ["postgres://me:hunter2@host/db", "pg://me:hun@ter2@host/db", "postgres://h/d?password=hunter2"]
        {
            let layers = Layers {
                environment: variables(&[("BATON_STORE", "sqlite:a.db")]),
                file: file("baton.yaml", &format!("store: {url}\n")),
                ..Layers::default()
            };
            let [error] = errors(&layers).try_into().unwrap();
            assert!(error.starts_with("baton.yaml:1:8: `store` holds a password"), "{error}");
            assert!(error.contains("BATON_STORE") && error.contains("PGPASSWORD") && !error.contains("ter2"));
        }
    }

    #[test]
    fn a_store_that_is_none_is_told_both_forms_and_hardly_repeated() {
        let layers = Layers {
            environment: variables(&[("BATON_STORE", "my://me:hunter2@host")]),
            ..Layers::default()
        };
        let expected = "BATON_STORE in the environment: `store` cannot be `my:***`: write sqlite:PATH, such as sqlite:.baton/baton.db, or postgres://USER@HOST/DATABASE";
        assert_eq!(errors(&layers), [expected]);
    }

    #[test]
    fn a_misspelled_variable_is_a_warning() {
        let layers = Layers {
            environment: variables(&[
                ("BATON_CLAIMS_TLL", "1h"),
                ("BATON_LOG", "debug"),
                ("BATON_TOKEN", "x"),
                ("BATON_DASHBOARD_TOKEN", "x"),
            ]),
            ..Layers::default()
        };
        let expected = "the variable BATON_CLAIMS_TLL sets nothing; did you mean `BATON_CLAIMS_TTL`?";
        assert_eq!(resolve(&layers).unwrap().warnings, [expected]);
    }

    #[test]
    fn agents_cannot_be_set_by_variables() {
        let environment = variables(&[("BATON_AGENTS_CODER_COMMAND", "x"), ("BATON_AGENTSHIP", "y")]);
        let resolved = resolve(&Layers { environment, ..Layers::default() }).unwrap();
        assert!(resolved.config.agents.is_empty());
        let expected =
            "the variable BATON_AGENTS_CODER_COMMAND sets nothing: agents are set in baton.yaml alone";
        assert_eq!(resolved.warnings, [expected]);
    }

    #[test]
    fn every_setting_is_listed_with_its_value_and_source() {
        let resolved = resolve(&all_layers()).unwrap();
        assert_eq!(resolved.settings.len(), SETTINGS.len());
        let sweep = resolved.settings.iter().find(|it| it.key == "claims.sweep_every").unwrap();
        assert_eq!((sweep.value.as_str(), &sweep.source), ("15min", &Source::Default));
    }
}

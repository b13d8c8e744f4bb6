//! `.fabrik/config.yaml`, from text to settings of ours with their places.
//!
//! What a key of Fabrik's means here is one row of a table. Keys that Fabrik knows and Baton has no use for are listed in
//! one warning, and so is each key that Fabrik does not know, as Fabrik itself does it. An empty text says nothing there.
//!
//! Deliberately absent: Fabrik's variables and flags, its stage files, and writing any of its files.

use serde_saphyr::Spanned;

use super::edit_distance::nearest;
use super::error::suggestion;
use super::node::{self, Node, place};
use super::table::setting;
use super::value::RawValue;
use super::yaml::{FileSettings, not_a_group, not_yaml};

/// What becomes of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Meaning {
    /// It is this setting.
    Same(&'static str),
    /// It is this setting; 0 stands for the default.
    Limit(&'static str),
    /// It is this setting, in minutes; 0 stands for the default.
    Minutes(&'static str),
    /// It is this setting in capitals.
    Capitals(&'static str),
    /// It is the host of a GitHub Enterprise Server.
    Host,
    /// It is the checks that are required, by repository.
    Checks,
    /// Baton has no use for it.
    Nothing,
}

use Meaning::{Capitals, Checks, Host, Limit, Minutes, Nothing, Same};

/// Every key that Fabrik reads, in the order of its documents.
const KEYS: [(&str, Meaning); 48] = [
    ("owner", Nothing),
    ("repo", Nothing),
    ("project", Nothing),
    ("owner_type", Nothing),
    ("user", Same("user")),
    ("stages", Same("stages")),
    ("poll", Same("poll")),
    ("retry_backoff", Nothing),
    ("max_concurrent", Same("max_concurrent")),
    ("max_retries", Same("max_retries")),
    ("yolo", Same("yolo")),
    ("auto_upgrade", Nothing),
    ("git_ssh", Nothing),
    ("tui", Nothing),
    ("debug_output", Nothing),
    ("symlink_env", Nothing),
    ("worktree_boundary_audit", Nothing),
    ("version", Nothing),
    ("webhooks", Nothing),
    ("webhook_port", Nothing),
    ("webhook_events", Nothing),
    ("event_source", Nothing),
    ("hookdeck_api_key_env", Nothing),
    ("hookdeck_webhook_secret_env", Nothing),
    ("status_poll", Nothing),
    ("janitor_interval_hours", Nothing),
    ("log_retention_days", Nothing),
    ("log_max_bytes", Nothing),
    ("session_retention_days", Nothing),
    ("merge_train", Nothing),
    ("auto_merge_strategy", Capitals("merge_method")),
    ("singleton_catch_up", Nothing),
    ("merge_train_overlap_ignore", Nothing),
    ("max_batch_size", Nothing),
    ("max_bisect_validations", Nothing),
    ("max_train_rebase_cycles", Nothing),
    ("max_train_auto_repair_attempts", Nothing),
    ("max_train_trials_per_window", Nothing),
    ("train_trial_window", Nothing),
    ("max_comment_cycles_per_window", Limit("max_comment_cycles")),
    ("comment_cycle_window", Minutes("comment_cycle_window")),
    ("max_no_op_comment_cycles", Nothing),
    ("ghes_host", Host),
    ("github_app_id", Same("app.id")),
    ("github_app_private_key_path", Same("app.private_key_file")),
    ("github_app_installation_id", Same("app.installation_id")),
    ("no_browser", Nothing),
    ("required_status_contexts", Checks),
];

/// Reads the file of this name.
pub(super) fn read(path: &str, text: &str) -> FileSettings {
    let mut file = File { path, settings: FileSettings::default(), unused: Vec::new() };
    match node::parse(text) {
        Ok(root) => file.top(root),
        Err(error) => file.settings.errors.push(not_yaml(path, &error)),
    }
    file.tell_unused();
    file.settings
}

/// The file while it is read.
struct File<'a> {
    path: &'a str,
    settings: FileSettings,
    unused: Vec<String>,
}

impl File<'_> {
    fn top(&mut self, root: Spanned<Node>) {
        let at = place(self.path, root.referenced);
        match root.value {
            Node::Null => {}
            Node::Map(entries) => {
                let own = own_repository(&entries);
                entries.into_iter().for_each(|(key, node)| self.entry(&key, node, own.as_deref()));
            }
            Node::Text(_) | Node::List(_) => {
                self.settings.errors.push(not_a_group(self.path.to_owned(), at));
            }
        }
    }

    fn entry(&mut self, key: &Spanned<String>, node: Spanned<Node>, own: Option<&str>) {
        let Some((_, meaning)) = KEYS.iter().find(|(known, _)| *known == key.value) else {
            return self.tell_unknown(key);
        };
        match meaning {
            Same(ours) => self.say(ours, node, Some),
            Limit(ours) => self.say(ours, node, unless_zero),
            Minutes(ours) => self.say(ours, node, |raw| unless_zero(raw).map(minutes)),
            Capitals(ours) => self.say(ours, node, |raw| Some(map_text(raw, |it| it.to_ascii_lowercase()))),
            Host => self.say("tracker.api_url", node, |raw| Some(map_text(raw, api_url))),
            Checks => self.checks(node, own),
            Nothing => self.unused.push(key.value.clone()),
        }
    }

    /// Passes on what a key says, as ours would say it.
    fn say(&mut self, ours: &str, node: Spanned<Node>, put: impl Fn(RawValue) -> Option<RawValue>) {
        let setting = setting(ours).expect("the table of Fabrik's keys names settings of ours");
        let at = place(self.path, node.referenced);
        let is_empty = |raw: &RawValue| matches!(raw, RawValue::Text(text) if text.trim().is_empty());
        let said = node.value.into_raw().filter(|raw| !is_empty(raw)).and_then(put);
        self.settings.values.extend(said.map(|raw| (setting, raw, at)));
    }

    /// The checks of the file's own repository can be told, or those of all if they are the same; our setting holds for
    /// all.
    fn checks(&mut self, node: Spanned<Node>, own: Option<&str>) {
        let at = place(self.path, node.referenced);
        let entries = match node.value {
            Node::Null => return,
            Node::Map(entries) => entries,
            // It is passed on, so that the reader of values says what is wrong and where.
            Node::Text(_) | Node::List(_) => return self.say("ci.required_checks", mapping(node), Some),
        };
        let counts = |key: &str| own.is_none_or(|own| own.eq_ignore_ascii_case(key));
        let mut lists = entries.into_iter().filter(|(key, _)| counts(&key.value)).map(|(_, node)| node);
        let Some(first) = lists.next() else { return };
        let names = first.value.clone().into_raw();
        match lists.all(|other| other.value.into_raw() == names) {
            true => {
                if own.is_none() {
                    self.settings.warnings.push(format!(
                        "{at}: `required_status_contexts` holds for every repository here, also for those that it does not list; set `ci.required_checks` in baton.yaml to say otherwise"
                    ));
                }
                self.say("ci.required_checks", first, Some);
            }
            false => self.settings.warnings.push(format!(
                "{at}: `required_status_contexts` differs between repositories, and `ci.required_checks` holds for all, so it is not used: set `ci.required_checks` in baton.yaml"
            )),
        }
    }

    fn tell_unknown(&mut self, key: &Spanned<String>) {
        let (name, at) = (&key.value, place(self.path, key.referenced));
        let meant = match setting(name) {
            Some(_) => ": Baton reads it from baton.yaml".to_owned(),
            None => suggestion(nearest(name, KEYS.iter().map(|(known, _)| *known))),
        };
        self.settings.warnings.push(format!("{at}: `{name}` is no key of Fabrik and is not used{meant}"));
    }

    fn tell_unused(&mut self) {
        if !self.unused.is_empty() {
            let (path, keys) = (self.path, self.unused.join("`, `"));
            self.settings.warnings.push(format!("{path}: Baton has no use for `{keys}`"));
        }
    }
}

/// Returns the repository that the whole file is about, if it is about one.
fn own_repository(entries: &[(Spanned<String>, Spanned<Node>)]) -> Option<String> {
    let text = |name: &str| match &entries.iter().find(|(key, _)| key.value == name)?.1.value {
        Node::Text(text) if !text.trim().is_empty() => Some(text.trim().to_owned()),
        _ => None,
    };
    Some(format!("{}/{}", text("owner")?, text("repo")?))
}

fn mapping(node: Spanned<Node>) -> Spanned<Node> {
    Spanned { value: Node::Map(Vec::new()), ..node }
}

fn map_text(raw: RawValue, map: impl Fn(&str) -> String) -> RawValue {
    match raw {
        RawValue::Text(text) => RawValue::Text(map(text.trim())),
        other => other,
    }
}

fn unless_zero(raw: RawValue) -> Option<RawValue> {
    Some(raw).filter(|raw| !matches!(raw, RawValue::Text(text) if text.trim() == "0"))
}

/// A number without a unit would be seconds here.
fn minutes(raw: RawValue) -> RawValue {
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    map_text(raw, |text| if is_number(text) { format!("{text}min") } else { text.to_owned() })
}

fn api_url(host: &str) -> String {
    let bare = host.strip_prefix("https://").or_else(|| host.strip_prefix("http://")).unwrap_or(host);
    format!("https://{}/api/v3", bare.trim_end_matches('/'))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::time::Duration;

    use super::super::choice::MergeMethod;
    use super::super::resolve::{Layers, Resolved, TextFile, resolve};
    use super::*;

    const PATH: &str = ".fabrik/config.yaml";

    fn layers(ours: &str, theirs: &str) -> Layers {
        let file = |path: &str, text: &str| Some(TextFile { path: path.to_owned(), text: text.to_owned() });
        Layers { file: file("baton.yaml", ours), fabrik: file(PATH, theirs), ..Layers::default() }
    }

    fn resolved(theirs: &str) -> Resolved {
        resolve(&layers("dialect: fabrik\n", theirs)).unwrap()
    }

    fn checks(theirs: &str) -> (Vec<String>, usize) {
        let resolved = resolved(theirs);
        let is_about_checks = |warning: &&String| warning.contains("required_status_contexts");
        let warnings = resolved.warnings.iter().filter(is_about_checks).count();
        (resolved.config.pipeline.ci.required_checks, warnings)
    }

    /// What `fabrik init` writes, filled in.
    const USUAL: &str = "# project-level configuration\nowner: acme\nproject: 1\nuser: ann\npoll: 15\nmax_concurrent: 2\nmax_retries: 0\nyolo: true\nstages: ./.fabrik/stages\nauto_merge_strategy: SQUASH\n";

    #[test]
    fn keys_are_unique_and_name_settings_of_ours() {
        let keys: BTreeSet<_> = KEYS.iter().map(|(key, _)| key).collect();
        assert_eq!(keys.len(), KEYS.len());
        for (key, meaning) in KEYS {
            if let Same(ours) | Limit(ours) | Minutes(ours) | Capitals(ours) = meaning {
                assert!(setting(ours).is_some(), "{key}");
            }
        }
    }

    #[test]
    fn what_means_the_same_is_taken_over_with_its_place() {
        let resolved = resolved(USUAL);
        let config = &resolved.config;
        assert_eq!(
            (config.user.as_deref(), config.max_concurrent, config.max_retries),
            (Some("ann"), 2, None)
        );
        assert_eq!((config.pipeline.poll, config.pipeline.yolo), (Duration::from_secs(15), true));
        assert_eq!(config.pipeline.merge_method, MergeMethod::Squash);
        assert_eq!(resolved.source("poll").to_string(), ".fabrik/config.yaml:5:7");
        assert_eq!(resolved.source("stages").to_string(), ".fabrik/config.yaml:9:9");
        assert_eq!(resolved.source("claims.dialect").kind(), "dialect");
    }

    #[test]
    fn our_own_file_counts_more() {
        let resolved = resolve(&layers("dialect: fabrik\npoll: 1min\n", USUAL)).unwrap();
        assert_eq!(resolved.config.pipeline.poll, Duration::from_secs(60));
        assert_eq!(resolved.source("poll").to_string(), "baton.yaml:2:7");
        assert_eq!(resolved.config.user.as_deref(), Some("ann"));
    }

    #[test]
    fn without_the_dialect_nothing_of_it_is_read() {
        for theirs in [USUAL, "user: [a\n", "nonsense: 1\n"] {
            let resolved = resolve(&layers("", theirs)).unwrap();
            assert_eq!((resolved.config.user, resolved.warnings.len()), (None, 0));
        }
    }

    #[test]
    fn what_baton_has_no_use_for_is_told_once_and_what_fabrik_does_not_know_by_its_place() {
        let theirs = "tui: true\npol: 5\nauto_upgrade: true\nci_wait_timeout: 9\nterminal: ghostty\n";
        assert_eq!(
            resolved(theirs).warnings,
            [
                ".fabrik/config.yaml:2:1: `pol` is no key of Fabrik and is not used; did you mean `poll`?",
                ".fabrik/config.yaml:4:1: `ci_wait_timeout` is no key of Fabrik and is not used: Baton reads it from baton.yaml",
                ".fabrik/config.yaml:5:1: `terminal` is no key of Fabrik and is not used",
                ".fabrik/config.yaml: Baton has no use for `tui`, `auto_upgrade`",
            ]
        );
    }

    #[test]
    fn what_is_wrong_is_told_with_its_place() {
        for (theirs, expected) in [
            ("user: [a\n", ".fabrik/config.yaml:1:7: unclosed"),
            ("poll: soon\n", ".fabrik/config.yaml:1:7: `poll` cannot be `soon`"),
            ("auto_merge_strategy: FAST\n", ".fabrik/config.yaml:1:22: `merge_method` cannot be `fast`"),
            ("required_status_contexts: [a]\n", ".fabrik/config.yaml:1:27: `ci.required_checks` cannot be"),
            ("- user\n", ".fabrik/config.yaml:1:1: `.fabrik/config.yaml` must hold settings"),
        ] {
            let error = resolve(&layers("dialect: fabrik\n", theirs)).unwrap_err().to_string();
            assert!(error.starts_with(expected) && error.lines().count() == 1, "{theirs}: {error}");
        }
    }

    #[test]
    fn an_empty_text_and_a_zero_that_stands_for_the_default_say_nothing() {
        let theirs =
            "user: ''\nghes_host: \"\"\nrepo:\nmax_comment_cycles_per_window: 0\ncomment_cycle_window: 0\n";
        let resolved = resolved(theirs);
        assert_eq!(resolved.config.user, None);
        for key in ["tracker.api_url", "max_comment_cycles", "comment_cycle_window"] {
            assert_eq!(resolved.source(key).kind(), "default", "{key}");
        }
    }

    #[test]
    fn units_and_forms_are_translated() {
        let theirs = "comment_cycle_window: 45\nmax_comment_cycles_per_window: 4\nghes_host: https://git.acme.example/\ngithub_app_id: 7\ngithub_app_private_key_path: k.pem\ngithub_app_installation_id: 9\n";
        let config = resolved(theirs).config;
        assert_eq!(config.pipeline.comment_cycle_window, Duration::from_secs(45 * 60));
        assert_eq!(config.pipeline.max_comment_cycles, 4);
        assert_eq!(config.api_url, "https://git.acme.example/api/v3");
        let app = config.app.unwrap();
        assert_eq!((app.id, app.installation_id), (7, Some(9)));
    }

    #[test]
    fn required_checks_are_those_of_the_only_repository_or_of_all() {
        let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
        let two = "required_status_contexts: {acme/a: [build, lint], acme/b: [test]}\n";
        assert_eq!(
            checks("required_status_contexts: {acme/a: [build]}\n"),
            (names(&["build"]), 1),
            "it is told"
        );
        assert_eq!(checks("required_status_contexts: {a/a: [x], a/b: [x]}\n"), (names(&["x"]), 1));
        assert_eq!(checks(two), (names(&[]), 1));
        assert_eq!(checks(&format!("owner: Acme\nrepo: b\n{two}")), (names(&["test"]), 0));
        assert_eq!(checks(&format!("owner: acme\nrepo: c\n{two}")), (names(&[]), 0));
        assert_eq!(checks("required_status_contexts: {}\n"), (names(&[]), 0));
    }
}

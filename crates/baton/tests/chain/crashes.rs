//! Death before and after every request: whoever comes next opens nothing twice, and ends where an undisturbed one does.

use std::sync::Arc;

use baton_fixtures::wait::in_parallel;
use baton_fixtures::{Deed, Proxy, Side, Strike, TestEnv, is_full};
use serde_json::Value;

use crate::chain::gate::Gate;
use crate::chain::setup::{REPOS, Setup, branch, execute, known};

/// How many executions are at work at a time; every one has two cores' worth of processes around it.
const AT_ONCE: usize = 6;

/// A machine whose way to the tracker leads through whatever a test wants.
struct Victim {
    env: TestEnv,
    gate: Gate,
    feature: String,
}

impl Victim {
    async fn new(setup: &Setup, feature: String) -> Self {
        let gate = Gate::start(&setup.forge.url).await;
        Self { env: setup.env_at(&gate.url), gate, feature }
    }

    /// Runs an execution that is killed at one of its requests.
    async fn killed(&self, setup: &Setup, arguments: &[&str], strike: Strike) {
        let proxy = Proxy::start(&setup.forge.url, Some(strike)).await;
        self.gate.lead_to(&proxy.url);
        let child = self.env.spawn(arguments);
        proxy.aim(child.id().unwrap());
        let ran = TestEnv::ended(child).await;
        assert!(
            proxy.is_struck() && ran.code == -1,
            "{} was not killed at {strike:?}: {ran:?}",
            self.feature
        );
    }

    /// Runs what comes after a death: the feature alone is enough.
    async fn recovers(&self, setup: &Setup) {
        self.gate.lead_to(&setup.forge.url);
        self.env.run_async(&["chain", "execute", &self.feature]).await.exits(0);
    }

    /// All that is left in the end, without what differs between features: their names, numbers and addresses.
    async fn end(&self, setup: &Setup) -> Vec<String> {
        let mut end = Vec::new();
        for repo in REPOS {
            let pull = setup.pull(repo, &self.feature).await;
            assert_eq!(pull["state"], "open");
            end.push(self.plain(pull["body"].as_str().unwrap()));
        }
        let known: Value = known(&self.env, &self.feature);
        end.push(self.plain(&known.to_string()));
        end
    }

    fn plain(&self, text: &str) -> String {
        let text = text.replace(&self.gate.url, "URL").replace(&self.feature, "FEATURE");
        let mut plain = String::new();
        for c in text.chars() {
            let c = if c.is_ascii_digit() { '0' } else { c };
            if c != '0' || !plain.ends_with('0') {
                plain.push(c);
            }
        }
        plain
    }
}

/// Names that begin alike, so that none contains another.
fn feature(number: usize) -> String {
    format!("x{number:03}y")
}

#[tokio::test(flavor = "multi_thread")]
async fn executions_killed_at_any_request_end_as_one_that_nothing_happened_to() {
    const FEATURES: usize = 120;
    let setup = Arc::new(Setup::new().await);
    let branches: Vec<_> = (0..FEATURES).map(|number| branch(&feature(number))).collect();
    let branches: Vec<_> = branches.iter().map(String::as_str).collect();
    REPOS.iter().for_each(|repo| setup.push(repo, &branches));
    let model = Victim::new(&setup, feature(0)).await;
    let proxy = Proxy::start(&setup.forge.url, None).await;
    model.gate.lead_to(&proxy.url);
    model.env.run_async(&execute(&model.feature)).await.exits(0);
    let (requests, expected) = (proxy.seen(), model.end(&setup).await);
    assert!(requests.iter().filter(|request| request.is_write()).count() >= 5, "{requests:?}");
    let sides = [Side::Before, Side::After];
    let once = (1..=requests.len()).flat_map(|at| sides.map(|side| vec![(at, side)]));
    let opening = requests.iter().position(|request| request.method == "POST").unwrap() + 1;
    // The second dies while it looks for what the first has left, or goes on from there.
    let seconds = if is_full() { requests.len() } else { 6 };
    let twice = (1..=seconds).flat_map(|at| sides.map(|side| vec![(opening, Side::After), (at, side)]));
    let lives: Vec<_> = once.chain(twice).collect();
    assert!(lives.len() < FEATURES, "{} lives", lives.len());
    let cases = lives.into_iter().enumerate().map(|(number, deaths)| {
        let (setup, expected) = (Arc::clone(&setup), expected.clone());
        async move {
            let victim = Victim::new(&setup, feature(number + 1)).await;
            for (life, (at, side)) in deaths.iter().enumerate() {
                let again = ["chain", "execute", &victim.feature];
                let arguments = if life == 0 { execute(&victim.feature) } else { again.to_vec() };
                let strike = Strike { at: *at, side: *side, deed: Deed::Kill };
                victim.killed(&setup, &arguments, strike).await;
            }
            victim.recovers(&setup).await;
            assert_eq!(victim.end(&setup).await, expected, "killed at {deaths:?}");
        }
    });
    in_parallel(AT_ONCE, cases.collect::<Vec<_>>()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn another_machine_takes_over_what_a_dead_one_began() {
    let setup = Setup::with_branches("login").await;
    let victim = Victim::new(&setup, "login".to_owned()).await;
    let proxy = Proxy::start(&setup.forge.url, None).await;
    victim.gate.lead_to(&proxy.url);
    victim.env.run_async(&[execute("login"), vec!["--dry-run"]].concat()).await.exits(0);
    // One more request than all the looking is a little after the first opening.
    let at = proxy.seen().len() / 3 + 1;
    victim.killed(&setup, &execute("login"), Strike { at, side: Side::After, deed: Deed::Kill }).await;
    assert_eq!(setup.pulls_from("api", &branch("login")).await.len(), 1);
    setup.env().run_async(&execute("login")).await.exits(0).says("admin/api: found by its branch");
    for repo in REPOS {
        assert_eq!(setup.body(repo, "login").await.matches("☐ [").count(), 2, "{repo}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_known_is_kept_after_each_part() {
    let setup = Setup::with_branches("login").await;
    let victim = Victim::new(&setup, "login".to_owned()).await;
    let proxy = Proxy::start(&setup.forge.url, None).await;
    victim.gate.lead_to(&proxy.url);
    victim.env.run_async(&[execute("login"), vec!["--dry-run"]].concat()).await.exits(0);
    // A part is looked at and opened; the request after that is the next part's first.
    let at = proxy.seen().len() / 3 + 2;
    victim.killed(&setup, &execute("login"), Strike { at, side: Side::Before, deed: Deed::Kill }).await;
    let parts = known(&victim.env, "login")["parts"].as_array().unwrap().clone();
    let statuses: Vec<_> = parts.iter().map(|part| part["status"]["is"].as_str().unwrap()).collect();
    assert_eq!(statuses, ["open", "pending", "pending"]);
}

//! A relay to test: a forge with repositories, an environment with a configuration, stages and a script, and an engine.

use std::time::Duration;

use baton_fixtures::wait::eventually_async;
use baton_fixtures::{TestEngine, TestEnv, TestForge, TestRepo, texts};
use serde_json::Value;

use crate::relay::diary::Diary;
use crate::relay::scripts::{BUILD, DONE, PLAN, StageFile, VALIDATE, script, stage_file};

/// A little less than the fixtures wait, so that there is time to tell what explains a failure.
const PATIENCE: Duration = Duration::from_secs(170);

/// Times that tests wait for are short, and those that must not come are long.
const SETTINGS: &str = "user: ann
poll: 500ms
request_timeout: 10s
post_push_dwell: 1s
kill_grace: 500ms
workers: {heartbeat: 1s, ttl: 60s}
retry: {base: 100ms, cap: 1s}
claims: {settle: 100ms, visible_within: 1s}
agents:
  coder: {adapter: script, script: coder.yaml}
";

/// What a relay is made of.
pub(crate) struct Setup<'a> {
    /// What `baton.yaml` says besides.
    pub(crate) yaml: &'a str,
    /// The stages; none for those that are shipped.
    pub(crate) stages: &'a [StageFile<'a>],
    /// Where their files are.
    pub(crate) stages_dir: &'a str,
    /// What agents do.
    pub(crate) script: String,
    /// The command of the forge's own checks, for every branch but `main`.
    pub(crate) ci: Option<&'a str>,
    /// The repositories of the account `admin`.
    pub(crate) repos: &'a [&'a str],
}

impl Default for Setup<'_> {
    fn default() -> Self {
        Self {
            yaml: "yolo: true\n",
            stages: &[PLAN, BUILD, VALIDATE, DONE],
            stages_dir: ".baton/stages",
            script: script(&[]),
            ci: None,
            repos: &["web"],
        }
    }
}

pub(crate) struct Relay {
    engine: Option<TestEngine>,
    pub(crate) env: TestEnv,
    /// `admin/web`, seen by its owner.
    pub(crate) repo: TestRepo,
    pub(crate) forge: TestForge,
}

/// An issue as people see it.
#[derive(Debug, Clone)]
pub(crate) struct Facts {
    pub(crate) is_open: bool,
    /// In order of the alphabet.
    pub(crate) labels: Vec<String>,
    /// The texts of its comments, oldest first, without those of claims.
    pub(crate) comments: Vec<String>,
}

impl Facts {
    pub(crate) async fn of(repo: &TestRepo, issue: u64) -> Self {
        let seen = repo.get(&format!("/issues/{issue}")).await;
        let mut comments = repo.bodies(issue).await;
        // What claims write about themselves is no word to people.
        comments.retain(|text| !text.starts_with("<!-- agent-"));
        let mut labels = texts(&seen["labels"], "name");
        labels.sort();
        Self { is_open: seen["state"] == "open", labels, comments }
    }

    pub(crate) fn has(&self, label: &str) -> bool {
        self.labels.iter().any(|own| own == label)
    }

    /// Whether nothing is there that the engine puts on for a time.
    pub(crate) fn is_clean(&self) -> bool {
        are_clean(&self.labels)
    }

    pub(crate) fn says(&self, text: &str) -> bool {
        self.count(text) > 0
    }

    pub(crate) fn count(&self, text: &str) -> usize {
        self.comments.iter().filter(|comment| comment.contains(text)).count()
    }
}

impl Relay {
    /// A relay whose engine is at work.
    pub(crate) async fn running(setup: Setup<'_>) -> Self {
        let mut relay = Self::new(setup).await;
        relay.start_engine();
        relay
    }

    pub(crate) async fn new(setup: Setup<'_>) -> Self {
        let forge = TestForge::start_configured(&ci_rules(&setup));
        for name in setup.repos {
            forge.repo(name).await;
        }
        let env = TestEnv::of(&forge, "relay").with("BATON_WEBHOOK_SECRET", HOOK_SECRET);
        for stage in setup.stages {
            let file = format!("{}/{}.yaml", setup.stages_dir, stage.0.to_lowercase());
            env.write(&file, &stage_file(*stage));
        }
        env.write("baton.yaml", &settings(&setup));
        let relay = Self { engine: None, env, repo: forge.at("web"), forge };
        relay.play(&setup.script);
        relay
    }

    /// Lets agents that start from now on play another script.
    pub(crate) fn play(&self, script: &str) {
        self.env.write("coder.yaml", script);
    }

    pub(crate) fn start_engine(&mut self) {
        self.engine = Some(self.env.engine(&["engine"]));
    }

    /// Stops the engine as a service manager would, and insists that it ends well.
    pub(crate) fn stop_engine(&mut self) {
        self.engine.take().unwrap().stop();
    }

    /// What engines have printed so far.
    pub(crate) fn engine_log(&self) -> String {
        std::fs::read_to_string(self.env.root().join("engine.log")).unwrap_or_default()
    }

    /// What agents wrote down so far.
    pub(crate) fn diary(&self) -> Diary {
        Diary::read(&self.env.path("agents.log"))
    }

    pub(crate) async fn facts(&self, issue: u64) -> Facts {
        Facts::of(&self.repo, issue).await
    }

    /// The pull request from the branch of an issue.
    pub(crate) async fn pull(&self, issue: u64) -> Option<Value> {
        pull_from(&self.repo, &format!("baton/issue-{issue}")).await
    }

    /// Moves an issue from one column of the label board to another, as a person would.
    pub(crate) async fn move_by_hand(&self, issue: u64, from: &str, to: &str) {
        self.repo.label(issue, &format!("stage:{to}")).await;
        self.repo.unlabel(issue, &format!("stage:{from}")).await;
    }

    /// The repository as somebody sees it who has an account and nothing to say there.
    pub(crate) fn stranger(&self, login: &str) -> TestRepo {
        self.repo.by(&self.forge.client(&self.forge.account(login, "write")))
    }

    /// The repository as somebody sees it who may write to it.
    pub(crate) async fn person(&self, login: &str) -> TestRepo {
        let theirs = self.stranger(login);
        self.repo.permit(login, "push").await;
        theirs
    }

    /// Waits until something is so, and returns what was found.
    pub(crate) async fn until<T>(&self, what: &str, look: impl AsyncFnMut() -> Option<T>) -> T {
        match tokio::time::timeout(PATIENCE, eventually_async(what, look)).await {
            Ok(found) => found,
            Err(_) => panic!("it never came to this: {what}\n{:#?}", self.all_facts().await),
        }
    }

    /// Waits until an issue is so.
    pub(crate) async fn until_issue(&self, issue: u64, what: &str, is_so: impl Fn(&Facts) -> bool) -> Facts {
        self.until(what, async || Some(self.facts(issue).await).filter(&is_so)).await
    }

    /// Waits until an agent has begun on an issue this often.
    pub(crate) async fn until_runs(&self, issue: u64, count: usize) {
        let what = format!("{count} runs of issue {issue}");
        self.until(&what, async || (self.diary().of(issue).len() >= count).then_some(())).await;
    }

    /// Waits until an issue is at its end: merged, closed, cleaned up.
    pub(crate) async fn until_done(&self, issue: u64) -> Facts {
        let what = format!("issue {issue} is done");
        let is_done = |facts: &Facts| {
            !facts.is_open && facts.has("agent:done") && facts.has(DONE_LABEL) && facts.is_clean()
        };
        let facts = self.until_issue(issue, &what, is_done).await;
        let pull = self.pull(issue).await.unwrap();
        assert!(!pull["merged_at"].is_null(), "{pull}");
        facts
    }

    /// Lets a fresh issue go all the way: whatever the engine wanted to do meanwhile, it has had its time.
    pub(crate) async fn let_time_pass(&self) {
        self.let_time_pass_from("Plan").await;
    }

    /// The same, where the first stages do not go on by themselves.
    pub(crate) async fn let_time_pass_from(&self, stage: &str) {
        let yardstick = self.repo.issue("A yardstick", &[&format!("stage:{stage}"), "baton:yolo"]).await;
        self.until_done(yardstick).await;
    }

    /// Every issue and pull request by its number.
    async fn all_facts(&self) -> Vec<(u64, Facts)> {
        let mut all = Vec::new();
        for issue in self.repo.pages("/issues?state=all").await {
            let number = issue["number"].as_u64().unwrap();
            all.push((number, self.facts(number).await));
        }
        all
    }

    /// Ends the engine and insists on what holds in every flow.
    pub(crate) async fn end(mut self) {
        self.until("every issue is at rest", async || self.is_at_rest().await.then_some(())).await;
        self.stop_engine();
        self.diary().has_no_two_at_once();
        for (_, facts) in self.all_facts().await {
            says_nothing_twice(&facts);
        }
    }

    /// Whether nothing of ours is left on a closed issue, and nobody is at work.
    async fn is_at_rest(&self) -> bool {
        let is_clean =
            |issue: &Value| issue["state"] == "open" || are_clean(&texts(&issue["labels"], "name"));
        self.repo.pages("/issues?state=all").await.iter().all(is_clean) && self.diary().is_idle()
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let agents = std::fs::read_to_string(self.env.path("agents.log")).unwrap_or_default();
            eprintln!("the engine:\n{}\nthe agents:\n{agents}", self.engine_log());
        }
    }
}

/// The pull request from a branch.
pub(crate) async fn pull_from(repo: &TestRepo, branch: &str) -> Option<Value> {
    let mut found = repo.pulls().await;
    found.retain(|pull| pull["head"]["ref"] == branch);
    assert!(found.len() < 2, "{branch} has several pull requests: {found:?}");
    found.pop()
}

/// What a label of ours that is there for a time has in it, in either dialect.
const TRANSIENT: [&str; 12] = [
    ":in_progress",
    ":failed",
    ":locked:",
    ":awaiting-",
    ":rebase-needed",
    ":blocked",
    ":editing",
    ":bot-reprompted",
    ":extend-turns",
    "agent:in-flight",
    "agent:pr-open",
    "agent:implement",
];

fn are_clean(labels: &[String]) -> bool {
    labels.iter().all(|label| !TRANSIENT.iter().any(|word| label.contains(word)))
}

/// The label of an issue that has been through everything.
pub(crate) const DONE_LABEL: &str = "stage:Done:complete";

/// What deliveries of the forge are signed with.
pub(crate) const HOOK_SECRET: &str = "hook-secret";

#[track_caller]
fn says_nothing_twice(facts: &Facts) {
    let mut said: Vec<_> = facts.comments.iter().map(|text| without_marks(text)).collect();
    said.sort();
    assert!(said.windows(2).all(|pair| pair[0] != pair[1]), "said twice: {facts:#?}");
}

/// Returns what people see of a comment. The mark by which the engine knows it again differs from comment to comment.
fn without_marks(text: &str) -> String {
    let mut parts = text.split("<!--");
    let first = parts.next().unwrap_or_default().to_owned();
    let rest = parts.filter_map(|part| part.split_once("-->")).map(|(_, after)| after);
    rest.fold(first, |all, after| all + after).trim().to_owned()
}

/// Returns a configuration. What a flow says of a setting of ours replaces it.
fn settings(setup: &Setup<'_>) -> String {
    let key = |line: &str| line.split(':').next().unwrap_or_default().to_owned();
    let said: Vec<_> = setup.yaml.lines().map(key).collect();
    let kept = SETTINGS.lines().filter(|line| !said.contains(&key(line)));
    let kept: String = kept.flat_map(|line| [line, "\n"]).collect();
    let repos: Vec<_> = setup.repos.iter().map(|name| format!("admin/{name}")).collect();
    format!("{kept}repos: [{}]\n{}", repos.join(", "), setup.yaml)
}

fn ci_rules(setup: &Setup<'_>) -> String {
    let Some(command) = setup.ci else { return "ci: []\n".to_owned() };
    let rule = |repo: &&str| {
        format!(
            "  - {{repo: admin/{repo}, name: test, command: {command}, branches: ['baton/*', 'fabrik/*']}}\n"
        )
    };
    format!("ci:\n{}", setup.repos.iter().map(rule).collect::<String>())
}

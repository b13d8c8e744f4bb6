//! A place where a relay goes on: a forge with repositories, a desk with a configuration, stages and a script, and engines.

use std::fs::File;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::relay::diary::Diary;
use crate::relay::scripts::{BUILD, DONE, PLAN, StageFile, VALIDATE, script, stage_file};
use crate::support::{Client, ForgeProcess, TOKEN, baton};

/// Long enough for anything that must happen, however busy the machine is.
const SOON: Duration = Duration::from_secs(60);
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// Times that tests wait for are short, and those that must not come are long.
const SETTINGS: &str = "user: ann
poll: 500ms
request_timeout: 2s
post_push_dwell: 1s
kill_grace: 500ms
workers: {heartbeat: 300ms, ttl: 4s}
retry: {base: 100ms, cap: 1s}
claims: {settle: 100ms, visible_within: 1s}
agents:
  coder: {adapter: script, script: coder.yaml}
";

/// What a world is made of.
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

pub(crate) struct World {
    pub(crate) forge: ForgeProcess,
    pub(crate) client: Client,
    engines: Vec<Child>,
    directory: tempfile::TempDir,
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
    pub(crate) fn has(&self, label: &str) -> bool {
        self.labels.iter().any(|own| own == label)
    }

    /// Whether nothing is there that the engine puts on for a time.
    pub(crate) fn is_clean(&self) -> bool {
        are_clean(&self.labels)
    }

    pub(crate) fn says(&self, text: &str) -> bool {
        self.comments.iter().any(|comment| comment.contains(text))
    }

    pub(crate) fn count(&self, text: &str) -> usize {
        self.comments.iter().filter(|comment| comment.contains(text)).count()
    }
}

impl World {
    /// A world whose engine is at work.
    pub(crate) async fn running(setup: Setup<'_>) -> Self {
        let mut world = Self::new(setup).await;
        world.start_engine();
        world
    }

    pub(crate) async fn new(setup: Setup<'_>) -> Self {
        let directory = tempfile::Builder::new().prefix("relay").tempdir_in("/tmp").unwrap();
        let config = directory.path().join("forge.yaml");
        std::fs::write(&config, ci_rules(&setup)).unwrap();
        let forge =
            ForgeProcess::start(&directory.path().join("data"), &["--config", config.to_str().unwrap()]);
        let client = Client::new(&forge.url, Some(TOKEN));
        for name in setup.repos {
            client.must("POST", "/user/repos", &json!({ "name": name, "auto_init": true }), 201).await;
        }
        let world = Self { forge, client, engines: Vec::new(), directory };
        world.furnish(&setup);
        world
    }

    fn furnish(&self, setup: &Setup<'_>) {
        let stages = self.path(setup.stages_dir);
        std::fs::create_dir_all(self.path("home")).unwrap();
        for stage in setup.stages {
            std::fs::create_dir_all(&stages).unwrap();
            let file = stages.join(format!("{}.yaml", stage.0.to_lowercase()));
            std::fs::write(file, stage_file(*stage)).unwrap();
        }
        let repos: Vec<_> = setup.repos.iter().map(|name| format!("admin/{name}")).collect();
        let (url, repos) = (&self.forge.url, repos.join(", "));
        let own = format!("tracker: {{api_url: '{url}'}}\nrepos: [{repos}]\n");
        // What a flow says of a setting of ours replaces it.
        let key = |line: &str| line.split(':').next().unwrap_or_default().to_owned();
        let said: Vec<_> = setup.yaml.lines().map(key).collect();
        let kept = SETTINGS.lines().filter(|line| !said.contains(&key(line)));
        let kept: String = kept.flat_map(|line| [line, "\n"]).collect();
        std::fs::write(self.path("baton.yaml"), format!("{kept}{own}{}", setup.yaml)).unwrap();
        self.play(&setup.script);
    }

    /// Lets agents that start from now on play another script.
    pub(crate) fn play(&self, script: &str) {
        std::fs::write(self.path("coder.yaml"), script).unwrap();
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join("desk").join(name)
    }

    fn engine_log(&self) -> PathBuf {
        self.directory.path().join("engine.log")
    }

    /// A run of `baton` at the desk that has not been started. Nothing of the test's own environment reaches it.
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_baton"));
        command
            .args(arguments)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.path("home"))
            .env("BATON_TOKEN", TOKEN)
            .env("BATON_WEBHOOK_SECRET", HOOK_SECRET)
            .current_dir(self.path(""))
            .stdin(Stdio::null());
        command
    }

    pub(crate) fn start_engine(&mut self) {
        let log = File::options().create(true).append(true).open(self.engine_log()).unwrap();
        let engine = self.command(&["engine"]).stdout(Stdio::null()).stderr(log).spawn().unwrap();
        self.engines.push(engine);
    }

    /// Runs a command at the desk; returns its exit code and all that it printed.
    pub(crate) fn run(&self, arguments: &[&str]) -> (i32, String) {
        let output = self.command(arguments).output().unwrap();
        let said = [output.stdout, output.stderr].concat();
        (output.status.code().unwrap_or(-1), String::from_utf8_lossy(&said).into_owned())
    }

    /// Runs a command at the desk with the token of somebody who has an account.
    pub(crate) fn run_as(&self, login: &str, arguments: &[&str]) -> (i32, String) {
        let data = self.forge.data.to_str().unwrap();
        let create = ["forge", "token", "create", "--data", data, "--user", login, "--role", "write"];
        let (code, token, complaint) = baton(&create);
        assert_eq!(code, 0, "{complaint}");
        let output = self.command(arguments).env("BATON_TOKEN", token.trim()).output().unwrap();
        let said = [output.stdout, output.stderr].concat();
        (output.status.code().unwrap_or(-1), String::from_utf8_lossy(&said).into_owned())
    }

    /// Whether an engine has printed this.
    pub(crate) fn engine_said(&self, words: &str) -> bool {
        std::fs::read_to_string(self.engine_log()).unwrap_or_default().contains(words)
    }

    /// Stops the engines as a service manager would, and insists that they end well.
    pub(crate) fn stop_engines(&mut self) {
        for mut engine in std::mem::take(&mut self.engines) {
            let pid = rustix::process::Pid::from_child(&engine);
            rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
            let status = engine.wait().unwrap();
            assert!(status.success(), "the engine ended with {status}");
        }
    }

    /// What agents wrote down so far.
    pub(crate) fn diary(&self) -> Diary {
        Diary::read(&self.path("agents.log"))
    }

    pub(crate) fn has_tree(&self, repo: &str, issue: u64) -> bool {
        self.path(&format!(".baton/worktrees/admin-{repo}/issue-{issue}")).exists()
    }

    /// Opens an issue in `admin/web` with these labels.
    pub(crate) async fn issue(&self, title: &str, labels: &[&str]) -> u64 {
        self.issue_in("web", title, labels).await
    }

    pub(crate) async fn issue_in(&self, repo: &str, title: &str, labels: &[&str]) -> u64 {
        let body = json!({ "title": title, "body": "Please.", "labels": labels });
        let path = format!("/repos/admin/{repo}/issues");
        self.client.must("POST", &path, &body, 201).await["number"].as_u64().unwrap()
    }

    pub(crate) async fn get(&self, path: &str) -> Value {
        self.client.must("GET", &format!("/repos/admin/web{path}"), &Value::Null, 200).await
    }

    /// Sends something to `admin/web` as its owner.
    pub(crate) async fn send(&self, method: &str, path: &str, body: Value) -> Value {
        self.send_as(&self.client, method, path, body).await
    }

    pub(crate) async fn send_as(&self, who: &Client, method: &str, path: &str, body: Value) -> Value {
        let answer = who.ask(method, &format!("/repos/admin/web{path}"), &body).await;
        assert!((200..300).contains(&answer.status), "{method} {path}: {} {}", answer.status, answer.text);
        answer.json()
    }

    pub(crate) async fn facts(&self, issue: u64) -> Facts {
        self.facts_in("web", issue).await
    }

    pub(crate) async fn facts_in(&self, repo: &str, issue: u64) -> Facts {
        let path = format!("/repos/admin/{repo}/issues/{issue}");
        let seen = self.client.must("GET", &path, &Value::Null, 200).await;
        let comments = format!("{path}/comments?per_page=100");
        let said = self.client.must("GET", &comments, &Value::Null, 200).await;
        let mut labels = texts(&seen["labels"], "name");
        labels.sort();
        let mut comments = texts(&said, "body");
        // What claims write about themselves is no word to people.
        comments.retain(|text| !text.starts_with("<!-- agent-"));
        Facts { is_open: seen["state"] == "open", labels, comments }
    }

    /// The pull request from the branch of an issue.
    pub(crate) async fn pull(&self, issue: u64) -> Option<Value> {
        self.pull_from("web", &format!("baton/issue-{issue}")).await
    }

    pub(crate) async fn pull_from(&self, repo: &str, branch: &str) -> Option<Value> {
        let path = format!("/repos/admin/{repo}/pulls?state=all&per_page=100");
        let pulls = self.client.must("GET", &path, &Value::Null, 200).await;
        let is_it = |pull: &&Value| pull["head"]["ref"] == branch;
        let found: Vec<_> = pulls.as_array().unwrap().iter().filter(is_it).cloned().collect();
        assert!(found.len() < 2, "{branch} has several pull requests: {found:?}");
        found.into_iter().next()
    }

    pub(crate) async fn label(&self, issue: u64, label: &str) {
        self.send("POST", &format!("/issues/{issue}/labels"), json!({ "labels": [label] })).await;
    }

    pub(crate) async fn unlabel(&self, issue: u64, label: &str) {
        self.send("DELETE", &format!("/issues/{issue}/labels/{label}"), Value::Null).await;
    }

    /// Moves an issue from one column of the label board to another, as a person would.
    pub(crate) async fn move_by_hand(&self, issue: u64, from: &str, to: &str) {
        self.label(issue, &format!("stage:{to}")).await;
        self.unlabel(issue, &format!("stage:{from}")).await;
    }

    pub(crate) async fn comment_as(&self, who: &Client, issue: u64, text: &str) -> u64 {
        let path = format!("/issues/{issue}/comments");
        self.send_as(who, "POST", &path, json!({ "body": text })).await["id"].as_u64().unwrap()
    }

    /// Somebody with an account who has nothing to say in the repository.
    pub(crate) fn stranger(&self, login: &str) -> Client {
        let data = self.forge.data.to_str().unwrap();
        let (code, _, complaint) = baton(&["forge", "user", "add", login, "--data", data]);
        assert_eq!(code, 0, "{complaint}");
        let create = ["forge", "token", "create", "--data", data, "--user", login, "--role", "write"];
        let (code, token, complaint) = baton(&create);
        assert_eq!(code, 0, "{complaint}");
        Client::new(&self.forge.url, Some(token.trim()))
    }

    /// Somebody who may write to the repository.
    pub(crate) async fn person(&self, login: &str) -> Client {
        let client = self.stranger(login);
        self.send("PUT", &format!("/collaborators/{login}"), json!({ "permission": "push" })).await;
        client
    }

    /// Commits a file to a branch.
    pub(crate) async fn commit(&self, branch: &str, path: &str, text: &str) {
        use base64::Engine as _;
        let content = base64::engine::general_purpose::STANDARD.encode(text);
        let body = json!({ "message": format!("change {path}"), "content": content, "branch": branch });
        self.send("PUT", &format!("/contents/{path}"), body).await;
    }

    /// A file of a branch on the forge.
    pub(crate) async fn file(&self, branch: &str, path: &str) -> Option<String> {
        let address = format!("/repos/admin/web/contents/{path}?ref={branch}");
        let raw = [("accept", "application/vnd.github.raw+json")];
        let answer = self.client.send("GET", &address, None, &raw).await.unwrap();
        (answer.status == 200).then_some(answer.text)
    }

    /// Waits until something is so, and returns what was found.
    pub(crate) async fn until<T>(&self, what: &str, mut look: impl AsyncFnMut(&Self) -> Option<T>) -> T {
        let started = Instant::now();
        loop {
            if let Some(found) = look(self).await {
                return found;
            }
            assert!(started.elapsed() < SOON, "it never came to this: {what}\n{}", self.news().await);
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }

    /// Waits until an issue is so.
    pub(crate) async fn until_issue(&self, issue: u64, what: &str, is_so: impl Fn(&Facts) -> bool) -> Facts {
        self.until(what, async |world| Some(world.facts(issue).await).filter(&is_so)).await
    }

    /// Waits until an agent has begun on an issue this often.
    pub(crate) async fn until_runs(&self, issue: u64, count: usize) {
        let what = format!("{count} runs of issue {issue}");
        self.until(&what, async |world| (world.diary().of(issue).len() >= count).then_some(())).await;
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
        let yardstick = self.issue("A yardstick", &[&format!("stage:{stage}"), "baton:yolo"]).await;
        self.until_done(yardstick).await;
    }

    /// Everything that explains a failure.
    async fn news(&self) -> String {
        let issues = self.get("/issues?state=all&per_page=100").await;
        let mut news = String::new();
        for issue in issues.as_array().unwrap() {
            let facts = self.facts(issue["number"].as_u64().unwrap()).await;
            news += &format!("#{} {}: {facts:#?}\n", issue["number"], issue["title"]);
        }
        news
    }

    /// Ends the engines and insists on what holds in every flow.
    pub(crate) async fn end(mut self) {
        self.until("every issue is at rest", async |world| world.is_at_rest().await.then_some(())).await;
        self.stop_engines();
        self.diary().has_no_two_at_once();
        let issues = self.get("/issues?state=all&per_page=100").await;
        for issue in issues.as_array().unwrap() {
            let facts = self.facts(issue["number"].as_u64().unwrap()).await;
            says_nothing_twice(&facts);
        }
    }

    /// Whether nothing of ours is left on a closed issue, and nobody is at work.
    async fn is_at_rest(&self) -> bool {
        let issues = self.get("/issues?state=all&per_page=100").await;
        let is_clean =
            |issue: &Value| issue["state"] == "open" || are_clean(&texts(&issue["labels"], "name"));
        issues.as_array().unwrap().iter().all(is_clean) && self.diary().is_idle()
    }
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

impl Drop for World {
    fn drop(&mut self) {
        if std::thread::panicking() {
            for path in [self.engine_log(), self.path("agents.log")] {
                eprintln!("{}:\n{}", path.display(), std::fs::read_to_string(&path).unwrap_or_default());
            }
        }
        for engine in &mut self.engines {
            let _ = engine.kill();
            let _ = engine.wait();
        }
    }
}

/// Returns a field of each element of a list.
pub(crate) fn texts(list: &Value, field: &str) -> Vec<String> {
    let list = list.as_array().unwrap().iter();
    list.map(|it| it[field].as_str().unwrap_or_default().to_owned()).collect()
}

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

fn ci_rules(setup: &Setup<'_>) -> String {
    let Some(command) = setup.ci else { return "ci: []\n".to_owned() };
    let rule = |repo: &&str| {
        format!(
            "  - {{repo: admin/{repo}, name: test, command: {command}, branches: ['baton/*', 'fabrik/*']}}\n"
        )
    };
    format!("ci:\n{}", setup.repos.iter().map(rule).collect::<String>())
}

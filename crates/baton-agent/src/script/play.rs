//! The steps of a scene, one after another.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use baton_core::labels::dialect::Dialect;
use baton_core::pipeline::effect::Job;
use baton_core::pipeline::markers::prefix;
use baton_core::script::{Scene, Script, ScriptedError, Situation, Step, fill};
use baton_core::time::ServerTime;
use serde_json::{Value, json};

use super::ScriptedRun;
use super::ending::Ending;
use super::printer::Printer;
use super::{files, git};

/// How much of a program's output is told.
const OUTPUT_CHARS_MAX: usize = 30_000;

/// A scene at work.
pub(super) struct Play<'a, 'out> {
    run: &'a ScriptedRun,
    script: &'a Script,
    situation: &'a Situation,
    printer: &'a mut Printer<'out>,
    commits: i64,
    logs: Vec<PathBuf>,
}

/// What comes after a step: the next one, or the end.
type Next = Option<Ending>;

impl<'a, 'out> Play<'a, 'out> {
    pub(super) fn new(
        run: &'a ScriptedRun,
        script: &'a Script,
        situation: &'a Situation,
        printer: &'a mut Printer<'out>,
    ) -> Self {
        Self { run, script, situation, printer, commits: 0, logs: Vec::new() }
    }

    pub(super) fn scene(&mut self, scene: &Scene) -> io::Result<Ending> {
        for step in &scene.steps {
            if let Some(ending) = self.step(step)? {
                return Ok(ending);
            }
        }
        Ok(Ending::Success)
    }

    /// Writes the ends into the logs that have its beginning.
    pub(super) fn sign_off(&mut self) {
        for log in std::mem::take(&mut self.logs) {
            // The work is done; a log that has gone away does not undo it.
            let _ = self.sign(&log, "end");
        }
    }

    fn step(&mut self, step: &Step) -> io::Result<Next> {
        match step {
            Step::Write { .. } | Step::Append { .. } | Step::Replace { .. } | Step::Delete(_) => {
                self.file_step(step)
            }
            Step::Run(argv) => self.program(argv),
            Step::Commit(message) => self.commit(message),
            Step::Say(text) => self.say(&self.filled(text)),
            Step::Marker(marker) => self.say(&format!("{}{}", self.prefix(), marker.word())),
            Step::Summary(text) => self.block("SUMMARY", "", text),
            Step::IssueUpdate(text) => self.block("ISSUE_UPDATE", "", text),
            Step::SubIssue { repo, title, body } => {
                let repo = repo.as_ref().map(|repo| format!(" {repo}")).unwrap_or_default();
                self.block("SUB_ISSUE", &repo, &format!("TITLE: {title}\n{body}"))
            }
            Step::Sleep(duration) => {
                std::thread::sleep(*duration);
                Ok(None)
            }
            Step::Turn => Ok(self.printer.turn().is_none().then_some(Ending::TurnLimit)),
            Step::Fail(text) => Ok(Some(Ending::Failed(self.filled(text)))),
            Step::Error(error) => self.error(error),
            Step::HitTurnLimit => Ok(Some(Ending::TurnLimit)),
            Step::Flood(bytes) => self.printer.flood(*bytes).map(|()| None),
            Step::Crash => crash(),
            Step::Hang => hang(),
            Step::Log(path) => self.log(path),
        }
    }

    fn filled(&self, text: &str) -> String {
        fill(text, self.situation)
    }

    fn prefix(&self) -> &'static str {
        prefix(Dialect::from(self.script.dialect))
    }

    fn say(&mut self, text: &str) -> io::Result<Next> {
        self.printer.say(text).map(|()| None)
    }

    fn block(&mut self, name: &str, after: &str, text: &str) -> io::Result<Next> {
        let (prefix, text) = (self.prefix(), self.filled(text));
        self.say(&format!("{prefix}{name}_BEGIN{after}\n{text}\n{prefix}{name}_END"))
    }

    fn file_step(&mut self, step: &Step) -> io::Result<Next> {
        let cwd = &self.run.cwd;
        let (tool, path, done) = match step {
            Step::Write { path, text } => {
                let path = self.filled(path);
                ("Write", path.clone(), files::write(cwd, &path, &self.filled(text)))
            }
            Step::Append { path, text } => {
                let path = self.filled(path);
                ("Edit", path.clone(), files::append(cwd, &path, &self.filled(text)))
            }
            Step::Replace { path, from, to } => {
                let path = self.filled(path);
                ("Edit", path.clone(), files::replace(cwd, &path, &self.filled(from), &self.filled(to)))
            }
            Step::Delete(path) => {
                let path = self.filled(path);
                ("Bash", path.clone(), files::delete(cwd, &path))
            }
            _ => return Ok(None),
        };
        self.tool(tool, &json!({ "file_path": path }), done.map(|()| "done".to_owned()))
    }

    /// Tells what a tool did; one that failed ends the run, since a script counts on it.
    fn tool(&mut self, name: &str, input: &Value, done: Result<String, String>) -> io::Result<Next> {
        self.printer.tool(name, input, done.as_deref().map_err(String::as_str))?;
        Ok(done.err().map(Ending::Failed))
    }

    fn program(&mut self, argv: &[String]) -> io::Result<Next> {
        let argv: Vec<String> = argv.iter().map(|argument| self.filled(argument)).collect();
        let done = output(&argv, &self.run.cwd);
        self.tool("Bash", &json!({ "command": argv }), done)
    }

    fn commit(&mut self, message: &str) -> io::Result<Next> {
        let at = self.script.clock.map(|clock| ServerTime(clock.0 + self.commits));
        self.commits += 1;
        let message = self.filled(message);
        let done = git::commit(&self.run.cwd, &message, at);
        self.tool("Bash", &json!({ "command": ["git", "commit", "--message", message] }), done)
    }

    fn error(&mut self, error: &ScriptedError) -> io::Result<Next> {
        Ok(Some(match error {
            ScriptedError::Permission { tool } => {
                self.printer.denied(tool)?;
                return Ok(None);
            }
            ScriptedError::Api { status } => Ending::Api { status: *status },
            ScriptedError::Limit { resets_in } => Ending::Limit { resets_at: resets_in.map(after) },
            ScriptedError::Session => Ending::SessionUnknown,
        }))
    }

    fn log(&mut self, path: &Path) -> io::Result<Next> {
        let path = PathBuf::from(self.filled(&path.to_string_lossy()));
        let path = self.run.file.parent().map_or(path.clone(), |directory| directory.join(&path));
        match self.sign(&path, "start") {
            Ok(()) => self.logs.push(path),
            Err(error) => {
                return Ok(Some(Ending::Failed(format!("cannot log to `{}`: {error}", path.display()))));
            }
        }
        Ok(None)
    }

    /// Adds a line in one write, so that lines of several agents do not mix.
    fn sign(&self, path: &Path, event: &str) -> io::Result<()> {
        let Situation { run, issue, agent, stage, job, .. } = self.situation;
        let (pid, at_ms) = (std::process::id(), now().as_millis());
        let job = job.unwrap_or(Job::Stage).as_str();
        let line = json!({
            "event": event, "pid": pid, "at_ms": u64::try_from(at_ms).unwrap_or(u64::MAX),
            "run": run, "issue": issue, "agent": agent, "stage": stage, "job": job,
        });
        let mut file = std::fs::OpenOptions::new().append(true).create(true).open(path)?;
        file.write_all(format!("{line}\n").as_bytes())
    }
}

fn output(argv: &[String], cwd: &Path) -> Result<String, String> {
    let Some((program, arguments)) = argv.split_first() else { return Err("there is no program".to_owned()) };
    let output = Command::new(program).args(arguments).current_dir(cwd).stdin(Stdio::null()).output();
    let output = output.map_err(|error| format!("`{program}` cannot be run: {error}"))?;
    let bytes = [output.stdout, output.stderr].concat();
    let told: String = String::from_utf8_lossy(&bytes).chars().take(OUTPUT_CHARS_MAX).collect();
    match output.status.success() {
        true => Ok(told),
        false => Err(format!("`{}` failed ({}): {}", argv.join(" "), output.status, told.trim())),
    }
}

fn now() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

fn after(wait: Duration) -> u64 {
    (now() + wait).as_secs()
}

/// Nothing can be done about a signal of this kind, and nothing is printed any more.
fn crash() -> io::Result<Next> {
    rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL)?;
    hang()
}

fn hang() -> io::Result<Next> {
    loop {
        std::thread::sleep(Duration::from_secs(3600));
    }
}

//! Scripts, played in real directories and repositories.

use std::fs;
use std::path::Path;
use std::process::Command;

use baton_core::agent::{AgentExit, SessionFate, judge};
use baton_core::agent_lines::{AgentError, Program, Reader, Report};
use baton_core::pipeline::outcome::End;

use super::*;

struct Theatre {
    directory: tempfile::TempDir,
}

impl Theatre {
    fn new() -> Self {
        let theatre = Self { directory: tempfile::tempdir().unwrap() };
        fs::create_dir(theatre.tree()).unwrap();
        theatre.git(&["init", "--quiet", "--initial-branch", "main"]);
        theatre
    }

    fn tree(&self) -> PathBuf {
        self.directory.path().join("tree")
    }

    fn git(&self, arguments: &[&str]) -> String {
        let output = Command::new("git").args(arguments).current_dir(self.tree()).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    fn run(&self, script: &str) -> ScriptedRun {
        let file = self.directory.path().join("s.yaml");
        fs::write(&file, script).unwrap();
        let variables = [
            ("BATON_ISSUE", "acme/app#7"),
            ("BATON_ISSUE_NUMBER", "7"),
            ("BATON_REPO", "acme/app"),
            ("BATON_RUN_ID", "31"),
            ("BATON_STAGE", "Implement"),
        ];
        ScriptedRun {
            file,
            cwd: self.tree(),
            home: Some(self.directory.path().to_owned()),
            variables: variables.map(|(name, value)| (name.to_owned(), value.to_owned())).into(),
            ..ScriptedRun::default()
        }
    }

    fn play(&self, steps: &str) -> Report {
        played(&self.run(&format!("scenes:\n  - do: {steps}\n"))).1
    }
}

fn played(run: &ScriptedRun) -> (bool, Report) {
    let mut out = Vec::new();
    let is_fine = play(run, &mut out).unwrap();
    let mut reader = Reader::new(Program::Claude);
    let text = String::from_utf8(out).unwrap();
    text.lines().for_each(|line| drop(reader.line(line)));
    (is_fine, reader.finish())
}

#[test]
fn files_are_written_and_committed_and_markers_are_said() {
    let theatre = Theatre::new();
    let report = theatre.play(
        "[{say: begin}, {write: {path: 'src/{{ number }}.txt', text: one}}, {append: {path: src/7.txt, text: ' two'}}, turn, {replace: {path: src/7.txt, from: one, to: three}}, {run: [sh, -c, 'echo ran > ran.txt']}, {commit: 'feat: {{ issue }}'}, {commit: again}, {marker: complete}]",
    );
    assert!(report.is_success(), "{report:?}");
    assert_eq!(report.text.as_deref(), Some("begin\nBATON_STAGE_COMPLETE"));
    assert_eq!((report.turns, report.cost_micros, report.usage.input), (2, Some(20_000), 2_000));
    assert_eq!(fs::read_to_string(theatre.tree().join("src/7.txt")).unwrap(), "three two");
    assert_eq!(theatre.git(&["log", "--format=%s"]), "feat: acme/app#7");
    assert_eq!(theatre.git(&["ls-files"]), "ran.txt\nsrc/7.txt");
    assert_eq!(report.broken_lines, 0);
}

#[test]
fn the_same_script_makes_the_same_commits_with_a_clock() {
    let script = "clock: 2026-01-01T00:00:00Z\nscenes: [{do: [{write: {path: a, text: b}}, {commit: one}, {delete: a}, {write: {path: c, text: d}}, {commit: two}]}]\n";
    let commits = [Theatre::new(), Theatre::new()].map(|theatre| {
        assert!(played(&theatre.run(script)).0);
        theatre.git(&["log", "--format=%H %cI"])
    });
    assert_eq!(commits[0], commits[1]);
    assert!(commits[0].contains("2026-01-01T00:00:01"), "{}", commits[0]);
}

#[test]
fn a_session_is_gone_on_with_where_it_was_begun_and_costs_add_up() {
    let theatre = Theatre::new();
    let run = theatre.run("scenes: [{do: [{say: hi}]}]\n");
    let (_, first) = played(&run);
    let id = first.session.clone().unwrap();
    assert_eq!(id.len(), 36);
    let resumed = ScriptedRun { resume: Some(id.clone()), ..run.clone() };
    let (is_fine, second) = played(&resumed);
    assert_eq!(
        (is_fine, second.session.as_deref(), second.cost_micros),
        (true, Some(id.as_str()), Some(20_000))
    );
    let elsewhere = ScriptedRun { home: Some(theatre.tree()), ..resumed };
    let (is_fine, lost) = played(&elsewhere);
    assert_eq!((is_fine, lost.error.as_ref()), (false, Some(&AgentError::SessionUnknown)));
    let judged = judge(Program::Claude, &lost, &AgentExit::Exited(1), "");
    assert_eq!((judged.end, judged.session), (End::NotStarted, SessionFate::Forget));
}

#[test]
fn errors_are_told_as_the_real_program_tells_them() {
    let theatre = Theatre::new();
    let error = |steps: &str| theatre.play(steps).error;
    assert_eq!(
        error("[{error: {kind: api, status: 529}}]"),
        Some(AgentError::ApiError { status: Some(529) })
    );
    assert_eq!(error("[{error: {kind: limit}}]"), Some(AgentError::UsageLimit { resets_at: None }));
    assert!(matches!(
        error("[{error: {kind: limit, resets_in: 1h}}]"),
        Some(AgentError::UsageLimit { resets_at: Some(at) }) if at > 1_700_000_000
    ));
    assert_eq!(error("[{error: {kind: session}}]"), Some(AgentError::SessionUnknown));
    assert_eq!(error("[{say: x}, hit_turn_limit]"), Some(AgentError::MaxTurns));
    assert_eq!(
        error("[{fail: 'no {{ number }}'}]"),
        Some(AgentError::Other("error_during_execution: no 7".to_owned()))
    );
    let denied = theatre.play("[{error: {kind: permission, tool: WebFetch}}, {marker: blocked}]");
    assert!(denied.is_success() && denied.denied_tools == ["WebFetch"], "{denied:?}");
}

#[test]
fn there_are_no_more_turns_than_allowed() {
    let theatre = Theatre::new();
    let run = theatre.run("scenes: [{do: [{say: a}, turn, {say: b}, turn, {say: c}]}]\n");
    let limited = ScriptedRun { max_turns: Some(2), ..run.clone() };
    let (is_fine, report) = played(&limited);
    assert_eq!((is_fine, report.error, report.turns), (false, Some(AgentError::MaxTurns), 2));
    assert_eq!(report.assistant_text, "a\nb\n");
    assert!(played(&ScriptedRun { max_turns: Some(3), ..run }).0);
}

#[test]
fn what_a_step_needs_and_does_not_find_ends_the_run() {
    let theatre = Theatre::new();
    for steps in [
        "[{delete: missing}]",
        "[{run: ['false']}]",
        "[{run: [/no/such/program]}]",
        "[{log: no/such/directory/x}]",
    ] {
        let report = theatre.play(steps);
        assert!(matches!(report.error, Some(AgentError::Other(_))), "{steps}: {report:?}");
    }
    fs::write(theatre.tree().join("a"), "b").unwrap();
    let report = theatre.play("[{replace: {path: a, from: missing, to: x}}]");
    assert!(matches!(report.error, Some(AgentError::Other(words)) if words.contains("does not contain")));
}

#[test]
fn no_link_leads_out_of_the_work_tree() {
    let theatre = Theatre::new();
    std::os::unix::fs::symlink(theatre.directory.path(), theatre.tree().join("out")).unwrap();
    std::os::unix::fs::symlink("/no/such/file", theatre.tree().join("gone")).unwrap();
    for steps in [
        "[{write: {path: out/x, text: y}}]",
        "[{append: {path: out/s.yaml, text: y}}]",
        "[{delete: out/s.yaml}]",
        "[{write: {path: gone, text: y}}]",
    ] {
        let report = theatre.play(steps);
        assert!(
            matches!(&report.error, Some(AgentError::Other(words)) if words.contains("leads out")),
            "{report:?}"
        );
    }
    assert!(!theatre.directory.path().join("x").exists());
}

#[test]
fn who_worked_when_is_logged() {
    let theatre = Theatre::new();
    theatre.play("[{log: agents.log}, {say: x}]");
    let log = fs::read_to_string(theatre.directory.path().join("agents.log")).unwrap();
    let lines: Vec<serde_json::Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let [start, end] = lines.as_slice() else { panic!("{log}") };
    assert_eq!((&start["event"], &end["event"]), (&"start".into(), &"end".into()));
    assert_eq!((&start["issue"], &start["pid"]), (&"acme/app#7".into(), &std::process::id().into()));
    assert!(start["at_ms"].as_u64() <= end["at_ms"].as_u64());
}

#[test]
fn a_flood_is_as_long_as_it_was_asked_for_and_means_nothing() {
    let theatre = Theatre::new();
    let mut out = Vec::new();
    play(&theatre.run("scenes: [{do: [{flood: 100000}]}]\n"), &mut out).unwrap();
    assert!(out.len() > 100_000 && out.len() < 120_000, "{}", out.len());
}

#[test]
fn a_bare_wake_is_read_from_its_document() {
    let theatre = Theatre::new();
    let mut run =
        theatre.run("scenes: [{when: {stage: Plan, job: comments, attempt: 2}, do: [{say: fits}]}]\n");
    let (is_fine, report) = played(&run);
    assert!(
        !is_fine && matches!(report.error, Some(AgentError::Other(words)) if words.contains("no scene of"))
    );
    run.variables.remove("BATON_STAGE");
    run.prompt = r#"{"attempt":2,"context":{"stage":"Plan","job":"comments"}}"#.to_owned();
    assert_eq!(played(&run).1.text.as_deref(), Some("fits"));
}

#[test]
fn a_script_with_mistakes_is_not_played() {
    let theatre = Theatre::new();
    let error = play(&theatre.run("scenes: [{do: [{sya: x}]}]\n"), &mut Vec::new()).unwrap_err();
    assert!(error.to_string().contains("did you mean `say`?"), "{error}");
    let missing = ScriptedRun { file: Path::new("/no/such.yaml").to_owned(), ..ScriptedRun::default() };
    assert!(matches!(play(&missing, &mut Vec::new()), Err(ScriptRunError::Unreadable { .. })));
}

#[test]
fn every_example_is_a_script() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/examples/scripts");
    let mut names = Vec::new();
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let script = Script::read(&path.display().to_string(), &fs::read_to_string(&path).unwrap());
        assert!(script.is_ok(), "{}", script.unwrap_err());
        names.push(path.file_name().unwrap().to_string_lossy().into_owned());
    }
    assert!(names.len() >= 3, "{names:?}");
}

#[test]
fn the_example_on_the_page_is_a_script() {
    let page = include_str!("../../../../docs/script-agent.md");
    let yaml = page.split("```yaml\n").nth(2).and_then(|rest| rest.split("```").next()).unwrap();
    assert_eq!(Script::read("page", yaml).unwrap().scenes.len(), 2);
}

#[test]
fn the_example_of_a_relay_is_played() {
    let theatre = Theatre::new();
    let run = theatre.run(include_str!("../../../../docs/examples/scripts/relay.yaml"));
    let (is_fine, report) = played(&run);
    assert!(is_fine && report.text.unwrap().ends_with("BATON_STAGE_COMPLETE"));
    assert_eq!(theatre.git(&["ls-files"]), "notes/issue-7.md");
}

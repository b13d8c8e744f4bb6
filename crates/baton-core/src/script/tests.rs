//! How scripts are read, and which scene is for whom.

use super::*;

fn read(text: &str) -> Script {
    Script::read("s.yaml", text).unwrap()
}

#[track_caller]
fn check_mistakes(text: &str, expected: &[&str]) {
    let ScriptError(mistakes) = Script::read("s.yaml", text).unwrap_err();
    assert_eq!(mistakes.iter().map(ToString::to_string).collect::<Vec<_>>(), expected, "{text}");
}

const ALL: &str = "clock: 2026-01-01T00:00:00Z
dialect: fabrik
scenes:
  - when: {stage: Plan, job: comments, attempt: 2, issue: 7, repo: acme/app, prompt_contains: please}
    do:
      - write: {path: 'a/{{ number }}.txt', text: \"hi\\n\"}
      - append: {path: a.txt, text: more}
      - replace: {path: a.txt, from: hi, to: ho}
      - delete: a.txt
      - run: [make, -j, 2]
      - commit: 'feat: {{ issue }}'
      - say: working
      - sleep: 200ms
      - turn
      - marker: blocked
      - summary: why?
      - issue_update: new text
      - sub_issue: {title: t, body: b, repo: acme/lib}
      - error: {kind: permission, tool: WebFetch}
      - error: {kind: api, status: 529}
      - error: {kind: limit, resets_in: 5s}
      - error: {kind: session}
      - fail: no
      - hit_turn_limit
      - flood: 1000
      - crash
      - hang:
      - log: ../agents.log
";

#[test]
fn every_step_is_read() {
    let script = read(ALL);
    assert_eq!(script.clock, Some("2026-01-01T00:00:00Z".parse().unwrap()));
    assert_eq!(script.dialect, PipelineDialect::Fabrik);
    let [scene] = script.scenes.as_slice() else { panic!("{script:?}") };
    assert_eq!(scene.when.job, Some(Job::Comments));
    assert_eq!((scene.when.attempt, scene.when.issue.as_deref()), (Some(2), Some("7")));
    assert_eq!(scene.steps.len(), 23);
    assert_eq!(
        scene.steps[0],
        Step::Write { path: "a/{{ number }}.txt".to_owned(), text: "hi\n".to_owned() }
    );
    assert_eq!(scene.steps[4], Step::Run(["make", "-j", "2"].map(str::to_owned).to_vec()));
    assert_eq!(scene.steps[7], Step::Sleep(Duration::from_millis(200)));
    assert_eq!(scene.steps[14], Step::Error(ScriptedError::Api { status: Some(529) }));
    assert_eq!(scene.steps[21], Step::Hang);
    assert_eq!(scene.steps[22], Step::Log("../agents.log".into()));
}

fn situation() -> Situation {
    Situation {
        stage: Some("Plan".to_owned()),
        job: None,
        attempt: 1,
        issue: "acme/app#7".to_owned(),
        number: "7".to_owned(),
        repo: "acme/app".to_owned(),
        run: "31".to_owned(),
        agent: "coder".to_owned(),
        prompt: "please plan".to_owned(),
    }
}

#[test]
fn the_first_scene_that_fits_is_played() {
    for (when, fits) in [
        ("{}", true),
        ("{stage: Plan}", true),
        ("{stage: plan}", false),
        ("{job: stage}", true),
        ("{job: review}", false),
        ("{attempt: 1}", true),
        ("{attempt: 2}", false),
        ("{issue: acme/app#7}", true),
        ("{issue: '#7'}", true),
        ("{issue: 70}", false),
        ("{repo: acme/lib}", false),
        ("{prompt_contains: plan}", true),
        ("{prompt_contains: Plan}", false),
        ("{stage: Plan, attempt: 2}", false),
    ] {
        let script = read(&format!("scenes: [{{when: {when}, do: [turn]}}, {{do: [crash]}}]\n"));
        let played = script.scene(&situation()).unwrap();
        assert_eq!(played.steps == [Step::Turn], fits, "{when}");
    }
    assert_eq!(read("scenes: [{when: {stage: X}, do: [turn]}]\n").scene(&situation()), None);
}

#[test]
fn texts_are_filled_with_what_is_known() {
    let filled = fill(
        "{{issue}} {{ number }}/{{ repo }} {{ stage }} {{ job }} {{ run }}.{{ attempt }} {{ agent }}",
        &situation(),
    );
    assert_eq!(filled, "acme/app#7 7/acme/app Plan stage 31.1 coder");
    assert_eq!(fill("{{ x }} {{ issue", &situation()), "{{ x }} {{ issue");
}

#[test]
fn mistakes_are_told_with_their_place_and_what_was_meant() {
    check_mistakes(
        "scenes:\n  - do:\n      - wirte: {path: a, text: b}\n",
        &["s.yaml:3:9: there is no step `wirte`; did you mean `write`?"],
    );
    check_mistakes(
        "scens: []\n",
        &["s.yaml:1:1: there is no key of scripts `scens`; did you mean `scenes`?"],
    );
    check_mistakes(
        "scenes: [{when: {satge: x}, do: [turn]}]\n",
        &["s.yaml:1:18: there is no condition `satge`; did you mean `stage`?"],
    );
    check_mistakes(
        "scenes: [{do: [{write: {path: ../a, txt: x}}]}]\n",
        &[
            "s.yaml:1:37: there is no field of `write` `txt`; did you mean `text`?",
            "s.yaml:1:24: `write` needs `text`: write `text: …`",
        ],
    );
    check_mistakes(
        "scenes: [{do: [{delete: ../a}, {write: {path: .git/x, text: y}}]}]\n",
        &[
            "s.yaml:1:25: `../a` cannot be a path: write a path without `..`, since it stays in the work tree",
            "s.yaml:1:47: `.git/x` cannot be a path: write a path that git does not keep for itself",
        ],
    );
    check_mistakes(
        "scenes: [{do: [{say: 'for {{ isue }}'}]}]\n",
        &["s.yaml:1:22: nothing is called `isue` here; did you mean `issue`?"],
    );
    check_mistakes(
        "scenes: [{do: [{marker: done}, {error: {kind: api, tool: x}}, say, {crash: 3}]}]\n",
        &[
            "s.yaml:1:25: this cannot be `done`: write one of complete, blocked, decomposed",
            "s.yaml:1:40: `tool` means nothing to an error of the kind `api`: remove it",
            "s.yaml:1:63: the step `say` needs more: write `say: …`",
            "s.yaml:1:76: nothing belongs to `crash`: write `- crash`",
        ],
    );
    check_mistakes(
        "scenes: [{when: {}}]\n",
        &["s.yaml:1:10: a scene needs steps: write `do: [{say: done}, {marker: complete}]`"],
    );
    check_mistakes("scenes: 3\n", &["s.yaml:1:9: scenes must be a list: write `- do: [{say: done}]`"]);
    check_mistakes(
        "{}\n",
        &["s.yaml:1:1: a script needs scenes: write `scenes: [{do: [{say: done}, {marker: complete}]}]`"],
    );
    assert!(Script::read("s.yaml", "scenes: [\n").is_err());
}

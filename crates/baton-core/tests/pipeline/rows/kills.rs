//! Runs that were stopped: §7.6. How long a run may take is read here; the agent's supervisor measures it.

use std::time::Duration;

use baton_core::agent_lines::{Program, Reader};
use baton_core::config::stages::read_stages;
use baton_core::config::{Layers, PipelineDialect, TextFile, resolve};
use baton_core::pipeline::effect::{Effect, Job};
use baton_core::pipeline::names::{Flag, StageMark};
use baton_core::pipeline::step::Rest;
use baton_core::pipeline::{End, Settlement, Step};

use crate::pipeline::world::{World, ended, issue_in, relabelled};

pub(crate) fn s7_6_01_no_wall_time_means_no_cap() {
    for line in ["", "max_wall_time: 0s"] {
        assert_eq!(wall_time(line), None, "{line:?}");
    }
    let config = resolve(&Layers::default()).unwrap().config;
    assert_eq!(config.max_wall_time, None);
    assert!(!config.inactivity_timeout.is_zero());
}

pub(crate) fn s7_6_02_the_wall_time_ends_a_run() {
    assert_eq!(wall_time("max_wall_time: 45m"), Some(Duration::from_mins(45)));
    assert_cools_down(&timed_out("I am not done."));
}

pub(crate) fn s7_6_03_silence_ends_a_run() {
    for text in ["", "max_wall_time: 2h\n"] {
        let file = Some(TextFile { path: "baton.yaml".to_owned(), text: text.to_owned() });
        let config = resolve(&Layers { file, ..Layers::default() }).unwrap().config;
        assert_eq!(config.inactivity_timeout, Duration::from_mins(15), "{text:?}");
    }
    assert_cools_down(&timed_out(""));
}

pub(crate) fn s7_6_04_a_marker_said_before_the_end_counts() {
    let said = "All done.\n\nBATON_STAGE_COMPLETE";
    let settlement = timed_out(said);
    assert_eq!(settlement, in_progress().end_stage(said), "it is as if it had ended by itself");
    let expected = "+stage:Implement:complete -baton:locked:ana -stage:Implement:in_progress";
    assert_eq!(relabelled(&settlement), expected);
    let draft = Effect::CreateDraftPull { summary: None };
    for effect in [Effect::PushBranch, draft, Effect::MarkPullReady, Effect::Release] {
        assert!(settlement.effects.contains(&effect), "{effect:?}");
    }
}

pub(crate) fn s7_6_05_no_marker_said_is_a_cooldown() {
    assert_cools_down(&timed_out("I begin."));
    let crashed = in_progress().end_run(&ended(Job::Stage, End::Failed, "I begin."));
    assert!(crashed.memory.is_none(), "crashes are counted elsewhere: {crashed:?}");
}

pub(crate) fn s7_6_06_other_markers_do_not_count_after_the_end() {
    for marker in ["BATON_DECOMPOSED", "BATON_BLOCKED_ON_INPUT"] {
        assert_cools_down(&timed_out(marker));
    }
}

pub(crate) fn s7_6_07_a_marker_from_elsewhere_does_not_count() {
    let by_the_agent = r#"{"type":"assistant","message":{"content":[{"type":"text","text":"SAID"}]}}"#;
    let by_a_tool = r#"{"type":"user","message":{"content":[{"type":"tool_result","content":"SAID"}]}}"#;
    let by_the_prompt = r#"{"type":"user","message":{"content":[{"type":"text","text":"SAID"}]}}"#;
    for (line, counts) in [(by_the_agent, true), (by_a_tool, false), (by_the_prompt, false)] {
        let mut reader = Reader::new(Program::Claude);
        reader.line(&line.replace("SAID", "BATON_STAGE_COMPLETE"));
        let mut world = in_progress();
        world.end_run(&ended(Job::Stage, End::TimedOut, &reader.finish().assistant_text));
        assert_eq!(world.is_marked("Implement", StageMark::Complete), counts, "{line}");
        assert_eq!(world.step() == Step::Rest(Rest::Cooldown), !counts, "{line}");
    }
}

pub(crate) fn s7_6_08_a_shutdown_is_not_a_time_out() {
    for text in ["I begin.", "BATON_STAGE_COMPLETE", "BATON_BLOCKED_ON_INPUT"] {
        let mut world = in_progress();
        let settlement = world.end_run(&ended(Job::Stage, End::Stopped, text));
        assert!(settlement.is_empty(), "{settlement:?}");
        assert_eq!(world.step(), Step::Invoke { resume: false }, "it is taken up again");
        let mut answering = issue_in("Implement").flag(Flag::Editing);
        let settlement = answering.end_run(&ended(Job::Comments, End::Stopped, text));
        assert_eq!(settlement.effects.len(), 1);
        assert_eq!(relabelled(&settlement), "-baton:editing");
    }
}

/// Returns an Implement at work.
fn in_progress() -> World {
    issue_in("Implement").locked()
}

fn timed_out(said: &str) -> Settlement {
    in_progress().end_run(&ended(Job::Stage, End::TimedOut, said))
}

/// Returns what a stage file says about the time of a run.
fn wall_time(line: &str) -> Option<Duration> {
    let text = format!("name: Plan\norder: 1\nprompt: Think.\n{line}\n");
    let file = TextFile { path: "plan.yaml".to_owned(), text };
    read_stages(&[file], PipelineDialect::Baton).unwrap().pipeline.stage("Plan").unwrap().max_wall_time
}

/// Says that a stage keeps its labels, is charged an attempt, and rests.
fn assert_cools_down(settlement: &Settlement) {
    assert_eq!(relabelled(settlement), "");
    let memory = settlement.memory.as_ref().unwrap();
    assert_eq!(memory.attempts["Implement"], 1);
    assert!(memory.cooldowns.contains_key("Implement"));
    assert!(!settlement.effects.contains(&Effect::Release));
}

//! The diagrams of the page, in Mermaid's language.
//!
//! Names of stages come from stage files, so they are quoted; nothing else on a diagram is anybody's text.

use std::fmt::Write as _;

use super::super::stage::{Pipeline, Stage, StageKind};

/// Something that an issue does within a stage.
struct Move {
    from: &'static str,
    to: &'static str,
    /// The steps or the ends of runs by which it does.
    by: &'static str,
}

const ENTRY: &str = "[*]";

/// Where an issue may be within a stage, and what that means.
const PLACES: [(&str, &str); 5] = [
    ("waiting", "waits for work"),
    ("working", "an agent works on the stage"),
    ("answering", "an agent answers comments"),
    ("gates", "finished, at the gates"),
    ("paused", "paused, a person is asked"),
];

/// The moves, in the order in which they are drawn.
const MOVES: [Move; 22] = [
    Move { from: ENTRY, to: "waiting", by: "the issue enters the column" },
    Move { from: "waiting", to: "waiting", by: "rest, repair_labels, clear_failure" },
    Move { from: "waiting", to: "waiting", by: "hold_at_gate while other issues come first" },
    Move { from: "waiting", to: "working", by: "invoke_stage" },
    Move { from: "waiting", to: "answering", by: "process_comments" },
    Move { from: "waiting", to: "paused", by: "pause when a budget is spent" },
    Move { from: "working", to: "waiting", by: "the run ends without a word and cools down" },
    Move { from: "working", to: "gates", by: "the run says that the stage is complete" },
    Move { from: "working", to: "paused", by: "the run asks a person, or was the last try" },
    Move { from: "working", to: ENTRY, by: "the run took the issue apart" },
    Move { from: "answering", to: "waiting", by: "the run has answered" },
    Move { from: "answering", to: "gates", by: "the run has answered a finished stage" },
    Move { from: "answering", to: "paused", by: "the run asks a person" },
    Move { from: "gates", to: "gates", by: "rest, hold_at_gate, repair_labels, merge" },
    Move { from: "gates", to: "answering", by: "process_comments" },
    Move { from: "gates", to: "answering", by: "reinvoke for reviews, checks or a rebase" },
    Move { from: "gates", to: "waiting", by: "repair_labels after a plan was rejected" },
    Move { from: "gates", to: "paused", by: "pause" },
    Move { from: "gates", to: ENTRY, by: "advance" },
    Move { from: "paused", to: "answering", by: "process_comments when a person replies" },
    Move { from: "paused", to: "waiting", by: "clear_failure when a person takes the label off" },
    Move { from: "waiting", to: ENTRY, by: "cleanup in the last stage" },
];

/// Draws what an issue does within a stage.
pub(super) fn stage() -> String {
    let mut drawing = String::from("```mermaid\nstateDiagram-v2\n");
    for (place, what) in &PLACES {
        let _ = writeln!(drawing, "    state \"{what}\" as {place}");
    }
    for Move { from, to, by } in &MOVES {
        let _ = writeln!(drawing, "    {from} --> {to} : {by}");
    }
    drawing + "```\n"
}

/// Draws the way of an issue through a pipeline, as it is handed on.
pub(super) fn pipeline(pipeline: &Pipeline) -> String {
    let mut drawing = String::from("```mermaid\nstateDiagram-v2\n    direction LR\n");
    let stages = pipeline.stages();
    let place = |stage: &Stage| stages.iter().position(|other| other.name == stage.name).unwrap_or_default();
    for (at, stage) in stages.iter().enumerate() {
        let _ = writeln!(drawing, "    state \"{}\" as s{at}", stage.name.replace(['"', '\n'], "'"));
    }
    if let Some(first) = stages.iter().find(|stage| stage.is_working()) {
        let _ = writeln!(drawing, "    {ENTRY} --> s{}", place(first));
    }
    for (at, stage) in stages.iter().enumerate() {
        let _ = match pipeline.after(stage).filter(|_| stage.is_working()) {
            Some(next) => writeln!(drawing, "    s{at} --> s{}", place(next)),
            None if stage.kind == StageKind::Cleanup => writeln!(drawing, "    s{at} --> {ENTRY}"),
            None => Ok(()),
        };
    }
    for (at, stage) in stages.iter().enumerate() {
        drawing += &note(at, &gates(pipeline, stage));
    }
    drawing + "```\n"
}

fn note(at: usize, lines: &[&str]) -> String {
    if lines.is_empty() {
        return String::new();
    }
    let lines: String = lines.iter().map(|line| format!("        {line}\n")).collect();
    format!("    note right of s{at}\n{lines}    end note\n")
}

/// What a stage waits for before it is left, and what it does to the pull request.
fn gates(pipeline: &Pipeline, stage: &Stage) -> Vec<&'static str> {
    let told = [
        ("opens a draft pull request", stage.create_draft_pr),
        ("declares it ready", stage.mark_pr_ready),
        ("waits for approval", stage.approval.is_some()),
        ("waits for reviews", stage.wait_for_reviews),
        ("waits for checks", stage.wait_for_ci),
        ("merged here when yolo", pipeline.is_last_working(stage)),
        ("the work tree is removed", stage.kind == StageKind::Cleanup),
        ("nothing is done here", matches!(stage.kind, StageKind::Holding | StageKind::Unmanaged)),
    ];
    told.into_iter().filter(|(_, is_so)| *is_so).map(|(what, _)| what).collect()
}

#[cfg(test)]
mod tests {
    use super::super::STEPS;
    use super::*;

    #[test]
    fn every_step_is_a_move_of_the_diagram() {
        for (step, _) in &STEPS {
            let is_by = |by: &str| by.split([' ', ',']).any(|word| word == step.word());
            assert!(MOVES.iter().any(|it| is_by(it.by)), "{}", step.word());
        }
    }

    #[test]
    fn moves_lead_from_places_to_places_in_plain_words() {
        let is_place = |name: &str| name == ENTRY || PLACES.iter().any(|(place, _)| *place == name);
        for Move { from, to, by } in &MOVES {
            assert!(is_place(from) && is_place(to), "{from} --> {to}");
            // A colon, a semicolon or a sharp would be read as Mermaid.
            assert!(by.chars().all(|c| c.is_ascii_alphabetic() || " _,".contains(c)), "{by}");
        }
    }

    #[test]
    fn a_pipeline_is_drawn_as_issues_are_handed_on() {
        let stage =
            |name: &str, order, kind| Stage { name: name.to_owned(), order, kind, ..Stage::default() };
        let mut review = stage("In \"QA\"", 2, StageKind::Working);
        review.wait_for_reviews = true;
        let drawn = pipeline(&Pipeline::new(vec![
            stage("Plan", 1, StageKind::Working),
            stage("Queued", 3, StageKind::Holding),
            review,
            stage("Done", 9, StageKind::Cleanup),
        ]));
        let expected = "```mermaid
stateDiagram-v2
    direction LR
    state \"Plan\" as s0
    state \"In 'QA'\" as s1
    state \"Queued\" as s2
    state \"Done\" as s3
    [*] --> s0
    s0 --> s1
    s1 --> s3
    s3 --> [*]
    note right of s1
        waits for reviews
        merged here when yolo
    end note
    note right of s2
        nothing is done here
    end note
    note right of s3
        the work tree is removed
    end note
```
";
        assert_eq!(drawn, expected);
    }
}

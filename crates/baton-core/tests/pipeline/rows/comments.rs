//! Which comments are new, and what happens to them.

use baton_core::config::PipelineDialect;
use baton_core::config::stages::prompts::{self, Purpose};
use baton_core::pipeline::checks::Conclusion;
use baton_core::pipeline::effect::{Effect, Job, Place, Reaction, Wake};
use baton_core::pipeline::item::{Comment, Item};
use baton_core::pipeline::names::{Flag, StageMark};
use baton_core::pipeline::stage::Instruction;
use baton_core::pipeline::step::{Cause, Rest, Step};
use baton_core::pipeline::{End, Outcome, Settlement, turns};

use crate::pipeline::world::{
    World, added, check, comment, ended, issue_in, relabelled, removed, said, thread,
};

pub(crate) fn s4_1_01_a_processed_comment_is_not_new() {
    let world = commented("Plan").with(|world| world.item.memory.processed_comments.extend([1]));
    assert!(!is_news(&world));
    let stored = serde_json::to_string(&world.item).unwrap();
    let restarted = world.with(|world| world.item = serde_json::from_str::<Item>(&stored).unwrap());
    assert!(!is_news(&restarted));
}

pub(crate) fn s4_1_02_our_own_comment_is_not_new() {
    assert!(!is_news_by(|comment| comment.body = "🏃 **Baton — paused**\n\nWhy?".to_owned()));
    assert!(is_news_by(|comment| comment.body = "> 🏃 **Baton — paused**\n\nWhy?".to_owned()), "a quotation");
}

pub(crate) fn s4_1_03_a_rocketed_comment_is_not_new() {
    assert!(!is_news_by(|comment| comment.has_rocket = true));
}

pub(crate) fn s4_1_04_one_of_the_three_signs_is_enough() {
    for signs in 0..8 {
        let world = commented("Plan").with(|world| {
            world.item.memory.processed_comments.extend((signs & 1 > 0).then_some(1));
            world.item.comments[0].has_rocket = signs & 2 > 0;
            world.item.comments[0]
                .body
                .insert_str(0, if signs & 4 > 0 { "🏃 **Baton — paused**\n\n" } else { "" });
        });
        assert_eq!(is_news(&world), signs == 0, "{signs}");
    }
}

pub(crate) fn s4_1_05_a_comment_of_ours_gets_its_rocket() {
    let mut worlds = [commented("Plan"), commented("Implement"), commented("Review").with(with_threads)];
    for (world, text) in worlds.iter_mut().zip(["BATON_BLOCKED_ON_INPUT", "BATON_STAGE_COMPLETE", ""]) {
        world.look();
        world.end_run(&answered(End::Finished, &format!("Hello.\n{text}")));
        world.perform(world.settlement(&Step::Pause(baton_core::pipeline::step::Pause::ReviewCycles)));
        let own: Vec<_> = world.item.comments.drain(..).filter(|comment| comment.id != 1).collect();
        assert!(own.len() >= 2, "{own:?}");
        assert!(own.iter().all(|comment| comment.body.starts_with("🏃 **Baton — ")), "{own:?}");
        world.item.comments = own.into_iter().map(|own| Comment { has_rocket: false, ..own }).collect();
        assert_eq!(world.view().new_comments().count(), 0);
    }
}

pub(crate) fn s4_1_06_strangers_comments_are_not_new() {
    assert!(!is_news_by(|comment| comment.may_write = false));
}

pub(crate) fn s4_1_07_service_notices_are_not_new() {
    let by = |author: &str, is_bot, body: &str| {
        is_news_by(|comment| {
            *comment = Comment { is_bot, ..crate::pipeline::world::comment(1, author, body) };
        })
    };
    assert!(!by("copilot-review", false, "You have reached your quota limit."));
    assert!(!by("reviewer", true, "Rate limit exceeded, try again later."));
    assert!(by("reviewer", true, "This loop never ends."), "a finding");
    assert!(by("ana", false, "Please add a rate limit."), "a person means work");
}

pub(crate) fn s4_1_08_claims_and_releases_are_never_new() {
    let bodies = [
        "<!-- agent-claim: codename=finn firing_id=f1 -->\nTaken by finn.",
        "<!-- agent-release: codename=finn firing_id=f1 outcome=success -->",
        "<!-- claim run=7 -->",
        "  <!-- agent-claim: what nobody can read",
    ];
    for (body, author) in bodies.iter().flat_map(|body| [(body, "ana"), (body, "baton-app[bot]")]) {
        assert!(!is_news_by(|comment| *comment = crate::pipeline::world::comment(1, author, body)), "{body}");
    }
    assert!(is_news_by(|comment| comment.body = "See <!-- agent-claim: … --> above.".to_owned()));
}

pub(crate) fn s4_2_01_new_comments_get_eyes() {
    let world = commented("Review").with(with_threads).comment(comment(2, "rob", "And why that?"));
    let old = Comment { has_rocket: true, ..comment(3, "rob", "Old.") };
    let settlement = processing(&world.comment(old));
    assert_eq!(
        reactions(&settlement),
        [(Place::Issue, vec![1, 2], Reaction::Eyes), (Place::Pull, vec![903, 907], Reaction::Eyes)]
    );
}

pub(crate) fn s4_2_01b_made_up_comments_get_no_reactions() {
    let failed = vec![check(1, "build", Some(Conclusion::Failure))];
    let failing = issue_in("Validate").flag(Flag::AwaitingCi).pull(|pull| pull.checks = Some(failed.into()));
    let conflicting = issue_in("Validate").flag(Flag::AwaitingCi).pull(|pull| pull.mergeable = Some(false));
    for (mut world, cause) in [(failing, Cause::CiFix), (conflicting, Cause::Rebase)] {
        assert_eq!(world.step(), Step::Reinvoke(cause));
        assert_eq!(reactions(&world.settlement(&world.step())), []);
        world.look();
        let settlement = world.end_run(&ended(cause.into(), End::Finished, "Repaired."));
        assert!(reactions(&settlement).is_empty() && !said(&settlement).is_empty(), "{settlement:?}");
    }
}

pub(crate) fn s4_2_02_editing_is_on_during_the_run() {
    let settlement = processing(&commented("Plan"));
    let editing = Effect::AddLabel { label: "baton:editing".to_owned() };
    let place = |is_it: &dyn Fn(&Effect) -> bool| settlement.effects.iter().position(is_it).unwrap();
    assert!(place(&|effect| *effect == editing) < place(&|effect| matches!(effect, Effect::Wake(_))));
}

pub(crate) fn s4_2_03_the_worktree_is_there() {
    for has_worktree in [true, false] {
        let mut world = commented("Implement").with(|world| world.item.has_worktree = has_worktree);
        world.look();
        assert_eq!(world.jobs(), [Job::Comments]);
    }
}

pub(crate) fn s4_2_04_the_agent_gets_the_comment_prompt() {
    let world = commented("Plan").stage(|stage| stage.comment_max_turns = Some(9));
    let wake = Effect::Wake(Wake {
        job: Job::Comments,
        agent: None,
        stage: "Plan".to_owned(),
        resume: false,
        comments: vec![1],
        threads: Vec::new(),
        thread_comments: Vec::new(),
    });
    assert!(processing(&world).effects.contains(&wake));
    assert_eq!(turns::first(world.view().stage, Job::Comments, false).turns, Some(9));
    for own in [Instruction::Prompt("Be kind.".to_owned()), Instruction::Skill("answer".to_owned())] {
        let world = commented("Plan").stage(|stage| stage.comment_instruction = Some(own.clone()));
        assert_eq!(prompts::instruction(world.view().stage, Purpose::Comment, PipelineDialect::Baton), own);
    }
    let built_in = prompts::instruction(world.view().stage, Purpose::Comment, PipelineDialect::Baton);
    assert_eq!(built_in, Instruction::Prompt(prompts::COMMENT.to_owned()));
}

pub(crate) fn s4_2_05_completion_is_looked_for() {
    let table = [
        (End::Finished, "Done.\nBATON_STAGE_COMPLETE", true),
        (End::FinishedWithError, "Done.\nBATON_STAGE_COMPLETE", true),
        (End::TimedOut, "Done.\nBATON_STAGE_COMPLETE", true),
        (End::Finished, "I shall say BATON_STAGE_COMPLETE later.", false),
        (End::Finished, "Done.", false),
    ];
    for (end, text, is_complete) in table {
        let (world, _) = answer("Plan", end, text);
        assert_eq!(world.is_marked("Plan", StageMark::Complete), is_complete, "{end:?}: {text}");
    }
}

pub(crate) fn s4_2_05b_a_question_counts_in_comment_runs_too() {
    let text = "BATON_SUMMARY_BEGIN\nBlue or green?\nBATON_SUMMARY_END\nBATON_BLOCKED_ON_INPUT";
    let (world, settlement) = answer("Plan", End::Finished, text);
    assert_eq!(relabelled(&settlement), "+baton:awaiting-input +baton:paused -baton:editing");
    let [(Place::Issue, question)] = said(&settlement)[..] else { panic!("not one comment: {settlement:?}") };
    assert!(question.contains("@ana: ") && question.contains("> Blue or green?"), "{question}");
    assert_eq!(world.step(), Step::Rest(Rest::AwaitingInput));
}

pub(crate) fn s4_2_06_an_issue_update_is_applied() {
    for word in ["BATON_STAGE_COMPLETE", "BATON_BLOCKED_ON_INPUT", ""] {
        let (_, settlement) = answer("Plan", End::Finished, &format!("{UPDATE}\n{word}"));
        let update = Effect::UpdateIssue { body: "Greet people by name.".to_owned() };
        assert!(settlement.effects.contains(&update), "{word}: {settlement:?}");
    }
    let (_, settlement) = answer("Plan", End::Finished, "Nothing changes.");
    assert!(!settlement.effects.iter().any(|effect| matches!(effect, Effect::UpdateIssue { .. })));
}

pub(crate) fn s4_2_06b_an_issue_update_is_not_posted() {
    let (_, settlement) = answer("Plan", End::Finished, UPDATE);
    let [(Place::Issue, body)] = said(&settlement)[..] else { panic!("not one comment: {settlement:?}") };
    assert!(body.contains("I changed the issue.") && !body.contains("by name"), "{body}");
    assert!(!body.contains("BATON_"), "{body}");
}

pub(crate) fn s4_2_07_markers_are_not_posted() {
    let summary = "BATON_SUMMARY_BEGIN\nIn short.\nBATON_SUMMARY_END";
    for word in ["BATON_STAGE_COMPLETE", "BATON_BLOCKED_ON_INPUT", "BATON_DECOMPOSED", ""] {
        let (_, settlement) = answer("Plan", End::Finished, &format!("At length.\n{summary}\n{word}"));
        let said: String = said(&settlement).into_iter().map(|(_, body)| body).collect();
        assert!(!said.contains("BATON_"), "{said}");
        assert!(said.contains("At length.") && said.contains("In short."), "{said}");
    }
}

pub(crate) fn s4_2_08_stages_of_the_pull_request_post_anew() {
    let world = commented("Implement").comment(own_comment("Implement")).pull(|_| {});
    let (_, settlement) = answer_in(world, End::Finished, "Because.");
    let [(Place::Issue, body)] = said(&settlement)[..] else { panic!("not one comment: {settlement:?}") };
    assert!(body.starts_with("🏃 **Baton — stage: Implement (comment review)**"), "{body}");
    assert!(body.contains("Because.") && !rewrites(&settlement), "{settlement:?}");
}

pub(crate) fn s4_2_08b_other_stages_rewrite_their_comment() {
    let others = commented("Plan").comment(own_comment("Research"));
    let (_, settlement) = answer_in(others, End::Finished, "Because.");
    assert!(!rewrites(&settlement) && said(&settlement)[0].1.contains("Because."), "{settlement:?}");
    let world = commented("Plan").comment(own_comment("Plan"));
    let (world, settlement) = answer_in(world, End::Finished, "Because.");
    assert!(said(&settlement).is_empty(), "{settlement:?}");
    assert!(world.item.comments[1].body.contains("Because."), "{:?}", world.item.comments);
    let forged = Comment { is_own_account: false, ..own_comment("Plan") };
    let (_, settlement) = answer_in(commented("Plan").comment(forged), End::Finished, "Because.");
    assert!(!rewrites(&settlement), "somebody else's comment was written anew: {settlement:?}");
}

pub(crate) fn s4_2_08c_answered_threads_are_listed_on_the_pull_request() {
    let (_, settlement) = answer_threads("Renamed.");
    let [(Place::Issue, _), (Place::Pull, body)] = said(&settlement)[..] else { panic!("{settlement:?}") };
    assert!(body.starts_with("🏃 **Baton — stage: Review (review feedback addressed)**"), "{body}");
    assert!(body.contains("Renamed."), "{body}");
    let listed: Vec<_> = body.lines().filter(|line| line.starts_with("- ")).collect();
    let expected = ["- `src/a.rs:3` — resolved", "- `src/b.rs:7` — resolved", "- `src/c.rs` — resolved"];
    assert_eq!(listed, expected);
}

pub(crate) fn s4_2_08d_nothing_is_listed_without_output_or_pull_request() {
    let table: [(&str, &str, Change); 3] = [
        ("no output", "", |_, _| {}),
        ("no pull request", "Renamed.", |world, _| world.item.pull = None),
        ("a mixed batch", "Renamed.", |_, outcome| outcome.comments = vec![1]),
    ];
    for (why, text, change) in table {
        let mut world = threaded();
        let mut outcome = thread_answer(text);
        change(&mut world, &mut outcome);
        let settlement = world.end_run(&outcome);
        assert!(said(&settlement).iter().all(|(place, _)| *place == Place::Issue), "{why}: {settlement:?}");
        assert_eq!(said(&settlement).len(), usize::from(!text.is_empty()), "{why}");
    }
}

pub(crate) fn s4_2_09_editing_is_off_afterwards() {
    for text in ["Because.", "Done.\nBATON_STAGE_COMPLETE", "BATON_BLOCKED_ON_INPUT"] {
        let (world, settlement) = answer("Plan", End::Finished, text);
        assert!(removed(&settlement).contains(&"baton:editing") && !world.has(Flag::Editing), "{text}");
    }
}

pub(crate) fn s4_2_09b_editing_is_off_after_an_error_too() {
    for end in ENDS {
        for job in [Job::Comments, Job::Review, Job::CiFix, Job::Rebase] {
            let mut world = issue_in("Review").flag(Flag::Editing).pull(|_| {});
            world.end_run(&ended(job, end, ""));
            assert!(!world.has(Flag::Editing), "{end:?} {job}");
            let again = world.end_run(&ended(job, end, ""));
            assert!(!removed(&again).contains(&"baton:editing"), "it is gone already");
        }
    }
}

pub(crate) fn s4_2_10_processed_comments_get_rockets() {
    let (world, settlement) = answer("Plan", End::Finished, "Because.");
    assert_eq!(reactions(&settlement), [(Place::Issue, vec![1], Reaction::Rocket)]);
    assert!(world.item.memory.processed_comments.contains(&1) && world.item.comments[0].has_rocket);
    let (world, settlement) = answer("Plan", End::Failed, "");
    assert!(reactions(&settlement).is_empty() && is_news(&world), "a failed run has processed nothing");
}

pub(crate) fn s4_2_10b_answered_threads_are_resolved() {
    let (world, settlement) = answer_threads("Renamed.");
    let ids = ["T1", "T2", "T3"].map(str::to_owned).to_vec();
    assert!(settlement.effects.contains(&Effect::ResolveThreads { threads: ids }), "{settlement:?}");
    assert_eq!(reactions(&settlement), [(Place::Pull, vec![903, 904, 907, 909], Reaction::Rocket)]);
    assert_eq!(world.view().new_threads().count(), 0);
}

pub(crate) fn s4_2_11_completion_in_a_comment_run_completes() {
    let mut by_stage = issue_in("Implement").flag(Flag::Yolo).locked();
    by_stage.end_stage("Done.\nBATON_STAGE_COMPLETE");
    let world = commented("Implement").flag(Flag::Yolo);
    let (mut world, settlement) = answer_in(world, End::Finished, "Done.\nBATON_STAGE_COMPLETE");
    assert_eq!(added(&settlement), ["stage:Implement:complete"]);
    for world in [&mut by_stage, &mut world] {
        assert!(!world.item.pull.as_ref().unwrap().is_draft);
        let on = Step::Advance { to: "Review".to_owned() };
        assert_eq!(world.look_until_rest(), [on, Step::Invoke { resume: false }, Step::Rest(Rest::Running)]);
    }
    world.item.labels.sort();
    by_stage.item.labels.sort();
    assert_eq!(world.item.labels, by_stage.item.labels);
}

pub(crate) fn s4_2_11b_without_completion_the_stage_goes_on() {
    let table = [(commented("Plan"), false), (commented("Plan").locked().with(tried_once), true)];
    for (world, resume) in table {
        let (labels, memory) = (world.item.labels.clone(), world.item.memory.clone());
        let (world, _) = answer_in(world, End::Finished, "Because.");
        assert_eq!((&world.item.labels, &world.item.memory.attempts), (&labels, &memory.attempts));
        assert_eq!(world.item.memory.cooldowns, memory.cooldowns);
        assert_eq!(world.step(), Step::Invoke { resume });
    }
}

pub(crate) fn s4_4_01_a_comment_enters_by_awaiting_input() {
    let mut world = commented("Plan").flag(Flag::Paused).flag(Flag::AwaitingInput);
    let settlement = world.settlement(&world.step());
    assert_eq!(relabelled(&settlement), "+baton:editing -baton:awaiting-input -baton:paused");
    assert_eq!(world.look(), Step::ProcessComments { resumes: true });
    assert_eq!(world.jobs(), [Job::Comments]);
}

pub(crate) fn s4_4_02_a_comment_enters_by_a_pause() {
    let mut world = commented("Plan").flag(Flag::Paused).mark(StageMark::Failed).with(tried_once);
    let settlement = world.settlement(&world.step());
    assert_eq!(relabelled(&settlement), "+baton:editing -baton:paused -stage:Plan:failed");
    assert_eq!(world.look(), Step::ProcessComments { resumes: true });
    assert_eq!(world.jobs(), [Job::Comments]);
    let memory = &world.item.memory;
    assert!(memory.attempts.is_empty() && memory.paused_by_engine.is_none());
}

pub(crate) fn s4_4_03_a_comment_enters_by_itself() {
    for world in [commented("Plan"), commented("Plan").mark(StageMark::Complete).flag(Flag::Yolo)] {
        assert_eq!(relabelled(&processing(&world)), "+baton:editing");
    }
}

pub(crate) fn s4_5_01_comments_seen_by_a_stage_get_rockets() {
    let words = ["", "BATON_STAGE_COMPLETE", "BATON_BLOCKED_ON_INPUT", "BATON_DECOMPOSED"];
    for (end, word) in ENDS.iter().flat_map(|end| words.map(|word| (*end, word))) {
        let mut world = commented("Plan").locked();
        let outcome = Outcome { comments: vec![1], ..ended(Job::Stage, end, word) };
        let settlement = world.end_run(&outcome);
        let is_seen = !matches!(end, End::NotStarted | End::Stopped);
        let expected = is_seen.then_some((Place::Issue, vec![1], Reaction::Rocket));
        assert_eq!(reactions(&settlement), Vec::from_iter(expected), "{end:?} {word}");
        assert_eq!(world.view().new_comments().count(), usize::from(!is_seen));
    }
}

pub(crate) fn s4_5_02_seen_comments_do_not_resume() {
    let mut world = commented("Plan").locked();
    let asking = ended(Job::Stage, End::Finished, "BATON_BLOCKED_ON_INPUT");
    world.end_run(&Outcome { comments: vec![1], ..asking });
    assert_eq!(world.step(), Step::Rest(Rest::AwaitingInput));
    let world = world.comment(comment(2, "ana", "Blue."));
    assert_eq!(world.step(), Step::ProcessComments { resumes: true });
}

pub(crate) fn s6_2_03_open_threads_join_any_comment_run() {
    let mut world = commented("Review").with(with_threads);
    let wake = processing(&world).effects.into_iter().find_map(|effect| match effect {
        Effect::Wake(wake) => Some(wake),
        _ => None,
    });
    let Wake { job, comments, threads, thread_comments, .. } = wake.unwrap();
    assert_eq!((job, comments.as_slice()), (Job::Comments, &[1][..]));
    assert_eq!(threads, ["T1", "T2"]);
    world.look();
    world.end_run(&Outcome { threads, thread_comments, ..answered(End::Finished, "Both.") });
    assert!(world.item.pull.unwrap().threads.iter().all(|thread| thread.is_resolved));
}

type Change = fn(&mut World, &mut Outcome);

/// Every way for a run to end.
const ENDS: [End; 8] = [
    End::Finished,
    End::FinishedWithError,
    End::TimedOut,
    End::TurnLimit,
    End::Failed,
    End::FailedForGood,
    End::NotStarted,
    End::Stopped,
];

const UPDATE: &str =
    "I changed the issue.\nBATON_ISSUE_UPDATE_BEGIN\nGreet people by name.\nBATON_ISSUE_UPDATE_END";

/// Returns an issue with one new comment, whose number is 1.
fn commented(column: &str) -> World {
    issue_in(column).comment(comment(1, "ana", "Why?"))
}

/// Returns whether a comment is new that is changed so.
fn is_news_by(change: impl FnOnce(&mut Comment)) -> bool {
    is_news(&commented("Plan").with(|world| change(&mut world.item.comments[0])))
}

/// Returns whether the issue's comments are answered next; otherwise its stage is run.
fn is_news(world: &World) -> bool {
    let is_news = world.step() == Step::ProcessComments { resumes: false };
    assert!(is_news || world.step() == Step::Invoke { resume: false }, "{:?}", world.step());
    is_news
}

fn with_threads(world: &mut World) {
    let mut pull = crate::pipeline::world::pull();
    pull.threads = vec![thread("T1", "src/a.rs", 3), thread("T2", "src/b.rs", 7)];
    world.item.pull = Some(pull);
}

fn tried_once(world: &mut World) {
    world.item.memory.attempts.insert("Plan".to_owned(), 1);
}

fn own_comment(stage: &str) -> Comment {
    let body = format!("🏃 **Baton — stage: {stage}**\n\nThis is how.");
    Comment { has_rocket: true, is_own_account: true, ..comment(2, "baton-app[bot]", &body) }
}

/// Returns what the start of the answer comes to.
fn processing(world: &World) -> Settlement {
    assert_eq!(world.step(), Step::ProcessComments { resumes: false });
    world.settlement(&world.step())
}

/// Lets the comment be answered, and returns what has become of the issue.
fn answer(column: &str, end: End, text: &str) -> (World, Settlement) {
    answer_in(commented(column), end, text)
}

fn answer_in(mut world: World, end: End, text: &str) -> (World, Settlement) {
    assert_eq!(world.look(), Step::ProcessComments { resumes: false });
    let settlement = world.end_run(&answered(end, text));
    (world, settlement)
}

fn answered(end: End, text: &str) -> Outcome {
    Outcome { comments: vec![1], ..ended(Job::Comments, end, text) }
}

/// Returns a finished Review whose threads are being answered: one of two comments, one elsewhere, one without a line.
fn threaded() -> World {
    let mut world = issue_in("Review").mark(StageMark::Complete).with(with_threads);
    let pull = world.item.pull.as_mut().unwrap();
    pull.threads[0].comments.push(comment(904, "rob", "Everywhere."));
    pull.threads.push(baton_core::pipeline::item::Thread { line: None, ..thread("T3", "src/c.rs", 9) });
    world
}

fn thread_answer(text: &str) -> Outcome {
    let threads = ["T1", "T2", "T3"].map(str::to_owned).to_vec();
    let thread_comments = vec![903, 904, 907, 909];
    Outcome { threads, thread_comments, ..ended(Job::Review, End::Finished, text) }
}

fn answer_threads(text: &str) -> (World, Settlement) {
    let mut world = threaded();
    let settlement = world.end_run(&thread_answer(text));
    (world, settlement)
}

fn reactions(settlement: &Settlement) -> Vec<(Place, Vec<u64>, Reaction)> {
    let reaction = |effect: &Effect| match effect {
        Effect::React { on, comments, with } => Some((*on, comments.clone(), *with)),
        _ => None,
    };
    settlement.effects.iter().filter_map(reaction).collect()
}

fn rewrites(settlement: &Settlement) -> bool {
    settlement.effects.iter().any(|effect| matches!(effect, Effect::EditComment { .. }))
}

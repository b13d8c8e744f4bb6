//! Tables of texts, and what must hold for all of them.

use proptest::prelude::*;

use super::*;

fn baton(text: &str) -> Marks {
    read(text, Dialect::Baton)
}

/// Writes the mentions in short: the marker without its prefix, its line and the reason.
fn mentions(marks: &Marks) -> Vec<String> {
    let short = |mention: &Mention| {
        let marker = mention.marker.trim_start_matches("BATON_");
        format!("{marker} {} {:?}", mention.line, mention.why)
    };
    marks.mentions.iter().map(short).collect()
}

#[track_caller]
fn check(text: &str, flags: [bool; 3], expected: &[&str]) {
    let marks = baton(text);
    assert_eq!([marks.complete, marks.decomposed, marks.blocked], flags, "{text:?}");
    assert_eq!(mentions(&marks), expected, "{text:?}");
}

const NONE: [bool; 3] = [false; 3];
const COMPLETE: [bool; 3] = [true, false, false];

#[test]
fn a_marker_that_has_its_line_to_itself_counts() {
    check("BATON_STAGE_COMPLETE", COMPLETE, &[]);
    check("All done.\r\n  BATON_STAGE_COMPLETE \r\n", COMPLETE, &[]);
    check("BATON_DECOMPOSED\n", [false, true, false], &[]);
    check("What now?\n\tBATON_BLOCKED_ON_INPUT", [false, false, true], &[]);
    check("BATON_STAGE_COMPLETE\nBATON_STAGE_COMPLETE\nBATON_BLOCKED_ON_INPUT", [true, false, true], &[]);
    check("", NONE, &[]);
}

#[test]
fn what_is_only_mentioned_is_told_and_not_obeyed() {
    check("I will print BATON_STAGE_COMPLETE later.", NONE, &["STAGE_COMPLETE 1 InProse"]);
    check("`BATON_STAGE_COMPLETE`", NONE, &["STAGE_COMPLETE 1 InProse"]);
    check("> BATON_DECOMPOSED", NONE, &["DECOMPOSED 1 InProse"]);
    check("a\n```\nBATON_STAGE_COMPLETE\n```", NONE, &["STAGE_COMPLETE 3 InFence"]);
    check(
        "~~~ text\nBATON_STAGE_COMPLETE\n```\n~~~\nBATON_STAGE_COMPLETE",
        COMPLETE,
        &["STAGE_COMPLETE 2 InFence"],
    );
    check("````\n```\nBATON_DECOMPOSED\n````\nBATON_STAGE_COMPLETE", COMPLETE, &["DECOMPOSED 3 InFence"]);
    check(
        "BATON_SUMMARY_BEGIN\nBATON_STAGE_COMPLETE\nBATON_SUMMARY_END",
        NONE,
        &["STAGE_COMPLETE 2 InBlock"],
    );
    check("FABRIK_STAGE_COMPLETE", NONE, &[]);
    check("BATON_STAGE_COMPLETED", NONE, &["STAGE_COMPLETED 1 Unknown"]);
}

#[test]
fn a_marker_after_a_fence_that_nothing_closes_is_a_problem() {
    let marks = baton("BATON_BLOCKED_ON_INPUT in prose\n```sh\nmake\n\nBATON_STAGE_COMPLETE\n");
    assert!(!marks.complete);
    assert_eq!(mentions(&marks), ["BLOCKED_ON_INPUT 1 InProse", "STAGE_COMPLETE 5 InOpenFence"]);
    let problems: Vec<_> = marks.problems().map(ToString::to_string).collect();
    assert_eq!(
        problems,
        ["line 5: BATON_STAGE_COMPLETE was not obeyed: it is in a code fence that is never closed"]
    );
}

#[test]
fn the_dialect_of_fabrik_has_its_own_prefix() {
    let marks = read("FABRIK_STAGE_COMPLETE\nBATON_DECOMPOSED", Dialect::Fabrik);
    assert!(marks.complete && !marks.decomposed);
    assert_eq!(prefix(Dialect::Alfred), "BATON_");
}

#[test]
fn the_last_whole_block_counts() {
    let text = "Hello.\nBATON_SUMMARY_BEGIN\n\n  first\nBATON_SUMMARY_END\n\
                BATON_SUMMARY_BEGIN\n```\nlast\n\nBATON_SUMMARY_END\nBATON_STAGE_COMPLETE\n\n";
    let marks = baton(text);
    assert_eq!(marks.summary.as_deref(), Some("```\nlast"));
    assert_eq!(mentions(&marks), ["SUMMARY_BEGIN 2 Superseded"]);
    assert_eq!((marks.rest.as_str(), marks.complete), ("Hello.", true));

    let text = "BATON_ISSUE_UPDATE_BEGIN\n\n    code\n\ntext\n\nBATON_ISSUE_UPDATE_END\nBATON_ISSUE_UPDATE_BEGIN\nhalf";
    let marks = baton(text);
    assert_eq!(marks.issue_update.as_deref(), Some("    code\n\ntext"));
    assert_eq!(mentions(&marks), ["ISSUE_UPDATE_BEGIN 8 Unfinished"]);
    assert_eq!(marks.rest, "half");
}

#[test]
fn blocks_that_are_not_whole_are_not_used_and_their_text_is_left() {
    check("BATON_SUMMARY_END", NONE, &["SUMMARY_END 1 Unopened"]);
    check("BATON_SUMMARY_BEGIN\n \nBATON_SUMMARY_END", NONE, &["SUMMARY_BEGIN 1 Empty"]);
    check(
        "BATON_SUMMARY_BEGIN\nx\nBATON_ISSUE_UPDATE_END\nBATON_STAGE_COMPLETE",
        NONE,
        &["ISSUE_UPDATE_END 3 InBlock", "STAGE_COMPLETE 4 InBlock", "SUMMARY_BEGIN 1 Unfinished"],
    );
    let marks = baton("BATON_SUMMARY_BEGIN\nold\nBATON_SUMMARY_BEGIN\nnew\nBATON_SUMMARY_END\n");
    assert_eq!((marks.summary.as_deref(), marks.rest.as_str()), (Some("new"), "old"));
    assert_eq!(mentions(&marks), ["SUMMARY_BEGIN 1 Unfinished"]);
    let marks = baton(
        "BATON_ISSUE_UPDATE_BEGIN\ngood\nBATON_ISSUE_UPDATE_END\nBATON_ISSUE_UPDATE_BEGIN\nBATON_ISSUE_UPDATE_END",
    );
    assert_eq!(marks.issue_update.as_deref(), Some("good"), "an empty block wipes nothing out");
}

#[test]
fn sub_issues_have_a_title_a_text_and_perhaps_a_repository() {
    let text = "Plan:\nBATON_SUB_ISSUE_BEGIN acme/web\nTITLE: First one \n\nText\n```\nBATON_DECOMPOSED\n```\n\n\
                BATON_SUB_ISSUE_END\nBATON_SUB_ISSUE_BEGIN\n\n  TITLE:Second\nBATON_SUB_ISSUE_END\n\
                BATON_SUB_ISSUE_BEGIN [acme/api]\nTITLE: Third\nBATON_SUB_ISSUE_END\nBATON_DECOMPOSED\n";
    let marks = baton(text);
    let issue = |repo: Option<&str>, title: &str, body: &str| SubIssue {
        repo: repo.map(|repo| repo.parse().unwrap()),
        title: title.to_owned(),
        body: body.to_owned(),
    };
    assert_eq!(
        marks.sub_issues,
        [
            issue(Some("acme/web"), "First one", "Text\n```\nBATON_DECOMPOSED\n```"),
            issue(None, "Second", ""),
            issue(Some("acme/api"), "Third", ""),
        ]
    );
    assert_eq!((marks.decomposed, marks.rest.as_str()), (true, "Plan:"));
}

#[test]
fn a_sub_issue_that_cannot_be_made_is_a_problem_and_its_text_is_left() {
    let one = |head: &str, content: &str| baton(&format!("{head}\n{content}\nBATON_SUB_ISSUE_END\n"));
    let table = [
        ("BATON_SUB_ISSUE_BEGIN", "no title", "SUB_ISSUE_BEGIN 1 Untitled"),
        ("BATON_SUB_ISSUE_BEGIN", "TITLE: ", "SUB_ISSUE_BEGIN 1 Untitled"),
        ("BATON_SUB_ISSUE_BEGIN", "text\nTITLE: late", "SUB_ISSUE_BEGIN 1 Untitled"),
        ("BATON_SUB_ISSUE_BEGIN", "", "SUB_ISSUE_BEGIN 1 Empty"),
    ];
    for (head, content, expected) in table {
        let marks = one(head, content);
        assert_eq!((mentions(&marks), marks.sub_issues.len()), (vec![expected.to_owned()], 0));
        assert_eq!(marks.rest, content);
    }
    for repo in ["web", "a/b/c", "../x", "[]", "acme/-x"] {
        let marks = one(&format!("BATON_SUB_ISSUE_BEGIN {repo}"), "TITLE: a");
        assert!(matches!(&marks.mentions[..], [Mention { line: 1, why: Why::BadRepo(_), .. }]), "{marks:?}");
        assert_eq!(marks.rest, "TITLE: a");
    }
}

#[test]
fn the_rest_is_what_people_read() {
    let rest = |text: &str| baton(text).rest;
    assert_eq!(rest("\n\n  a\r\n\r\nb\n\n"), "  a\n\nb");
    assert_eq!(rest("a\nBATON_STAGE_COMPLETE\nb"), "a\nb");
    assert_eq!(rest("```\nBATON_STAGE_COMPLETE\n```"), "```\nBATON_STAGE_COMPLETE\n```");
    assert_eq!(rest("BATON_SUMMARY_END\nsee BATON_SUMMARY_END"), "see BATON_SUMMARY_END");
    assert_eq!(rest("BATON_STAGE_COMPLETE"), "");
}

/// Lines out of which a text with meaning may come.
fn lines() -> impl Strategy<Value = String> {
    let words = [
        "BATON_STAGE_COMPLETE",
        "BATON_DECOMPOSED",
        "BATON_SUMMARY_BEGIN",
        "BATON_SUMMARY_END",
        "BATON_ISSUE_UPDATE_BEGIN",
        "BATON_ISSUE_UPDATE_END",
        "BATON_SUB_ISSUE_BEGIN",
        "BATON_SUB_ISSUE_BEGIN acme/web",
        "BATON_SUB_ISSUE_END",
        "TITLE: a",
        "```",
        "~~~~",
        "see BATON_STAGE_COMPLETE",
        "",
        "text",
    ];
    prop::collection::vec(prop::sample::select(words.to_vec()), 0..30).prop_map(|lines| lines.join("\n"))
}

proptest! {
    #[test]
    fn every_marker_is_obeyed_or_told_of(text in lines()) {
        let marks = baton(&text);
        let obeyed = |name: &str| match name {
            "BATON_STAGE_COMPLETE" => marks.complete,
            _ => marks.decomposed,
        };
        for name in ["BATON_STAGE_COMPLETE", "BATON_DECOMPOSED"] {
            let is_told = marks.mentions.iter().any(|mention| mention.marker == name);
            prop_assert_eq!(text.contains(name), obeyed(name) || is_told, "{}", name);
        }
        let opened = text.lines().filter(|line| line.starts_with("BATON_SUB_ISSUE_BEGIN")).count();
        let told = marks.mentions.iter().filter(|mention| mention.marker == "BATON_SUB_ISSUE_BEGIN").count();
        prop_assert_eq!(opened, marks.sub_issues.len() + told);
    }

    #[test]
    fn no_word_of_an_agent_is_lost(text in lines()) {
        let marks = baton(&text);
        let kept = |text: &str| text.matches("text").count();
        let superseded = marks.mentions.iter().any(|mention| mention.why == Why::Superseded);
        let issues: usize = marks.sub_issues.iter().map(|issue| kept(&issue.body)).sum();
        let blocks = [&marks.summary, &marks.issue_update].into_iter().flatten().map(|text| kept(text)).sum::<usize>();
        prop_assert!(superseded || kept(&text) == kept(&marks.rest) + issues + blocks, "{:?}", marks);
    }

    #[test]
    fn what_is_left_for_people_says_nothing_to_us(text in lines()) {
        let marks = baton(&text);
        let again = baton(&marks.rest);
        let is_quiet = !again.complete && !again.decomposed && again.summary.is_none() && again.sub_issues.is_empty();
        prop_assert!(is_quiet || marks.problems().next().is_some(), "{:?}", again);
    }

    #[test]
    fn any_text_is_read_without_panic(text in "(\\PC|\n|BATON_[A-Z_]{0,20}|```|~~~){0,60}") {
        let marks = baton(&text);
        prop_assert!(marks.rest.len() <= text.len());
    }
}

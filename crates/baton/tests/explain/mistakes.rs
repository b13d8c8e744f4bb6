//! What is told when nothing can be explained.

use baton_fixtures::TestEnv;

use crate::explain::example;

/// Explains an example in which something was replaced, and returns the error.
fn error(from: &str, to: &str) -> String {
    let text = example("waiting-for-ci");
    assert!(text.contains(from), "{from}");
    let env = TestEnv::new().isolated().with_files(&[("item.json", &text.replacen(from, to, 1))]);
    let ran = env.run(&["explain", "--from", "item.json"]).exits(2);
    assert_eq!(ran.out, "");
    ran.err
}

#[test]
fn without_an_issue_or_a_recording_there_is_nothing_to_explain() {
    for arguments in [&["explain"][..], &["explain", "--json"]] {
        let ran = TestEnv::new().isolated().run(arguments).exits(2);
        assert!(ran.err.contains("which issue?") && ran.err.contains("--from FILE"), "{}", ran.err);
    }
    let ran = TestEnv::new().isolated().run(&["explain", "acme/web#42", "--from", "x.json"]).exits(2);
    assert!(ran.err.contains("leave one out"), "{}", ran.err);
}

#[test]
fn a_file_that_is_no_record_is_told_with_the_place() {
    let table = [
        ("\"labels\"", "\"labls\"", "there is no key `labls` here; did you mean `labels`?"),
        (
            "\"merge_state\": \"blocked\"",
            "\"merge_state\": \"stuck\"",
            "`stuck` is not a merge state: write one of clean",
        ),
        ("\"column\": \"Validate\",", "", "the key `column` is missing"),
        ("\"number\": 57", "\"number\": -57", "invalid value: integer `-57`, expected a whole number from 0"),
        ("\"now\": {", "now: {", "this is no JSON: key must be a string"),
        ("acme/web#42", "#42", "`#42` does not name an issue with its repository: write OWNER/REPO#42"),
    ];
    for (from, to, expected) in table {
        let error = error(from, to);
        let env = error.strip_prefix("error: item.json:").unwrap_or_else(|| panic!("{error}"));
        let mut numbers = env.splitn(3, ':').take(2).map(str::parse::<u32>);
        assert!(numbers.all(|number| number.is_ok_and(|number| number > 0)), "{error}");
        assert!(error.contains(expected), "{error}");
        assert!(!error.contains(" at line "), "{error}");
    }
}

#[test]
fn a_file_that_cannot_be_read_is_named() {
    let ran = TestEnv::new().isolated().run(&["explain", "--from", "none.json"]).exits(2);
    assert!(ran.err.starts_with("error: cannot read none.json: "), "{}", ran.err);
    let ran = TestEnv::new().isolated().run_with_input(&["explain", "--from", "-"], b"not json").exits(2);
    assert!(ran.err.starts_with("error: standard input:1:"), "{}", ran.err);
    let ran = TestEnv::new().isolated().run_with_input(&["explain", "--from", "-"], b"").exits(2);
    assert!(ran.err.contains("standard input:1:1: the JSON ends too early"), "{}", ran.err);
}

#[test]
fn a_bad_configuration_is_told_before_anything_is_read() {
    let env = TestEnv::new().isolated().with_files(&[("baton.yaml", "max_review_cicles: 3\n")]);
    let ran = env.run(&["explain", "--from", "-"]).exits(2);
    assert!(ran.err.contains("max_review_cycles"), "{}", ran.err);
}

//! Source files say what they are for, are finished, and are short enough to read.
//!
//! Style that rustfmt or clippy can see is left to them. Files that only hold tests may be as long as they need to
//! be, because a table of cases is read by searching.

use super::Finding;

const LINES_MAX: usize = 800;
const LINES_NOTED: usize = 500;

/// Ways to leave a test out; put together here so that this file does not contain them.
const SKIPS: [&str; 3] = [concat!("#[", "ignore"), concat!(", ", "ignore)]"), concat!("```", "ignore")];
const UNFINISHED: &str = concat!("to", "do!(");
const MARK: &str = concat!("TO", "DO");

/// Extensions of the files people write by hand; contract documents of others may say what they like.
const WRITTEN: [&str; 6] = [".rs", ".toml", ".sh", ".py", ".js", ".mjs"];

pub(crate) fn check(path: &str, text: &str) -> Vec<Finding> {
    let purpose = is_product(path).then(|| purpose(path, text)).flatten();
    let size = is_product(path).then(|| size(path, text)).flatten();
    let lines = WRITTEN.iter().any(|extension| path.ends_with(extension)).then(|| unfinished(path, text));
    purpose.into_iter().chain(size).chain(lines.into_iter().flatten()).collect()
}

/// Notes a file that is getting long.
pub(crate) fn long(path: &str, text: &str) -> Option<Finding> {
    let lines = lines_without_tests(text);
    let noted = is_product(path) && lines > LINES_NOTED && lines <= LINES_MAX;
    noted.then(|| Finding::new(path, format!("{lines} lines without tests; {LINES_MAX} is the limit")))
}

fn is_product(path: &str) -> bool {
    let parts: Vec<_> = path.split('/').collect();
    path.ends_with(".rs") && matches!(parts[..], ["crates", _, "src", ..] | ["xtask", "src", ..])
}

fn purpose(path: &str, text: &str) -> Option<Finding> {
    (!text.starts_with("//!"))
        .then(|| Finding::new(path, "must open with `//!` and say what the module is for"))
}

fn size(path: &str, text: &str) -> Option<Finding> {
    let lines = lines_without_tests(text);
    let problem =
        || format!("has {lines} lines without tests, and {LINES_MAX} is the limit; split it by noun");
    (lines > LINES_MAX).then(|| Finding::new(path, problem()))
}

/// Counts lines outside `mod tests`, which ends at the first brace in the first column, as rustfmt lays it out.
fn lines_without_tests(text: &str) -> usize {
    let mut in_tests = false;
    let mut count = 0;
    for line in text.lines() {
        in_tests |= line == "mod tests {";
        count += usize::from(!in_tests);
        in_tests &= line != "}";
    }
    count
}

fn unfinished(path: &str, text: &str) -> Vec<Finding> {
    let place = |index: usize| format!("{path}:{}", index + 1);
    let problems = |line| [skip(line), stub(line), loose_mark(line)].into_iter().flatten();
    let rust = path.ends_with(".rs");
    let lines = text.lines().enumerate();
    let all = lines.flat_map(|(index, line)| problems((rust, line)).map(move |problem| (index, problem)));
    all.map(|(index, problem)| Finding::new(place(index), problem)).collect()
}

fn skip((rust, line): (bool, &str)) -> Option<&'static str> {
    let skips = rust && SKIPS.iter().any(|skip| line.contains(skip));
    skips.then_some("a test is left out; repair it or remove it")
}

fn stub((rust, line): (bool, &str)) -> Option<&'static str> {
    (rust && line.contains(UNFINISHED))
        .then_some("code is missing here; write it or return an error that says so")
}

fn loose_mark((_, line): (bool, &str)) -> Option<&'static str> {
    let loose = line.match_indices(MARK).any(|(at, _)| {
        let (before, after) = (&line[..at], &line[at + MARK.len()..]);
        is_word(before, after) && !names_an_issue(after)
    });
    loose.then_some("a mark for later needs the number of its issue, as in (#12) right after it")
}

fn is_word(before: &str, after: &str) -> bool {
    let in_name = |c: char| c.is_alphanumeric() || c == '_';
    !before.ends_with(in_name) && !after.starts_with(in_name)
}

fn names_an_issue(after: &str) -> bool {
    let number = after.strip_prefix("(#").and_then(|rest| rest.split_once(')')).map(|(number, _)| number);
    number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_problems(path: &str, text: &str, wanted: &[&str]) {
        let found: Vec<_> = check(path, text).iter().map(ToString::to_string).collect();
        assert_eq!(found.len(), wanted.len(), "{found:?}");
        for (found, wanted) in found.iter().zip(wanted) {
            assert!(found.starts_with(wanted), "{found:?} should start with {wanted:?}");
        }
    }

    #[test]
    fn a_source_file_without_a_purpose_is_refused() {
        let wanted = |path: &str| format!("{path}: must open with `//!`");
        for path in ["crates/a/src/lib.rs", "crates/a/src/deep/er.rs", "xtask/src/main.rs"] {
            check_problems(path, "//! Purpose.\n", &[]);
            for text in ["", "\n//! Late.\n", "// Not a module comment.\n", "use a::b;\n"] {
                check_problems(path, text, &[&wanted(path)]);
            }
        }
    }

    #[test]
    fn files_outside_of_the_sources_need_no_purpose_and_have_no_limit() {
        for path in ["crates/a/tests/big.rs", "crates/a/build.rs", "docs/a.md", "crates/a/src/data.json"] {
            check_problems(path, &"\n".repeat(LINES_MAX + 1), &[]);
        }
    }

    #[test]
    fn a_source_file_over_the_limit_is_refused_and_a_long_one_is_noted() {
        let path = "crates/a/src/lib.rs";
        let lines = |count: usize| format!("//! Purpose.\n{}", "//\n".repeat(count - 1));
        check_problems(path, &lines(LINES_MAX), &[]);
        check_problems(path, &lines(LINES_MAX + 1), &["crates/a/src/lib.rs: has 801 lines without tests"]);
        assert_eq!(long(path, &lines(LINES_NOTED)), None);
        assert!(long(path, &lines(LINES_NOTED + 1)).is_some());
        assert_eq!(long("crates/a/tests/a.rs", &lines(LINES_NOTED + 1)), None);
    }

    #[test]
    fn inline_tests_do_not_count_as_lines_and_code_after_them_does() {
        let text = "//! Purpose.\n\n#[cfg(test)]\nmod tests {\n    fn a() {\n    }\n}\nfn after() {}\n";
        assert_eq!(lines_without_tests(text), 4);
    }

    #[test]
    fn a_test_that_is_left_out_is_refused() {
        let problem = "crates/a/tests/t.rs:2: a test is left out";
        let samples = [
            concat!("#[", "ignore]"),
            concat!("#[", "ignore = \"slow\"]"),
            concat!("#[cfg_attr(windows, ", "ignore)]"),
            concat!("/// ```", "ignore"),
        ];
        for sample in samples {
            check_problems("crates/a/tests/t.rs", &format!("\n{sample}\n"), &[problem]);
            check_problems("docs/a.md", sample, &[]);
        }
    }

    #[test]
    fn a_stub_is_refused() {
        let sample = concat!("    to", "do!(\"later\")");
        check_problems("crates/a/tests/t.rs", sample, &["crates/a/tests/t.rs:1: code is missing here"]);
    }

    #[test]
    fn a_mark_for_later_needs_its_issue() {
        let problem = "a.sh:1: a mark for later needs the number of its issue";
        let table: [(&str, &[&str]); 8] = [
            ("# @(#12): simplify.", &[]),
            ("# @(#12) and @(#13).", &[]),
            ("KIND_@ = 1", &[]),
            ("# @: simplify.", &[problem]),
            ("# @", &[problem]),
            ("# @(me)", &[problem]),
            ("# @(#)", &[problem]),
            ("# @(#12) and @: more.", &[problem]),
        ];
        for (sample, wanted) in table {
            check_problems("a.sh", &sample.replace('@', MARK), wanted);
        }
    }
}

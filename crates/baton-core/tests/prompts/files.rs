//! The files that an agent finds in its work tree.

use baton_core::config::PipelineDialect;
use baton_core::prompt::{Purpose, context_directory, context_files, example};

#[test]
fn there_is_a_file_for_everything_that_is_known() {
    let files = context_files(&example::full(Purpose::Stage));
    let names: Vec<_> = files.iter().map(|file| file.name.as_str()).collect();
    assert_eq!(
        names,
        [
            ".gitignore",
            "issue.md",
            "project.md",
            "stage-Research.md",
            "stage-Plan.md",
            "codebase-changes.md",
            "pr-description.md"
        ]
    );
    let text = |name: &str| &files.iter().find(|file| file.name == name).unwrap().text;
    assert_eq!(text(".gitignore"), "*\n");
    assert!(text("issue.md").contains("````data: title of issue #7 by ana\nAdd a --quiet flag\n````\n"));
    assert!(text("issue.md").contains("comment 12 by renovate[bot] (a program)"));
    assert!(text("issue.md").contains("https://tracker.example/acme/web/issues/7\n"));
    assert!(text("project.md").contains("- Owner: acme\n- Repo: web\n- ProjectNum: 3\n"));
    assert!(text("stage-Plan.md").contains("- [ ] Read the new flag"));
    assert!(text("codebase-changes.md").contains("M src/parse.rs"));
    assert!(text("pr-description.md").contains("Closes #7"));
}

#[test]
fn what_is_not_known_has_no_file() {
    let names: Vec<_> =
        context_files(&example::sparse(Purpose::Wake)).into_iter().map(|file| file.name).collect();
    assert_eq!(names, [".gitignore", "project.md"]);
}

#[test]
fn the_whole_text_is_in_the_file_when_a_prompt_cuts_it() {
    let mut material = example::full(Purpose::Stage);
    let long = "words ".repeat(20_000);
    material.issue.as_mut().unwrap().body.clone_from(&long);
    let files = context_files(&material);
    assert!(files.iter().any(|file| file.name == "issue.md" && file.text.contains(long.as_str())));
}

#[test]
fn many_changes_are_counted() {
    let mut material = example::full(Purpose::Stage);
    let changes = material.base_changes.as_mut().unwrap();
    changes.files = vec![changes.files[0].clone(); 130];
    let files = context_files(&material);
    let text = &files.iter().find(|file| file.name == "codebase-changes.md").unwrap().text;
    assert_eq!(text.matches("M src/parse.rs").count(), 100);
    assert!(text.contains("And 30 more"), "{text}");
}

#[test]
fn no_stage_has_a_file_outside_of_the_directory() {
    let mut material = example::full(Purpose::Stage);
    let names = ["../../.bashrc", "/etc/passwd", "a/b", "..", "C:\\x", "\u{1b}[1m"];
    let output = material.outputs[0].clone();
    let named = |name: &&str| baton_core::prompt::material::StageOutput {
        stage: (*name).to_owned(),
        ..output.clone()
    };
    material.outputs = names.iter().map(named).collect();
    for file in context_files(&material) {
        assert!(!file.name.contains(['/', '\\', '\0', '\u{1b}']) && file.name != "..", "{:?}", file.name);
    }
}

#[test]
fn each_dialect_has_a_directory_of_its_own() {
    assert_eq!(context_directory(PipelineDialect::Baton), ".baton-context");
    assert_eq!(context_directory(PipelineDialect::Fabrik), ".fabrik-context");
}

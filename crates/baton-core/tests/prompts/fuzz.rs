//! Templates that nobody would write: whatever they are, there is an answer, and soon.

use std::time::{Duration, Instant};

use baton_core::config::PipelineDialect;
use baton_core::pipeline::stage::Instruction;
use baton_core::prompt::{Purpose, Templates, example, render};
use proptest::prelude::*;

/// Pieces of templates, of which some fit together.
fn template() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "{{",
        "}}",
        "{%",
        "%}",
        "{#",
        "#}",
        "{{ issue.body }}",
        "{% for c in comments %}",
        "{% endfor %}",
        "{% if ",
        "{% else %}",
        "{% endif %}",
        "{% set x = ",
        "x",
        "{% include \"head\" %}",
        "{% macro m() %}",
        "{% endmacro %}",
        "{% block b %}",
        "{% endblock %}",
        "{% raw %}",
        "{% endraw %}",
        "|length",
        "|data(\"x\")",
        "|join",
        "(",
        ")",
        "[",
        "]",
        ".",
        "~",
        "*",
        "**",
        "999999999",
        "-1",
        "not ",
        "and ",
        "\"",
        "'",
        "issue",
        "comments",
        "loop",
        "loop.index",
        "\n",
        "-",
        "{% filter data(\"x\") %}",
        "{% endfilter %}",
        "{% call m() %}",
        "{% do x %}",
        "{% with x = 1 %}",
        "{% endwith %}",
        "{% autoescape true %}",
        "é",
        "\u{1b}",
        "in ",
        "recursive ",
        ":",
    ]);
    prop_oneof![
        prop::collection::vec(pieces, 0..40).prop_map(|pieces| pieces.concat()),
        any::<String>(),
        (0usize..400, prop::sample::select(vec!["(", "[", "{{ -", "{% if x %}", "{{ not ", "{{ x."]))
            .prop_map(|(times, piece)| piece.repeat(times)),
    ]
}

/// Far more than any template takes, and far less than a person waits.
const SOON: Duration = Duration::from_secs(60);

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    #[expect(clippy::disallowed_methods, reason = "how long it takes is what is asked")]
    fn every_template_has_an_answer_soon(text in template()) {
        let begun = Instant::now();
        let built_in = Templates::built_in(PipelineDialect::Baton);
        let material = example::full(Purpose::Stage);
        let told = Instruction::Prompt(text.clone());
        if let Ok(prompt) = render(&built_in, &material, Some(&told)) {
            prop_assert!(prompt.len() < 5_000_000);
        }
        match built_in.with_override(Purpose::Stage, "stage.md", &text) {
            Ok(templates) => drop(render(&templates, &material, Some(&told))),
            Err(error) => prop_assert!(error.to_string().starts_with("stage.md"), "{error}"),
        }
        prop_assert!(begun.elapsed() < SOON, "{text:?}");
    }
}

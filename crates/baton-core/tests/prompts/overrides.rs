//! Templates of users: what they can say, and what they are told when something is wrong.

use baton_core::config::PipelineDialect;
use baton_core::pipeline::stage::Instruction;
use baton_core::prompt::{Material, Purpose, Templates, example, render};

use crate::prompts::written::skill;

fn with(text: &str) -> Result<Templates, String> {
    let templates = Templates::built_in(PipelineDialect::Baton);
    templates.with_override(Purpose::Stage, "prompts/stage.md", text).map_err(|error| error.to_string())
}

fn rendered(text: &str, material: &Material) -> Result<String, String> {
    render(&with(text)?, material, Some(&skill())).map_err(|error| error.to_string())
}

#[track_caller]
fn check(text: &str, expected: &str) {
    assert_eq!(rendered(text, &example::full(Purpose::Stage)).unwrap(), expected, "{text}");
}

#[track_caller]
fn refuses(text: &str, expected: &str) {
    assert_eq!(rendered(text, &example::full(Purpose::Stage)).unwrap_err(), expected, "{text}");
}

#[test]
fn a_template_says_what_it_likes() {
    check("{{ project.repo }}#{{ issue.number }}", "acme/web#7\n");
    check(
        "{% for c in comments %}{{ c.id }} {{ c.role }}{{ \", \" if not loop.last }}{% endfor %}",
        "11 may write, 12 a program\n",
    );
    check("{{ comments|length }} {{ outputs|join(\",\")|length > 3 }}", "2 True\n");
    check(
        "{% include \"end\" %}",
        &rendered("{% include \"end\" %}", &example::full(Purpose::Stage)).unwrap(),
    );
    check("{{ marks.complete }} {% raw %}{{ x }}{% endraw %}", "BATON_STAGE_COMPLETE {{ x }}\n");
}

#[test]
fn text_of_strangers_is_a_block_wherever_it_is_put() {
    check(
        "- {{ issue.title }}, well",
        "- \n````data: title of issue #7 by ana\nAdd a --quiet flag\n````\n, well\n",
    );
    check("{{ issue.title|data(\"the wish\") }}", "````data: the wish\nAdd a --quiet flag\n````\n");
    check("{{ \"a\" ~ issue.title }}", "a\n````data: title of issue #7 by ana\nAdd a --quiet flag\n````\n");
    check("{{ \"words\"|data(\"mine\") }}", "````data: mine\nwords\n````\n");
    let whole = rendered("{{ issue }} {{ comments }}", &example::full(Purpose::Stage)).unwrap();
    assert!(
        whole.contains("'title': \n````data: title of issue #7 by ana\nAdd a --quiet flag\n````\n, "),
        "{whole}"
    );
}

#[test]
fn a_name_that_is_not_there_is_an_error_with_its_place_and_the_nearest_one() {
    refuses(
        "fine\n{{ issue.titel }}",
        "prompts/stage.md:2: there is no variable `issue.titel`; did you mean `issue.title`?; docs/reference/prompts.md lists all",
    );
    refuses(
        "{% if isue %}x{% endif %}",
        "prompts/stage.md:1: there is no variable `isue`; did you mean `issue`?; docs/reference/prompts.md lists all",
    );
    refuses(
        "\n\n{% for c in comments %}{{ c.bdy }}{% endfor %}",
        "prompts/stage.md:3: there is no variable `c.bdy`; did you mean `c.body`?; docs/reference/prompts.md lists all",
    );
    refuses(
        "{{ zzzzzzzz }}",
        "prompts/stage.md:1: there is no variable `zzzzzzzz`; docs/reference/prompts.md lists all",
    );
    refuses(
        "{{ comments|lenght }}",
        "prompts/stage.md:1: there is no filter `lenght`; did you mean `length`?; docs/reference/prompts.md lists all",
    );
    refuses(
        "{% include \"haed\" %}",
        "prompts/stage.md:1: there is no part `haed`; did you mean `head`?; docs/reference/prompts.md lists all",
    );
}

#[test]
fn what_an_issue_lacks_has_to_be_asked_for() {
    let error = rendered("a\n{{ pull.number }}", &example::sparse(Purpose::Stage)).unwrap_err();
    assert_eq!(error, "prompts/stage.md:2: `pull.number` is nothing here; ask before with `{% if pull %}`");
    let fine =
        rendered("{% if pull %}{{ pull.number }}{% endif %}.", &example::sparse(Purpose::Stage)).unwrap();
    assert_eq!(fine, ".\n");
}

#[test]
fn a_template_that_cannot_be_read_says_where() {
    for (text, line) in
        [("{{ issue.title", 1), ("\n{% if issue %}", 2), ("\n\n{% bogus %}", 3), ("${{ secrets.X", 1)]
    {
        let error = rendered(text, &example::full(Purpose::Stage)).unwrap_err();
        assert!(error.starts_with(&format!("prompts/stage.md:{line}: ")), "{text:?}: {error}");
        assert!(error.contains("{% raw %}"), "{error}");
    }
}

#[test]
fn a_template_ends() {
    let digits = "[0,1,2,3,4,5,6,7,8,9]";
    let deep: String = (0..7).map(|n| format!("{{% for x{n} in {digits} %}}")).collect();
    let error = rendered(&format!("{deep}.{}", "{% endfor %}".repeat(7)), &example::full(Purpose::Stage))
        .unwrap_err();
    assert!(error.contains("takes more than 500000 steps"), "{error}");
    let wide: String = (0..4).map(|n| format!("{{% for x{n} in {digits} %}}")).collect();
    let word = "word ".repeat(2_000);
    let error =
        rendered(&format!("{wide}{word}{}", "{% endfor %}".repeat(4)), &example::full(Purpose::Stage))
            .unwrap_err();
    assert!(error.contains("longer than 4194304 bytes"), "{error}");
    assert_eq!(
        with(&"x".repeat(300_000)).unwrap_err(),
        "prompts/stage.md: the template is 300000 bytes long, and 262144 are allowed; shorten it"
    );
}

#[test]
fn nothing_but_the_parts_can_be_included() {
    for text in
        ["{% include \"prompts/stage.md\" %}", "{% include \"/etc/passwd\" %}", "{% extends \"../x\" %}"]
    {
        let error = rendered(text, &example::full(Purpose::Stage)).unwrap_err();
        assert!(error.contains("there is no part"), "{text}: {error}");
    }
}

#[test]
fn the_prompt_of_a_stage_is_a_template_in_our_dialect_and_plain_in_fabriks() {
    let told = Instruction::Prompt("Do {{ project.name }}\nand {{ isue.number }}".to_owned());
    let mut material = example::full(Purpose::Stage);
    material.stage.as_mut().unwrap().file = Some(".baton/stages/plan.yaml".to_owned());
    let error = render(&Templates::built_in(PipelineDialect::Baton), &material, Some(&told)).unwrap_err();
    assert_eq!(
        error.to_string(),
        ".baton/stages/plan.yaml: prompt of stage `Plan`:2: there is no variable `isue.number`; did you mean `issue.number`?; \
         docs/reference/prompts.md lists all"
    );
    let prompt = render(&Templates::built_in(PipelineDialect::Fabrik), &material, Some(&told)).unwrap();
    assert!(prompt.contains("Do {{ project.name }}\nand {{ isue.number }}"));
    let fine = Instruction::Prompt("Do {{ project.name }} {{ issue.title }}".to_owned());
    let prompt = render(&Templates::built_in(PipelineDialect::Baton), &material, Some(&fine)).unwrap();
    assert!(prompt.contains("Do web \n````data: title"), "{prompt}");
}

#[test]
fn one_template_is_replaced_and_the_others_stay() {
    let templates = with("mine").unwrap();
    assert_eq!(templates.source(Purpose::Stage), Some("prompts/stage.md"));
    assert_eq!(templates.text(Purpose::Stage), "mine");
    assert_eq!(templates.source(Purpose::Review), None);
    let built_in = Templates::built_in(PipelineDialect::Baton);
    assert_eq!(templates.text(Purpose::Review), built_in.text(Purpose::Review));
    for purpose in Purpose::ALL.iter().copied() {
        let again = built_in.clone().with_override(purpose, "copy.md", &built_in.text(purpose)).unwrap();
        let material = example::full(purpose);
        assert_eq!(
            render(&again, &material, Some(&skill())),
            render(&built_in, &material, Some(&skill())),
            "{purpose}"
        );
    }
}

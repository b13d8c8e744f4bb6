//! The page of the documentation that is made from the tables of the code.

#[test]
fn the_reference_page_lists_what_templates_can_say_as_it_is() {
    let path = baton_fixtures::repository_root().join("docs/reference/prompts.md");
    let page = baton_core::prompt::document::document();
    if std::env::var_os("BATON_BLESS").is_some() {
        return std::fs::write(&path, page).unwrap();
    }
    assert_eq!(
        page,
        std::fs::read_to_string(&path).unwrap_or_default(),
        "docs/reference/prompts.md is stale: run `BATON_BLESS=1 cargo xtask test the_reference_page` and commit it"
    );
}

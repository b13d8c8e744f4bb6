//! `baton stages schema`, and the pages of the documentation that are made from the same table.

use baton_core::config::stages::schema;

pub(super) fn print() {
    say!("{}", text().trim_end());
}

fn text() -> String {
    format!("{:#}\n", schema())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[track_caller]
    fn check_page(name: &str, page: &str) {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference").join(name);
        if std::env::var_os("BATON_BLESS").is_some() {
            return std::fs::write(&path, page).expect("the page can be written");
        }
        assert_eq!(
            page,
            std::fs::read_to_string(&path).unwrap_or_default(),
            "docs/reference/{name} is stale: run `BATON_BLESS=1 cargo xtask test the_reference_page` and commit it"
        );
    }

    #[test]
    fn the_reference_page_lists_the_keys_of_stages_as_they_are() {
        check_page("stages.md", &baton_core::config::stages::document());
    }

    #[test]
    fn the_reference_page_of_stages_has_its_schema_beside_it() {
        check_page("stage.schema.json", &text());
    }
}

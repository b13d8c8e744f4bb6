//! A chain in a file: the same as on the command line, with titles, texts and dependencies for each part.

use serde::Deserialize;

use super::{ChainError, ChainRequest, PartRequest};
use crate::RepoSlug;
use crate::workspace::names::FeatureId;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ChainFile {
    title: String,
    #[serde(default)]
    body: String,
    #[serde(default)]
    draft: bool,
    parts: Vec<PartEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PartEntry {
    repo: RepoSlug,
    branch: Option<String>,
    base: Option<String>,
    title: Option<String>,
    body: Option<String>,
    #[serde(default)]
    depends_on: Vec<RepoSlug>,
}

/// Reads a chain from YAML. What it names is not checked yet.
pub fn parse_chain_file(feature: FeatureId, text: &str) -> Result<ChainRequest, ChainError> {
    let options = serde_saphyr::options! { strict_booleans: true, with_snippet: false };
    let file: ChainFile = serde_saphyr::from_str_with_options(text, options)
        .map_err(|error| ChainError::File(error.to_string()))?;
    let parts = file.parts.into_iter().map(|part| PartRequest {
        repo: part.repo,
        head: part.branch,
        base: part.base,
        title: part.title,
        body: part.body,
        depends_on: part.depends_on,
    });
    Ok(ChainRequest {
        feature,
        title: file.title,
        body: file.body,
        is_draft: file.draft,
        parts: parts.collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<ChainRequest, ChainError> {
        parse_chain_file("login".parse().unwrap(), text)
    }

    #[test]
    fn a_file_says_all_that_a_chain_can_be() {
        let text = "title: Log in\nbody: |\n  Why.\ndraft: true\nparts:\n  - repo: acme/web\n    depends_on: [acme/api]\n  \
                    - repo: acme/api\n    branch: topic\n    base: next\n    title: The API\n    body: How.\n";
        let request = read(text).unwrap().checked().unwrap();
        assert_eq!(
            (request.title.as_str(), request.body.as_str(), request.is_draft),
            ("Log in", "Why.\n", true)
        );
        let names: Vec<_> = request.parts.iter().map(|part| part.repo.to_string()).collect();
        assert_eq!(names, ["acme/api", "acme/web"]);
        let api = &request.parts[0];
        assert_eq!((api.head.as_deref(), api.base.as_deref()), (Some("topic"), Some("next")));
        assert_eq!((api.title.as_deref(), api.body.as_deref()), (Some("The API"), Some("How.")));
    }

    #[test]
    fn a_file_that_says_something_else_is_refused_with_the_word() {
        for (text, word) in [
            ("", "end of input"),
            ("title: x\n", "parts"),
            ("title: x\nparts: [{repo: acme/web, brunch: y}]\n", "brunch"),
            ("title: x\nparts: [{repo: web}]\n", "OWNER/NAME"),
            ("title: x\nparts: acme/web\n", "seq"),
            ("title: [x\n", "line"),
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.contains(word), "{text:?}: {error}");
        }
    }
}

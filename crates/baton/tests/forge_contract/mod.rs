//! The forge against GitHub's published description, and against clients that nobody here wrote.
//!
//! One real server is walked over every endpoint of its table and used by four independent clients. Every answer any of
//! them got is validated against the description, and docs/forge-coverage.md must say what was seen.

mod clients;
mod coverage;
mod graphql_documents;
mod graphql_subset;
mod openapi;
mod walk;
mod walk_boards;
mod walk_hooks;
mod walk_relay;
mod webhooks;

use baton_fixtures::{TestForge, contract_dir, repository_root};
use openapi::Description;

#[test]
fn every_schema_that_the_endpoints_use_compiles() {
    let description = Description::load(&contract_dir());
    let compiled = description.compile_all(baton_forge::endpoints());
    println!("{compiled} schemas compiled");
    assert!(compiled > 150, "only {compiled} schemas were found");
}

#[test]
fn a_body_that_breaks_the_description_is_noticed() {
    let description = Description::load(&contract_dir());
    let check = |body| description.check("GET", "/repos/{owner}/{repo}/issues/{issue_number}", 200, &body);
    assert!(check(serde_json::json!({ "id": 1 })).is_err());
    let label = |color| serde_json::json!({ "id": 1, "node_id": "x", "url": "http://x/y", "name": "n", "description": null, "color": color, "default": true });
    let check = |body| description.check("GET", "/repos/{owner}/{repo}/labels/{name}", 200, &body);
    assert!(check(label("fff")).is_ok());
    assert!(
        check(
            label("fff")
                .as_object()
                .map(|fields| {
                    let mut fields = fields.clone();
                    fields.remove("url");
                    fields.into()
                })
                .unwrap()
        )
        .is_err()
    );
    assert!(check(serde_json::json!({ "id": 1, "node_id": "x", "url": "not an address", "name": "n", "description": null, "color": "fff", "default": true })).is_err());
}

#[test]
fn the_clients_documents_are_valid_for_github_and_for_the_forge() {
    let texts = [graphql_subset::published(&contract_dir()), baton_forge::graphql_schema()];
    let schemas = texts.map(|text| graphql_documents::schema(&text));
    let documents = baton_github::graphql_documents();
    assert!(documents.len() > 20, "only {} documents were found", documents.len());
    for schema in &schemas {
        let faults: Vec<_> =
            documents.iter().filter_map(|document| graphql_documents::fault(schema, document)).collect();
        assert!(faults.is_empty(), "{}", faults.join("\n"));
    }
    let broken = baton_github::Document { name: "Broken", text: "query Broken { viewer { trees } }" };
    assert!(graphql_documents::fault(&schemas[0], &broken).is_some(), "a fault is noticed");
}

#[test]
fn the_graphql_schema_is_a_subset_of_githubs() {
    let published = graphql_subset::published(&contract_dir());
    let comparison = graphql_subset::compare(&baton_forge::graphql_schema(), &published);
    println!("{} types and {} fields compared", comparison.types, comparison.fields);
    assert!(comparison.types > 100 && comparison.fields > 500, "too little was compared");
    assert!(comparison.differences.is_empty(), "{}", comparison.differences.join("\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_forge_answers_as_github_describes_and_independent_clients_agree() {
    let contract = contract_dir();
    let directory = tempfile::tempdir().unwrap();
    let (socket, recording) =
        (directory.path().join("forge.sock"), directory.path().join("exchanges.ndjson"));
    let more = ["--socket", socket.to_str().unwrap(), "--record", recording.to_str().unwrap()];
    let forge = TestForge::start_with(&more);

    walk::walk(&forge).await;
    clients::run_all(&contract, &repository_root().join("contract"), &forge, &socket);

    let exchanges = coverage::read(&recording);
    let description = Description::load(&contract);
    let report = coverage::validate(&description, &exchanges);
    report.print();
    report.compare(&repository_root().join("docs/forge-coverage.md"));
}

//! What programs see.

use baton_core::pipeline::gates::GATES;
use baton_core::pipeline::guards::GUARDS;
use baton_core::pipeline::upkeep::UPKEEP;
use baton_fixtures::TestEnv;
use serde_json::{Value, json};

use crate::explain::{example, explain};

fn shape(example: &str) -> Value {
    let out = explain(&TestEnv::new().isolated(), example, &["--json"]).out;
    assert_eq!(out.lines().count(), 1, "{out}");
    serde_json::from_str(&out).unwrap()
}

#[test]
fn the_json_has_the_documented_shape() {
    let shape = shape("waiting-for-ci");
    let keys: Vec<_> = shape.as_object().unwrap().keys().cloned().collect();
    assert_eq!(keys, ["budgets", "column", "effects", "issue", "now", "stage", "step", "title", "trail"]);
    assert_eq!((&shape["issue"], &shape["stage"]), (&json!("acme/web#42"), &json!("Validate")));
    let step = json!({
        "kind": "hold_at_gate",
        "reason": "checks have not ended",
        "to": null,
        "resumes": null,
        "sentence": "waits at the gate: checks have not ended",
    });
    assert_eq!(shape["step"], step);
    assert_eq!(shape["effects"], json!([]));
    let trail = shape["trail"].as_array().unwrap();
    assert_eq!(trail.len(), UPKEEP.len() + GUARDS.len() + GATES.len());
    let decided: Vec<_> = trail.iter().filter(|entry| entry["answer"] == "decided").collect();
    let [decided] = decided.as_slice() else { panic!("{decided:?}") };
    assert_eq!((&decided["list"], &decided["rule"]), (&json!("gates"), &json!("checks")));
    assert_eq!(decided["facts"][0], json!({ "name": "merge state", "value": "blocked" }));
}

#[test]
fn effects_are_told_as_they_would_be_performed() {
    let shape = shape("ready-to-merge");
    assert_eq!(shape["step"]["kind"], "merge");
    let merge =
        json!({ "do": "merge_pull", "pull": 59, "head_sha": "4f2a9c1d7b3e5068a1c94d2e7f60b8135a9d2c47" });
    assert_eq!(shape["effects"], json!([merge]));
}

#[test]
fn a_column_without_a_stage_has_none() {
    let text = example("blocked").replace("Research", "Somewhere");
    let ran = TestEnv::new()
        .isolated()
        .run_with_input(&["explain", "--from", "-", "--json"], text.as_bytes())
        .exits(0);
    let shape: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((&shape["stage"], &shape["column"]), (&Value::Null, &json!("Somewhere")));
    assert_eq!(shape["step"]["reason"], "the column belongs to no stage");
}

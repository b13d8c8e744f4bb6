//! GitHub's published description of its REST API, as validators.
//!
//! The file speaks OpenAPI 3.0, whose `nullable` no JSON-schema validator knows, and leaves schemas behind that do not
//! compile as they are. Both are mended first, and a schema that still does not compile is a failure, never a skip.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;

use baton_forge::EndpointInfo;
use jsonschema::{Draft, Registry, Validator};
use serde_json::{Map, Value, json};

const ROOT: &str = "urn:github";

pub(crate) struct Description {
    document: Value,
    registry: Registry<'static>,
    compiled: RefCell<BTreeMap<String, Rc<Validator>>>,
}

/// How an answer was judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Judged {
    /// By the schema that the description gives for this status.
    Described,
    /// The description does not list this status for this endpoint: an error by its general schema of errors, a 304
    /// by having no body.
    Undescribed,
}

impl Description {
    pub(crate) fn load(contract: &Path) -> Self {
        let path = contract.join("node/node_modules/@octokit/openapi/generated/api.github.com.json");
        let text = std::fs::read_to_string(&path)
            .unwrap_or_else(|error| panic!("{}: {error}; run `cargo xtask setup`", path.display()));
        let mut document: Value = serde_json::from_str(&text).expect("the description is JSON");
        for part in ["paths", "components", "x-webhooks"] {
            mend(&mut document[part]);
        }
        let components = json!({ "components": document["components"] });
        let resource = Draft::Draft202012.create_resource(components);
        let registry = Registry::new()
            .add(ROOT, resource)
            .expect("a root")
            .prepare()
            .expect("the description's references resolve");
        Self { document, registry, compiled: RefCell::default() }
    }

    fn operation(&self, method: &str, template: &str) -> &Value {
        &self.document["paths"][template][method.to_lowercase()]
    }

    /// The name under which GitHub knows an endpoint.
    pub(crate) fn operation_id(&self, method: &str, template: &str) -> Option<&str> {
        self.operation(method, template)["operationId"].as_str()
    }

    /// The JSON schema of an answer: `None` for a status that is not described, `Some(Null)` for one without a body.
    fn schema(&self, method: &str, template: &str, status: u16) -> Option<Value> {
        let mut response = &self.operation(method, template)["responses"][status.to_string()];
        if let Some(reference) = response["$ref"].as_str() {
            let name = reference.rsplit('/').next().unwrap_or_default();
            response = &self.document["components"]["responses"][name];
        }
        if response.is_null() {
            return None;
        }
        let content = &response["content"];
        let schema = ["application/json", "text/plain"]
            .iter()
            .map(|kind| &content[*kind]["schema"])
            .find(|schema| !schema.is_null());
        Some(schema.cloned().unwrap_or(Value::Null))
    }

    fn compile(&self, mut schema: Value) -> Result<Rc<Validator>, String> {
        point_at_root(&mut schema);
        let key = schema.to_string();
        if let Some(known) = self.compiled.borrow().get(&key) {
            return Ok(Rc::clone(known));
        }
        let options = jsonschema::options()
            .with_draft(Draft::Draft202012)
            .with_registry(&self.registry)
            .should_validate_formats(true);
        let validator = Rc::new(options.build(&schema).map_err(|error| error.to_string())?);
        self.compiled.borrow_mut().insert(key, Rc::clone(&validator));
        Ok(validator)
    }

    /// The schema of a webhook's payload, by event and action.
    fn webhook_schema(&self, event: &str, action: Option<&str>) -> Option<Value> {
        let name = match action {
            Some(action) => format!("{event}-{action}").replace('_', "-"),
            None => event.replace('_', "-"),
        };
        let schema = &self.document["x-webhooks"][name]["post"]["requestBody"]["content"]["application/json"]
            ["schema"];
        (!schema.is_null()).then(|| schema.clone())
    }

    /// Judges one payload. A webhook that GitHub does not have is wrong, and so is a schema that does not compile.
    pub(crate) fn check_webhook(&self, event: &str, payload: &Value) -> Result<(), String> {
        let action = payload["action"].as_str();
        let schema =
            self.webhook_schema(event, action).ok_or_else(|| format!("GitHub has no {event} {action:?}"))?;
        let validator = self.compile(schema)?;
        let errors: Vec<String> = validator
            .iter_errors(payload)
            .map(|error| format!("{} at {}", error, error.instance_path()))
            .take(5)
            .collect();
        if errors.is_empty() { Ok(()) } else { Err(errors.join("; ").chars().take(1_500).collect()) }
    }

    /// Compiles every schema of every endpoint; returns how many.
    pub(crate) fn compile_all(&self, endpoints: impl Iterator<Item = EndpointInfo>) -> usize {
        let mut count = 0;
        for endpoint in endpoints.filter(|endpoint| !endpoint.operation.is_empty()) {
            let responses = self.operation(endpoint.method, endpoint.path)["responses"].as_object();
            let responses = responses
                .unwrap_or_else(|| panic!("{} {} is not in the description", endpoint.method, endpoint.path));
            for status in responses.keys().filter_map(|status| status.parse().ok()) {
                let schema = self.schema(endpoint.method, endpoint.path, status).unwrap_or_default();
                if !schema.is_null() {
                    self.compile(schema).unwrap_or_else(|error| {
                        panic!("{} {} {status}: {error}", endpoint.method, endpoint.path)
                    });
                    count += 1;
                }
            }
        }
        count
    }

    /// Judges one answer.
    pub(crate) fn check(
        &self,
        method: &str,
        template: &str,
        status: u16,
        body: &Value,
    ) -> Result<Judged, String> {
        let general = || json!({ "$ref": format!("#/components/schemas/{}", if status == 422 { "validation-error" } else { "basic-error" }) });
        let (mut schema, judged) = match self.schema(method, template, status) {
            Some(schema) => (schema, Judged::Described),
            None if status >= 400 => (general(), Judged::Undescribed),
            // Any read may be conditional, though the description says so of a few only.
            None if status == 304 && body.as_str() == Some("") => return Ok(Judged::Undescribed),
            None => return Err(format!("the description knows no answer {status}")),
        };
        if schema.is_null() {
            // Errors carry a body on GitHub even where the description forgets it.
            return if body.as_str() == Some("") || status >= 400 {
                Ok(judged)
            } else {
                Err("a body where none is described".to_owned())
            };
        }
        // The general schema of errors requires nothing, so "exactly one of it and another" can never hold.
        if status >= 400
            && let Some(choices) = schema.as_object_mut().and_then(|fields| fields.remove("oneOf"))
        {
            schema["anyOf"] = choices;
        }
        let validator = self.compile(schema)?;
        let errors: Vec<String> = validator
            .iter_errors(body)
            .map(|error| format!("{} at {}", error, error.instance_path()))
            .take(5)
            .collect();
        if errors.is_empty() { Ok(judged) } else { Err(errors.join("; ").chars().take(1_500).collect()) }
    }
}

/// Turns OpenAPI 3.0 into JSON schema, everywhere below a value.
fn mend(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(mend),
        Value::Object(fields) => {
            mend_nullable(fields);
            mend_enum(fields);
            // In OpenAPI 3.0 these are flags; in JSON schema they are numbers.
            for key in ["exclusiveMinimum", "exclusiveMaximum"] {
                if fields.get(key).is_some_and(Value::is_boolean) {
                    fields.remove(key);
                }
            }
            fields.values_mut().for_each(mend);
        }
        _ => {}
    }
}

fn mend_nullable(fields: &mut Map<String, Value>) {
    // A property may be called "nullable"; only the flag is one.
    if !fields.get("nullable").is_some_and(Value::is_boolean)
        || fields.remove("nullable") != Some(Value::Bool(true))
    {
        return;
    }
    if let Some(Value::String(kind)) = fields.get("type").cloned() {
        fields.insert("type".to_owned(), json!([kind, "null"]));
        if let Some(Value::Array(choices)) = fields.get_mut("enum") {
            choices.push(Value::Null);
        }
        return;
    }
    for key in ["oneOf", "anyOf"] {
        if let Some(Value::Array(choices)) = fields.get_mut(key) {
            choices.push(json!({ "type": "null" }));
            return;
        }
    }
    let keys = ["allOf", "$ref", "enum", "not"];
    let core: Map<String, Value> = keys.iter().filter_map(|key| fields.remove_entry(*key)).collect();
    if !core.is_empty() {
        fields.insert("anyOf".to_owned(), json!([core, { "type": "null" }]));
    }
}

/// Some lists of choices name one twice, which JSON schema forbids.
fn mend_enum(fields: &mut Map<String, Value>) {
    if let Some(Value::Array(choices)) = fields.get_mut("enum") {
        let mut seen = Vec::new();
        choices.retain(|choice| {
            !seen.contains(choice) && {
                seen.push(choice.clone());
                true
            }
        });
    }
}

/// Lets a piece of the description refer to the whole of it.
fn point_at_root(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(point_at_root),
        Value::Object(fields) => {
            for (key, value) in fields.iter_mut() {
                match value {
                    Value::String(text) if key == "$ref" && text.starts_with('#') => {
                        *text = format!("{ROOT}{text}")
                    }
                    other => point_at_root(other),
                }
            }
        }
        _ => {}
    }
}

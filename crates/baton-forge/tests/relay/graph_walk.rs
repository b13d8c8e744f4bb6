//! Every field of every type is asked for, over a forge that has something of everything.
//!
//! The schema promises fields by name; nothing but an answer shows that a field is kept. The walk begins at the root and
//! asks every object that it meets, by its id, for all of its fields. What has no id of its own, such as a page of a
//! list, is asked in full where it stands. What has one is also asked for its own fields in each place where it may be
//! met, since an object may be made there in another way.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use serde_json::{Value, json};

use crate::relay::graph_population::{Population, populate};
use crate::relay::world::World;

/// What this forge never has an object of, and why.
const NEVER: [(&str, &str); 11] = [
    ("IssueTemplate", "the forge has no forms"),
    ("PullRequestTemplate", "the forge has no forms"),
    ("RepositoryContactLink", "the forge has no forms"),
    ("IssueType", "issues have no types"),
    ("MergeQueueEntry", "there are no merge queues"),
    ("Workflow", "the forge's CI has no workflows"),
    ("WorkflowRun", "the forge's CI has no workflows"),
    ("ProjectV2IterationField", "boards have no iterations"),
    ("ProjectV2IterationFieldConfiguration", "boards have no iterations"),
    ("ProjectV2IterationFieldIteration", "boards have no iterations"),
    ("ProjectV2ItemFieldIterationValue", "boards have no iterations"),
];

const INTROSPECTION: &str = "{ __schema { types { kind name
    fields { name args { name type { kind name ofType { kind name ofType { kind name ofType { name } } } } }
             type { kind name ofType { kind name ofType { kind name ofType { kind name } } } } }
    possibleTypes { name } } } }";

struct Schema {
    types: BTreeMap<String, Value>,
    /// Arguments that need an id or a number of this world.
    known: Population,
}

/// The named type inside of lists and non-nulls.
fn inner(mut of: &Value) -> (&str, &str) {
    while of["name"].is_null() {
        of = &of["ofType"];
    }
    (of["kind"].as_str().unwrap(), of["name"].as_str().unwrap())
}

fn name(of: &Value) -> &str {
    of["name"].as_str().unwrap()
}

impl Schema {
    async fn read(world: &World, known: Population) -> Self {
        let data = world.data(&world.admin, INTROSPECTION, json!({})).await;
        let types = data["__schema"]["types"].as_array().unwrap().iter();
        Self { types: types.map(|kind| (name(kind).to_owned(), kind.clone())).collect(), known }
    }

    fn fields(&self, of: &str) -> &[Value] {
        self.types[of]["fields"].as_array().map_or(&[], Vec::as_slice)
    }

    fn field(&self, of: &str, named: &str) -> &Value {
        self.fields(of).iter().find(|field| field["name"] == named).unwrap()
    }

    fn has_id(&self, of: &str) -> bool {
        self.fields(of).iter().any(|field| field["name"] == "id" && inner(&field["type"]).1 == "ID")
    }

    /// The types that an object of this one may have.
    fn concrete<'s>(&'s self, of: &'s str) -> Vec<&'s str> {
        match self.types[of]["possibleTypes"].as_array() {
            Some(possible) => possible.iter().map(name).collect(),
            None => vec![of],
        }
    }

    /// All fields of a type. A field may be of another type elsewhere, so each has a name of its own.
    fn everything(&self, of: &str) -> String {
        self.all(of, |target| self.glimpse(target))
    }

    /// All fields of a type, and of what is behind them only what it is.
    fn surface(&self, of: &str) -> String {
        self.all(of, |_| "__typename".to_owned())
    }

    fn all(&self, of: &str, behind: impl Fn(&str) -> String) -> String {
        let one = |field: &Value| {
            let (kind, target) = inner(&field["type"]);
            let asked = format!("{of}_{}: {}{}", name(field), name(field), self.arguments(of, field));
            match kind {
                "SCALAR" | "ENUM" => asked,
                _ => format!("{asked} {{ {} }}", behind(target)),
            }
        };
        self.fields(of).iter().map(one).collect::<Vec<_>>().join(" ")
    }

    /// What is at the other end of a field: only its id if it has one, otherwise all of it.
    fn glimpse(&self, of: &str) -> String {
        let one = |concrete: &str| match self.has_id(concrete) {
            true => format!("... on {concrete} {{ {concrete}_id: id }}"),
            false => format!("... on {concrete} {{ {} }}", self.everything(concrete)),
        };
        let all: Vec<_> = self.concrete(of).into_iter().map(one).collect();
        format!("__typename {}", all.join(" "))
    }

    /// A selection behind a path of names that [`Self::everything`] gave.
    fn behind(&self, path: &[String], inside: String) -> String {
        path.iter().rev().fold(inside, |inside, step| {
            let (of, field) = step.split_once('_').unwrap();
            let arguments = self.arguments(of, self.field(of, field));
            format!("... on {of} {{ {step}: {field}{arguments} {{ __typename {inside} }} }}")
        })
    }

    /// The arguments with which a field is asked for.
    fn arguments(&self, of: &str, field: &Value) -> String {
        let mut given = Vec::new();
        for argument in field["args"].as_array().unwrap() {
            match self.argument(name(field), name(argument)) {
                Some(value) => given.push(format!("{}: {value}", name(argument))),
                None if argument["type"]["kind"] == "NON_NULL" => {
                    panic!("{of}.{} needs {}", name(field), name(argument))
                }
                None => {}
            }
        }
        if given.is_empty() { String::new() } else { format!("({})", given.join(", ")) }
    }

    fn argument(&self, field: &str, argument: &str) -> Option<String> {
        let known = &self.known;
        Some(match (field, argument) {
            ("timelineItems", "first") => "90".to_owned(),
            ("fields" | "fieldValues", "first") => "30".to_owned(),
            (_, "first") => "9".to_owned(),
            (_, "expression") => "\"main:README.md\"".to_owned(),
            ("pullRequest", "number") | (_, "pullRequestNumber") => known.pull.to_string(),
            (_, "number") => "1".to_owned(),
            (_, "qualifiedName") => "\"refs/heads/main\"".to_owned(),
            (_, "refPrefix") => "\"refs/heads/\"".to_owned(),
            (_, "headRef") => "\"topic\"".to_owned(),
            (_, "capabilities") => "[CAN_BE_ASSIGNED]".to_owned(),
            ("file", "path") => "\"README.md\"".to_owned(),
            (_, "owner") | ("organization", "login") => "\"acme\"".to_owned(),
            ("label", "name") => "\"bug\"".to_owned(),
            ("field" | "fieldValueByName", "name") => "\"Status\"".to_owned(),
            ("context", "name") => "\"slow\"".to_owned(),
            (_, "name") => "\"web\"".to_owned(),
            (_, "slug") => "\"core\"".to_owned(),
            ("collaborators", "login") => return None,
            (_, "login") => "\"ada\"".to_owned(),
            (_, "url") => known.issue["html_url"].to_string(),
            (_, "id") => known.issue["node_id"].to_string(),
            (_, "ids") => json!(known.nodes).to_string(),
            ("search", "query") => "\"repo:acme/web\"".to_owned(),
            ("search", "type") => "ISSUE".to_owned(),
            _ => return None,
        })
    }
}

/// An object that is to be asked: where it is met first, or by its id.
struct Stop {
    /// The object with an id to begin at; the root, if there is none.
    from: Option<(String, String)>,
    path: Vec<String>,
    type_name: String,
}

struct Walk<'w> {
    world: &'w World,
    schema: &'w Schema,
    met: BTreeSet<String>,
    /// What was put into the queue before: ids, and places.
    known: BTreeSet<(String, Vec<String>, String)>,
    queue: VecDeque<Stop>,
    asked: usize,
    faults: BTreeSet<String>,
}

impl Walk<'_> {
    async fn run(&mut self) {
        self.queue.push_back(Stop { from: None, path: Vec::new(), type_name: "Query".to_owned() });
        while let Some(stop) = self.queue.pop_front() {
            let fields = match stop.path.is_empty() {
                true => self.schema.everything(&stop.type_name),
                false => self.schema.surface(&stop.type_name),
            };
            let inside = self.schema.behind(&stop.path, format!("... on {} {{ {fields} }}", stop.type_name));
            let query = match &stop.from {
                None => format!("{{ {inside} }}"),
                Some((id, _)) => format!("{{ node(id: {}) {{ __typename {inside} }} }}", json!(id)),
            };
            let data = self.ask(&query).await;
            let start = if stop.from.is_some() { &data["node"] } else { &data };
            let reached = start["__typename"].as_str().unwrap_or("Query");
            let expected = stop.from.as_ref().map_or("Query", |(_, type_name)| type_name);
            if reached != expected {
                self.faults.insert(format!("the id of a {expected} leads to {start}"));
            }
            if stop.path.is_empty() {
                self.ask_as_stranger(&query).await;
                self.follow(&stop, start, &mut Vec::new());
            }
        }
    }

    /// Puts what an answer shows into the queue.
    fn follow(&mut self, at: &Stop, value: &Value, path: &mut Vec<String>) {
        match value {
            Value::Array(list) => list.iter().for_each(|entry| self.follow(at, entry, path)),
            Value::Object(fields) => {
                let type_name = fields.get("__typename").and_then(Value::as_str).unwrap_or_default();
                let id = fields.get(&format!("{type_name}_id")).and_then(Value::as_str);
                if let (Some(id), false) = (id, path.is_empty())
                    && self.schema.has_id(type_name)
                {
                    self.enqueue(at, path, type_name, id);
                    return;
                }
                for (name, inside) in fields {
                    path.push(name.clone());
                    self.follow(at, inside, path);
                    path.pop();
                }
            }
            _ => {}
        }
    }

    fn enqueue(&mut self, at: &Stop, path: &[String], type_name: &str, id: &str) {
        let type_name = type_name.to_owned();
        if self.known.insert((id.to_owned(), Vec::new(), String::new())) {
            let from = Some((id.to_owned(), type_name.clone()));
            self.queue.push_back(Stop { from, path: Vec::new(), type_name: type_name.clone() });
        }
        if self.known.insert((String::new(), path.to_vec(), type_name.clone())) {
            self.queue.push_back(Stop { from: at.from.clone(), path: path.to_vec(), type_name });
        }
    }

    async fn ask(&mut self, query: &str) -> Value {
        let answer = self.world.graph(&self.world.admin, query, json!({})).await;
        self.judge(&answer, false);
        self.asked += 1;
        types_in(&answer["data"], &mut self.met);
        answer["data"].clone()
    }

    /// Asks the same as somebody who may only read, and not everything.
    async fn ask_as_stranger(&mut self, query: &str) {
        let answer = self.world.graph(&self.world.eve, query, json!({})).await;
        self.judge(&answer, true);
    }

    fn judge(&mut self, answer: &Value, is_stranger: bool) {
        for error in answer["errors"].as_array().into_iter().flatten() {
            if is_fault(self.schema, error, is_stranger) {
                // The same fault in many places is one.
                let path = error["path"].as_array().into_iter().flatten();
                let steps: Vec<_> = path.filter_map(Value::as_str).collect();
                let place = steps[steps.len().saturating_sub(2)..].join(" ");
                self.faults.insert(format!("{}: {} at {place}", error["type"], error["message"]));
            }
        }
    }
}

/// That nothing has the number or the name that was asked for is an answer, and so is a refusal to a stranger, where
/// there may be nothing. A field that nobody answers, or an answer of another type, is a fault.
fn is_fault(schema: &Schema, error: &Value, is_stranger: bool) -> bool {
    let last = error["path"].as_array().and_then(|path| path.last()?.as_str());
    if last == Some("node") {
        return !is_stranger || error["type"] != "NOT_FOUND";
    }
    let Some((of, field)) = last.and_then(|step| step.split_once('_')) else { return true };
    let field = schema.field(of, field);
    let is_required = |argument: &Value| argument["type"]["kind"] == "NON_NULL";
    let looks_up = field["args"].as_array().unwrap().iter().any(is_required);
    let is_answer = match error["type"].as_str() {
        Some("NOT_FOUND") => looks_up,
        Some("FORBIDDEN") => is_stranger,
        _ => false,
    };
    !is_answer || field["type"]["kind"] == "NON_NULL"
}

fn types_in(value: &Value, met: &mut BTreeSet<String>) {
    match value {
        Value::Array(list) => list.iter().for_each(|entry| types_in(entry, met)),
        Value::Object(fields) => {
            met.extend(fields.get("__typename").and_then(Value::as_str).map(str::to_owned));
            fields.values().for_each(|inside| types_in(inside, met));
        }
        _ => {}
    }
}

/// Returns whether something of this type must have been met.
fn is_to_be_met(schema: &Schema, name: &str) -> bool {
    let is_root =
        name.starts_with("__") || ["Query", "Mutation"].contains(&name) || name.ends_with("Payload");
    let is_never = NEVER.iter().any(|(never, _)| *never == name);
    schema.types[name]["kind"] == "OBJECT" && !is_root && !is_never
}

#[tokio::test(flavor = "multi_thread")]
async fn every_field_of_every_type_has_an_answer() {
    let world = World::new().await;
    let known = populate(&world).await;
    let schema = Schema::read(&world, known).await;
    let (met, known, queue) = (BTreeSet::new(), BTreeSet::new(), VecDeque::new());
    let mut walk =
        Walk { world: &world, schema: &schema, met, known, queue, asked: 0, faults: BTreeSet::new() };
    walk.run().await;
    // Only the payload of a comment has these edges.
    let payload = format!("__typename {}", schema.everything("AddCommentPayload"));
    let input = format!("{{ subjectId: {}, body: \"more\" }}", schema.known.issue["node_id"]);
    walk.ask(&format!("mutation {{ addComment(input: {input}) {{ {payload} }} }}")).await;
    let Walk { met, asked, faults, .. } = walk;
    assert!(
        faults.is_empty(),
        "{} faults:\n{}",
        faults.len(),
        faults.into_iter().collect::<Vec<_>>().join("\n")
    );
    let unmet: Vec<_> =
        schema.types.keys().filter(|name| is_to_be_met(&schema, name) && !met.contains(*name)).collect();
    assert!(unmet.is_empty(), "never answered: {unmet:?}");
    let exist: Vec<_> = NEVER.iter().filter(|(name, _)| met.contains(*name)).collect();
    assert!(exist.is_empty(), "met after all: {exist:?}");
    assert!(asked > 300, "only {asked} documents were asked");
}

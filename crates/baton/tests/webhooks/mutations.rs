//! What can become of a payload on the way, or in the hands of whoever wishes us ill. The same seed does the same.

use serde_json::{Value, json};

/// Changes payloads.
pub(crate) struct Mutator {
    state: u64,
}

impl Mutator {
    pub(crate) fn new(seed: u64) -> Self {
        Self { state: seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(0x1234_5678_9ABC_DEF1) }
    }

    /// Returns a number below `end`.
    fn below(&mut self, end: usize) -> usize {
        self.state =
            self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.state >> 33).unwrap() % end.max(1)
    }

    pub(crate) fn mutate(&mut self, payload: &Value) -> Vec<u8> {
        let mut payload = payload.clone();
        match self.below(8) {
            0 => return self.cut(&payload),
            1 => return self.garbled(&payload),
            2 => return nested(&payload, 1 + self.below(50_000)),
            kind => {
                for _ in 0..=self.below(4) {
                    self.change(&mut payload, kind, 0);
                }
            }
        }
        payload.to_string().into_bytes()
    }

    fn cut(&mut self, payload: &Value) -> Vec<u8> {
        let mut bytes = payload.to_string().into_bytes();
        bytes.truncate(self.below(bytes.len()));
        bytes
    }

    fn garbled(&mut self, payload: &Value) -> Vec<u8> {
        let mut bytes = payload.to_string().into_bytes();
        for _ in 0..=self.below(3) {
            let at = self.below(bytes.len());
            bytes[at] = u8::try_from(self.below(256)).unwrap();
        }
        bytes
    }

    /// Changes something somewhere below; rather near the top, where the facts are.
    fn change(&mut self, value: &mut Value, kind: usize, depth: usize) {
        let keys: Vec<String> =
            value.as_object().map(|map| map.keys().cloned().collect()).unwrap_or_default();
        let Some(key) = (!keys.is_empty()).then(|| keys[self.below(keys.len())].clone()) else {
            *value = self.other(value, kind);
            return;
        };
        if depth < 3 && value[&key].is_object() && self.below(4) > 0 {
            return self.change(&mut value[&key], kind, depth + 1);
        }
        match kind {
            3 => drop(value.as_object_mut().unwrap().remove(&key)),
            // The same fact under the name of another.
            4 => value[&key] = value[&keys[self.below(keys.len())]].clone(),
            _ => value[&key] = self.other(&value[&key].clone(), kind),
        }
    }

    fn other(&mut self, value: &Value, kind: usize) -> Value {
        match (kind, value) {
            (5, Value::String(text)) => Value::from(text.repeat(1 + self.below(20_000) / text.len().max(1))),
            (6, _) => [json!(null), json!([value]), json!({ "number": 7 }), json!(-1)][self.below(4)].clone(),
            _ => {
                let others = [
                    json!(null),
                    json!(true),
                    json!(u64::MAX),
                    json!(1.5e300),
                    json!("baton/issue-7"),
                    json!([7, [7]]),
                    json!({ "number": 7, "full_name": "../..", "ref": "baton/issue-7" }),
                ];
                others[self.below(others.len())].clone()
            }
        }
    }
}

const NESTING: &str = "{\"sender_of_it\":";

/// Puts deep nesting beside the facts.
fn nested(payload: &Value, depth: usize) -> Vec<u8> {
    let text = payload.to_string();
    let inside = text.strip_prefix('{').unwrap();
    format!("{NESTING}{}{},{inside}", "[".repeat(depth), "]".repeat(depth)).into_bytes()
}

/// Returns the text from the facts on, without what is nested too deeply for a usual parser.
pub(crate) fn without_nesting(payload: &[u8]) -> Vec<u8> {
    let nested = payload.strip_prefix(NESTING.as_bytes());
    let Some(facts) =
        nested.and_then(|rest| rest.split(|byte| *byte == b',').next().map(|nest| &rest[nest.len() + 1..]))
    else {
        return payload.to_vec();
    };
    [b"{".as_slice(), facts].concat()
}

//! Reading documents: parsed, validated, and remembered, since clients send the same few again and again.
//!
//! A document may be written to be expensive, so its size is bounded before it is parsed, and its words and its nesting
//! while it is. What else a document can cost is bounded by its weight ([`super::cost`]).

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use apollo_compiler::executable::Operation;
use apollo_compiler::parser::Parser;
use apollo_compiler::request::RequestError;
use apollo_compiler::response::GraphQLError;
use apollo_compiler::validation::{DiagnosticList, Valid};
use apollo_compiler::{ExecutableDocument, Node, Schema};
use serde_json::{Value, json};

use crate::sync::lock;

/// An engine sends a few dozen documents; what was not sent for longest goes first.
const REMEMBERED_MAX: usize = 64;
/// A document that is larger than this is not worth the memory.
const REMEMBERED_BYTES_MAX: usize = 64 * 1024;
/// Documents that are larger than this are refused unread. The largest that `gh` sends has a tenth of it.
const DOCUMENT_BYTES_MAX: usize = 256 * 1024;
/// Words and signs in a document.
const TOKENS_MAX: usize = 30_000;
/// Levels of braces, brackets and parentheses.
const NESTING_MAX: usize = 120;

type Known = (String, Arc<Valid<ExecutableDocument>>);

static KNOWN: Mutex<VecDeque<Known>> = Mutex::new(VecDeque::new());

pub(super) fn read(schema: &Valid<Schema>, text: &str) -> Result<Arc<Valid<ExecutableDocument>>, Vec<Value>> {
    if let Some(known) = recall(text) {
        return Ok(known);
    }
    if text.len() > DOCUMENT_BYTES_MAX {
        let message = format!("The query is larger than the maximum of {DOCUMENT_BYTES_MAX} bytes.");
        return Err(vec![json!({ "message": message })]);
    }
    let document = Arc::new(parse(schema, text)?);
    remember(text, &document);
    Ok(document)
}

fn parse(schema: &Valid<Schema>, text: &str) -> Result<Valid<ExecutableDocument>, Vec<Value>> {
    let complain = |errors: &DiagnosticList| {
        errors.iter().map(|found| complaint(&found.to_json(), found.error)).collect::<Vec<_>>()
    };
    let mut parser = Parser::new().token_limit(TOKENS_MAX).recursion_limit(NESTING_MAX);
    let parsed = parser.parse_executable(schema, text, "query.graphql");
    // What was read up to a limit is not what was sent, so nothing else is said about it.
    if parser.tokens_reached() >= TOKENS_MAX {
        return Err(vec![json!({ "message": format!("The query has more than {TOKENS_MAX} tokens.") })]);
    }
    let document = parsed.map_err(|refused| complain(&refused.errors))?;
    match document.validate(schema) {
        Ok(document) => Ok(document),
        Err(refused) if is_only_overlapping(&refused.errors) => Ok(Valid::assume_valid(refused.partial)),
        Err(refused) => Err(complain(&refused.errors)),
    }
}

/// GitHub does not ask that fields of the same name can be merged, and `gh` sends some that cannot.
fn is_only_overlapping(errors: &DiagnosticList) -> bool {
    errors.iter().all(|found| {
        found.error.unstable_error_name().is_some_and(|name| name.starts_with("ConflictingField"))
    })
}

/// GitHub's code of what a validator found.
fn code_of(name: &str) -> Option<&'static str> {
    Some(match name {
        "UndefinedField" => "undefinedField",
        "UndefinedArgument" => "argumentNotAccepted",
        "RequiredArgument" => "missingRequiredArguments",
        "UndefinedVariable" => "variableNotDefined",
        "UnusedVariable" => "variableNotUsed",
        "MissingSubselection" | "SubselectionOnScalarType" | "SubselectionOnEnumType" => "selectionMismatch",
        "UndefinedFragment" => "useAndDefineFragment",
        "UnusedFragment" => "useAndDefineFragment",
        "RecursiveFragmentDefinition" => "infiniteLoop",
        "DisallowedVariableUsage" => "variableMismatch",
        "UnsupportedValueType" | "UndefinedEnumValue" | "IntCoercionError" => "argumentLiteralsIncompatible",
        _ => return None,
    })
}

fn complaint(error: &GraphQLError, found: &apollo_compiler::validation::DiagnosticData) -> Value {
    let name = found.unstable_error_name().unwrap_or_default();
    let message = found.unstable_compat_message().unwrap_or_else(|| error.message.clone());
    let mut complaint = json!({ "message": message, "locations": error.locations });
    if let Some(code) = code_of(name) {
        complaint["extensions"] = json!({ "code": code });
    }
    if let Some((type_name, field)) = undefined_field(name, &message) {
        complaint["extensions"]["typeName"] = type_name.into();
        complaint["extensions"]["fieldName"] = field.into();
        complaint["message"] = format!("Field '{field}' doesn't exist on type '{type_name}'").into();
    }
    complaint
}

/// The type and the field of `Cannot query field "FIELD" on type "TYPE".`
fn undefined_field<'m>(name: &str, message: &'m str) -> Option<(&'m str, &'m str)> {
    if name != "UndefinedField" {
        return None;
    }
    let mut quoted = message.split('"').skip(1).step_by(2);
    let field = quoted.next()?;
    Some((quoted.next()?, field))
}

/// The operation that was asked for, or the only one.
pub(super) fn operation<'d>(
    document: &'d ExecutableDocument,
    name: Option<&str>,
) -> Result<&'d Node<Operation>, Vec<Value>> {
    document.operations.get(name).map_err(|_| {
        let message = match name {
            Some(name) => format!("No operation named \"{name}\""),
            None if document.operations.is_empty() => {
                "A query attribute must contain an operation.".to_owned()
            }
            None => "An operation name is required".to_owned(),
        };
        vec![json!({ "message": message })]
    })
}

/// Tells which variable has a value of another type than it is declared with.
pub(super) fn bad_variable(
    document: &ExecutableDocument,
    operation: &Operation,
    error: &RequestError,
) -> Value {
    let told = error.to_graphql_error(&document.sources);
    let is_meant = |name: &str| {
        let mut words = told.message.split(|c: char| !c.is_alphanumeric() && c != '_');
        words.any(|word| word == name)
    };
    let Some(variable) = operation.variables.iter().find(|variable| is_meant(&variable.name)) else {
        return json!({ "message": told.message, "locations": told.locations });
    };
    let message = format!("Variable ${} of type {} was provided invalid value", variable.name, variable.ty);
    let problems = json!([{ "path": [], "explanation": told.message }]);
    json!({ "message": message, "locations": told.locations, "extensions": { "problems": problems } })
}

fn recall(text: &str) -> Option<Arc<Valid<ExecutableDocument>>> {
    let mut known = lock(&KNOWN);
    let at = known.iter().position(|(sent, _)| sent == text)?;
    let found = known.remove(at)?;
    let document = Arc::clone(&found.1);
    known.push_back(found);
    Some(document)
}

fn remember(text: &str, document: &Arc<Valid<ExecutableDocument>>) {
    if text.len() > REMEMBERED_BYTES_MAX {
        return;
    }
    let mut known = lock(&KNOWN);
    if known.len() >= REMEMBERED_MAX {
        known.pop_front();
    }
    known.push_back((text.to_owned(), Arc::clone(document)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graphql::schema::schema;

    fn refusal(text: &str) -> Value {
        read(schema(), text).expect_err(text).remove(0)
    }

    #[test]
    fn what_is_wrong_with_a_document_is_told_in_githubs_words() {
        let told = refusal("{ viewer { nothing } }");
        assert_eq!(told["message"], "Field 'nothing' doesn't exist on type 'User'");
        let extensions = json!({ "code": "undefinedField", "typeName": "User", "fieldName": "nothing" });
        assert_eq!(told["extensions"], extensions);
        assert_eq!(told["locations"], json!([{ "line": 1, "column": 12 }]));
        let code = |text: &str| refusal(text)["extensions"]["code"].clone();
        assert_eq!(code("{ repository(owner: \"a\") { id } }"), "missingRequiredArguments");
        assert_eq!(code("{ viewer(x: 1) { id } }"), "argumentNotAccepted");
        assert_eq!(code("{ viewer }"), "selectionMismatch");
        assert_eq!(code("{ ...F } fragment F on Query { ...F }"), "infiniteLoop");
        assert!(refusal("{ viewer {")["message"].is_string());
    }

    #[test]
    fn a_document_that_is_too_large_too_long_or_too_deep_is_refused() {
        let large = format!("{{ viewer {{ id }} }} #{}", "x".repeat(DOCUMENT_BYTES_MAX));
        assert!(refusal(&large)["message"].as_str().unwrap().contains("larger"));
        refusal(&format!("{{ viewer {{ {} }} }}", "id ".repeat(TOKENS_MAX)));
        let deep = format!("{}id{}", "viewer { ".repeat(200), " }".repeat(200));
        refusal(&format!("{{ {deep} }}"));
    }
}

//! What was asked and how the answers were judged, as a table that people can read.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use serde_json::Value;

use crate::forge_contract::openapi::{Description, Judged};

/// One line of the forge's recording.
pub(crate) struct Exchange {
    pub(crate) method: String,
    pub(crate) template: String,
    pub(crate) path: String,
    pub(crate) status: u16,
    pub(crate) is_json: bool,
    pub(crate) body: Value,
    pub(crate) client: &'static str,
}

pub(crate) fn read(recording: &Path) -> Vec<Exchange> {
    let text = std::fs::read_to_string(recording).expect("the forge recorded its exchanges");
    text.lines().map(|line| parse(&serde_json::from_str(line).expect("a line of JSON"))).collect()
}

fn parse(line: &Value) -> Exchange {
    let text = |key: &str| line[key].as_str().unwrap_or_default().to_owned();
    Exchange {
        method: text("method"),
        template: text("template"),
        path: text("path"),
        status: u16::try_from(line["status"].as_u64().unwrap_or(0)).unwrap_or(0),
        is_json: text("content_type").starts_with("application/json"),
        body: line["body"].clone(),
        client: client_of(&text("user_agent")),
    }
}

fn client_of(agent: &str) -> &'static str {
    let agent = agent.to_lowercase();
    let known = [
        ("githubkit", "githubkit"),
        ("pygithub", "PyGithub"),
        ("octokit", "Octokit"),
        ("github cli", "gh"),
        ("baton-tests", "walk"),
    ];
    known.iter().find(|(mark, _)| agent.contains(mark)).map_or("other", |(_, name)| name)
}

#[derive(Default)]
struct Row {
    statuses: BTreeMap<u16, BTreeSet<Judged>>,
    clients: BTreeSet<&'static str>,
}

pub(crate) struct Report {
    rows: BTreeMap<(String, String), Row>,
    names: BTreeMap<(String, String), String>,
    failures: Vec<String>,
    exchanges: usize,
}

pub(crate) fn validate(description: &Description, exchanges: &[Exchange]) -> Report {
    let mut report =
        Report { rows: BTreeMap::new(), names: BTreeMap::new(), failures: Vec::new(), exchanges: 0 };
    let operations: BTreeMap<_, _> = baton_forge::endpoints()
        .map(|endpoint| ((endpoint.method, endpoint.path), endpoint.operation))
        .collect();
    for exchange in exchanges {
        let operation = operations
            .get(&(exchange.method.as_str(), exchange.template.as_str()))
            .copied()
            .unwrap_or_default();
        if operation.is_empty() {
            continue;
        }
        report.exchanges += 1;
        report.judge(description, operation, exchange);
    }
    report
}

impl Report {
    fn judge(&mut self, description: &Description, operation: &str, exchange: &Exchange) {
        let key = (exchange.template.clone(), exchange.method.clone());
        let at = format!(
            "{} {} ({}) answered {}",
            exchange.method, exchange.path, exchange.client, exchange.status
        );
        if description.operation_id(&exchange.method, &exchange.template) != Some(operation) {
            self.failures.push(format!("{at}: the table calls it {operation}, GitHub does not"));
        }
        self.names.insert(key.clone(), operation.to_owned());
        // Raw files and differences are described as text; there is nothing in them to validate.
        let judged = match exchange.is_json || exchange.status >= 400 || exchange.status == 204 {
            true => description.check(&exchange.method, &exchange.template, exchange.status, &exchange.body),
            false => Ok(Judged::Described),
        };
        let row = self.rows.entry(key).or_default();
        row.clients.insert(exchange.client);
        match judged {
            Ok(judged) => drop(row.statuses.entry(exchange.status).or_default().insert(judged)),
            Err(error) => self.failures.push(format!("{at}: {error}")),
        }
    }

    pub(crate) fn print(&self) {
        println!(
            "{} exchanges over {} endpoints, {} failures",
            self.exchanges,
            self.rows.len(),
            self.failures.len()
        );
        for failure in self.failures.iter().take(40) {
            println!("  {failure}");
        }
    }

    fn table(&self) -> String {
        let mut text = String::from(HEAD);
        for endpoint in baton_forge::endpoints().filter(|endpoint| !endpoint.operation.is_empty()) {
            let key = (endpoint.path.to_owned(), endpoint.method.to_owned());
            let (statuses, clients) = match self.rows.get(&key) {
                Some(row) => (statuses(row), row.clients.iter().copied().collect::<Vec<_>>().join(", ")),
                None => ("–".to_owned(), "–".to_owned()),
            };
            let _ = writeln!(
                text,
                "| `{} {}` | {} | {statuses} | {clients} |",
                endpoint.method, endpoint.path, endpoint.operation
            );
        }
        text
    }

    /// Fails unless every answer was valid, every endpoint was met with success, and the document says so.
    pub(crate) fn compare(&self, document: &Path) {
        assert!(
            self.failures.is_empty(),
            "{} answers differ from GitHub's description, the first: {}",
            self.failures.len(),
            self.failures[0]
        );
        for endpoint in baton_forge::endpoints().filter(|endpoint| !endpoint.operation.is_empty()) {
            let row = self.rows.get(&(endpoint.path.to_owned(), endpoint.method.to_owned()));
            let succeeded = row.is_some_and(|row| row.statuses.keys().any(|status| *status < 300));
            assert!(succeeded, "{} {} was never met with success", endpoint.method, endpoint.path);
        }
        let (table, found) = (self.table(), std::fs::read_to_string(document).unwrap_or_default());
        if std::env::var_os("BATON_BLESS").is_some() {
            std::fs::write(document, &table).expect("the document can be written");
        } else {
            assert_eq!(
                table, found,
                "docs/forge-coverage.md is stale: run `BATON_BLESS=1 cargo xtask test forge_contract` and commit it"
            );
        }
    }
}

fn statuses(row: &Row) -> String {
    let word = |(status, judged): (&u16, &BTreeSet<Judged>)| match judged.contains(&Judged::Undescribed) {
        true => format!("{status}*"),
        false => status.to_string(),
    };
    row.statuses.iter().map(word).collect::<Vec<_>>().join(" ")
}

const HEAD: &str = "# What the forge covers

Written by the contract test, which fails when this page is stale. Each row is an endpoint of the forge's table; the
statuses are those that were answered during the test, every one of them validated against GitHub's published
description. A star marks a status that the description does not list for that endpoint: an error was then validated
against the description's general schema of errors, and a 304 by having no body. The last column names who asked: `walk`
visits every endpoint, right and wrong; the others are independent clients.

| endpoint | operation | statuses validated | asked by |
|---|---|---|---|
";

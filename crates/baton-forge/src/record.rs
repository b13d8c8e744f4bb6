//! Writes every REST exchange to a file, one JSON object a line.
//!
//! The contract tests validate what independent clients were answered from this file; a person reads it to see what a
//! client really asked. Secrets stay out: no request header is written.

use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;
use std::sync::Mutex;

use serde_json::{Value, json};

use crate::sync::lock;

pub(crate) struct Recorder {
    file: Mutex<File>,
}

/// One exchange.
pub(crate) struct Exchange<'a> {
    pub(crate) method: &'a str,
    pub(crate) path: &'a str,
    pub(crate) query: &'a str,
    pub(crate) template: &'a str,
    pub(crate) user_agent: &'a str,
    pub(crate) status: u16,
    pub(crate) content_type: &'a str,
    pub(crate) body: &'a [u8],
}

impl Recorder {
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let file = OpenOptions::new().create(true).append(true).open(path)?;
        Ok(Self { file: Mutex::new(file) })
    }

    pub(crate) fn write(&self, exchange: &Exchange<'_>) {
        let body = serde_json::from_slice::<Value>(exchange.body)
            .unwrap_or_else(|_| Value::from(String::from_utf8_lossy(exchange.body)));
        let line = json!({
            "method": exchange.method,
            "path": exchange.path,
            "query": exchange.query,
            "template": exchange.template,
            "user_agent": exchange.user_agent,
            "status": exchange.status,
            "content_type": exchange.content_type,
            "body": body,
        });
        if let Err(error) = lock(&self.file).write_all(format!("{line}\n").as_bytes()) {
            tracing::error!(%error, "cannot record an exchange");
        }
    }
}

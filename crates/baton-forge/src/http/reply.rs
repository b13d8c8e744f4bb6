//! What an endpoint gives back, before GitHub's headers are put around it.

use bytes::Bytes;
use serde::Serialize;

use super::error::ApiError;

/// Most answers that show one thing fit into this without growing.
const BODY_BYTES_USUAL: usize = 4 * 1024;

pub(crate) const JSON: &str = "application/json; charset=utf-8";

#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) content_type: &'static str,
    pub(crate) body: Bytes,
    pub(crate) link: Option<String>,
    pub(crate) location: Option<String>,
    pub(crate) retry_after_s: Option<u64>,
    /// When the one thing that this shows was last changed.
    pub(crate) modified_at: Option<i64>,
}

pub(crate) type ApiResult = Result<Reply, ApiError>;

impl Reply {
    pub(crate) fn json(status: u16, value: &impl Serialize) -> ApiResult {
        let mut body = Vec::with_capacity(BODY_BYTES_USUAL);
        serde_json::to_writer(&mut body, value)?;
        Ok(Self::of(status, JSON, body))
    }

    pub(crate) fn ok(value: &impl Serialize) -> ApiResult {
        Self::json(200, value)
    }

    /// One thing, with the time of its last change.
    pub(crate) fn one(value: &impl Serialize, modified_at: i64) -> ApiResult {
        Ok(Self { modified_at: Some(modified_at), ..Self::ok(value)? })
    }

    /// A 201 whose `Location` is the new thing's own address.
    pub(crate) fn created(value: &impl Serialize, location: String) -> ApiResult {
        Ok(Self { location: Some(location), ..Self::json(201, value)? })
    }

    pub(crate) fn no_content() -> ApiResult {
        Ok(Self::of(204, JSON, Vec::new()))
    }

    pub(crate) fn of(status: u16, content_type: &'static str, body: Vec<u8>) -> Self {
        Self {
            status,
            content_type,
            body: Bytes::from(body),
            link: None,
            location: None,
            retry_after_s: None,
            modified_at: None,
        }
    }
}

impl From<ApiError> for Reply {
    fn from(error: ApiError) -> Self {
        let body = error.body().to_string().into_bytes();
        Self { retry_after_s: error.retry_after_s, ..Self::of(error.status, JSON, body) }
    }
}

//! Bodies in memory: each within a limit and in time, and all together within another limit.

use std::time::Duration;

use axum::body::Body;
use axum::http::{HeaderMap, header};
use bytes::Bytes;
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::refusal::Refusal;

/// The largest body that is taken, in bytes.
pub const BODY_BYTES_MAX: usize = 10 * 1024 * 1024;
/// How much all bodies together may take, in steps of [`STEP_BYTES`].
const ROOM_STEPS: usize = 8 * BODY_BYTES_MAX / STEP_BYTES;
const STEP_BYTES: usize = 1024;
/// GitHub itself gives up on a delivery after so long.
const PATIENCE: Duration = Duration::from_secs(10);

/// The memory for bodies. Anybody may begin to send one, before it is known who that is.
pub(crate) struct Room {
    steps: Semaphore,
}

impl Default for Room {
    fn default() -> Self {
        Self { steps: Semaphore::new(ROOM_STEPS) }
    }
}

impl Room {
    /// Reads a body. The room is taken until the permit is dropped.
    pub(crate) async fn read(
        &self,
        headers: &HeaderMap,
        body: Body,
    ) -> Result<(Bytes, SemaphorePermit<'_>), Refusal> {
        let promised = promised_bytes(headers)?;
        let steps = u32::try_from(promised.div_ceil(STEP_BYTES)).unwrap_or(u32::MAX);
        let waiting = tokio::time::timeout(PATIENCE, self.steps.acquire_many(steps)).await;
        let permit = waiting.ok().and_then(Result::ok).ok_or(Refusal::Crowded)?;
        let reading = tokio::time::timeout(PATIENCE, Limited::new(body, promised).collect()).await;
        let collected =
            reading.map_err(|_| Refusal::Slow)?.map_err(|error| match error.is::<LengthLimitError>() {
                true => Refusal::TooLarge,
                false => Refusal::Cut,
            })?;
        Ok((collected.to_bytes(), permit))
    }
}

/// Returns how much the body may take: what it promises, or all that it may if it promises nothing.
fn promised_bytes(headers: &HeaderMap) -> Result<usize, Refusal> {
    let Some(length) = headers.get(header::CONTENT_LENGTH) else { return Ok(BODY_BYTES_MAX) };
    let length: usize = length.to_str().ok().and_then(|text| text.parse().ok()).ok_or(Refusal::TooLarge)?;
    if length > BODY_BYTES_MAX { Err(Refusal::TooLarge) } else { Ok(length) }
}

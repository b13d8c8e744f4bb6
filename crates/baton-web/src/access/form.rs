//! Reads the field of a form that shows that the form is ours, and leaves the request as it was.

use std::time::Duration;

use axum::body::Body;
use axum::extract::Request;
use axum::http::header;
use bytes::Bytes;
use http_body_util::{BodyExt as _, LengthLimitError, Limited};

use super::denial::Denial;

/// The largest form that is taken, in bytes.
const FORM_BYTES_MAX: usize = 256 * 1024;
/// How long a form may take to arrive.
const PATIENCE: Duration = Duration::from_secs(10);
const FIELD: &str = "_csrf";

/// Returns what a request carries to show that it is ours, in its header or its form, together with the whole request.
pub(super) async fn shown(request: Request) -> Result<(Option<String>, Request), Denial> {
    if let Some(shown) = request.headers().get("X-CSRF-Token") {
        let shown = shown.to_str().ok().map(str::to_owned);
        return Ok((shown, request));
    }
    if !is_form(&request) {
        return Err(Denial::NotAForm);
    }
    let (parts, body) = request.into_parts();
    let bytes = read(body).await?;
    let shown = field(&bytes, FIELD);
    Ok((shown, Request::from_parts(parts, Body::from(bytes))))
}

/// Returns a field of a form; nothing if it is not there exactly once.
pub(super) fn field(form: &[u8], name: &str) -> Option<String> {
    let mut values = form_urlencoded::parse(form).filter(|(key, _)| key == name).map(|(_, value)| value);
    let value = values.next()?.into_owned();
    values.next().is_none().then_some(value)
}

fn is_form(request: &Request) -> bool {
    let kind = request.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    let kind = kind.and_then(|kind| kind.split(';').next()).unwrap_or_default().trim();
    kind.eq_ignore_ascii_case("application/x-www-form-urlencoded")
}

async fn read(body: Body) -> Result<Bytes, Denial> {
    let reading = tokio::time::timeout(PATIENCE, Limited::new(body, FORM_BYTES_MAX).collect()).await;
    let collected = reading
        .map_err(|_| Denial::Slow)?
        .map_err(|error| if error.is::<LengthLimitError>() { Denial::TooLarge } else { Denial::Cut })?;
    Ok(collected.to_bytes())
}

//! What pages are drawn with: the sheet of styles, the scripts and the icon, all of them in the binary.

use std::collections::HashMap;

use axum::extract::{Path, Query};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};

/// The sheet of styles, which a report in one file carries along.
pub(crate) const STYLES: &str =
    concat!(include_str!("../../assets/base.css"), "\n", include_str!("../../assets/pages.css"));
const SCRIPT: &str = include_str!("../../assets/app.js");
const HTMX: &str = include_str!("../../assets/vendor/htmx.min.js");
const ICON: &str = include_str!("../../assets/icon.svg");

/// A file, and a name of its content: who has seen that name need not ask again.
struct Asset {
    content: &'static str,
    kind: &'static str,
    mark: u64,
}

const fn asset(content: &'static str, kind: &'static str) -> Asset {
    Asset { content, kind, mark: mark(content.as_bytes()) }
}

const SCRIPT_KIND: &str = "text/javascript; charset=utf-8";
static STYLES_ASSET: Asset = asset(STYLES, "text/css; charset=utf-8");
static SCRIPT_ASSET: Asset = asset(SCRIPT, SCRIPT_KIND);
static HTMX_ASSET: Asset = asset(HTMX, SCRIPT_KIND);
static FORGE_STYLES_ASSET: Asset = asset(include_str!("../../assets/forge.css"), "text/css; charset=utf-8");
static ICON_ASSET: Asset = asset(ICON, "image/svg+xml");

/// Returns a number that differs between contents (FNV-1a). It is no secret and guards nothing.
const fn mark(content: &[u8]) -> u64 {
    let mut mark: u64 = 0xcbf2_9ce4_8422_2325;
    let mut place = 0;
    while place < content.len() {
        mark = (mark ^ content[place] as u64).wrapping_mul(0x0100_0000_01b3);
        place += 1;
    }
    mark
}

fn find(name: &str) -> Option<&'static Asset> {
    match name {
        "baton.css" => Some(&STYLES_ASSET),
        "app.js" => Some(&SCRIPT_ASSET),
        "htmx.min.js" => Some(&HTMX_ASSET),
        "icon.svg" => Some(&ICON_ASSET),
        "forge.css" => Some(&FORGE_STYLES_ASSET),
        _ => None,
    }
}

/// Returns the address of a file, with the name of its content.
pub(crate) fn address(name: &str) -> String {
    let mark = find(name).map_or(0, |asset| asset.mark);
    format!("/assets/{name}?v={mark:x}")
}

pub(crate) async fn answer(
    Path(name): Path<String>,
    Query(query): Query<HashMap<String, String>>,
    headers: HeaderMap,
) -> Response {
    let Some(asset) = find(&name) else {
        return (StatusCode::NOT_FOUND, format!("there is no file /assets/{name}\n")).into_response();
    };
    let mark = format!("{:x}", asset.mark);
    let tag = format!("\"{mark}\"");
    // An address that names the content never means another; one without it must be asked for again.
    let keeping = match query.get("v") {
        Some(asked) if *asked == mark => "public, max-age=31536000, immutable",
        _ => "no-cache",
    };
    let known = headers.get(header::IF_NONE_MATCH).and_then(|known| known.to_str().ok());
    let about = [(header::ETAG, tag.clone()), (header::CACHE_CONTROL, keeping.to_owned())];
    if known == Some(tag.as_str()) {
        return (StatusCode::NOT_MODIFIED, about).into_response();
    }
    (about, [(header::CONTENT_TYPE, asset.kind)], asset.content).into_response()
}

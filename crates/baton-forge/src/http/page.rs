//! Pages of lists, and the `Link` header that leads from one to the next.

use std::fmt::Write as _;

use serde::Serialize;

use super::call::Call;
use super::error::ApiError;
use super::reply::{ApiResult, Reply};
use crate::wire::segment;

const PER_PAGE_DEFAULT: i64 = 30;
const PER_PAGE_MAX: i64 = 100;
/// Beyond this an offset could overflow; no list is that long.
const PAGE_MAX: i64 = 1_000_000_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Page {
    pub(crate) number: i64,
    pub(crate) size: i64,
}

impl Page {
    /// Reads `page` and `per_page`; what makes no sense falls back to the default, as on GitHub.
    pub(crate) fn of(call: &Call) -> Self {
        let number = |key: &str| call.query.get(key).and_then(|text| text.parse::<i64>().ok());
        let size = number("per_page").filter(|size| *size > 0).unwrap_or(PER_PAGE_DEFAULT).min(PER_PAGE_MAX);
        Self { number: number("page").unwrap_or(1).clamp(1, PAGE_MAX), size }
    }

    pub(crate) fn offset(self) -> i64 {
        (self.number - 1) * self.size
    }

    fn last(self, total: i64) -> i64 {
        ((total + self.size - 1) / self.size).max(1)
    }

    /// Cuts a list that was loaded whole.
    pub(crate) fn cut<T>(self, mut all: Vec<T>) -> Vec<T> {
        let start = usize::try_from(self.offset()).unwrap_or(usize::MAX).min(all.len());
        let size = usize::try_from(self.size).unwrap_or(usize::MAX);
        all.drain(..start);
        all.truncate(size);
        all
    }
}

/// Answers with one page of a list and the way to the others. `count` is asked only when there may be others.
pub(crate) fn reply<T: Serialize>(
    call: &Call,
    page: Page,
    items: &[T],
    count: impl FnOnce() -> Result<i64, ApiError>,
) -> ApiResult {
    let full = i64::try_from(items.len()).unwrap_or(i64::MAX) >= page.size;
    let link = if full || page.number > 1 { link(call, page, count()?) } else { None };
    Ok(Reply { link, ..Reply::ok(&items)? })
}

/// Answers with one page of a list that was loaded whole.
pub(crate) fn reply_cut<T: Serialize>(call: &Call, all: Vec<T>) -> ApiResult {
    let page = Page::of(call);
    let total = i64::try_from(all.len()).unwrap_or(i64::MAX);
    reply(call, page, &page.cut(all), || Ok(total))
}

/// Writes the `Link` header for a list of `total` items.
pub(crate) fn link(call: &Call, page: Page, total: i64) -> Option<String> {
    let last = page.last(total);
    let mut relations = Vec::new();
    if page.number > 1 {
        relations.extend([("prev", (page.number - 1).min(last)), ("first", 1)]);
    }
    if page.number < last {
        relations.extend([("next", page.number + 1), ("last", last)]);
    }
    (!relations.is_empty()).then(|| {
        let address =
            |(relation, number): &(&str, i64)| format!("<{}>; rel=\"{relation}\"", address(call, *number));
        relations.iter().map(address).collect::<Vec<_>>().join(", ")
    })
}

/// The address of another page of the same list. GitHub names repositories by id here, so clients must follow the
/// header as it stands.
fn address(call: &Call, number: i64) -> String {
    let mut url = format!("{}{}", call.links.api, call.stable_path());
    let mut mark = '?';
    for (key, value) in call.query.pairs().filter(|(key, _)| key != "page") {
        // Writing to a string cannot fail.
        let _ = write!(url, "{mark}{}={}", segment(&key), segment(&value));
        mark = '&';
    }
    let _ = write!(url, "{mark}page={number}");
    url
}

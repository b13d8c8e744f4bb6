//! Lists: all pages, or an error.
//!
//! Links to further pages are followed as they are, because GitHub's point elsewhere than a client would guess; but
//! only on the same server, which alone may see the token.

use baton_core::tracker::Dated;
use baton_ports::TrackerErrorKind;
use reqwest::Url;
use serde::de::DeserializeOwned;

use super::{Answer, Draft, GitHub, Sent};

/// The most GitHub gives at once.
const PAGE: (&str, &str) = ("per_page", "100");

impl GitHub {
    /// Reads a list to its end.
    pub(crate) async fn list<T: DeserializeOwned>(&self, draft: Draft) -> Answer<Dated<Vec<T>>> {
        self.list_up_to(draft, self.shared.pages_max).await
    }

    /// Reads a list to its end, which may be further away than that of other lists.
    pub(crate) async fn list_up_to<T: DeserializeOwned>(
        &self,
        draft: Draft,
        pages_max: u32,
    ) -> Answer<Dated<Vec<T>>> {
        let mut call = draft.query(&[PAGE]).call;
        let mut sent = self.ask(Draft { call: call.clone() }).await?;
        let mut list = sent.dated::<Vec<T>>()?;
        while let Some(next) = self.next_page(&sent, &call.url)? {
            if list.pages >= pages_max {
                let answer = format!("the list has more than {pages_max} pages");
                return Err(sent.tried.error(TrackerErrorKind::Invalid, answer));
            }
            call.url = next;
            sent = self.ask(Draft { call: call.clone() }).await?;
            list.value.extend(sent.parse::<Vec<T>>()?);
            list.pages += 1;
        }
        Ok(list)
    }

    fn next_page(&self, sent: &Sent, here: &Url) -> Answer<Option<Url>> {
        let Some(link) = sent.reply.header("link").and_then(next_of) else { return Ok(None) };
        match here.join(link) {
            Ok(url) if url != *here && self.shared.base.is_home_of(&url) => Ok(Some(url)),
            _ => {
                let answer = format!("the next page is said to be at {link}, which is not followed");
                Err(sent.tried.error(TrackerErrorKind::Malformed, answer))
            }
        }
    }
}

/// Returns the address with `rel="next"` of a `Link` header.
fn next_of(header: &str) -> Option<&str> {
    let links = header.split('<').skip(1).filter_map(|part| part.split_once('>'));
    let is_next = |parameters: &str| {
        parameters.split([';', ',']).any(|parameter| {
            let parameter = parameter.trim().strip_prefix("rel=").map(|value| value.trim_matches('"'));
            parameter.is_some_and(|value| value.split_whitespace().any(|word| word == "next"))
        })
    };
    links.filter(|(_, parameters)| is_next(parameters)).map(|(url, _)| url).next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_page_is_found_among_links() {
        let check = |header: &str, expected: Option<&str>| assert_eq!(next_of(header), expected, "{header}");
        check(
            r#"<https://x/a?page=2>; rel="next", <https://x/a?page=9>; rel="last""#,
            Some("https://x/a?page=2"),
        );
        check(
            r#"<https://x/a?page=1>; rel="prev", <https://x/a?b=1,2&page=3>; rel="next""#,
            Some("https://x/a?b=1,2&page=3"),
        );
        check("<https://x/a>; rel=next", Some("https://x/a"));
        check(r#"<https://x/a>; title="y"; rel="last next""#, Some("https://x/a"));
        check(r#"<https://x/a?page=1>; rel="first""#, None);
        check(r#"<https://x/a?rel="next">; rel="last""#, None);
        check("", None);
        check("nonsense", None);
    }
}

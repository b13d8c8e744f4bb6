//! What people and agents wrote, as HTML: Markdown, in which nothing can do anything.
//!
//! Markup in the text is shown as text, what trackers hide in small print, links lead only to addresses of the web, and images are links: a page asks nobody else
//! for anything.

use maud::{Markup, PreEscaped, html};
use pulldown_cmark::{CowStr, Event, LinkType, Options, Parser, Tag, TagEnd};

/// Returns a text as HTML.
pub(crate) fn prose(text: &str) -> Markup {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut drawn = String::with_capacity(text.len() * 2);
    let mut is_unseen = false;
    let events = Parser::new_ext(text, options).map(|event| match event {
        Event::Html(text) | Event::InlineHtml(text) => markup(text, &mut is_unseen),
        event => harmless(event),
    });
    pulldown_cmark::html::push_html(&mut drawn, events);
    PreEscaped(drawn)
}

/// Shows markup as text. What a tracker hides, a comment in it, is in small print: agents read it, so people may want to.
fn markup<'a>(text: CowStr<'a>, is_unseen: &mut bool) -> Event<'a> {
    *is_unseen |= text.trim_start().starts_with("<!--");
    if !*is_unseen {
        return Event::Text(text);
    }
    *is_unseen = !text.contains("-->");
    let words = text.trim_end();
    Event::Html(html! { span.unseen title=(words) { (words) } }.into_string().into())
}

fn harmless(event: Event<'_>) -> Event<'_> {
    match event {
        Event::SoftBreak => Event::HardBreak,
        // Headings of a comment are not headings of the page.
        Event::Start(Tag::Heading { .. }) => Event::Html("<p class=\"heading\">".into()),
        Event::End(TagEnd::Heading(_)) => Event::Html("</p>".into()),
        Event::Start(Tag::Link { link_type, dest_url, .. }) => link(link_type, dest_url),
        Event::Start(Tag::Image { dest_url, .. }) => link(LinkType::Inline, dest_url),
        Event::End(TagEnd::Image) => Event::End(TagEnd::Link),
        Event::Start(Tag::HtmlBlock) => Event::Start(Tag::Paragraph),
        Event::End(TagEnd::HtmlBlock) => Event::End(TagEnd::Paragraph),
        other => other,
    }
}

fn link<'a>(link_type: LinkType, address: CowStr<'a>) -> Event<'a> {
    let is_web = address.starts_with("https://") || address.starts_with("http://");
    let dest_url = if is_web { address } else { "#main".into() };
    Event::Start(Tag::Link { link_type: plain(link_type), dest_url, title: "".into(), id: "".into() })
}

/// A link to mail would be given an address of its own.
fn plain(link_type: LinkType) -> LinkType {
    if link_type == LinkType::Email { LinkType::Inline } else { link_type }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_in_a_text_is_shown_and_never_obeyed() {
        for (text, expected) in [
            ("a <script>x</script> b", "<p>a &lt;script&gt;x&lt;/script&gt; b</p>\n"),
            ("<div onclick=x>\nhi\n</div>", "<p>&lt;div onclick=x&gt;\nhi\n&lt;/div&gt;</p>\n"),
            (
                "<!-- a \"b\" -->\n\nhi <!--<i>--> there",
                "<p><span class=\"unseen\" title=\"&lt;!-- a &quot;b&quot; --&gt;\">&lt;!-- a &quot;b&quot; --&gt;</span></p>\n\
                 <p>hi <span class=\"unseen\" title=\"&lt;!--&lt;i&gt;--&gt;\">&lt;!--&lt;i&gt;--&gt;</span> there</p>\n",
            ),
            (
                "<!-- a\nb -->\n<b>c",
                "<p><span class=\"unseen\" title=\"&lt;!-- a\">&lt;!-- a</span>\
                 <span class=\"unseen\" title=\"b --&gt;\">b --&gt;</span></p>\n<p>&lt;b&gt;c</p>\n",
            ),
            ("[x](javascript:alert(1))", "<p><a href=\"#main\">x</a></p>\n"),
            ("![x](https://example.com/a.png)", "<p><a href=\"https://example.com/a.png\">x</a></p>\n"),
            ("# big", "<p class=\"heading\">big</p>"),
            ("one\ntwo", "<p>one<br />\ntwo</p>\n"),
            ("`a < b`", "<p><code>a &lt; b</code></p>\n"),
        ] {
            assert_eq!(prose(text).into_string(), expected, "{text}");
        }
    }
}

//! What may be ordered about an issue: forms that work without a script, and show the result in place with one.

use std::sync::Arc;

use axum::Form;
use axum::extract::rejection::FormRejection;
use axum::extract::{Path, State};
use axum::http::{StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use baton_core::tracker::IssueKey;
use baton_view::{IssueView, Lookout, LookoutError, Offer, Order, OrderKind, Reply};
use maud::{Markup, html};
use serde::Deserialize;

use super::{draw, key};
use crate::dashboard::Site;
use crate::pages::card;
use crate::pages::shell::{self, Asking};

/// What the forms carry. Which fields an order needs, [`order`] says.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Fields {
    reason: String,
    agent: String,
    note: String,
    to: String,
    text: String,
    plan: String,
}

/// Returns a field unless it is blank.
fn filled(text: &str) -> Option<String> {
    Some(text.trim()).filter(|text| !text.is_empty()).map(str::to_owned)
}

/// Returns a field that must not be blank.
fn needed(text: &str, advice: &str) -> Result<String, LookoutError> {
    filled(text).ok_or_else(|| LookoutError::Refused(advice.to_owned()))
}

/// Returns the order that a form gives.
fn order(kind: &str, fields: &Fields) -> Result<Order, LookoutError> {
    let known = OrderKind::ALL.into_iter().find(|known| known.word() == kind);
    let kind = known.ok_or_else(|| LookoutError::NoSuch(format!("there is no order `{kind}`")))?;
    Ok(match kind {
        OrderKind::Pause => Order::Pause { reason: filled(&fields.reason) },
        OrderKind::Resume => Order::Resume {},
        OrderKind::Wake => Order::Wake { agent: filled(&fields.agent), note: filled(&fields.note) },
        OrderKind::Cancel => Order::Cancel {},
        OrderKind::Hold => Order::Hold {},
        OrderKind::Unhold => Order::Unhold {},
        OrderKind::Approve => Order::Approve { note: filled(&fields.note), plan: filled(&fields.plan) },
        OrderKind::Reject => {
            let advice =
                "nothing was rejected: say what is wrong with the plan, so that the agent can mend it";
            Order::Reject { reason: needed(&fields.reason, advice)?, plan: filled(&fields.plan) }
        }
        OrderKind::Move => {
            Order::Move { to: needed(&fields.to, "nothing was moved: choose the column that it goes to")? }
        }
        OrderKind::Comment => {
            Order::Comment { text: needed(&fields.text, "nothing was said: write something first")? }
        }
    })
}

pub(crate) async fn give<L: Lookout>(
    State(site): State<Arc<Site<L>>>,
    Path((owner, name, number, kind)): Path<(String, String, String, String)>,
    asking: Asking,
    fields: Result<Form<Fields>, FormRejection>,
) -> Response {
    let issue = match key(&owner, &name, &number) {
        Ok(issue) => issue,
        Err(error) => return shell::answer(&site, &asking, Err(error)),
    };
    let reply = carry_out(&site, &issue, &kind, &asking, fields).await;
    let status = status_of(&reply);
    if asking.wants_part {
        let about = [("HX-Trigger", "relay-changed"), (header::CACHE_CONTROL.as_str(), "no-store")];
        return (status, about, Html(result(&reply).into_string())).into_response();
    }
    let mut page = shell::answer(&site, &asking, draw(&site, &issue, &asking, result(&reply)).await);
    if status != StatusCode::OK {
        *page.status_mut() = status;
    }
    page
}

/// What was not done is no success, so that scripts keep what was typed.
fn status_of(reply: &Result<Reply, LookoutError>) -> StatusCode {
    match reply {
        Ok(reply) if reply.is_done => StatusCode::OK,
        Ok(_) => StatusCode::CONFLICT,
        Err(error) => shell::status_of(error),
    }
}

async fn carry_out<L: Lookout>(
    site: &Site<L>,
    issue: &IssueKey,
    kind: &str,
    asking: &Asking,
    fields: Result<Form<Fields>, FormRejection>,
) -> Result<Reply, LookoutError> {
    let unreadable = |error| LookoutError::Refused(format!("the form could not be read: {error}"));
    let Form(fields) = fields.map_err(unreadable)?;
    let order = order(kind, &fields)?;
    site.lookout.order(issue, &order, &asking.name).await
}

/// Returns what became of an order.
fn result(reply: &Result<Reply, LookoutError>) -> Markup {
    html! {
        @match reply {
            Ok(reply) => p class={ "result " (if reply.is_done { "good" } else { "warn" }) } {
                b { @if reply.is_done { "Done. " } @else { "Not done. " } } (reply.said)
            },
            Err(error) => p.result.bad { b { "Not done. " } (error) },
        }
    }
}

/// Returns the panel with all orders, and what became of the last.
pub(super) fn panel(view: &IssueView, asking: &Asking, result: Markup) -> Markup {
    html! {
        section .panel.orders aria-labelledby="orders-title" {
            h2 #orders-title { "Actions" }
            div #result role="status" aria-live="polite" { (result) }
            div #orders data-live data-forms {
                @for offer in view.offers.iter().filter(|offer| offer.why_not.is_none()) {
                    (form(view, offer.order, &asking.csrf))
                }
                (unavailable(&view.offers))
            }
        }
    }
}

/// Returns what cannot be ordered, and why not.
fn unavailable(offers: &[Offer]) -> Markup {
    let refused: Vec<_> =
        offers.iter().filter_map(|offer| Some((offer.order, offer.why_not.as_ref()?))).collect();
    html! {
        @if !refused.is_empty() {
            h3 { "Not now" }
            ul.not-now {
                @for (order, why_not) in refused {
                    li { button disabled id={ "order-" (order.word()) } { (label(order)) } span.quiet { (why_not) } }
                }
            }
        }
    }
}

fn label(order: OrderKind) -> &'static str {
    match order {
        OrderKind::Pause => "Pause",
        OrderKind::Resume => "Resume",
        OrderKind::Wake => "Wake an agent",
        OrderKind::Cancel => "Cancel the run",
        OrderKind::Hold => "Hold",
        OrderKind::Unhold => "Let go",
        OrderKind::Approve => "Approve",
        OrderKind::Reject => "Reject",
        OrderKind::Move => "Move",
        OrderKind::Comment => "Comment",
    }
}

/// Returns what an order does, for those who have not given it before.
fn about(order: OrderKind) -> &'static str {
    match order {
        OrderKind::Pause => "No agent starts until it is resumed; one at work stops.",
        OrderKind::Resume => "Agents may go on.",
        OrderKind::Wake => "An agent looks at it, though nothing asks for that.",
        OrderKind::Cancel => "Ends the run at once. What it has pushed stays.",
        OrderKind::Hold => "Nobody claims it until it is let go.",
        OrderKind::Unhold => "It may be claimed again.",
        OrderKind::Approve => "The plan is good: the next stage begins.",
        OrderKind::Reject => "The plan is not good: the agent makes another.",
        OrderKind::Move => "It goes to another column.",
        OrderKind::Comment => "Written on the issue, where agents read it.",
    }
}

/// Returns the form of an order. One that needs words, or cannot be undone, is unfolded first.
fn form(view: &IssueView, order: OrderKind, csrf: &str) -> Markup {
    let address = format!("{}/orders/{}", card::address(&view.card.issue), order.word());
    let id = format!("order-{}", order.word());
    let is_plain = matches!(order, OrderKind::Resume | OrderKind::Hold | OrderKind::Unhold);
    let button = if order == OrderKind::Cancel { "Yes, cancel it" } else { label(order) };
    let form = html! {
        form method="post" action=(address) hx-post=(address) hx-target="#result" hx-swap="innerHTML" hx-disabled-elt="find button" {
            input type="hidden" name="_csrf" value=(csrf);
            (fields(view, order))
            button id=[is_plain.then_some(&id)] .main[!is_plain] .danger[matches!(order, OrderKind::Cancel | OrderKind::Reject)] title=(about(order)) { (button) }
        }
    };
    html! {
        @if is_plain { div.order { (form) } }
        @else {
            details.order name="order" open[order == OrderKind::Comment] {
                summary id=(id) { (label(order)) }
                p.quiet { (about(order)) }
                (form)
            }
        }
    }
}

/// Returns the plan that is shown, so that a word about it counts for no other.
fn plan(view: &IssueView) -> Markup {
    html! { @if let Some(plan) = &view.plan { input type="hidden" name="plan" value=(plan); } }
}

fn fields(view: &IssueView, order: OrderKind) -> Markup {
    let word = order.word();
    let line = |name: &str, words: &str, is_needed: bool| {
        html! {
            label for={ (word) "-" (name) } { (words) }
            input id={ (word) "-" (name) } name=(name) required[is_needed] autocomplete="off";
        }
    };
    let text = |name: &str, words: &str, is_needed: bool| {
        html! {
            label for={ (word) "-" (name) } { (words) }
            textarea id={ (word) "-" (name) } name=(name) rows="3" required[is_needed] {}
        }
    };
    html! {
        @match order {
            OrderKind::Pause => (line("reason", "Reason (may be empty)", false)),
            OrderKind::Wake => { (line("agent", "Agent (empty: that of the stage)", false)) (text("note", "What it is told (may be empty)", false)) },
            OrderKind::Approve => { (plan(view)) (text("note", "Note (may be empty)", false)) },
            OrderKind::Reject => { (plan(view)) (text("reason", "What is wrong with it", true)) },
            OrderKind::Comment => (text("text", "What to say", true)),
            OrderKind::Move => {
                label for="move-to" { "To" }
                select #move-to name="to" {
                    @for column in &view.columns { option value=(column) selected[*column == view.card.column] { (column) } }
                }
            },
            OrderKind::Resume | OrderKind::Cancel | OrderKind::Hold | OrderKind::Unhold => {},
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blank_fields_are_left_out_and_needed_ones_are_asked_for() {
        let fields = Fields { reason: "  ".to_owned(), note: " go on ".to_owned(), ..Fields::default() };
        assert_eq!(order("pause", &fields), Ok(Order::Pause { reason: None }));
        assert_eq!(
            order("approve", &fields),
            Ok(Order::Approve { note: Some("go on".to_owned()), plan: None })
        );
        for kind in ["reject", "move", "comment"] {
            assert!(matches!(order(kind, &fields), Err(LookoutError::Refused(_))), "{kind}");
        }
        assert!(matches!(order("promote", &fields), Err(LookoutError::NoSuch(_))));
    }

    #[test]
    fn what_was_not_done_is_no_success() {
        let reply = |is_done| Reply { is_done, outcome: String::new(), said: String::new() };
        assert_eq!(status_of(&Ok(reply(true))), StatusCode::OK);
        assert_eq!(status_of(&Ok(reply(false))), StatusCode::CONFLICT);
        let refused = Err(LookoutError::Refused("no".to_owned()));
        assert!(status_of(&refused).is_client_error());
    }

    #[test]
    fn a_word_about_a_plan_names_the_one_that_is_shown() {
        let card =
            baton_view::example::board().columns.into_iter().flat_map(|column| column.cards).next().unwrap();
        let mut view = baton_view::example::issue(card);
        view.plan = Some("0f1e".to_owned());
        for order in [OrderKind::Approve, OrderKind::Reject] {
            let form = form(&view, order, "csrf").into_string();
            assert!(form.contains(r#"name="plan" value="0f1e""#), "{form}");
        }
        let fields = Fields { plan: "0f1e".to_owned(), reason: "no".to_owned(), ..Fields::default() };
        let order = order("reject", &fields);
        assert_eq!(order, Ok(Order::Reject { reason: "no".to_owned(), plan: Some("0f1e".to_owned()) }));
    }
}

//! Reports: how much was done, how long it took, what it cost; as a page, and as one file to keep.

use std::sync::Arc;

use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::response::Response;
use baton_view::{IssueCost, Lookout, LookoutError, Period, Report};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use serde::Deserialize;

use crate::dashboard::Site;
use crate::pages::chart::{About, Bar, lying, standing};
use crate::pages::shell::{self, Asking, Place, Sheet};
use crate::pages::{assets, card, moment};

/// The longest period, in days.
const DAYS_MAX: u32 = 366;
/// How many issues the chart of costs shows; the table shows more.
const ISSUES_MAX: usize = 12;

/// Which period to show.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Wanted {
    days: String,
}

impl Wanted {
    fn period(&self) -> Result<Period, LookoutError> {
        if self.days.is_empty() {
            return Ok(Period::default());
        }
        let days = self.days.parse().ok().filter(|days| (1..=DAYS_MAX).contains(days));
        let refused = || {
            LookoutError::Refused(format!(
                "`days={}` is no period: write a number from 1 to {DAYS_MAX}",
                self.days
            ))
        };
        days.map(|days| Period { days }).ok_or_else(refused)
    }
}

pub(crate) async fn show<L: Lookout>(
    State(site): State<Arc<Site<L>>>,
    wanted: Result<Query<Wanted>, QueryRejection>,
    asking: Asking,
) -> Response {
    let sheet = match shell::asked(wanted).and_then(|wanted| wanted.period()) {
        Ok(period) => draw(&site, period).await,
        Err(error) => Err(error),
    };
    shell::answer(&site, &asking, sheet)
}

async fn draw<L: Lookout>(site: &Site<L>, period: Period) -> Result<Sheet, LookoutError> {
    let report = site.lookout.report(period).await?;
    let main = html! {
        div.title-row { h1 { "Reports" } (choice(period.days)) }
        (content(&report, true))
    };
    Ok(Sheet {
        title: "Reports".to_owned(),
        place: Place::Reports,
        now: Some(report.to),
        is_wide: false,
        main,
    })
}

fn choice(days: u32) -> Markup {
    html! {
        nav.choice aria-label="Period" {
            ul {
                @for other in [7, 14, 30, 90, 365] {
                    li { a href={ "/reports?days=" (other) } aria-current=[(other == days).then_some("true")] { (other) " days" } }
                }
            }
        }
    }
}

/// Returns a report as one file: no scripts, and nothing that is asked for elsewhere.
pub fn standalone_report(report: &Report) -> String {
    let title = format!("Relay report {} to {}", report.from.day(), report.to.day());
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) }
                // The sheet is ours and has no markup in it.
                style { (PreEscaped(assets::STYLES)) }
            }
            body { main #main { h1 { (title) } (content(report, false)) } }
        }
    };
    page.into_string()
}

fn content(report: &Report, has_links: bool) -> Markup {
    html! {
        p.quiet { (moment::exact(report.from)) " to " (moment::exact(report.to)) }
        (tiles(report))
        div.charts { (merged(report)) (spent(report)) (cycle(report)) (costs(report)) }
        section { h2 { "Issues" } (issues(&report.issues, has_links)) (hidden(report.hidden)) }
    }
}

fn tiles(report: &Report) -> Markup {
    let totals = &report.totals;
    let tile = |name: &str, value: String, words: String| html! { div.tile { h2 { (name) } p.big { (value) } p.quiet { (words) } } };
    let each = i64::try_from(totals.merged).ok().and_then(|merged| totals.cost_micros.checked_div(merged));
    html! {
        section.tiles aria-label="Totals" {
            (tile("Merged", moment::count(totals.merged), "issues".to_owned()))
            (tile("Cycle time", totals.cycle_s.map_or_else(|| "–".to_owned(), moment::span), "first run to merge, median".to_owned()))
            (tile("Runs", moment::count(totals.runs), format!("{} did not end well", moment::count(totals.failed_runs))))
            (tile("Spent", moment::money(totals.cost_micros), each.map_or_else(|| "nothing was merged".to_owned(), |each| format!("{} for each merge", moment::money(each)))))
        }
    }
}

fn merged(report: &Report) -> Markup {
    let about = About {
        id: "throughput",
        title: "Throughput",
        words: "Issues merged on each day.",
        of: "Day",
        series: &["Merged"],
        write: moment::count,
    };
    standing(&about, &days(report, |day| day.merged))
}

fn spent(report: &Report) -> Markup {
    let about = About {
        id: "cost-by-day",
        title: "Cost by day",
        words: "What was spent on each day, in US dollars.",
        of: "Day",
        series: &["Spent"],
        write: dollars,
    };
    standing(&about, &days(report, |day| u64::try_from(day.cost_micros).unwrap_or(0)))
}

fn days(report: &Report, value: impl Fn(&baton_view::DayLine) -> u64) -> Vec<Bar> {
    let name = |day: &str| day.get(5..).unwrap_or(day).to_owned();
    report.days.iter().map(|day| Bar { name: name(&day.day), values: vec![value(day)] }).collect()
}

fn dollars(micros: u64) -> String {
    moment::money(i64::try_from(micros).unwrap_or(i64::MAX))
}

fn cycle(report: &Report) -> Markup {
    let about = About {
        id: "cycle-time",
        title: "Cycle time by stage",
        words: "From an issue's first run in a stage to the end of its last.",
        of: "Stage",
        series: &["Median", "Nine of ten"],
        write: moment::span,
    };
    let bar = |stage: &baton_view::StageTime| Bar {
        name: stage.stage.clone(),
        values: vec![stage.median_s, stage.p90_s],
    };
    lying(&about, &report.stages.iter().map(bar).collect::<Vec<_>>())
}

fn costs(report: &Report) -> Markup {
    let about = About {
        id: "cost-by-issue",
        title: "Cost by issue",
        words: "The most expensive issues, in US dollars.",
        of: "Issue",
        series: &["Spent"],
        write: dollars,
    };
    let name = |issue: &IssueCost| match &issue.title {
        Some(title) => format!("{} {}", issue.issue, title.chars().take(48).collect::<String>()),
        None => issue.issue.clone(),
    };
    let bar = |issue: &IssueCost| Bar {
        name: name(issue),
        values: vec![u64::try_from(issue.cost_micros).unwrap_or(0)],
    };
    lying(&about, &report.issues.iter().take(ISSUES_MAX).map(bar).collect::<Vec<_>>())
}

/// Says that the list does not show everything.
fn hidden(count: u64) -> Markup {
    html! {
        @if count > 0 {
            p.quiet { "and " (moment::count(count)) " more that cost less; the totals count them too." }
        }
    }
}

fn issues(issues: &[IssueCost], has_links: bool) -> Markup {
    html! {
        @if issues.is_empty() { p.quiet { "Nothing was spent on any issue in this period." } } @else {
            div.scroll tabindex="0" {
                table {
                    caption.sr-only { "What each issue cost, the most expensive first" }
                    thead { tr { th scope="col" { "Issue" } th scope="col" { "Title" } th scope="col" { "Merged" } th.num scope="col" { "Runs" } th.num scope="col" { "Cycle time" } th.num scope="col" { "Spent" } } }
                    tbody {
                        @for issue in issues {
                            tr {
                                th scope="row" { @if has_links { (card::link(&issue.issue)) } @else { (issue.issue) } }
                                td { (issue.title.as_deref().unwrap_or("–")) }
                                td { @if issue.is_merged { span.sign.good { "merged" } } @else { span.quiet { "no" } } }
                                td.num { (issue.runs) }
                                td.num { (issue.cycle_s.map_or_else(|| "–".to_owned(), moment::span)) }
                                td.num { (moment::money(issue.cost_micros)) }
                            }
                        }
                    }
                }
            }
        }
    }
}

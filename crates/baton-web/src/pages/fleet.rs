//! The fleet: who works, who waits, and how the tracker is.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use baton_view::{CounterLine, Fleet, HooksView, Lookout, SpendingLine, WorkerLine};
use maud::{Markup, html};

use crate::dashboard::Site;
use crate::pages::shell::{self, Asking, Place, Sheet};
use crate::pages::{board, card, moment, run};

/// Below this, in thousandths, the tracker's budget needs a look.
const BUDGET_LOW: u32 = 200;

pub(crate) async fn show<L: Lookout>(State(site): State<Arc<Site<L>>>, asking: Asking) -> Response {
    let sheet = site.lookout.fleet().await.map(|fleet| draw(&fleet));
    shell::answer(&site, &asking, sheet)
}

fn draw(fleet: &Fleet) -> Sheet {
    let main = html! {
        div data-refresh {
            h1 { "Fleet" }
            (board::warnings(&fleet.warnings, fleet.now))
            (tiles(fleet))
            section #workers data-live { h2 { "Workers" } (workers(fleet)) }
            section #running data-live {
                h2 { "Running" }
                (run::table(&fleet.running, fleet.now, "Runs that agents are at", "No agent is at work."))
            }
            section #queued data-live {
                h2 { "Queued" }
                (run::table(&fleet.queued, fleet.now, "Runs that wait for a worker or their time", "No run waits."))
            }
            section #deferred data-live { h2 { "Deferred" } (deferred(fleet)) }
            section #leases data-live { h2 { "Claims held" } (leases(fleet)) }
            section #dead data-live { h2 { "Never took effect" } (dead(fleet)) }
        }
    };
    Sheet { title: "Fleet".to_owned(), place: Place::Fleet, now: Some(fleet.now), is_wide: false, main }
}

fn tiles(fleet: &Fleet) -> Markup {
    let live = fleet.workers.iter().filter(|worker| worker.is_live).count();
    html! {
        section #tiles .tiles data-live aria-label="At a glance" {
            div.tile { h2 { "Workers" } p.big { (live) span.quiet { " of " (fleet.workers.len()) " live" } } }
            @for counter in &fleet.counters { (slots(counter)) }
            @for line in &fleet.spending { (spending_tile(line)) }
            (budget(fleet.budget.left_permille))
            (hooks(&fleet.hooks, fleet))
        }
    }
}

fn slots(counter: &CounterLine) -> Markup {
    let name = match counter.name.as_str() {
        "all" => "All slots".to_owned(),
        other => match other.split_once(':') {
            Some(("agent", agent)) => format!("Agent {agent}"),
            Some(("repo", repo)) => format!("Repository {repo}"),
            _ => other.to_owned(),
        },
    };
    html! {
        div.tile {
            h2 { (name) }
            p.big { (counter.in_use) @match counter.max { Some(max) => span.quiet { " of " (max) " in use" }, None => span.quiet { " in use, no limit" } } }
            @if let Some(max) = counter.max { meter min="0" max=(max.max(1)) value=(counter.in_use) aria-label={ (name) " in use" } {} }
        }
    }
}

fn spending_tile(line: &SpendingLine) -> Markup {
    html! {
        div.tile {
            h2 { (sentence(&line.budget)) }
            p.big { (line.used) span.quiet { " of " (line.limit) " today" } @if line.is_spent { " " span.sign.bad { "spent" } } }
            meter min="0" max="1000" value=(line.used_permille.min(1000)) aria-label={ (line.budget) " used today" } {}
        }
    }
}

/// The day's budgets of an issue, a line each.
pub(crate) fn spending_list(lines: &[SpendingLine]) -> Markup {
    html! {
        ul.rows {
            @for line in lines {
                li {
                    (sentence(&line.budget)) ": " (line.used) " of " (line.limit) " today"
                    @if line.is_spent { " " span.sign.bad { "spent" } span.quiet { " until midnight, UTC" } }
                }
            }
        }
    }
}

fn sentence(words: &str) -> String {
    let mut letters = words.chars();
    letters
        .next()
        .map(|first| first.to_uppercase().collect::<String>() + letters.as_str())
        .unwrap_or_default()
}

fn budget(left_permille: Option<u32>) -> Markup {
    html! {
        div.tile {
            h2 { "API budget" }
            @match left_permille {
                Some(left) => {
                    p.big { (left / 10) "%" span.quiet { " left" @if left < BUDGET_LOW { ", low" } } }
                    meter min="0" max="1000" low=(BUDGET_LOW) optimum="1000" value=(left) aria-label="API budget left" {}
                },
                None => p.quiet { "The tracker has not told yet." },
            }
        }
    }
}

fn hooks(hooks: &HooksView, fleet: &Fleet) -> Markup {
    let class = match hooks.health.as_str() {
        "healthy" => "good",
        "unhealthy" => "bad",
        _ => "plain",
    };
    html! {
        div.tile {
            h2 { "Webhooks" }
            p.big { span class={ "sign " (class) } { (hooks.health.replace('_', " ")) } }
            p.quiet {
                (moment::count(hooks.taken)) " taken, " (hooks.unread) " unread"
                @if let Some(at) = hooks.last_at { ", last " (moment::time(fleet.now, at)) }
            }
        }
    }
}

fn workers(fleet: &Fleet) -> Markup {
    html! {
        @if fleet.workers.is_empty() {
            p.quiet { "No worker has appeared. Start one with " code { "baton up" } " or " code { "baton engine" } "." }
        } @else {
            div.scroll tabindex="0" {
                table {
                    caption.sr-only { "Workers, the living first" }
                    thead { tr { th scope="col" { "Worker" } th scope="col" { "State" } th scope="col" { "Machine" } th scope="col" { "Runs" } th scope="col" { "Since" } th scope="col" { "Lease ends" } } }
                    tbody { @for worker in &fleet.workers { (worker_row(worker, fleet)) } }
                }
            }
        }
    }
}

fn worker_row(worker: &WorkerLine, fleet: &Fleet) -> Markup {
    html! {
        tr {
            th scope="row" { (worker.name) span.quiet { " #" (worker.worker) } }
            td { @if worker.is_live { span.sign.good { "live" } } @else { span.sign.bad { "lost" } } }
            td { (worker.host) }
            td { @if worker.runs.is_empty() { span.quiet { "none" } } @for run in &worker.runs { a href={ "/runs/" (run) } { (run) } " " } }
            td { (moment::time(fleet.now, worker.since)) }
            td { (moment::time(fleet.now, worker.until)) }
        }
    }
}

fn deferred(fleet: &Fleet) -> Markup {
    html! {
        @if fleet.deferred.is_empty() { p.quiet { "No wakeup waits for a slot." } } @else {
            div.scroll tabindex="0" {
                table {
                    caption.sr-only { "Wakeups that wait for a slot" }
                    thead { tr { th scope="col" { "Issue" } th scope="col" { "Agent" } th scope="col" { "Why" } th scope="col" { "Asked by" } th scope="col" { "Waits since" } } }
                    tbody {
                        @for line in &fleet.deferred {
                            tr {
                                td { @match &line.issue { Some(issue) => (card::link(issue)), None => "–" } }
                                td { (line.agent) }
                                td { (line.reason.replace('_', " ")) }
                                td { (line.asked_by) }
                                td { (moment::time(fleet.now, line.since)) @if line.is_overdue { " " span.sign.warn { "overdue" } } }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn leases(fleet: &Fleet) -> Markup {
    html! {
        @if fleet.leases.is_empty() { p.quiet { "No issue is claimed by this installation." } } @else {
            ul.rows {
                @for lease in &fleet.leases {
                    li {
                        span.grow { (card::link(&lease.issue)) }
                        @match lease.run { Some(run) => a href={ "/runs/" (run) } { "run " (run) }, None => span.quiet { "no run" } }
                        span.quiet { "fence " (lease.fence) }
                    }
                }
            }
        }
    }
}

fn dead(fleet: &Fleet) -> Markup {
    html! {
        @if fleet.dead.is_empty() { p.quiet { "Everything that was decided took effect, or still may." } } @else {
            ul.rows {
                @for effect in &fleet.dead {
                    li {
                        span.sign.bad { (effect.status) }
                        span.grow {
                            (effect.deed) @if let Some(issue) = &effect.issue { " on " (card::link(issue)) }
                            @if let Some(error) = &effect.error { span.bad-words { " " (error) } }
                        }
                        span.quiet { (effect.attempts) " tries, " (moment::time(fleet.now, effect.created_at)) }
                    }
                }
            }
        }
    }
}

//! A relay that is always the same, to try drawings with: pages, screens and schemas.
//!
//! It obeys no orders and changes nothing; whoever tests behaviour takes a real relay.

use baton_core::tracker::IssueKey;

use crate::*;

/// The moment at which everything here was looked at: 2026-05-01T12:00:00Z.
pub const NOW: Stamp = Stamp(1_777_636_800_000);

/// Returns the moment so many seconds before [`NOW`].
pub fn ago(seconds: i64) -> Stamp {
    Stamp(NOW.0 - seconds * 1000)
}

/// A relay that is always the same.
#[derive(Debug, Clone, Copy, Default)]
pub struct ExampleLookout;

impl Lookout for ExampleLookout {
    async fn board(&self) -> Result<Board, LookoutError> {
        Ok(board())
    }

    async fn issue(&self, key: &IssueKey) -> Result<IssueView, LookoutError> {
        let name = key.to_string();
        let card = board().cards().find(|card| card.issue == name).cloned();
        card.map(issue).ok_or_else(|| LookoutError::NoSuch(format!("there is no issue {name} on the board")))
    }

    async fn runs(&self, query: &RunQuery) -> Result<Vec<RunLine>, LookoutError> {
        let mut runs = runs();
        runs.retain(|run| query.issue.is_none() || run.issue == query.issue);
        runs.retain(|run| !query.active || run.state.is_active());
        Ok(runs)
    }

    async fn run(&self, run: i64) -> Result<RunView, LookoutError> {
        let line = runs().into_iter().find(|line| line.run == run);
        let line = line.ok_or_else(|| LookoutError::NoSuch(format!("there is no run {run}")))?;
        let title = board()
            .cards()
            .find(|card| Some(&card.issue) == line.issue.as_ref())
            .map(|card| card.title.clone());
        Ok(RunView { now: NOW, line, title, retry_of: None, has_log: true, log_elsewhere: None })
    }

    async fn log(&self, run: i64, from: u64) -> Result<LogPage, LookoutError> {
        let entries: Vec<_> = log().into_iter().filter(|entry| entry.at >= from).collect();
        Ok(LogPage { run, entries, from, next: 900, is_over: run != 41 })
    }

    async fn fleet(&self) -> Result<Fleet, LookoutError> {
        Ok(fleet())
    }

    async fn report(&self, _: Period) -> Result<Report, LookoutError> {
        Ok(report())
    }

    async fn order(&self, _: &IssueKey, _: &Order, _: &str) -> Result<Reply, LookoutError> {
        Err(LookoutError::Refused("this is an example: it obeys no orders".to_owned()))
    }

    async fn changed(&self, _: u64) -> u64 {
        std::future::pending().await
    }
}

/// Returns the board.
pub fn board() -> Board {
    let column = |name: &str, kind, cards| Column { name: name.to_owned(), kind, cards, hidden: 0 };
    Board {
        now: NOW,
        columns: vec![
            column(
                "Backlog",
                ColumnKind::Waiting,
                vec![card(
                    17,
                    "Export the audit log as CSV",
                    "Backlog",
                    CardState::Idle,
                    "waits until a person moves it",
                )],
            ),
            column("Specify", ColumnKind::Work, vec![asking()]),
            column("Research", ColumnKind::Work, vec![]),
            column("Plan", ColumnKind::Work, vec![approval()]),
            column("Implement", ColumnKind::Work, vec![running(), blocked()]),
            column("Review", ColumnKind::Work, vec![reviewed()]),
            column("Validate", ColumnKind::Work, vec![paused()]),
            Column {
                hidden: 12,
                ..column(
                    "Done",
                    ColumnKind::Done,
                    vec![card(3, "Sort projects by name", "Done", CardState::Done, "merged")],
                )
            },
        ],
        warnings: vec![Warning {
            at: ago(95),
            issue: Some("acme/web#12".to_owned()),
            words: "a person was asked: which of the two date formats should the importer prefer?".to_owned(),
        }],
    }
}

fn card(number: u64, title: &str, column: &str, state: CardState, words: &str) -> Card {
    Card {
        issue: format!("acme/web#{number}"),
        repo: "acme/web".to_owned(),
        number,
        title: title.to_owned(),
        url: Some(format!("http://127.0.0.1:7070/acme/web/issues/{number}")),
        column: column.to_owned(),
        state,
        words: words.to_owned(),
        holder: None,
        badges: Vec::new(),
        labels: Vec::new(),
        pull: None,
        since: ago(60 * i64::try_from(number).unwrap_or(1)),
    }
}

fn badge(kind: BadgeKind, words: &str) -> Badge {
    Badge { kind, words: words.to_owned() }
}

fn asking() -> Card {
    Card {
        badges: vec![badge(BadgeKind::Question, "question")],
        labels: vec!["import".to_owned()],
        ..card(
            12,
            "Importer: accept dates in two formats",
            "Specify",
            CardState::Asking,
            "a person was asked",
        )
    }
}

fn approval() -> Card {
    Card {
        badges: vec![badge(BadgeKind::Approval, "approval")],
        ..card(
            14,
            "Replace the session store",
            "Plan",
            CardState::Waiting,
            "waits for an approval of its plan",
        )
    }
}

fn running() -> Card {
    let holder = Holder {
        name: "claude".to_owned(),
        run: Some(41),
        host: Some("build-1".to_owned()),
        since: ago(252),
        turns: Some(12),
        turns_max: Some(50),
        last_line: Some("Now the tests for the empty cart.".to_owned()),
    };
    Card {
        holder: Some(holder),
        labels: vec!["bug".to_owned(), "checkout".to_owned()],
        since: ago(252),
        ..card(
            15,
            "Checkout fails when the cart is empty and a voucher was applied before",
            "Implement",
            CardState::Running,
            "claude is at work, run 41",
        )
    }
}

fn blocked() -> Card {
    Card {
        badges: vec![badge(BadgeKind::Blocked, "after #15")],
        ..card(16, "Vouchers can be combined", "Implement", CardState::Blocked, "other issues come first")
    }
}

fn reviewed() -> Card {
    Card {
        badges: vec![badge(BadgeKind::Review, "review"), badge(BadgeKind::Checks, "checks")],
        pull: Some(31),
        ..card(9, "Show the time zone beside dates", "Review", CardState::Waiting, "waits for reviewers")
    }
}

fn paused() -> Card {
    Card {
        badges: vec![badge(BadgeKind::Paused, "paused"), badge(BadgeKind::Failed, "failed")],
        pull: Some(28),
        ..card(
            7,
            "Retry webhooks with backoff",
            "Validate",
            CardState::Paused,
            "paused: 3 tries in a row failed",
        )
    }
}

/// Returns the runs, newest first.
pub fn runs() -> Vec<RunLine> {
    let run = |run, number: u64, stage: &str, state, seconds: i64| RunLine {
        run,
        issue: Some(format!("acme/web#{number}")),
        task: None,
        stage: Some(stage.to_owned()),
        errand: format!("{stage} of acme/web#{number}"),
        agent: "claude".to_owned(),
        state,
        cause: None,
        error: None,
        attempt: 1,
        host: Some("build-1".to_owned()),
        created_at: ago(seconds + 2),
        started_at: Some(ago(seconds)),
        finished_at: Some(ago(seconds / 2)).filter(|_| state != RunState::Running),
        cost_micros: 412_000,
        numbers: None,
    };
    let numbers = Numbers {
        turns: 12,
        turns_max: Some(50),
        input_tokens: 184_220,
        output_tokens: 9_310,
        cost_micros: 391_400,
        last_line: "Now the tests for the empty cart.".to_owned(),
    };
    vec![
        RunLine {
            numbers: Some(numbers),
            cost_micros: 0,
            ..run(41, 15, "Implement", RunState::Running, 252)
        },
        run(40, 9, "Review", RunState::Succeeded, 1_800),
        RunLine {
            cause: Some("agent_failed".to_owned()),
            error: Some("the tests of the retry queue still fail: 2 of 118".to_owned()),
            attempt: 3,
            ..run(39, 7, "Validate", RunState::Failed, 3_000)
        },
        run(38, 15, "Plan", RunState::Succeeded, 4_000),
        run(37, 14, "Plan", RunState::TimedOut, 5_000),
    ]
}

/// Returns a log.
pub fn log() -> Vec<LogEntry> {
    let entry = |at, kind, head: &str, text: &str| LogEntry {
        at,
        kind,
        head: head.to_owned(),
        text: text.to_owned(),
        is_cut: false,
    };
    vec![
        entry(0, LogKind::Session, "session", "3f2c"),
        entry(
            100,
            LogKind::Said,
            "claude",
            "The cart is emptied before the voucher is taken back. I look at `checkout.rs` first.",
        ),
        entry(300, LogKind::Tool, "Read", "src/checkout.rs"),
        entry(
            400,
            LogKind::Answer,
            "Read",
            "fn checkout(cart: &Cart) -> Result<Order, CheckoutError> {\n    let total = cart.total();\n}",
        ),
        entry(600, LogKind::Tool, "Bash", "cargo test -p shop checkout"),
        entry(700, LogKind::Answer, "Bash", "test result: ok. 14 passed; 0 failed"),
        entry(800, LogKind::Said, "claude", "Now the tests for the empty cart."),
    ]
}

/// Returns an issue from near.
pub fn issue(card: Card) -> IssueView {
    let name = card.issue.clone();
    let runs = runs().into_iter().filter(|run| run.issue.as_ref() == Some(&name)).collect();
    IssueView {
        now: NOW,
        labels: std::iter::once(format!("stage:{}", card.column)).chain(card.labels.clone()).collect(),
        is_closed: card.state == CardState::Done,
        why: why(&card),
        spending: vec![
            spending("runs of the issue", "3", "10", 300),
            spending("cost of the repository", "$50.00", "$50.00", 1000),
        ],
        pull: card.pull.map(pull),
        blockers: vec![BlockerLine { issue: "acme/web#15".to_owned(), is_open: true }],
        comments: vec![CommentLine {
            id: 7001,
            author: "dana".to_owned(),
            is_bot: false,
            at: ago(600),
            body: "Please keep the *old* format working too.".to_owned(),
            is_on_pull: false,
            is_answered: true,
        }],
        timeline: timeline(),
        runs,
        effects: Vec::new(),
        plan: None,
        offers: offers(&card),
        columns: board().columns.into_iter().map(|column| column.name).collect(),
        card,
    }
}

fn spending(budget: &str, used: &str, limit: &str, used_permille: u64) -> SpendingLine {
    let [budget, used, limit] = [budget, used, limit].map(str::to_owned);
    SpendingLine { budget, used, limit, used_permille, is_spent: used_permille >= 1000 }
}

fn offers(card: &Card) -> Vec<Offer> {
    let is_paused = matches!(card.state, CardState::Paused | CardState::Asking);
    let why_not = |kind: OrderKind| match kind {
        OrderKind::Pause if is_paused => Some("it is paused already".to_owned()),
        OrderKind::Resume if !is_paused => Some("it is not paused".to_owned()),
        OrderKind::Cancel if card.holder.is_none() => Some("nothing runs".to_owned()),
        OrderKind::Unhold => Some("nobody holds it back".to_owned()),
        OrderKind::Approve | OrderKind::Reject if card.number != 14 => {
            Some("nobody asked for an approval".to_owned())
        }
        _ => None,
    };
    OrderKind::ALL.into_iter().map(|order| Offer { order, why_not: why_not(order) }).collect()
}

fn why(card: &Card) -> WhyView {
    let line = |rule: &str, about: &str, found: &str, is_decisive| TrailLine {
        rule: rule.to_owned(),
        about: about.to_owned(),
        found: found.to_owned(),
        is_decisive,
    };
    WhyView {
        step: "rest".to_owned(),
        sentence: format!("It rests: {}.", card.words),
        effects: Vec::new(),
        trail: vec![
            line("closed", "a closed issue is left alone", "it is open", false),
            line("paused", "a paused issue waits for a person", "it is not paused", false),
            line("running", "one run at a time", "run 41 has the slot", true),
        ],
    }
}

fn pull(number: u64) -> PullView {
    let check = |name: &str, state, words: &str| CheckLine {
        name: name.to_owned(),
        state,
        words: words.to_owned(),
        is_required: name == "test",
        at: Some(ago(300)),
    };
    PullView {
        number,
        url: Some(format!("http://127.0.0.1:7070/acme/web/pull/{number}")),
        state: "open".to_owned(),
        is_draft: false,
        author: "baton".to_owned(),
        head_sha: "4be1f0c2a77d3e5f6a8b9c0d1e2f3a4b5c6d7e8f".to_owned(),
        pushed_at: ago(900),
        merging: "reviewers have not answered".to_owned(),
        checks: vec![
            check("test", CheckState::Passed, "success"),
            check("lint", CheckState::Failed, "failure"),
            check("e2e", CheckState::Running, "in progress"),
        ],
        has_checks: true,
        reviews: vec![
            ReviewLine { who: "dana".to_owned(), state: "changes_requested".to_owned(), at: Some(ago(700)) },
            ReviewLine { who: "eli".to_owned(), state: "requested".to_owned(), at: None },
        ],
        threads: vec![ThreadLine {
            path: Some("src/time.rs".to_owned()),
            words: "dana: what about daylight saving?".to_owned(),
            is_resolved: false,
        }],
    }
}

fn timeline() -> Vec<TimelineEvent> {
    let event = |seconds, kind, tone, title: &str, run| TimelineEvent {
        at: ago(seconds),
        kind,
        tone,
        title: title.to_owned(),
        detail: None,
        run,
    };
    vec![
        event(252, EventKind::Run, Tone::Plain, "run 41 of claude began", Some(41)),
        event(260, EventKind::Claim, Tone::Plain, "the issue was claimed", None),
        event(2_000, EventKind::Run, Tone::Good, "run 38 of claude succeeded", Some(38)),
        event(2_010, EventKind::Effect, Tone::Plain, "moved to Implement", None),
        event(4_000, EventKind::Wakeup, Tone::Plain, "claude was woken: the stage is ready", None),
    ]
}

/// Returns the fleet.
pub fn fleet() -> Fleet {
    let (running, queued): (Vec<_>, Vec<_>) = runs()
        .into_iter()
        .filter(|run| run.state.is_active())
        .partition(|run| run.state == RunState::Running);
    Fleet {
        now: NOW,
        workers: vec![
            WorkerLine {
                worker: 3,
                name: "build-1".to_owned(),
                host: "build-1".to_owned(),
                since: ago(86_400),
                until: ago(-40),
                is_live: true,
                runs: vec![41],
            },
            WorkerLine {
                worker: 2,
                name: "build-2".to_owned(),
                host: "build-2".to_owned(),
                since: ago(90_000),
                until: ago(7_000),
                is_live: false,
                runs: vec![],
            },
        ],
        counters: vec![
            CounterLine { name: "all".to_owned(), in_use: 1, max: Some(5) },
            CounterLine { name: "agent:claude".to_owned(), in_use: 1, max: Some(3) },
        ],
        spending: vec![spending("cost of the agent claude", "$4.20", "$20.00", 210)],
        running,
        queued,
        deferred: vec![WakeupLine {
            wakeup: 77,
            issue: Some("acme/web#15".to_owned()),
            agent: "claude".to_owned(),
            reason: "issue_commented".to_owned(),
            asked_by: "dana".to_owned(),
            since: ago(30),
            is_overdue: false,
        }],
        leases: vec![LeaseLine { issue: "acme/web#15".to_owned(), run: Some(41), fence: 9 }],
        dead: Vec::new(),
        budget: BudgetView { left_permille: Some(874) },
        hooks: HooksView { health: "healthy".to_owned(), last_at: Some(ago(4)), taken: 1_204, unread: 0 },
        warnings: board().warnings,
    }
}

/// Returns a report.
pub fn report() -> Report {
    let days: Vec<_> = (0..14)
        .rev()
        .map(|day: i64| {
            let merged = u64::try_from((day * 7 + 3) % 5).unwrap_or(0);
            DayLine {
                day: ago(day * 86_400).day(),
                merged,
                runs: merged * 6 + 1,
                cost_micros: i64::try_from(merged).unwrap_or(0) * 2_300_000 + 400_000,
            }
        })
        .collect();
    let stage = |stage: &str, median_s, p90_s| StageTime {
        stage: stage.to_owned(),
        issues: 27,
        runs: 31,
        median_s,
        p90_s,
        cost_micros: 9_000_000,
    };
    Report {
        from: ago(14 * 86_400),
        to: NOW,
        totals: Totals {
            merged: days.iter().map(|day| day.merged).sum(),
            runs: 182,
            failed_runs: 9,
            cost_micros: 71_400_000,
            cycle_s: Some(5_400),
        },
        stages: vec![
            stage("Specify", 95, 240),
            stage("Plan", 180, 610),
            stage("Implement", 1_220, 3_900),
            stage("Review", 420, 1_300),
            stage("Validate", 300, 900),
        ],
        issues: vec![
            IssueCost {
                issue: "acme/web#15".to_owned(),
                title: Some("Checkout fails when the cart is empty".to_owned()),
                runs: 9,
                cost_micros: 6_120_000,
                is_merged: false,
                cycle_s: None,
            },
            IssueCost {
                issue: "acme/web#3".to_owned(),
                title: Some("Sort projects by name".to_owned()),
                runs: 6,
                cost_micros: 1_480_000,
                is_merged: true,
                cycle_s: Some(2_700),
            },
        ],
        hidden: 0,
        days,
    }
}

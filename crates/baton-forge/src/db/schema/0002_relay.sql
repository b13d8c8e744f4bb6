-- Pull requests in full, teams, reviews, checks, protection, boards and hooks. Times are unix seconds; ids only grow.

ALTER TABLE repos ADD COLUMN allow_merge_commit INTEGER NOT NULL DEFAULT 1;
ALTER TABLE repos ADD COLUMN allow_squash_merge INTEGER NOT NULL DEFAULT 1;
ALTER TABLE repos ADD COLUMN allow_rebase_merge INTEGER NOT NULL DEFAULT 1;
ALTER TABLE repos ADD COLUMN allow_auto_merge INTEGER NOT NULL DEFAULT 0;
ALTER TABLE repos ADD COLUMN delete_branch_on_merge INTEGER NOT NULL DEFAULT 0;

-- The last trial merge: of which two commits, and whether it was clean. It is valid for as long as both are still the tips.
ALTER TABLE pulls ADD COLUMN trial_base TEXT;
ALTER TABLE pulls ADD COLUMN trial_head TEXT;
ALTER TABLE pulls ADD COLUMN trial_clean INTEGER;
-- Set together when auto-merge is on: how, by whom, since when, with which words.
ALTER TABLE pulls ADD COLUMN auto_merge_method TEXT CHECK (auto_merge_method IN ('merge', 'squash', 'rebase'));
ALTER TABLE pulls ADD COLUMN auto_merge_by INTEGER REFERENCES accounts (id);
ALTER TABLE pulls ADD COLUMN auto_merge_at INTEGER;
ALTER TABLE pulls ADD COLUMN auto_merge_title TEXT;
ALTER TABLE pulls ADD COLUMN auto_merge_message TEXT;

-- Which issues a pull request's text says that it closes. Kept with the text, so that neither side is searched for.
CREATE TABLE closing_links (
    pull_id  INTEGER NOT NULL REFERENCES pulls (id) ON DELETE CASCADE,
    issue_id INTEGER NOT NULL REFERENCES issues (id) ON DELETE CASCADE,
    PRIMARY KEY (pull_id, issue_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX closing_links_by_issue ON closing_links (issue_id, pull_id);

CREATE TABLE teams (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    org_id      INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    slug        TEXT    NOT NULL COLLATE NOCASE,
    name        TEXT    NOT NULL,
    description TEXT,
    created_at  INTEGER NOT NULL,
    updated_at  INTEGER NOT NULL,
    UNIQUE (org_id, slug)
) STRICT;

CREATE TABLE team_members (
    team_id    INTEGER NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
    account_id INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    role       TEXT    NOT NULL CHECK (role IN ('member', 'maintainer')),
    PRIMARY KEY (team_id, account_id)
) STRICT, WITHOUT ROWID;

-- Whose review is waited for: an account or a team, never both.
CREATE TABLE review_requests (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    pull_id      INTEGER NOT NULL REFERENCES pulls (id) ON DELETE CASCADE,
    account_id   INTEGER REFERENCES accounts (id) ON DELETE CASCADE,
    team_id      INTEGER REFERENCES teams (id) ON DELETE CASCADE,
    requested_by INTEGER NOT NULL REFERENCES accounts (id),
    created_at   INTEGER NOT NULL,
    CHECK ((account_id IS NULL) <> (team_id IS NULL)),
    UNIQUE (pull_id, account_id),
    UNIQUE (pull_id, team_id)
) STRICT;

CREATE TABLE reviews (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    repo_id      INTEGER NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
    pull_id      INTEGER NOT NULL REFERENCES pulls (id) ON DELETE CASCADE,
    author_id    INTEGER NOT NULL REFERENCES accounts (id),
    state        TEXT    NOT NULL
                 CHECK (state IN ('PENDING', 'COMMENTED', 'APPROVED', 'CHANGES_REQUESTED', 'DISMISSED')),
    body         TEXT    NOT NULL DEFAULT '',
    commit_oid   TEXT    NOT NULL,
    created_at   INTEGER NOT NULL,
    updated_at   INTEGER NOT NULL,
    submitted_at INTEGER
) STRICT;
CREATE INDEX reviews_by_pull ON reviews (pull_id, id);

-- A place in a difference and what was said about it. `line` and `position` are nothing once a push has left the place
-- behind. A position counts the lines of the file's patch, its first line being the first after the first hunk's head.
CREATE TABLE review_threads (
    id                  INTEGER PRIMARY KEY AUTOINCREMENT,
    pull_id             INTEGER NOT NULL REFERENCES pulls (id) ON DELETE CASCADE,
    path                TEXT    NOT NULL,
    subject             TEXT    NOT NULL DEFAULT 'line' CHECK (subject IN ('line', 'file')),
    side                TEXT    NOT NULL DEFAULT 'RIGHT' CHECK (side IN ('LEFT', 'RIGHT')),
    start_side          TEXT    CHECK (start_side IN ('LEFT', 'RIGHT')),
    line                INTEGER,
    start_line          INTEGER,
    original_line       INTEGER,
    original_start_line INTEGER,
    position            INTEGER,
    original_position   INTEGER,
    commit_oid          TEXT    NOT NULL,
    original_commit_oid TEXT    NOT NULL,
    diff_hunk           TEXT    NOT NULL,
    outdated            INTEGER NOT NULL DEFAULT 0,
    resolved_by         INTEGER REFERENCES accounts (id),
    created_at          INTEGER NOT NULL
) STRICT;
CREATE INDEX review_threads_by_pull ON review_threads (pull_id, id);

CREATE TABLE review_comments (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    repo_id       INTEGER NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
    pull_id       INTEGER NOT NULL REFERENCES pulls (id) ON DELETE CASCADE,
    thread_id     INTEGER NOT NULL REFERENCES review_threads (id) ON DELETE CASCADE,
    review_id     INTEGER NOT NULL REFERENCES reviews (id) ON DELETE CASCADE,
    author_id     INTEGER NOT NULL REFERENCES accounts (id),
    in_reply_to   INTEGER REFERENCES review_comments (id) ON DELETE SET NULL,
    body          TEXT    NOT NULL,
    has_reactions INTEGER NOT NULL DEFAULT 0,
    created_at    INTEGER NOT NULL,
    updated_at    INTEGER NOT NULL
) STRICT;
CREATE INDEX review_comments_by_thread ON review_comments (thread_id, id);
CREATE INDEX review_comments_by_pull ON review_comments (pull_id, id);
CREATE INDEX review_comments_by_review ON review_comments (review_id, id);
CREATE INDEX review_comments_by_repo ON review_comments (repo_id, id);

-- One suite for each commit and reporting program.
CREATE TABLE check_suites (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    repo_id     INTEGER NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
    app_id      INTEGER NOT NULL,
    head_oid    TEXT    NOT NULL,
    head_branch TEXT,
    before_oid  TEXT,
    created_at  INTEGER NOT NULL,
    updated_at  INTEGER NOT NULL,
    UNIQUE (repo_id, head_oid, app_id)
) STRICT;

CREATE TABLE check_runs (
    id             INTEGER PRIMARY KEY AUTOINCREMENT,
    repo_id        INTEGER NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
    suite_id       INTEGER NOT NULL REFERENCES check_suites (id) ON DELETE CASCADE,
    name           TEXT    NOT NULL,
    head_oid       TEXT    NOT NULL,
    status         TEXT    NOT NULL,
    conclusion     TEXT,
    details_url    TEXT,
    external_id    TEXT    NOT NULL DEFAULT '',
    output_title   TEXT,
    output_summary TEXT,
    output_text    TEXT,
    started_at     INTEGER NOT NULL,
    completed_at   INTEGER
) STRICT;
CREATE INDEX check_runs_by_commit ON check_runs (repo_id, head_oid, id);
CREATE INDEX check_runs_by_suite ON check_runs (suite_id, id);

CREATE TABLE check_annotations (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    run_id       INTEGER NOT NULL REFERENCES check_runs (id) ON DELETE CASCADE,
    path         TEXT    NOT NULL,
    start_line   INTEGER NOT NULL,
    end_line     INTEGER NOT NULL,
    start_column INTEGER,
    end_column   INTEGER,
    level        TEXT    NOT NULL CHECK (level IN ('notice', 'warning', 'failure')),
    message      TEXT    NOT NULL,
    title        TEXT,
    raw_details  TEXT
) STRICT;
CREATE INDEX check_annotations_by_run ON check_annotations (run_id, id);

-- What the forge's own CI is to run or is running: a row goes when its check run is completed.
CREATE TABLE ci_jobs (
    run_id    INTEGER PRIMARY KEY REFERENCES check_runs (id) ON DELETE CASCADE,
    repo_id   INTEGER NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
    oid       TEXT    NOT NULL,
    ref       TEXT    NOT NULL,
    queued_at INTEGER NOT NULL
) STRICT;

CREATE TABLE statuses (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    repo_id     INTEGER NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
    oid         TEXT    NOT NULL,
    state       TEXT    NOT NULL CHECK (state IN ('error', 'failure', 'pending', 'success')),
    context     TEXT    NOT NULL,
    description TEXT,
    target_url  TEXT,
    creator_id  INTEGER NOT NULL REFERENCES accounts (id),
    created_at  INTEGER NOT NULL,
    updated_at  INTEGER NOT NULL
) STRICT;
CREATE INDEX statuses_by_commit ON statuses (repo_id, oid, id);

-- `settings` is JSON in the forge's own shape.
CREATE TABLE protections (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    repo_id    INTEGER NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
    pattern    TEXT    NOT NULL,
    settings   TEXT    NOT NULL,
    creator_id INTEGER NOT NULL REFERENCES accounts (id),
    created_at INTEGER NOT NULL,
    UNIQUE (repo_id, pattern)
) STRICT;

-- A deleted board keeps its row, so that its number is not given out again.
CREATE TABLE projects (
    id                INTEGER PRIMARY KEY AUTOINCREMENT,
    owner_id          INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    number            INTEGER NOT NULL,
    title             TEXT    NOT NULL,
    short_description TEXT,
    readme            TEXT,
    public            INTEGER NOT NULL DEFAULT 0,
    template          INTEGER NOT NULL DEFAULT 0,
    creator_id        INTEGER NOT NULL REFERENCES accounts (id),
    -- How many items are on it and not archived, so that the length of a board costs no scan.
    item_count        INTEGER NOT NULL DEFAULT 0,
    created_at        INTEGER NOT NULL,
    updated_at        INTEGER NOT NULL,
    closed_at         INTEGER,
    deleted_at        INTEGER,
    UNIQUE (owner_id, number)
) STRICT;

CREATE TABLE project_repos (
    project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    repo_id    INTEGER NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
    PRIMARY KEY (project_id, repo_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX project_repos_by_repo ON project_repos (repo_id, project_id);

CREATE TABLE project_fields (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    name       TEXT    NOT NULL COLLATE NOCASE,
    data_type  TEXT    NOT NULL,
    position   INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    UNIQUE (project_id, name)
) STRICT;

CREATE TABLE project_options (
    id          TEXT    NOT NULL,
    field_id    INTEGER NOT NULL REFERENCES project_fields (id) ON DELETE CASCADE,
    name        TEXT    NOT NULL,
    color       TEXT    NOT NULL DEFAULT 'GRAY',
    description TEXT    NOT NULL DEFAULT '',
    position    INTEGER NOT NULL,
    PRIMARY KEY (field_id, id)
) STRICT, WITHOUT ROWID;

-- An item shows an issue or a pull request, or is a draft with a text of its own.
CREATE TABLE project_items (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    project_id  INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    issue_id    INTEGER REFERENCES issues (id) ON DELETE CASCADE,
    draft_title TEXT,
    draft_body  TEXT,
    creator_id  INTEGER NOT NULL REFERENCES accounts (id),
    position    INTEGER NOT NULL,
    archived_at INTEGER,
    created_at  INTEGER NOT NULL,
    updated_at  INTEGER NOT NULL,
    UNIQUE (project_id, issue_id)
) STRICT;
CREATE INDEX project_items_by_position ON project_items (project_id, archived_at, position, id);
CREATE INDEX project_items_by_issue ON project_items (issue_id, project_id) WHERE issue_id IS NOT NULL;
-- An item may also go with its repository; the count is right all the same.
CREATE TRIGGER project_items_come AFTER INSERT ON project_items WHEN new.archived_at IS NULL BEGIN
    UPDATE projects SET item_count = item_count + 1 WHERE id = new.project_id;
END;
CREATE TRIGGER project_items_go AFTER DELETE ON project_items WHEN old.archived_at IS NULL BEGIN
    UPDATE projects SET item_count = item_count - 1 WHERE id = old.project_id;
END;
CREATE TRIGGER project_items_archived AFTER UPDATE OF archived_at ON project_items
WHEN (old.archived_at IS NULL) <> (new.archived_at IS NULL) BEGIN
    UPDATE projects SET item_count = item_count + (new.archived_at IS NULL) - (old.archived_at IS NULL)
    WHERE id = new.project_id;
END;

CREATE TABLE project_values (
    item_id    INTEGER NOT NULL REFERENCES project_items (id) ON DELETE CASCADE,
    field_id   INTEGER NOT NULL REFERENCES project_fields (id) ON DELETE CASCADE,
    text       TEXT,
    number     REAL,
    date       TEXT,
    option_id  TEXT,
    creator_id INTEGER NOT NULL REFERENCES accounts (id),
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (item_id, field_id)
) STRICT, WITHOUT ROWID;

-- A hook belongs to a repository or to an organisation. `events` is a JSON list of names.
CREATE TABLE hooks (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    repo_id      INTEGER REFERENCES repos (id) ON DELETE CASCADE,
    org_id       INTEGER REFERENCES accounts (id) ON DELETE CASCADE,
    url          TEXT    NOT NULL,
    content_type TEXT    NOT NULL DEFAULT 'form' CHECK (content_type IN ('json', 'form')),
    secret       TEXT,
    insecure_ssl INTEGER NOT NULL DEFAULT 0,
    active       INTEGER NOT NULL DEFAULT 1,
    events       TEXT    NOT NULL,
    last_code    INTEGER,
    last_status  TEXT    NOT NULL DEFAULT 'unused',
    last_message TEXT,
    created_at   INTEGER NOT NULL,
    updated_at   INTEGER NOT NULL,
    CHECK ((repo_id IS NULL) <> (org_id IS NULL))
) STRICT;
CREATE INDEX hooks_by_repo ON hooks (repo_id) WHERE repo_id IS NOT NULL;
CREATE INDEX hooks_by_org ON hooks (org_id) WHERE org_id IS NOT NULL;

-- What is sent, once for all the hooks that it goes to.
CREATE TABLE hook_payloads (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    event      TEXT    NOT NULL,
    action     TEXT,
    body       TEXT    NOT NULL,
    repo_id    INTEGER,
    created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE hook_deliveries (
    id               INTEGER PRIMARY KEY AUTOINCREMENT,
    guid             TEXT    NOT NULL,
    hook_id          INTEGER NOT NULL REFERENCES hooks (id) ON DELETE CASCADE,
    payload_id       INTEGER NOT NULL REFERENCES hook_payloads (id) ON DELETE CASCADE,
    redelivery       INTEGER NOT NULL DEFAULT 0,
    state            TEXT    NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'done')),
    attempts         INTEGER NOT NULL DEFAULT 0,
    delivered_at_ms  INTEGER,
    duration_ms      INTEGER,
    status           TEXT,
    status_code      INTEGER,
    request_headers  TEXT,
    response_headers TEXT,
    response_body    TEXT
) STRICT;
CREATE INDEX hook_deliveries_pending ON hook_deliveries (id) WHERE state = 'pending';
CREATE INDEX hook_deliveries_by_hook ON hook_deliveries (hook_id, id);
-- A payload takes its deliveries with it, and the oldest are looked for when they are pruned.
CREATE INDEX hook_deliveries_by_payload ON hook_deliveries (payload_id);
CREATE INDEX hook_payloads_by_age ON hook_payloads (created_at);

-- A merge that is about to move its base branch. The row goes in the transaction that marks the pull request merged, so
-- one that is still here after a crash says what to finish.
CREATE TABLE merge_intents (
    pull_id    INTEGER PRIMARY KEY REFERENCES pulls (id) ON DELETE CASCADE,
    from_oid   TEXT    NOT NULL,
    to_oid     TEXT    NOT NULL,
    method     TEXT    NOT NULL CHECK (method IN ('merge', 'squash', 'rebase')),
    by_id      INTEGER NOT NULL REFERENCES accounts (id),
    created_at INTEGER NOT NULL
) STRICT;

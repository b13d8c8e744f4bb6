-- Times are unix seconds. Ids come from AUTOINCREMENT, so they only grow and are never given out twice.

CREATE TABLE accounts (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    login      TEXT    NOT NULL COLLATE NOCASE UNIQUE,
    kind       TEXT    NOT NULL CHECK (kind IN ('User', 'Organization', 'Bot')),
    name       TEXT,
    email      TEXT,
    site_admin INTEGER NOT NULL DEFAULT 0,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT;

CREATE TABLE org_members (
    org_id  INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    user_id INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    role    TEXT    NOT NULL CHECK (role IN ('member', 'admin')),
    PRIMARY KEY (org_id, user_id)
) STRICT, WITHOUT ROWID;

-- Only a digest is kept: a stolen file gives nobody a token.
CREATE TABLE tokens (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    account_id INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    digest     BLOB    NOT NULL UNIQUE,
    role       TEXT    NOT NULL CHECK (role IN ('read', 'write', 'admin')),
    -- Whether it works on the repositories in `token_repos` only; it stays so when those are gone.
    restricted INTEGER NOT NULL DEFAULT 0,
    created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE repos (
    id             INTEGER PRIMARY KEY AUTOINCREMENT,
    owner_id       INTEGER NOT NULL REFERENCES accounts (id),
    name           TEXT    NOT NULL COLLATE NOCASE,
    description    TEXT,
    homepage       TEXT,
    private        INTEGER NOT NULL DEFAULT 0,
    archived       INTEGER NOT NULL DEFAULT 0,
    has_issues     INTEGER NOT NULL DEFAULT 1,
    default_branch TEXT    NOT NULL,
    next_number    INTEGER NOT NULL DEFAULT 1,
    -- Counters of issues and pull requests, so that the length of an unfiltered list costs no scan.
    open_count     INTEGER NOT NULL DEFAULT 0,
    closed_count   INTEGER NOT NULL DEFAULT 0,
    created_at     INTEGER NOT NULL,
    updated_at     INTEGER NOT NULL,
    pushed_at      INTEGER NOT NULL,
    UNIQUE (owner_id, name)
) STRICT;

-- The repositories on which a restricted token works.
CREATE TABLE token_repos (
    token_id INTEGER NOT NULL REFERENCES tokens (id) ON DELETE CASCADE,
    repo_id  INTEGER NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
    PRIMARY KEY (token_id, repo_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE collaborators (
    repo_id    INTEGER NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
    account_id INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    permission TEXT    NOT NULL CHECK (permission IN ('read', 'triage', 'write', 'maintain', 'admin')),
    PRIMARY KEY (repo_id, account_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE labels (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    repo_id     INTEGER NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
    name        TEXT    NOT NULL COLLATE NOCASE,
    color       TEXT    NOT NULL,
    description TEXT,
    is_default  INTEGER NOT NULL DEFAULT 0,
    UNIQUE (repo_id, name)
) STRICT;

CREATE TABLE milestones (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    repo_id     INTEGER NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
    number      INTEGER NOT NULL,
    title       TEXT    NOT NULL,
    description TEXT,
    state       TEXT    NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'closed')),
    creator_id  INTEGER NOT NULL REFERENCES accounts (id),
    due_on      INTEGER,
    created_at  INTEGER NOT NULL,
    updated_at  INTEGER NOT NULL,
    closed_at   INTEGER,
    UNIQUE (repo_id, number),
    UNIQUE (repo_id, title)
) STRICT;

-- An issue or a pull request: they share numbers, labels, comments and events. What only a pull request has is in
-- `pulls`.
CREATE TABLE issues (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    repo_id      INTEGER NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
    number       INTEGER NOT NULL,
    is_pull      INTEGER NOT NULL DEFAULT 0,
    author_id    INTEGER NOT NULL REFERENCES accounts (id),
    title        TEXT    NOT NULL,
    body         TEXT,
    state        TEXT    NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'closed')),
    state_reason TEXT,
    locked       INTEGER NOT NULL DEFAULT 0,
    lock_reason  TEXT,
    milestone_id INTEGER REFERENCES milestones (id) ON DELETE SET NULL,
    closed_by    INTEGER REFERENCES accounts (id),
    comments     INTEGER NOT NULL DEFAULT 0,
    -- Bits that say which side tables may hold rows for this issue. They are set by the first row and never cleared,
    -- so a read skips the tables that are surely empty.
    facets       INTEGER NOT NULL DEFAULT 0,
    created_at   INTEGER NOT NULL,
    updated_at   INTEGER NOT NULL,
    closed_at    INTEGER,
    UNIQUE (repo_id, number)
) STRICT;
CREATE INDEX issues_by_state ON issues (repo_id, state, created_at, id);
CREATE INDEX issues_by_age ON issues (repo_id, created_at, id);
CREATE INDEX issues_by_update ON issues (repo_id, updated_at, id);
CREATE INDEX issues_by_milestone ON issues (milestone_id, state) WHERE milestone_id IS NOT NULL;

CREATE TABLE issue_labels (
    issue_id INTEGER NOT NULL REFERENCES issues (id) ON DELETE CASCADE,
    label_id INTEGER NOT NULL REFERENCES labels (id) ON DELETE CASCADE,
    PRIMARY KEY (issue_id, label_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX issue_labels_by_label ON issue_labels (label_id, issue_id);

CREATE TABLE issue_assignees (
    issue_id   INTEGER NOT NULL REFERENCES issues (id) ON DELETE CASCADE,
    account_id INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    PRIMARY KEY (issue_id, account_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX issue_assignees_by_account ON issue_assignees (account_id, issue_id);

CREATE TABLE comments (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    repo_id       INTEGER NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
    issue_id      INTEGER NOT NULL REFERENCES issues (id) ON DELETE CASCADE,
    author_id     INTEGER NOT NULL REFERENCES accounts (id),
    body          TEXT    NOT NULL,
    has_reactions INTEGER NOT NULL DEFAULT 0,
    created_at    INTEGER NOT NULL,
    updated_at    INTEGER NOT NULL
) STRICT;
CREATE INDEX comments_by_issue ON comments (issue_id, id);
CREATE INDEX comments_by_repo ON comments (repo_id, updated_at, id);

-- `subject` is a kind of thing that can be reacted to; review comments join as a third kind.
CREATE TABLE reactions (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    subject    TEXT    NOT NULL CHECK (subject IN ('issue', 'comment', 'review_comment')),
    subject_id INTEGER NOT NULL,
    account_id INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    content    TEXT    NOT NULL,
    created_at INTEGER NOT NULL,
    UNIQUE (subject, subject_id, account_id, content)
) STRICT;

-- What happened to an issue, in order. `detail` is JSON whose shape follows from `kind`; the timeline, the events
-- endpoints and the webhooks are views of this table.
CREATE TABLE events (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    repo_id    INTEGER NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
    issue_id   INTEGER NOT NULL REFERENCES issues (id) ON DELETE CASCADE,
    actor_id   INTEGER NOT NULL REFERENCES accounts (id),
    kind       TEXT    NOT NULL,
    commit_oid TEXT,
    detail     TEXT    NOT NULL DEFAULT '{}',
    created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX events_by_issue ON events (issue_id, id);
CREATE INDEX events_by_repo ON events (repo_id, id);

CREATE TABLE sub_issues (
    child_id  INTEGER PRIMARY KEY REFERENCES issues (id) ON DELETE CASCADE,
    parent_id INTEGER NOT NULL REFERENCES issues (id) ON DELETE CASCADE,
    position  INTEGER NOT NULL
) STRICT;
CREATE INDEX sub_issues_by_parent ON sub_issues (parent_id, position);

CREATE TABLE dependencies (
    issue_id   INTEGER NOT NULL REFERENCES issues (id) ON DELETE CASCADE,
    blocker_id INTEGER NOT NULL REFERENCES issues (id) ON DELETE CASCADE,
    PRIMARY KEY (issue_id, blocker_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX dependencies_by_blocker ON dependencies (blocker_id, issue_id);

CREATE TABLE pulls (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    issue_id     INTEGER NOT NULL UNIQUE REFERENCES issues (id) ON DELETE CASCADE,
    repo_id      INTEGER NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
    head_repo_id INTEGER NOT NULL REFERENCES repos (id),
    head_ref     TEXT    NOT NULL,
    head_oid     TEXT    NOT NULL,
    base_ref     TEXT    NOT NULL,
    base_oid     TEXT    NOT NULL,
    draft        INTEGER NOT NULL DEFAULT 0,
    merged_at    INTEGER,
    merged_by    INTEGER REFERENCES accounts (id),
    merge_oid    TEXT
) STRICT;
CREATE INDEX pulls_by_head ON pulls (head_repo_id, head_ref);
CREATE INDEX pulls_by_base ON pulls (repo_id, base_ref);

-- A copy of what the bare repositories say. Git decides; this follows, for lists, for lagging reads and for noticing
-- what a push has changed.
CREATE TABLE refs (
    repo_id INTEGER NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
    name    TEXT    NOT NULL,
    oid     TEXT    NOT NULL,
    kind    TEXT    NOT NULL CHECK (kind IN ('commit', 'tag', 'tree', 'blob')),
    PRIMARY KEY (repo_id, name)
) STRICT, WITHOUT ROWID;

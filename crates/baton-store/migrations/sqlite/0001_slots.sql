-- Times are milliseconds since 1970. Contexts, deeds and memories are JSON texts.

CREATE TABLE items (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL CHECK (kind IN ('issue', 'task')),
    -- For joining the repository's counter; only issues have one.
    repo TEXT,
    is_open BOOLEAN NOT NULL DEFAULT TRUE,
    paused TEXT,
    held TEXT,
    blocked TEXT,
    execution_run_id INTEGER REFERENCES runs (id) ON DELETE SET NULL,
    execution_agent_name_key TEXT,
    -- When a worker took the run that owns the slot.
    execution_locked_at INTEGER,
    execution_fence INTEGER NOT NULL DEFAULT 0,
    lease_token TEXT,
    version INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX items_owned ON items (execution_run_id) WHERE execution_run_id IS NOT NULL;

CREATE TABLE item_memory (
    item_id INTEGER PRIMARY KEY REFERENCES items (id) ON DELETE CASCADE,
    memory TEXT NOT NULL
);

CREATE TABLE workers (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    host TEXT NOT NULL,
    since INTEGER NOT NULL,
    until INTEGER NOT NULL,
    is_buried BOOLEAN NOT NULL DEFAULT FALSE
);

CREATE TABLE wakeups (
    id INTEGER PRIMARY KEY,
    item_id INTEGER NOT NULL REFERENCES items (id),
    agent TEXT NOT NULL,
    agent_key TEXT NOT NULL,
    source TEXT NOT NULL,
    reason TEXT NOT NULL,
    context TEXT NOT NULL,
    asked_by TEXT NOT NULL,
    asked_by_person BOOLEAN NOT NULL,
    asked_by_run_id INTEGER,
    key TEXT,
    status TEXT NOT NULL,
    disposition TEXT,
    skip TEXT,
    run_id INTEGER,
    merged_into_id INTEGER,
    attempt INTEGER NOT NULL,
    interruptions INTEGER NOT NULL,
    not_before INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    finished_at INTEGER
);
CREATE INDEX wakeups_of_item ON wakeups (item_id, id);
-- A webhook and a poll that tell the same are one wakeup.
CREATE UNIQUE INDEX wakeups_once ON wakeups (item_id, agent_key, key) WHERE key IS NOT NULL;
-- One follow-up for each agent.
CREATE UNIQUE INDEX wakeups_deferred ON wakeups (item_id, agent_key) WHERE status = 'deferred_issue_execution';

CREATE TABLE runs (
    id INTEGER PRIMARY KEY,
    item_id INTEGER NOT NULL REFERENCES items (id),
    wakeup_id INTEGER NOT NULL REFERENCES wakeups (id),
    agent TEXT NOT NULL,
    agent_key TEXT NOT NULL,
    status TEXT NOT NULL,
    context TEXT NOT NULL,
    fence INTEGER NOT NULL,
    worker_id INTEGER REFERENCES workers (id),
    attempt INTEGER NOT NULL,
    interruptions INTEGER NOT NULL,
    retry_of_id INTEGER,
    not_before INTEGER NOT NULL,
    stop TEXT,
    created_at INTEGER NOT NULL,
    started_at INTEGER,
    finished_at INTEGER,
    cause TEXT,
    error TEXT,
    cost_micros INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX runs_of_item ON runs (item_id, id);
-- One owner for each item, whatever the program believes.
CREATE UNIQUE INDEX runs_active ON runs (item_id) WHERE status IN ('queued', 'scheduled_retry', 'running');
CREATE INDEX runs_to_start ON runs (id) WHERE status IN ('queued', 'scheduled_retry');
CREATE INDEX runs_running ON runs (worker_id) WHERE status = 'running';

CREATE TABLE effects (
    id INTEGER PRIMARY KEY,
    item_id INTEGER NOT NULL REFERENCES items (id),
    version INTEGER NOT NULL,
    step INTEGER NOT NULL,
    deed TEXT NOT NULL,
    lease_token TEXT,
    fence INTEGER NOT NULL,
    status TEXT NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    not_before INTEGER NOT NULL,
    sending_at INTEGER,
    sender_id INTEGER,
    -- Whether an earlier try may have taken effect.
    is_unclear BOOLEAN NOT NULL DEFAULT FALSE,
    created_at INTEGER NOT NULL,
    finished_at INTEGER,
    error TEXT
);
-- Two decisions cannot write the same effect.
CREATE UNIQUE INDEX effects_once ON effects (item_id, version, step);
-- One effect of an item is being performed at a time.
CREATE UNIQUE INDEX effects_sending ON effects (item_id) WHERE status = 'sending';
CREATE INDEX effects_unfinished ON effects (id) WHERE status IN ('pending', 'sending');
CREATE INDEX effects_unfinished_of_item ON effects (item_id, id) WHERE status IN ('pending', 'sending');

CREATE TABLE transfers (
    id INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    item_id INTEGER NOT NULL REFERENCES items (id),
    from_run_id INTEGER,
    to_run_id INTEGER,
    agent_key TEXT NOT NULL,
    fence INTEGER NOT NULL,
    reason TEXT NOT NULL,
    after TEXT
);
CREATE INDEX transfers_of_item ON transfers (item_id, id);

CREATE TABLE deliveries (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL,
    event TEXT NOT NULL,
    payload TEXT NOT NULL,
    received_at INTEGER NOT NULL,
    is_read BOOLEAN NOT NULL DEFAULT FALSE
);
CREATE UNIQUE INDEX deliveries_once ON deliveries (id);
CREATE INDEX deliveries_unread ON deliveries (number) WHERE NOT is_read;
CREATE INDEX deliveries_read ON deliveries (received_at) WHERE is_read;

CREATE TABLE counters (
    name TEXT PRIMARY KEY,
    in_use INTEGER NOT NULL DEFAULT 0,
    max INTEGER,
    -- The counter whose limit this one has.
    made_like TEXT NOT NULL DEFAULT ''
) WITHOUT ROWID;
CREATE INDEX counters_made_like ON counters (made_like) WHERE made_like <> '';

-- The start of the oldest run, and its end. When others were faster there is nothing, and nothing is counted.
-- Names of counters have no colon here, because pgbench would take what follows it for a variable.
BEGIN;
WITH found AS (SELECT item.id AS item, run.id AS run FROM runs run JOIN items item ON item.id = run.item_id AND item.execution_run_id = run.id WHERE run.status IN ('queued', 'scheduled_retry') AND run.not_before <= (SELECT baton_now()) AND item.is_open AND item.execution_locked_at IS NULL AND item.paused IS NULL AND item.held IS NULL AND item.blocked IS NULL AND NOT EXISTS (SELECT 1 FROM effects effect WHERE effect.item_id = item.id AND effect.status IN ('pending', 'sending')) ORDER BY run.id LIMIT 1 FOR UPDATE OF item SKIP LOCKED) SELECT coalesce(max(item), 0) AS item, coalesce(max(run), 0) AS run FROM found \gset
\if :run > 0
SELECT baton_now() AS now, run.agent, run.context, run.status, run.wakeup_id AS wakeup, run.fence, worker.until, worker.is_buried FROM runs run JOIN workers worker ON worker.id = 1 WHERE run.id = :run \gset
UPDATE runs SET status = 'running', worker_id = 1, started_at = :now WHERE id = :run;
UPDATE items SET execution_locked_at = :now WHERE id = :item;
INSERT INTO counters (name, made_like, in_use) VALUES ('all', '', 1), ('agent=builder', '', 1), ('repo=acme/web', 'repo:', 1) ON CONFLICT (name) DO UPDATE SET in_use = counters.in_use + 1 WHERE counters.max IS NULL OR counters.in_use < counters.max;
COMMIT;
BEGIN;
SELECT id AS item, is_open, execution_run_id AS owner, execution_fence AS fence, version FROM items WHERE id = (SELECT item_id FROM runs WHERE id = :run) FOR UPDATE \gset
SELECT baton_now() AS now, run.status, run.context, run.stop, worker.until, EXISTS (SELECT 1 FROM wakeups WHERE item_id = :item AND status = 'deferred_issue_execution') AS has_waiting FROM runs run JOIN workers worker ON worker.id = run.worker_id WHERE run.id = :run \gset
UPDATE runs SET status = 'succeeded', cost_micros = 1500, finished_at = :now WHERE id = :run;
UPDATE wakeups SET status = 'completed', finished_at = :now WHERE id = :wakeup;
UPDATE items SET execution_run_id = NULL, execution_agent_name_key = NULL, execution_locked_at = NULL WHERE id = :item;
INSERT INTO transfers (at, item_id, from_run_id, agent_key, fence, reason, after) VALUES (:now, :item, :run, 'builder', :fence, 'freed', 'succeeded');
INSERT INTO counters (name, made_like, in_use) VALUES ('all', '', -1), ('agent=builder', '', -1), ('repo=acme/web', 'repo:', -1), ('cost=builder=2026-01-01', 'cost=', 1500) ON CONFLICT (name) DO UPDATE SET in_use = counters.in_use + excluded.in_use;
NOTIFY baton;
\endif
COMMIT;

-- One wakeup of a fresh issue, as somebody would write it who writes SQL by hand.
\set n :n + 1
\set number :base + :client_id * 1000000 + :n
BEGIN;
INSERT INTO items (key, kind, repo) VALUES ('acme/web#' || :number, 'issue', 'acme/web') ON CONFLICT (key) DO UPDATE SET repo = items.repo RETURNING id AS item, is_open, paused, held, blocked, coalesce(execution_run_id, 0) AS owner, execution_fence + 1 AS fence, version \gset
SELECT baton_now() AS now, EXISTS (SELECT 1 FROM effects WHERE item_id = :item AND status IN ('pending', 'sending')) AS has_effects, EXISTS (SELECT 1 FROM wakeups WHERE item_id = :item AND status = 'deferred_issue_execution') AS has_waiting, (SELECT status FROM runs WHERE id = :owner) AS owner_status \gset
INSERT INTO wakeups (id, item_id, agent, agent_key, source, reason, context, asked_by, asked_by_person, status, attempt, interruptions, not_before, created_at) VALUES (nextval('wakeup_ids'), :item, 'Builder', 'builder', 'webhook', 'issue_commented', '{"comment_ids":[7],"note":"please look at this again"}', 'ada', true, 'queued', 0, 0, :now, :now) RETURNING id AS wakeup \gset
INSERT INTO runs (id, item_id, wakeup_id, agent, agent_key, status, context, fence, attempt, interruptions, not_before, created_at) VALUES (nextval('run_ids'), :item, :wakeup, 'Builder', 'builder', 'queued', '{"comment_ids":[7],"note":"please look at this again"}', :fence, 0, 0, :now, :now) RETURNING id AS run \gset
UPDATE items SET execution_run_id = :run, execution_agent_name_key = 'builder', execution_fence = :fence WHERE id = :item;
INSERT INTO transfers (at, item_id, to_run_id, agent_key, fence, reason) VALUES (:now, :item, :run, 'builder', :fence, 'taken');
NOTIFY baton;
COMMIT;

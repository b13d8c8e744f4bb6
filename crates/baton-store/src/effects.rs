//! Handing out effects, and noting what became of them.

use std::time::Duration;

use baton_core::slot::effect::{AfterTry, EffectStatus};
use baton_core::slot::{EffectId, WorkerId};
use baton_core::time::millis;
use baton_ports::store::TakenEffect;

use crate::arg::{Arg, args};
use crate::fault::Fault;
use crate::session::Session;
use crate::sql::{Sql, sql};

/// The oldest that is the first of its item and is due, or was left by a worker that is lost.
///
/// The sender is asked for in a subquery and not joined: when the effect was sent by another between the reading and the
/// lock, PostgreSQL looks again at the effect with its new sender, but at joined rows as they were.
pub(crate) const NEXT: Sql = sql!(
    "SELECT " EFFECT ", effect.is_unclear, " ITEM "
    FROM effects effect JOIN items item ON item.id = effect.item_id
    WHERE effect.status IN ('pending', 'sending')
        AND ((effect.status = 'pending' AND effect.not_before <= " NOW_ONCE ")
            OR (effect.status = 'sending'
                AND NOT EXISTS (SELECT 1 FROM workers sender WHERE sender.id = effect.sender_id
                    AND NOT sender.is_buried AND sender.until + $2 > " NOW_ONCE ")))
        AND NOT EXISTS (SELECT 1 FROM effects earlier
            WHERE earlier.item_id = effect.item_id AND earlier.id < effect.id
                AND earlier.status IN ('pending', 'sending'))
    ORDER BY effect.id LIMIT 1"
    LOCK_FREE_EFFECT
);

/// What may have happened at the first try is looked for from there on, so its time is kept.
const SEND: Sql = sql!(
    "UPDATE effects SET status = 'sending', attempts = attempts + 1, sending_at = coalesce($3, " NOW "),
        is_unclear = $4, sender_id = $5
    WHERE id = $2 RETURNING sending_at"
);

/// What may have happened once stays so until it is known, whatever later tries say.
const TRIED: Sql = sql!(
    "UPDATE effects SET status = $4, error = $5, not_before = coalesce($6, not_before),
        finished_at = CASE WHEN $7 THEN " NOW " END, is_unclear = (is_unclear OR $8)
    WHERE id = $2 AND sender_id = $3 AND status = 'sending'"
);

/// Marks the next effect as being sent by this worker.
pub(crate) async fn take(
    session: &mut Session,
    worker: WorkerId,
    stop_grace: Duration,
) -> Result<Option<TakenEffect>, Fault> {
    let grace = i64::try_from(millis(stop_grace)).unwrap_or(i64::MAX);
    let Some(row) = session.row(NEXT, vec![session.time(), Arg::from(grace)]).await? else { return Ok(None) };
    let mut columns = row.columns("effects");
    let mut effect = columns.effect()?;
    let was_sent = columns.bool()? || effect.status == EffectStatus::Sending;
    let item = columns.item()?.item;
    let unclear_since = effect.sending_at.filter(|_| was_sent);
    let mut args = vec![session.time()];
    args.extend(args![effect.id.0, unclear_since, was_sent, worker.0]);
    let row = session.row(SEND, args).await?;
    let row = row.ok_or_else(|| Fault::Corrupt(format!("table effects, row {}: it is gone", effect.id)))?;
    effect.sending_at = row.columns("effects").opt_time()?;
    effect.status = EffectStatus::Sending;
    effect.attempts = effect.attempts.saturating_add(1);
    Ok(Some(TakenEffect { effect, item, unclear_since }))
}

/// Notes what became of a try, if the effect is still this worker's.
pub(crate) async fn tried(
    session: &mut Session,
    id: EffectId,
    worker: WorkerId,
    after: &AfterTry,
) -> Result<bool, Fault> {
    let (status, error, not_before, is_unclear) = match after {
        AfterTry::Done => (EffectStatus::Done, None, None, false),
        AfterTry::Again { not_before, error, is_unclear } => {
            (EffectStatus::Pending, Some(error.as_str()), Some(*not_before), *is_unclear)
        }
        AfterTry::Dead(why) => (EffectStatus::Dead, Some(why.as_str()), None, false),
    };
    let is_over = matches!(status, EffectStatus::Done | EffectStatus::Dead);
    let mut args = vec![session.time()];
    args.extend(args![id.0, worker.0, status.as_str(), error, not_before, is_over, is_unclear]);
    Ok(session.execute(TRIED, args).await? == 1)
}

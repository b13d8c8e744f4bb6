//! Deliveries of webhooks: committed once, worked off later.

use std::time::Duration;

use baton_core::time::millis;
use baton_ports::store::{Accepted, Delivery};

use crate::arg::{Arg, args};
use crate::fault::Fault;
use crate::row::Row;
use crate::session::Session;
use crate::sql::{Sql, sql};

const ACCEPT: Sql = sql!(
    "INSERT INTO deliveries (id, event, payload, received_at) VALUES ($2, $3, $4, " NOW ")
    ON CONFLICT (id) DO NOTHING"
);
pub(crate) const UNREAD: &str =
    "SELECT id, event, payload FROM deliveries WHERE NOT is_read ORDER BY number LIMIT $1";
const MARK_READ: &str = "UPDATE deliveries SET is_read = true, payload = '' WHERE id = $1";
pub(crate) const FORGET: Sql =
    sql!("DELETE FROM deliveries WHERE is_read AND received_at < " NOW_ONCE " - $2");

pub(crate) async fn accept(session: &mut Session, delivery: &Delivery) -> Result<Accepted, Fault> {
    let mut args = vec![session.time()];
    args.extend(args![delivery.id.as_str(), delivery.event.as_str(), delivery.payload.as_str()]);
    let is_new = session.execute(ACCEPT, args).await? == 1;
    Ok(if is_new { Accepted::New } else { Accepted::Seen })
}

pub(crate) async fn accept_all(
    session: &mut Session,
    deliveries: &[Delivery],
) -> Result<Vec<Accepted>, Fault> {
    let mut accepted = Vec::with_capacity(deliveries.len());
    for delivery in deliveries {
        accepted.push(accept(session, delivery).await?);
    }
    Ok(accepted)
}

pub(crate) async fn unread(session: &mut Session, limit: u32) -> Result<Vec<Delivery>, Fault> {
    let rows = session.rows(UNREAD, args![limit]).await?;
    rows.iter().map(delivery).collect()
}

fn delivery(row: &Row) -> Result<Delivery, Fault> {
    let mut columns = row.columns("deliveries");
    Ok(Delivery { id: columns.text()?, event: columns.text()?, payload: columns.text()? })
}

pub(crate) async fn mark_read(session: &mut Session, id: &str) -> Result<(), Fault> {
    session.execute(MARK_READ, args![id]).await.map(drop)
}

pub(crate) async fn mark_all_read(session: &mut Session, ids: &[String]) -> Result<(), Fault> {
    for id in ids {
        mark_read(session, id).await?;
    }
    Ok(())
}

pub(crate) async fn forget(session: &mut Session, older_than: Duration) -> Result<u64, Fault> {
    let age = i64::try_from(millis(older_than)).unwrap_or(i64::MAX).min(i64::MAX / 2);
    session.execute(FORGET, vec![session.time(), Arg::from(age)]).await
}

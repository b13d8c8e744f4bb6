//! The other side of a launch: what runs in the supervisor's own processes.
//!
//! | process | subcommand of the binary | what it does |
//! |---|---|---|
//! | the supervisor | `__guard` | [`Supervision`]: starts the command, drains and reads it, ends its group in time |
//! | the command, before it is one | `__guarded` | [`Guarded`]: has its group, waits for a word, becomes the command |
//! | the second watch | `__watch` | [`watch`]: kills the group when the supervisor is gone |
//!
//! None of them knows of leases, trackers or runs.

mod events;
pub(crate) mod group;
mod guarded;
mod leash;
mod line_buffer;
mod log;
mod orders;
mod orphans;
mod output;
pub(crate) mod pipes;
mod progress;
mod reading;
mod recorder;
mod running;
mod second_watch;
mod start;
mod supervise;

use std::time::Duration;

pub use guarded::{EXIT_NOT_RUN, Guarded};
pub use second_watch::watch;
pub use supervise::{HeldTerms, SuperviseError, Supervised, Supervision};

/// How often processes and the boot clock are looked at. Timers may stand still while the machine sleeps.
const LOOK_EVERY: Duration = Duration::from_millis(20);

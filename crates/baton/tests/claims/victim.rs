//! A claimant that holds an issue around a command, and that something happens to at one of its requests.

use std::path::PathBuf;

use tokio::process::Child;

use crate::claims::proxy::{Proxy, Seen, Strike};
use crate::claims::seat::{Ran, Seat};
use crate::claims::waiting::{SOON, eventually};
use crate::claims::world::{World, reference};

/// A command that tells its process group, then shows ten times a second that it lives, until it is told to end.
const WORK: &str = r#"
exec 3<> <(:)
echo $$ > "$1.group"
until [ -e "$1.end" ]; do
  echo . >> "$1.ticks"
  read -rt 0.1 -u 3 _
done
exit 0
"#;

pub(crate) struct Victim {
    pub(crate) seat: Seat,
    pub(crate) issue: u64,
    pub(crate) proxy: Proxy,
    /// Nothing when it has been waited for.
    child: Option<Child>,
    work: PathBuf,
}

impl Victim {
    /// Starts `baton claim ISSUE -- COMMAND` behind a proxy that strikes.
    pub(crate) async fn start(
        world: &World,
        seat: &Seat,
        name: &str,
        issue: u64,
        strike: Option<Strike>,
    ) -> Self {
        let proxy = Proxy::start(&world.url, strike).await;
        let seat = seat.elsewhere(name, &proxy.url).with_short_holds();
        let work = seat.state.join("work");
        let named = work.to_str().unwrap().to_owned();
        let arguments = ["claim", &reference(issue), "--", "bash", "-c", WORK, "work", &named];
        let child = seat.command(&arguments).spawn().unwrap();
        proxy.aim(child.id().unwrap());
        Self { seat, issue, proxy, child: Some(child), work }
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.as_ref().and_then(Child::id).expect("it has not been waited for")
    }

    /// The process group of its command, once that runs.
    pub(crate) fn group(&self) -> Option<i32> {
        let text = std::fs::read_to_string(self.work.with_extension("group")).ok()?;
        text.trim().parse().ok()
    }

    /// How often the command has shown that it lives.
    pub(crate) fn ticks(&self) -> usize {
        std::fs::read(self.work.with_extension("ticks")).map_or(0, |ticks| ticks.len() / 2)
    }

    /// Lets the command end with success.
    pub(crate) fn end_work(&self) {
        std::fs::write(self.work.with_extension("end"), "").unwrap();
    }

    /// Waits until it is struck or has ended. The command is let go after the first renewal, so that there is a release
    /// as well.
    pub(crate) async fn until_struck(&mut self) {
        let (mut before_renewal, mut is_ending) = (None, false);
        let ends_with = format!("/issues/{}", self.issue);
        let is_last = |seen: &Seen| seen.method == "GET" && seen.path.ends_with(&ends_with) && seen.is_over;
        let mut child = self.child.take().unwrap();
        eventually("the strike or the end", SOON, || {
            if self.group().is_some() && !is_ending {
                let seen = self.proxy.seen();
                let from = *before_renewal.get_or_insert(seen.len());
                is_ending = seen[from..].iter().any(is_last);
                if is_ending {
                    self.end_work();
                }
            }
            (self.proxy.is_struck() || child.try_wait().unwrap().is_some()).then_some(())
        })
        .await;
        self.child = Some(child);
    }

    /// Waits for its end.
    pub(crate) async fn ended(&mut self) -> Ran {
        Seat::end(self.child.take().unwrap()).await
    }
}

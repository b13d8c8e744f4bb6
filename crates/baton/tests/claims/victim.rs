//! A claimant that holds an issue around a command, and that something happens to at one of its requests.

use baton_fixtures::wait::eventually;
use baton_fixtures::{CommandOutput, Proxy, Seen, Strike, TestEnv};
use tokio::process::Child;

use crate::claims::setup::{Setup, elsewhere, reference, with_short_holds};

/// A command that tells its process group, then shows ten times a second that it lives, until it is told to end.
const WORK: &str = r#"
exec 3<> <(:)
echo $$ > work.group
until [ -e work.end ]; do
  echo . >> work.ticks
  read -rt 0.1 -u 3 _
done
exit 0
"#;

pub(crate) struct Victim {
    pub(crate) env: TestEnv,
    pub(crate) issue: u64,
    pub(crate) proxy: Proxy,
    /// Nothing when it has been waited for.
    child: Option<Child>,
}

impl Victim {
    /// Starts `baton claim ISSUE -- COMMAND` behind a proxy that strikes.
    pub(crate) async fn start(
        setup: &Setup,
        env: &TestEnv,
        name: &str,
        issue: u64,
        strike: Option<Strike>,
    ) -> Self {
        let proxy = Proxy::start(&setup.forge.url, strike).await;
        let env = with_short_holds(elsewhere(env, name, &proxy.url));
        let child = env.spawn(&["claim", &reference(issue), "--", "bash", "-c", WORK]);
        proxy.aim(child.id().unwrap());
        Self { env, issue, proxy, child: Some(child) }
    }

    pub(crate) fn pid(&self) -> i32 {
        let id = self.child.as_ref().and_then(Child::id).expect("it has not been waited for");
        i32::try_from(id).unwrap()
    }

    /// The process group of its command, once that runs.
    pub(crate) fn group(&self) -> Option<i32> {
        self.env.note("work.group")?.parse().ok()
    }

    /// How often the command has shown that it lives.
    pub(crate) fn ticks(&self) -> usize {
        std::fs::read(self.env.path("work.ticks")).map_or(0, |ticks| ticks.len() / 2)
    }

    /// Lets the command end with success.
    pub(crate) fn end_work(&self) {
        self.env.write("work.end", "");
    }

    /// Waits until it is struck or has ended. The command is let go after the first renewal, so that there is a release
    /// as well.
    pub(crate) async fn until_struck(&mut self) {
        let (mut before_renewal, mut is_ending) = (None, false);
        let ends_with = format!("/issues/{}", self.issue);
        let is_last = |seen: &Seen| seen.method == "GET" && seen.path.ends_with(&ends_with) && seen.is_over;
        let mut child = self.child.take().unwrap();
        eventually("the strike or the end", || {
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
    pub(crate) async fn ended(&mut self) -> CommandOutput {
        TestEnv::ended(self.child.take().unwrap()).await
    }
}

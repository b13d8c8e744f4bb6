//! The forge's own CI on real pushes.

use std::time::Duration;

use baton_forge::{CiRule, ForgeConfig};
use serde_json::{Value, json};

use crate::relay::world::{REPO, World};

fn rule(name: &str, command: &str) -> CiRule {
    CiRule {
        repo: "acme/web".parse().unwrap(),
        name: name.to_owned(),
        command: command.to_owned(),
        time_limit: Duration::from_secs(60),
        branches: vec!["*".to_owned()],
    }
}

async fn finished(world: &World, name: &str) -> Value {
    world
        .eventually("the end of a check run", async |world: &World| {
            let path = format!("{REPO}/commits/feature/check-runs?check_name={name}&status=completed");
            world.get(&path).await["check_runs"].get(0).cloned()
        })
        .await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_push_runs_the_command_on_its_commit_and_reports_the_output() {
    let tell = "cat feature.txt; git rev-parse HEAD; echo $GITHUB_REPOSITORY $GITHUB_REF $CI; echo '::error file=feature.txt,line=2::bad' >&2; exit 3";
    let world = World::with(|config| config.ci = vec![rule("test", tell), rule("fine", "true")]).await;
    let pull = world.pull("feature", "").await;
    let run = finished(&world, "test").await;
    assert_eq!((&run["conclusion"], &run["app"]["slug"]), (&json!("failure"), &json!("forge-ci")));
    let (text, summary) =
        (run["output"]["text"].as_str().unwrap(), run["output"]["summary"].as_str().unwrap());
    let oid = pull["head"]["sha"].as_str().unwrap();
    assert!(
        text.starts_with(&format!("one\ntwo\nthree\n{oid}\nacme/web refs/heads/feature true\n")),
        "{text}"
    );
    assert!(summary.contains("exited with code 3"), "{summary}");
    let notes = world.get(&format!("{REPO}/check-runs/{}/annotations", run["id"])).await;
    assert_eq!(
        (&notes[0]["path"], &notes[0]["start_line"], &notes[0]["annotation_level"]),
        (&json!("feature.txt"), &json!(2), &json!("failure"))
    );
    assert_eq!(finished(&world, "fine").await["conclusion"], "success");
    assert_eq!(world.judged(1).await["mergeable_state"], "unstable");
    let scratch = world.directory().join("forge/ci");
    world
        .eventually("the work trees to go", async |_: &World| {
            let left = std::fs::read_dir(&scratch).map(Iterator::count).unwrap_or(0);
            (left == 0).then_some(())
        })
        .await;
    world.ok(&world.ada, "POST", &format!("{REPO}/check-runs/{}/rerequest", run["id"]), Value::Null).await;
    world
        .eventually("a second run", async |world: &World| {
            let path =
                format!("{REPO}/commits/feature/check-runs?check_name=test&filter=all&status=completed");
            (world.get(&path).await["total_count"] == 2).then_some(())
        })
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_that_floods_or_hangs_is_bounded() {
    // Long enough that `begun` is printed first, however busy the machine is.
    let hang =
        CiRule { time_limit: Duration::from_secs(3), ..rule("hang", "echo begun; sleep 1000 & sleep 1000") };
    let flood = rule("flood", "head -c 3000000 /dev/zero | tr '\\0' 'x'; echo; echo end");
    let world = World::with(|config| config.ci = vec![hang, flood]).await;
    world.branch("feature", "feature.txt", "x\n");
    let run = finished(&world, "hang").await;
    assert_eq!((&run["conclusion"], &run["output"]["text"]), (&json!("timed_out"), &json!("begun\n")));
    let run = finished(&world, "flood").await;
    let text = run["output"]["text"].as_str().unwrap();
    assert!(
        run["conclusion"] == "success" && text.ends_with("end\n") && text.len() < 66_000,
        "{}",
        text.len()
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_job_that_is_cut_off_with_the_forge_runs_again_and_reports_once() {
    let outside = tempfile::tempdir().unwrap();
    let (begun, go) = (outside.path().join("begun"), outside.path().join("go"));
    // It says each time that it has begun, and ends only when it is told to.
    let command = format!(
        "echo $$ >> '{}'; while [ ! -e '{}' ]; do sleep 0.02; done; cat feature.txt",
        begun.display(),
        go.display()
    );
    let on_feature = CiRule { branches: vec!["feature".to_owned()], ..rule("test", &command) };
    let config = |config: &mut ForgeConfig| config.ci = vec![on_feature.clone()];
    let world = World::with(config).await;
    let begins = async |world: &World, count: usize| {
        world
            .eventually("the command to begin", async |_: &World| {
                let text = std::fs::read_to_string(&begun).unwrap_or_default();
                (text.lines().count() >= count).then_some(())
            })
            .await;
    };
    world.branch("feature", "feature.txt", "content\n");
    begins(&world, 1).await;
    let world = world.restart(config).await;
    begins(&world, 2).await;
    std::fs::write(&go, "").unwrap();
    let run = finished(&world, "test").await;
    assert_eq!((&run["conclusion"], &run["output"]["text"]), (&json!("success"), &json!("content\n")));
    let all = world.get(&format!("{REPO}/commits/feature/check-runs?filter=all")).await;
    assert_eq!(all["total_count"], 1);
}

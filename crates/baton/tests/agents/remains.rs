//! What is left of a run whose engine and supervisor were killed: found by its record, and ended.

use std::time::Duration;

use baton_agent::{records, remains};
use baton_claims::machine::SystemClock;
use baton_core::agent::{AgentExit, AgentRecord};
use baton_fixtures::TestAgent;
use baton_fixtures::processes::{Signal, is_alive, parent, send, with_variable};
use baton_fixtures::wait::eventually;

const GRACE: Duration = Duration::from_millis(300);

/// Leaves its group twice over and hears nothing; notes who it is.
const ESCAPES: &str = "
    setsid bash -c 'setsid bash -c \"trap \\\"\\\" HUP INT TERM; echo \\$\\$ > escaped; while :; do sleep 0.01; done\" & wait' &
    until [ -s escaped ]; do sleep 0.01; done
    echo up > up
    while :; do sleep 0.01; done";

fn record(test: &TestAgent) -> AgentRecord {
    records::read(&test.record_terms().path).unwrap()
}

#[tokio::test]
async fn who_has_left_the_group_is_ended_with_the_agent_also_without_its_environment() {
    let test = TestAgent::new();
    let script = "
        setsid env -i bash -c 'setsid bash -c \"echo \\$\\$ > escaped; exec sleep 1000\" & sleep 0.01' &
        until [ -s escaped ]; do sleep 0.01; done";
    assert_eq!(TestAgent::run(test.recorded(script)).await.exit, AgentExit::Exited(0));
    let escaped = test.numbers("escaped").unwrap()[0];
    assert!(!is_alive(escaped));
    assert_eq!(with_variable("BATON_RUN_MARK", &record(&test).mark), Vec::<i32>::new());
}

#[tokio::test]
async fn who_has_left_the_group_and_outlives_the_supervisor_is_found_by_its_mark() {
    let test = TestAgent::new();
    let agent = TestAgent::start(test.recorded(ESCAPES)).await;
    eventually("the agent", || test.note("up")).await;
    let escaped = test.numbers("escaped").unwrap()[0];
    send(parent(agent.group()), Signal::KILL);
    assert_eq!(TestAgent::ended(&agent).await.exit, AgentExit::SupervisorLost);
    TestAgent::dies(agent.group()).await;
    assert!(is_alive(escaped), "it could not be found without its record");
    let ended =
        remains::end_unfinished(&test.records(), &TestAgent::item(), GRACE, &SystemClock).await.unwrap();
    assert!(ended.ended.contains(&escaped) && ended.left.is_empty(), "{ended:?}");
    assert!(with_variable("BATON_RUN_MARK", &record(&test).mark).is_empty());
    // It is dead; whoever it was left to takes it off the system.
    eventually("its burial", || (!is_alive(escaped)).then_some(())).await;
    assert_eq!(record(&test).end.unwrap().exit, AgentExit::SupervisorLost);
    let again =
        remains::end_unfinished(&test.records(), &TestAgent::item(), GRACE, &SystemClock).await.unwrap();
    assert_eq!(again, remains::Remains::default());
}

#[tokio::test]
async fn a_run_that_still_has_everything_is_ended_as_a_whole() {
    let test = TestAgent::new();
    let agent =
        TestAgent::start(test.recorded("trap '' TERM; echo up > up; while :; do sleep 0.01; done")).await;
    eventually("the agent", || test.note("up")).await;
    let supervisor = parent(agent.group());
    // It stands still, as if its engine had been gone for long, and cannot end its agent.
    send(supervisor, Signal::STOP);
    let ended = remains::end(&record(&test), GRACE, &SystemClock).await;
    assert!(ended.ended.contains(&agent.group()) && ended.ended.contains(&supervisor), "{ended:?}");
    assert!(ended.left.is_empty() && with_variable("BATON_RUN_MARK", &record(&test).mark).is_empty());
}

#[tokio::test]
async fn another_process_with_the_same_numbers_is_left_alone() {
    let test = TestAgent::new();
    let agent = TestAgent::start(test.recorded("echo up > up; while :; do sleep 0.01; done")).await;
    eventually("the agent", || test.note("up")).await;
    let mut other = record(&test);
    other.leader.born.push('0');
    other.supervisor.born.push('0');
    other.mark.push('0');
    assert_eq!(remains::end(&other, GRACE, &SystemClock).await, remains::Remains::default());
    assert!(is_alive(agent.group()));
}

#[tokio::test]
async fn who_works_in_a_directory_is_found_and_ended_and_this_process_is_spared() {
    let test = TestAgent::new();
    let tree = test.root.join("tree");
    std::fs::create_dir_all(tree.join("deep")).unwrap();
    let mut order = test.script("cd deep; trap '' TERM; echo up > ../up; exec sleep 1000");
    order.cwd = tree.clone();
    let agent = TestAgent::start(order).await;
    eventually("the agent", || tree.join("up").exists().then_some(())).await;
    let found = eventually("it in its directory", || {
        Some(remains::in_directory(&tree.join("deep"))).filter(|found| !found.is_empty())
    });
    assert_eq!(found.await, [agent.group()]);
    assert!(remains::in_directory(&test.root.join("work")).is_empty());
    let own = std::env::current_dir().unwrap();
    let this = i32::try_from(std::process::id()).unwrap();
    assert!(!remains::in_directory(&own).contains(&this));
    let gone = remains::end_in_directory(&tree, GRACE, &SystemClock).await;
    assert_eq!((gone.ended, gone.left), (vec![agent.group()], Vec::new()));
    assert_eq!(TestAgent::ended(&agent).await.exit, AgentExit::Signalled(9));
}

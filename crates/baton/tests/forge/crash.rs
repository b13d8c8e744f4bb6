//! Death at any moment: nothing that was acknowledged is lost, and the forge opens again.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use baton_fixtures::git::git;
use baton_fixtures::{Client, TestForge};
use serde_json::{Value, json};

/// What clients were told to be done.
#[derive(Default, Clone)]
struct Acknowledged {
    comments: Vec<i64>,
    refs: Vec<String>,
    labels: Vec<String>,
}

async fn write_until_death(
    client: Client,
    main: String,
    writer: usize,
    round: usize,
    done: Arc<Mutex<Acknowledged>>,
    stop: Arc<AtomicBool>,
) {
    for turn in 0.. {
        if stop.load(Ordering::Relaxed) {
            return;
        }
        let (path, body) = match turn % 3 {
            0 => {
                ("/repos/admin/web/issues/1/comments", json!({ "body": format!("{round}-{writer}-{turn}") }))
            }
            1 => (
                "/repos/admin/web/git/refs",
                json!({ "ref": format!("refs/baton/{round}/{writer}/{turn}"), "sha": main }),
            ),
            _ => ("/repos/admin/web/labels", json!({ "name": format!("{round}-{writer}-{turn}") })),
        };
        let Some(answer) = client.send("POST", path, Some(&body.to_string()), &[]).await else { return };
        assert_eq!(answer.status, 201, "{}", answer.text);
        let mut done = done.lock().unwrap();
        match turn % 3 {
            0 => done.comments.push(answer.json()["id"].as_i64().unwrap()),
            1 => done.refs.push(answer.json()["ref"].as_str().unwrap().to_owned()),
            _ => done.labels.push(answer.json()["name"].as_str().unwrap().to_owned()),
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_acknowledged_is_lost_when_the_forge_is_killed_while_it_writes() {
    let (mut forge, repo) = TestForge::start_with_repo("web").await;
    repo.post("/issues", json!({ "title": "x" })).await;
    let main = repo.tip("heads/main").await.unwrap();
    let done = Arc::new(Mutex::new(Acknowledged::default()));
    let rounds = if baton_fixtures::is_full() { 30 } else { 6 };
    for round in 0..rounds {
        let stop = Arc::new(AtomicBool::new(false));
        let before = done.lock().unwrap().comments.len();
        let writers: Vec<_> = (0..8)
            .map(|writer| {
                tokio::spawn(write_until_death(
                    forge.admin.clone(),
                    main.clone(),
                    writer,
                    round,
                    Arc::clone(&done),
                    Arc::clone(&stop),
                ))
            })
            .collect();
        // The kill falls into the middle of the writing: a varying number of writes later, never before the first.
        while done.lock().unwrap().comments.len() < before + 5 + 7 * round {
            tokio::task::yield_now().await;
        }
        forge.kill();
        stop.store(true, Ordering::Relaxed);
        for writer in writers {
            writer.await.unwrap();
        }
        forge.restart(&[]);
        let acknowledged = done.lock().unwrap().clone();
        check(&forge.admin, &acknowledged).await;
    }
    let done = done.lock().unwrap();
    println!(
        "{rounds} kills, {} comments, {} refs, {} labels acknowledged and found",
        done.comments.len(),
        done.refs.len(),
        done.labels.len()
    );
}

async fn check(client: &Client, done: &Acknowledged) {
    for id in &done.comments {
        client.must("GET", &format!("/repos/admin/web/issues/comments/{id}"), &Value::Null, 200).await;
    }
    let refs = client.must("GET", "/repos/admin/web/git/matching-refs/baton", &Value::Null, 200).await;
    let found: Vec<&str> = refs.as_array().unwrap().iter().map(|row| row["ref"].as_str().unwrap()).collect();
    assert!(done.refs.iter().all(|name| found.contains(&name.as_str())), "a ref was lost");
    for name in &done.labels {
        client.must("GET", &format!("/repos/admin/web/labels/{name}"), &Value::Null, 200).await;
    }
    let issue = client.must("GET", "/repos/admin/web/issues/1", &Value::Null, 200).await;
    assert!(issue["comments"].as_u64().unwrap() >= done.comments.len() as u64);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_ref_that_git_has_and_the_table_has_not_is_found_at_the_next_start() {
    let (mut forge, repo) = TestForge::start_with_repo("web").await;
    let main = repo.tip("heads/main").await.unwrap();
    forge.kill();
    // As if the forge had died between git's change and its own.
    git(&forge.data.join("repos/1.git"), &["update-ref", "refs/heads/orphan", &main]);
    forge.restart(&[]);
    forge.admin.must("GET", "/repos/admin/web/git/ref/heads/orphan", &Value::Null, 200).await;
}

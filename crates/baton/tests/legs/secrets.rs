//! Secrets planted in the environment, in `.env` and in what an agent prints are seen nowhere afterwards.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;

use crate::legs::desk::{Desk, files_with};
use crate::support::TOKEN;

const IN_ENVIRONMENT: &str = "planted-in-the-environment-42";
const IN_DOTENV: &str = "planted\"in/dotenv+43";

#[tokio::test(flavor = "multi_thread")]
async fn planted_secrets_are_nowhere_in_logs_records_comments_or_the_store() {
    let program = "cat > /dev/null; env; echo \"$LEAK\"; echo \"$LEAK\" >&2; echo \"{\\\"k\\\":\\\"$LEAK\\\"}\"; \
                   printf %s \"$LEAK\" | base64 -w0; echo; echo BATON_STAGE_COMPLETE";
    let agents =
        format!("agents:\n  coder: {{adapter: command, command: [bash, -c, '{program}'], env: [LEAK]}}\n");
    let desk = Desk::new(&agents).await;
    // Everything in this file is a secret, whatever it is called.
    std::fs::write(desk.path(".env"), format!("PLAIN_NAME='{IN_DOTENV}'\n")).unwrap();
    for leak in [IN_ENVIRONMENT, IN_DOTENV, TOKEN] {
        desk.wake(&json!({ "stage": "Implement" }));
        let engine = desk
            .command(&["engine", "--idle", "--once"])
            .env("MY_API_KEY", IN_ENVIRONMENT)
            .env("LEAK", leak)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&[engine.stdout, engine.stderr].concat()).into_owned();
        assert!(!said.contains(leak), "{said}");
        assert_eq!(desk.last_run()["status"], "succeeded", "{:?}", desk.last_run());
        let listed = desk.run(&["runs", "--json"]).out;
        assert!(!listed.contains(leak), "{listed}");
    }
    assert!(desk.log(1).contains("***"), "{}", desk.log(1));
    for secret in [IN_ENVIRONMENT, IN_DOTENV, TOKEN] {
        let encoded = STANDARD.encode(secret);
        for form in [secret, &encoded, &secret.replace('"', "\\\"")] {
            let found = files_with(&desk.path(".baton"), form.as_bytes());
            assert!(found.is_empty(), "{form} is in {found:?}");
        }
    }
    let comments = desk.client.must("GET", "/repos/admin/web/issues/1/comments", &json!(null), 200).await;
    assert!(!comments.to_string().contains("planted"), "{comments}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_can_neither_push_nor_write_to_the_tracker() {
    let program = "cat > /dev/null; env | sort; git config --list --show-origin; ls -A \"$HOME\"; \
                   git commit -q --allow-empty -m mine && git push -q origin HEAD:refs/heads/stolen; echo push=$?; echo BATON_STAGE_COMPLETE";
    let agents = format!("agents:\n  coder: {{adapter: command, command: [bash, -c, '{program}']}}\n");
    let desk = Desk::new(&agents).await;
    let home = desk.path("home");
    std::fs::create_dir_all(home.join(".ssh")).unwrap();
    std::fs::write(home.join(".git-credentials"), format!("http://x:{TOKEN}@127.0.0.1\n")).unwrap();
    let address = desk.forge.url.replace("http://", &format!("http://x:{TOKEN}@"));
    std::fs::write(home.join(".git-credentials"), format!("{address}\n")).unwrap();
    std::fs::write(home.join(".gitconfig"), "[credential]\nhelper = store\n").unwrap();
    desk.work(&json!({ "stage": "Implement" })).exits(0);
    let log = desk.log(1);
    assert!(log.contains("push=") && !log.contains("push=0"), "{log}");
    assert!(!log.contains("helper = store") && !log.contains("credential.helper=store"), "{log}");
    let stolen = desk.client.ask("GET", "/repos/admin/web/git/ref/heads/stolen", &json!(null)).await;
    assert_eq!(stolen.status, 404);
    let messages = desk.messages("baton/issue-1").await;
    assert_eq!(messages[0], "mine", "the engine pushes what the agent committed");
}

//! Secrets planted in the environment, in `.env` and in what an agent prints are seen nowhere afterwards.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use baton_fixtures::TOKEN;
use serde_json::json;

use crate::legs::setup::{Setup, files_with};

const IN_ENVIRONMENT: &str = "planted-in-the-environment-42";
const IN_DOTENV: &str = "planted\"in/dotenv+43";

#[tokio::test(flavor = "multi_thread")]
async fn planted_secrets_are_nowhere_in_logs_records_comments_or_the_store() {
    let program = "cat > /dev/null; env; echo \"$LEAK\"; echo \"$LEAK\" >&2; echo \"{\\\"k\\\":\\\"$LEAK\\\"}\"; \
                   printf %s \"$LEAK\" | base64 -w0; echo; echo BATON_STAGE_COMPLETE";
    let agents =
        format!("agents:\n  coder: {{adapter: command, command: [bash, -c, '{program}'], env: [LEAK]}}\n");
    let setup = Setup::new(&agents).await;
    // Everything in this file is a secret, whatever it is called.
    setup.env.write(".env", &format!("PLAIN_NAME='{IN_DOTENV}'\n"));
    for leak in [IN_ENVIRONMENT, IN_DOTENV, TOKEN] {
        setup.wake(&json!({ "stage": "Implement" }));
        let leaky = setup.env.with_all(&[("MY_API_KEY", IN_ENVIRONMENT), ("LEAK", leak)]);
        let said = leaky.run(&["engine", "--idle", "--once"]).both();
        assert!(!said.contains(leak), "{said}");
        assert_eq!(setup.last_run()["status"], "succeeded", "{:?}", setup.last_run());
        let listed = setup.env.run(&["runs", "--json"]).out;
        assert!(!listed.contains(leak), "{listed}");
    }
    assert!(setup.log(1).contains("***"), "{}", setup.log(1));
    for secret in [IN_ENVIRONMENT, IN_DOTENV, TOKEN] {
        let encoded = STANDARD.encode(secret);
        for form in [secret, &encoded, &secret.replace('"', "\\\"")] {
            let found = files_with(&setup.env.path(".baton"), form.as_bytes());
            assert!(found.is_empty(), "{form} is in {found:?}");
        }
    }
    let comments = setup.repo.bodies(1).await;
    assert!(!comments.iter().any(|comment| comment.contains("planted")), "{comments:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_can_neither_push_nor_write_to_the_tracker() {
    let program = "cat > /dev/null; env | sort; git config --list --show-origin; ls -A \"$HOME\"; \
                   git commit -q --allow-empty -m mine && git push -q origin HEAD:refs/heads/stolen; echo push=$?; echo BATON_STAGE_COMPLETE";
    let agents = format!("agents:\n  coder: {{adapter: command, command: [bash, -c, '{program}']}}\n");
    let setup = Setup::new(&agents).await;
    let home = setup.env.home();
    std::fs::create_dir_all(home.join(".ssh")).unwrap();
    let address = setup.forge.url.replace("http://", &format!("http://x:{TOKEN}@"));
    std::fs::write(home.join(".git-credentials"), format!("{address}\n")).unwrap();
    std::fs::write(home.join(".gitconfig"), "[credential]\nhelper = store\n").unwrap();
    setup.work(&json!({ "stage": "Implement" })).exits(0);
    let log = setup.log(1);
    assert!(log.contains("push=") && !log.contains("push=0"), "{log}");
    assert!(!log.contains("helper = store") && !log.contains("credential.helper=store"), "{log}");
    assert_eq!(setup.repo.tip("refs/heads/stolen").await, None);
    let messages = setup.messages().await;
    assert_eq!(messages[0], "mine", "the engine pushes what the agent committed");
}

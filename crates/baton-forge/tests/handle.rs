//! The forge inside another program: started, turned, read and shut down through its handle.

use baton_forge::admin::Admin;
use baton_forge::{
    ClockSetting, Fault, FaultKind, FaultMatch, FaultWhen, Forge, ForgeConfig, ForgeHandle, KnobsPatch,
    StartError,
};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

async fn start(data: &std::path::Path) -> ForgeHandle {
    let owned = data.to_owned();
    let ensured =
        tokio::task::spawn_blocking(move || Admin::open(&owned)?.ensure_admin(Some("T".to_owned())));
    ensured.await.unwrap().unwrap();
    Forge::start(&ForgeConfig::new(data)).await.unwrap()
}

/// Asks for a path and returns the whole answer as text; an answer that never comes is empty.
async fn get(forge: &ForgeHandle, path: &str) -> String {
    let mut stream = TcpStream::connect(forge.address()).await.unwrap();
    let request = format!(
        "GET {path} HTTP/1.1\r\nHost: {}\r\nUser-Agent: test\r\nAuthorization: token T\r\nConnection: close\r\n\r\n",
        forge.address()
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.unwrap_or_default();
    String::from_utf8(answer).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_turns_the_clock_and_the_faults_and_reads_the_meter() {
    let directory = tempfile::tempdir().unwrap();
    let forge = start(directory.path()).await;
    forge.set_clock(ClockSetting::FrozenAt(1_700_000_000));
    assert_eq!(forge.now_s(), 1_700_000_000);
    let answer = get(&forge, "/user").await;
    assert!(
        answer.starts_with("HTTP/1.1 200 OK") && answer.contains("date: Tue, 14 Nov 2023 22:13:20 GMT"),
        "{answer}"
    );

    let matching = FaultMatch { path_contains: Some("/user".to_owned()), ..FaultMatch::default() };
    let fault = Fault {
        matching,
        when: FaultWhen::Before,
        kind: FaultKind::Status(503),
        skip: 0,
        times: Some(1),
        percent: 100,
    };
    forge.turn(KnobsPatch { faults: Some(vec![fault]), ..KnobsPatch::default() }).unwrap();
    assert!(get(&forge, "/user").await.starts_with("HTTP/1.1 503"));
    assert!(get(&forge, "/user").await.starts_with("HTTP/1.1 200"));

    let counted = |status| {
        forge
            .meter()
            .iter()
            .filter(|row| row.endpoint == "GET /user" && row.status == status)
            .map(|row| row.count)
            .sum::<u64>()
    };
    assert_eq!((counted(200), counted(503)), (2, 1));
    forge.clear_meter();
    assert!(forge.meter().is_empty());
    forge.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_forge_that_was_shut_down_frees_its_address_and_its_data() {
    let directory = tempfile::tempdir().unwrap();
    let forge = start(directory.path()).await;
    let second = Forge::start(&ForgeConfig::new(directory.path())).await;
    assert!(matches!(second, Err(StartError::InUse(_))), "two forges serve one directory");
    let address = forge.address();
    forge.shut_down().await;
    assert!(TcpStream::connect(address).await.is_err());
    start(directory.path()).await.shut_down().await;
}

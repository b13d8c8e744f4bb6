//! A server that speaks as Slack does, with people who react and reply; its requests and answers are held to what Slack
//! publishes of its Web API.
//!
//! `slack_contract.json` holds the names of parameters and the shapes of answers of five methods, as in the document of
//! Slack's Web API, without its words. Socket Mode is not in that document.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use futures_util::{SinkExt as _, StreamExt as _};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::broadcast;
use tokio_tungstenite::tungstenite::Message;

pub(crate) const TOKEN: &str = "xoxb-of-nobody";
pub(crate) const APP_TOKEN: &str = "xapp-of-nobody";
pub(crate) const CHANNEL: &str = "C0PLANS001";
const BOT: &str = "U0BATON001";

/// What the server does instead of answering.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// Nothing: it answers.
    None,
    /// It refuses everything with HTTP 500.
    Away,
    /// It posts what it is asked to, and is away from then on.
    AwayAfterPosting,
    /// It posts what it is asked to, and then breaks before it says so.
    DiesAfterPosting,
}

/// A message, with what came of it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Posted {
    pub(crate) ts: String,
    pub(crate) text: String,
    pub(crate) blocks: Value,
    reactions: Vec<(String, String)>,
    replies: Vec<(String, String, String)>,
}

#[derive(Default)]
struct State {
    posts: Vec<Posted>,
    calls: BTreeMap<String, usize>,
    complaints: Vec<String>,
    trouble: Option<Trouble>,
    clock: u64,
}

/// A workspace of Slack on loopback.
#[derive(Clone)]
pub(crate) struct SlackServer {
    pub(crate) url: String,
    socket: SocketAddr,
    state: Arc<Mutex<State>>,
    contract: Arc<Value>,
    events: broadcast::Sender<String>,
}

type Reply = Response<Full<Bytes>>;

impl SlackServer {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let sockets = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let contract: Value = serde_json::from_str(include_str!("slack_contract.json")).unwrap();
        let server = Self {
            url: format!("http://{}/api", listener.local_addr().unwrap()),
            socket: sockets.local_addr().unwrap(),
            state: Arc::default(),
            contract: Arc::new(contract),
            events: broadcast::channel(16).0,
        };
        tokio::spawn(server.clone().serve(listener));
        tokio::spawn(server.clone().serve_sockets(sockets));
        server
    }

    async fn serve(self, listener: TcpListener) {
        while let Ok((stream, _)) = listener.accept().await {
            let server = self.clone();
            tokio::spawn(async move {
                let service = service_fn(move |request| {
                    let server = server.clone();
                    async move { Ok::<_, Infallible>(server.answer(request).await) }
                });
                let http = hyper::server::conn::http1::Builder::new();
                // An engine that is stopped leaves its connection in the middle of anything.
                let _ = http.serve_connection(TokioIo::new(stream), service).await;
            });
        }
    }

    async fn serve_sockets(self, listener: TcpListener) {
        while let Ok((stream, _)) = listener.accept().await {
            let mut events = self.events.subscribe();
            tokio::spawn(async move {
                let Ok(mut socket) = tokio_tungstenite::accept_async(stream).await else { return };
                let _ = socket.send(Message::text(json!({ "type": "hello" }).to_string())).await;
                while let Ok(event) = events.recv().await {
                    let id = json!({ "envelope_id": "e1", "type": "events_api", "payload": { "event":
                        serde_json::from_str::<Value>(&event).unwrap() } });
                    if socket.send(Message::text(id.to_string())).await.is_err() {
                        return;
                    }
                    // An engine that was stopped acknowledges nothing.
                    let Some(Ok(heard)) = socket.next().await else { return };
                    assert_eq!(heard.into_text().unwrap().as_str(), r#"{"envelope_id":"e1"}"#);
                }
            });
        }
    }

    async fn answer(&self, request: Request<Incoming>) -> Reply {
        let (parts, body) = request.into_parts();
        let method = parts.uri.path().rsplit('/').next().unwrap_or_default().to_owned();
        let body = body.collect().await.map(|body| body.to_bytes()).unwrap_or_default();
        let query = parts.uri.query().unwrap_or_default().as_bytes();
        let given: BTreeMap<String, String> =
            [query, &body].into_iter().flat_map(|part| form_urlencoded::parse(part).into_owned()).collect();
        let token = parts.headers.get("authorization").and_then(|it| it.to_str().ok()).unwrap_or_default();
        let mut state = self.state.lock().unwrap();
        *state.calls.entry(method.clone()).or_default() += 1;
        if state.trouble == Some(Trouble::Away) {
            return plain(500, "away");
        }
        if method == "apps.connections.open" {
            assert_eq!(token, format!("Bearer {APP_TOKEN}"));
            return plain(200, &json!({ "ok": true, "url": format!("ws://{}/", self.socket) }).to_string());
        }
        if token != format!("Bearer {TOKEN}") {
            return self.checked(
                &mut state,
                &method,
                "refusal",
                &json!({ "ok": false, "error": "invalid_auth" }),
            );
        }
        self.check_request(&mut state, &method, parts.method.as_str(), &given);
        let reply = state.carry_out(&method, &given);
        if method == "chat.postMessage" {
            match state.trouble {
                Some(Trouble::DiesAfterPosting) => return plain(502, "the gateway gave up"),
                Some(Trouble::AwayAfterPosting) => state.trouble = Some(Trouble::Away),
                _ => {}
            }
        }
        let kind = if reply["ok"] == true { "reply" } else { "refusal" };
        self.checked(&mut state, &method, kind, &reply)
    }

    /// Holds a request to the published parameters of its method.
    fn check_request(&self, state: &mut State, method: &str, verb: &str, given: &BTreeMap<String, String>) {
        let published = &self.contract["methods"][method];
        if published["verb"] != verb {
            state.complaints.push(format!("{method} is no {verb}"));
        }
        let parameters = published["parameters"].as_object().cloned().unwrap_or_default();
        let unknown = given.keys().filter(|name| !parameters.contains_key(*name));
        state.complaints.extend(unknown.map(|name| format!("{method} has no parameter {name}")));
        for (name, about) in parameters.iter().filter(|(name, _)| *name != "token") {
            if about["required"] == true && !given.contains_key(name) {
                state.complaints.push(format!("{method} needs {name}"));
            }
        }
    }

    /// Holds an answer to its published shape, so that what the engine reads here is what Slack sends.
    fn checked(&self, state: &mut State, method: &str, kind: &str, reply: &Value) -> Reply {
        let mut schema = self.contract["methods"][method][kind].clone();
        schema["definitions"] = self.contract["definitions"].clone();
        let validator = jsonschema::draft7::new(&schema).unwrap();
        let errors: Vec<_> = validator.iter_errors(reply).map(|error| error.to_string()).collect();
        state.complaints.extend(errors.into_iter().map(|error| format!("{method}: {error}: {reply}")));
        plain(200, &reply.to_string())
    }

    pub(crate) fn trouble(&self, trouble: Trouble) {
        self.state.lock().unwrap().trouble = Some(trouble);
    }

    /// The questions, oldest first.
    pub(crate) fn posts(&self) -> Vec<Posted> {
        self.state.lock().unwrap().posts.clone()
    }

    pub(crate) fn calls(&self, method: &str) -> usize {
        self.state.lock().unwrap().calls.get(method).copied().unwrap_or(0)
    }

    /// Somebody reacts to a question.
    pub(crate) fn react(&self, post: usize, user: &str, name: &str) {
        let ts = {
            let mut state = self.state.lock().unwrap();
            state.posts[post].reactions.push((name.to_owned(), user.to_owned()));
            state.posts[post].ts.clone()
        };
        let item = json!({ "type": "message", "channel": CHANNEL, "ts": ts });
        let event = json!({ "type": "reaction_added", "user": user, "reaction": name, "item": item });
        // Nobody may be connected.
        let _ = self.events.send(event.to_string());
    }

    /// Somebody replies in the thread of a question.
    pub(crate) fn reply(&self, post: usize, user: &str, text: &str) {
        let mut state = self.state.lock().unwrap();
        let ts = state.tick();
        state.posts[post].replies.push((ts, user.to_owned(), text.to_owned()));
    }

    /// Somebody deletes a question.
    pub(crate) fn delete(&self, post: usize) {
        self.state.lock().unwrap().posts.remove(post);
    }

    /// Fails if the engine or this server did what Slack's document does not say.
    pub(crate) fn kept_the_contract(&self) {
        let state = self.state.lock().unwrap();
        assert_eq!(state.complaints, Vec::<String>::new());
        assert!(
            state
                .calls
                .keys()
                .all(|it| self.contract["methods"].get(it).is_some() || it.starts_with("apps."))
        );
    }
}

impl State {
    fn tick(&mut self) -> String {
        self.clock += 1;
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs();
        format!("{now}.{:06}", self.clock)
    }

    fn carry_out(&mut self, method: &str, given: &BTreeMap<String, String>) -> Value {
        let text = |name: &str| given.get(name).cloned().unwrap_or_default();
        if text("channel") != CHANNEL {
            return json!({ "ok": false, "error": "channel_not_found" });
        }
        let at = |state: &Self, ts: &str| state.posts.iter().position(|post| post.ts == ts);
        match method {
            "chat.postMessage" => {
                let ts = self.tick();
                let blocks: Value = serde_json::from_str(&text("blocks")).unwrap();
                let post = Posted { ts: ts.clone(), text: text("text"), blocks, ..Posted::default() };
                self.posts.push(post);
                let message = self.message(self.posts.len() - 1);
                json!({ "ok": true, "channel": CHANNEL, "ts": ts, "message": message })
            }
            "chat.update" => {
                let Some(at) = at(self, &text("ts")) else { return missing() };
                self.posts[at].text = text("text");
                self.posts[at].blocks = serde_json::from_str(&text("blocks")).unwrap();
                let message = json!({ "text": text("text") });
                json!({ "ok": true, "channel": CHANNEL, "ts": text("ts"), "text": text("text"), "message": message })
            }
            "reactions.get" => match at(self, &text("timestamp")) {
                Some(at) => {
                    json!({ "ok": true, "type": "message", "channel": CHANNEL, "message": self.message(at) })
                }
                None => missing(),
            },
            "conversations.replies" => match at(self, &text("ts")) {
                Some(at) => json!({ "ok": true, "messages": self.thread(at), "has_more": false }),
                None => json!({ "ok": false, "error": "thread_not_found" }),
            },
            "conversations.history" => {
                let hello =
                    json!({ "type": "message", "user": BOT, "text": "hello", "ts": "1000000000.000001" });
                let posts = (0..self.posts.len()).rev().map(|at| self.message(at));
                let messages: Vec<_> = posts.chain([hello]).collect();
                json!({ "ok": true, "messages": messages, "has_more": false, "pin_count": 0,
                    "channel_actions_ts": null, "channel_actions_count": 0 })
            }
            _ => json!({ "ok": false, "error": "invalid_arg_name" }),
        }
    }

    fn message(&self, at: usize) -> Value {
        let post = &self.posts[at];
        let mut message = json!({
            "type": "message", "user": BOT, "text": post.text, "ts": post.ts, "blocks": post.blocks,
        });
        let mut by_name: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (name, user) in &post.reactions {
            by_name.entry(name).or_default().push(user);
        }
        if !by_name.is_empty() {
            let reaction = |(name, users): (&&str, &Vec<&str>)| json!({ "name": name, "users": users, "count": users.len() });
            message["reactions"] = by_name.iter().map(reaction).collect();
        }
        message
    }

    fn thread(&self, at: usize) -> Vec<Value> {
        let post = &self.posts[at];
        let first = json!({
            "type": "message", "user": BOT, "text": post.text, "ts": post.ts, "thread_ts": post.ts,
            "reply_count": post.replies.len(), "subscribed": false,
        });
        let reply = |(ts, user, text): &(String, String, String)| {
            json!({ "type": "message", "user": user, "text": text, "ts": ts, "thread_ts": post.ts,
                "parent_user_id": BOT })
        };
        [first].into_iter().chain(post.replies.iter().map(reply)).collect()
    }
}

fn missing() -> Value {
    json!({ "ok": false, "error": "message_not_found" })
}

fn plain(status: u16, body: &str) -> Reply {
    Response::builder().status(status).body(Full::new(Bytes::from(body.to_owned()))).unwrap()
}

//! A model server on loopback that speaks as three providers do, plays a script, and remembers what it was asked.
//!
//! It is also the proxy of the programs that it serves: what they ask of other hosts comes here, is refused and remembered.
//! Deliberately absent: everything that these programs do not need.

mod anthropic;
mod google;
mod openai;

use std::collections::VecDeque;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::header::CONTENT_TYPE;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};

/// Tokens of every turn, as each provider counts them: read, and of these from a cache; written.
pub(crate) const READ: u64 = 100;
pub(crate) const CACHED: u64 = 40;
pub(crate) const WRITTEN: u64 = 12;

/// How the model answers one request.
#[derive(Debug, Clone)]
pub(crate) enum Answer {
    /// It says something, and is done.
    Says(&'static str),
    /// It says something, and wants a command to be run before it goes on.
    Runs(&'static str, String),
    /// It says something, and wants to use a tool by its name, with these arguments.
    Uses(&'static str, &'static str, Value),
    /// It refuses with this status of HTTP.
    Refuses(u16),
    /// It never answers.
    Hangs,
}

/// A request to a model.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub(crate) model: String,
    /// Everything that was sent, headers included.
    pub(crate) text: String,
    pub(crate) body: Value,
    /// The names of the tools that the model may use.
    pub(crate) tools: Vec<String>,
}

/// A server with a script. It ends with the runtime of its test.
pub(crate) struct ModelServer {
    pub(crate) address: SocketAddr,
    state: Arc<State>,
}

struct State {
    /// One answer for each request; the last one is for all that follow.
    script: Mutex<VecDeque<Answer>>,
    asked: Mutex<Vec<Asked>>,
    strays: Mutex<Vec<String>>,
}

/// What a program asks of a model, in the words of one provider.
struct Question {
    provider: Provider,
    model: String,
}

#[derive(Clone, Copy)]
enum Provider {
    Anthropic,
    OpenAi,
    Google,
}

/// The use of a tool: its name and its arguments.
type Use = (&'static str, Value);

type Reply = Response<Full<Bytes>>;

impl ModelServer {
    pub(crate) async fn start(script: impl IntoIterator<Item = Answer>) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let script = Mutex::new(script.into_iter().collect());
        let state = Arc::new(State { script, asked: Mutex::default(), strays: Mutex::default() });
        tokio::spawn(serve(listener, Arc::clone(&state)));
        Self { address, state }
    }

    /// Replaces what is left of the script.
    pub(crate) fn play(&self, script: impl IntoIterator<Item = Answer>) {
        *self.state.script.lock().unwrap() = script.into_iter().collect();
    }

    /// Every request to a model so far.
    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.state.asked.lock().unwrap().clone()
    }

    /// What was asked of other hosts.
    pub(crate) fn strays(&self) -> Vec<String> {
        self.state.strays.lock().unwrap().clone()
    }
}

async fn serve(listener: TcpListener, state: Arc<State>) {
    while let Ok((stream, _)) = listener.accept().await {
        tokio::spawn(converse(stream, Arc::clone(&state)));
    }
}

async fn converse(stream: TcpStream, state: Arc<State>) {
    let service = service_fn(move |request| {
        let state = Arc::clone(&state);
        async move { Ok::<_, Infallible>(state.answer(request).await) }
    });
    // A program that was killed leaves its connection in the middle of anything.
    let _ = hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
}

impl State {
    async fn answer(&self, request: Request<Incoming>) -> Reply {
        let (parts, body) = request.into_parts();
        if parts.method == Method::CONNECT || parts.uri.authority().is_some() {
            self.strays.lock().unwrap().push(format!("{} {}", parts.method, parts.uri));
            return plain(403, String::new());
        }
        let Ok(body) = body.collect().await else { return plain(400, String::new()) };
        let text = String::from_utf8_lossy(&body.to_bytes()).into_owned();
        let body: Value = serde_json::from_str(&text).unwrap_or_default();
        let Some(question) = Question::read(parts.uri.path(), &body) else {
            return plain(404, String::new());
        };
        let text = format!("{:?}\n{text}", parts.headers);
        let tools = question.tools(&body);
        let number = self.note(Asked { model: question.model.clone(), text, body, tools });
        self.reply(&question, number).await
    }

    /// Returns how many requests there were with this one.
    fn note(&self, asked: Asked) -> usize {
        let mut all = self.asked.lock().unwrap();
        all.push(asked);
        all.len()
    }

    async fn reply(&self, question: &Question, number: usize) -> Reply {
        match self.next() {
            Answer::Says(says) => events(question.turn(number, says, None)),
            Answer::Runs(says, command) => {
                events(question.turn(number, says, Some(question.shell(&command))))
            }
            Answer::Uses(says, tool, input) => events(question.turn(number, says, Some((tool, input)))),
            Answer::Refuses(status) => plain(status, question.refusal(status)),
            Answer::Hangs => std::future::pending().await,
        }
    }

    fn next(&self) -> Answer {
        let mut script = self.script.lock().unwrap();
        let answer = if script.len() > 1 { script.pop_front() } else { script.front().cloned() };
        answer.expect("a script has an answer at least")
    }
}

impl Question {
    fn read(path: &str, body: &Value) -> Option<Self> {
        let in_body = || body["model"].as_str().unwrap_or_default().to_owned();
        match path {
            "/v1/messages" => Some(Self { provider: Provider::Anthropic, model: in_body() }),
            "/v1/responses" => Some(Self { provider: Provider::OpenAi, model: in_body() }),
            _ => {
                let (model, method) = path.strip_prefix("/v1beta/models/")?.split_once(':')?;
                let is_for_us = method == "streamGenerateContent";
                is_for_us.then(|| Self { provider: Provider::Google, model: model.to_owned() })
            }
        }
    }

    fn tools(&self, body: &Value) -> Vec<String> {
        let all = match self.provider {
            Provider::Anthropic | Provider::OpenAi => &body["tools"],
            Provider::Google => &body["tools"][0]["functionDeclarations"],
        };
        let names = all.as_array().into_iter().flatten().filter_map(|tool| tool["name"].as_str());
        names.map(str::to_owned).collect()
    }

    /// The tool that runs commands in the program of this provider.
    fn shell(&self, command: &str) -> Use {
        match self.provider {
            Provider::Anthropic => {
                ("Bash", json!({ "command": command, "description": "Does what was asked for" }))
            }
            Provider::OpenAi => ("exec_command", json!({ "cmd": command })),
            Provider::Google => ("run_shell_command", json!({ "command": command })),
        }
    }

    fn turn(&self, number: usize, says: &str, tool: Option<Use>) -> String {
        match self.provider {
            Provider::Anthropic => anthropic::turn(&self.model, number, says, tool),
            Provider::OpenAi => openai::turn(number, says, tool),
            Provider::Google => google::turn(says, tool),
        }
    }

    fn refusal(&self, status: u16) -> String {
        match self.provider {
            Provider::Anthropic => anthropic::refusal(status),
            Provider::OpenAi => openai::refusal(status),
            Provider::Google => google::refusal(status),
        }
    }
}

/// One event of a stream, by its name if the provider names them.
fn event(name: Option<&str>, data: &Value) -> String {
    let name = name.map(|name| format!("event: {name}\n")).unwrap_or_default();
    format!("{name}data: {data}\n\n")
}

fn events(body: String) -> Reply {
    reply(200, "text/event-stream", body)
}

fn plain(status: u16, body: String) -> Reply {
    reply(status, "application/json", body)
}

fn reply(status: u16, kind: &'static str, body: String) -> Reply {
    let mut reply = Response::new(Full::new(Bytes::from(body)));
    *reply.status_mut() = StatusCode::from_u16(status).unwrap();
    reply.headers_mut().insert(CONTENT_TYPE, kind.parse().unwrap());
    reply
}

//! The forge as a running server: its listeners, its state, and the handle that tests and the demo hold.

use std::fs::{File, TryLockError};
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper::{Request, server::conn::http1};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream, UnixListener, UnixStream};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};

use crate::api::ENDPOINTS;
use crate::ci::{Ci, CiRule};
use crate::clock::{Clock, ClockSetting};
use crate::db::{Database, OpenError};
use crate::git::GitStore;
use crate::git::ref_changes::{self, Followers};
use crate::hooks::courier;
use crate::http::dispatch;
use crate::http::origin::Transport;
use crate::http::rate::RateLimits;
use crate::http::route::Router;
use crate::knobs::{Knobs, KnobsPatch, Panel};
use crate::merging::recovery;
use crate::merging::referee::{self, Referee};
use crate::meter::{Meter, MeterRow};
use crate::news::News;
use crate::protection;
use crate::record::Recorder;
use crate::wire::Links;

/// How long requests under way may take to end when the forge is shut down.
const SHUTDOWN_MAX: std::time::Duration = std::time::Duration::from_secs(10);

/// Where and how to serve.
#[derive(Debug, Clone)]
pub struct ForgeConfig {
    /// The directory that holds everything; made when absent.
    pub data: PathBuf,
    /// The TCP address; port 0 picks one.
    pub listen: SocketAddr,
    /// A unix socket to serve on as well.
    pub socket: Option<PathBuf>,
    /// A file to write every REST exchange to.
    pub record: Option<PathBuf>,
    /// What the knobs start as.
    pub knobs: Knobs,
    /// What is run on each push.
    pub ci: Vec<CiRule>,
}

impl ForgeConfig {
    /// A forge in `data` on a free port of the loopback.
    pub fn new(data: impl Into<PathBuf>) -> Self {
        Self {
            data: data.into(),
            listen: SocketAddr::from(([127, 0, 0, 1], 0)),
            socket: None,
            record: None,
            knobs: Knobs::default(),
            ci: Vec::new(),
        }
    }
}

/// The forge could not be started.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// Its data could not be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// An address could not be listened on.
    #[error("cannot listen on {address}")]
    Listen {
        /// The address or path.
        address: String,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// Another forge serves the same data.
    #[error("another forge serves {}: stop it, or choose another --data directory", .0.display())]
    InUse(PathBuf),
    /// The lock on the data could not be taken.
    #[error("cannot lock {}", path.display())]
    Lock {
        /// The lock's file.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// The file for exchanges could not be opened.
    #[error("cannot write exchanges to {}", path.display())]
    Record {
        /// The file.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// Reading the repositories failed.
    #[error("cannot bring the table of refs up to date: {0}")]
    Refs(String),
    /// The knobs make no sense.
    #[error("{0}")]
    Knobs(String),
}

/// Everything a request can reach.
pub(crate) struct Inner {
    pub(crate) db: Database,
    pub(crate) git: GitStore,
    pub(crate) clock: Clock,
    pub(crate) panel: Panel,
    pub(crate) meter: Meter,
    pub(crate) rates: RateLimits,
    pub(crate) router: Router,
    pub(crate) recorder: Option<Recorder>,
    pub(crate) referee: Referee,
    requests: AtomicU64,
    /// Held for as long as this forge serves the data.
    _lock: File,
}

impl Inner {
    pub(crate) fn next_request_id(&self) -> u64 {
        self.requests.fetch_add(1, Ordering::Relaxed)
    }

    pub(crate) fn turn(&self, patch: KnobsPatch) -> Result<(), String> {
        self.set_knobs(self.panel.get().patched(patch)?)
    }

    pub(crate) fn set_knobs(&self, knobs: Knobs) -> Result<(), String> {
        let lag = std::time::Duration::from_millis(knobs.read_lag.max_ms);
        self.db.replicas().set_lag_max(lag).map_err(|error| error.to_string())?;
        self.panel.set(knobs);
        Ok(())
    }
}

/// The paths inside a data directory.
pub(crate) fn database_path(data: &Path) -> PathBuf {
    data.join("forge.db")
}

pub(crate) fn repositories_path(data: &Path) -> PathBuf {
    data.join("repos")
}

/// Makes the data directory and opens what it holds.
pub(crate) fn open_data(data: &Path) -> Result<(Database, GitStore), OpenError> {
    let repositories = repositories_path(data);
    std::fs::create_dir_all(&repositories)
        .map_err(|source| OpenError::Directory { path: repositories.clone(), source })?;
    // Git resolves its own paths, so the one it is given must not depend on where it runs.
    let repositories = repositories
        .canonicalize()
        .map_err(|source| OpenError::Directory { path: data.to_owned(), source })?;
    Ok((Database::open(&database_path(data))?, GitStore::new(repositories)))
}

/// A forge that is ready to serve.
pub struct Forge {
    inner: Arc<Inner>,
    tcp: TcpListener,
    unix: Option<UnixListener>,
    address: SocketAddr,
    backstage: Backstage,
}

/// Whoever works behind the requests, before the work begins. They listen from the first change on.
struct Backstage {
    orders: UnboundedReceiver<i64>,
    referee_news: UnboundedReceiver<Arc<News>>,
    ci: Ci,
    ci_news: UnboundedReceiver<Arc<News>>,
}

impl Forge {
    /// Opens the data, brings the table of refs up to date and binds the addresses.
    pub async fn bind(config: &ForgeConfig) -> Result<Self, StartError> {
        let (db, git) = open_data(&config.data)?;
        let lock = lock_data(&config.data)?;
        let recorder = match &config.record {
            None => None,
            Some(path) => Some(
                Recorder::open(path).map_err(|source| StartError::Record { path: path.clone(), source })?,
            ),
        };
        protection::install_hook(&git.hooks())
            .map_err(|source| OpenError::Directory { path: git.hooks(), source })?;
        let (referee, orders) = Referee::new();
        let inner = Inner {
            db,
            git,
            clock: Clock::new(),
            panel: Panel::new(Knobs::default()),
            meter: Meter::default(),
            rates: RateLimits::default(),
            router: Router::new(ENDPOINTS.iter().map(|endpoint| (endpoint.method, endpoint.path))),
            recorder,
            referee,
            requests: AtomicU64::new(1),
            _lock: lock,
        };
        inner.set_knobs(config.knobs.clone()).map_err(StartError::Knobs)?;
        let inner = Arc::new(inner);
        let listen = || inner.db.writer().listen();
        let ci = Ci::new(&config.data, config.ci.clone());
        let backstage = Backstage { orders, referee_news: listen(), ci, ci_news: listen() };
        let listen = |address: String| move |source| StartError::Listen { address, source };
        let tcp = TcpListener::bind(config.listen).await.map_err(listen(config.listen.to_string()))?;
        let address = tcp.local_addr().map_err(listen(config.listen.to_string()))?;
        // What is caught up with is told to hooks, too, with the address that is known now.
        let web = format!("http://{address}");
        let root = inner.git.root().to_owned();
        inner.db.writer().post().open(Links { api: web.clone(), web }, root);
        catch_up(&inner).await?;
        let unix = match &config.socket {
            None => None,
            Some(path) => Some(bind_socket(path).map_err(listen(path.display().to_string()))?),
        };
        Ok(Self { inner, tcp, unix, address, backstage })
    }

    /// Serves in the background until the handle is shut down or dropped.
    pub fn spawn(self) -> ForgeHandle {
        let (stop, stopped) = watch::channel(false);
        let transport = Transport::Tcp(self.address.to_string());
        let serve_tcp = accept_all(Arc::clone(&self.inner), self.tcp, transport, stopped.clone());
        let deliver = courier::run(Arc::clone(&self.inner), stopped.clone());
        let mut tasks = vec![tokio::spawn(serve_tcp), tokio::spawn(deliver)];
        if let Some(unix) = self.unix {
            tasks.push(tokio::spawn(accept_all(
                Arc::clone(&self.inner),
                unix,
                Transport::Unix,
                stopped.clone(),
            )));
        }
        let Backstage { orders, referee_news, ci, ci_news } = self.backstage;
        let refereeing = referee::serve(Arc::clone(&self.inner), orders, referee_news, stopped.clone());
        tasks.push(tokio::spawn(refereeing));
        tasks.push(tokio::spawn(ci.serve(Arc::clone(&self.inner), ci_news, stopped)));
        ForgeHandle { inner: self.inner, address: self.address, stop, tasks }
    }

    /// Binds and serves.
    pub async fn start(config: &ForgeConfig) -> Result<ForgeHandle, StartError> {
        Ok(Self::bind(config).await?.spawn())
    }
}

/// Two servers on one directory would let the table of refs follow git in the wrong order.
fn lock_data(data: &Path) -> Result<File, StartError> {
    let path = data.join("serving.lock");
    let failed = |source| StartError::Lock { path: path.clone(), source };
    let file = File::options().create(true).truncate(false).write(true).open(&path).map_err(failed)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(StartError::InUse(data.to_owned())),
        Err(TryLockError::Error(source)) => Err(failed(source)),
    }
}

/// A crash may have left git ahead of the table.
async fn catch_up(inner: &Arc<Inner>) -> Result<(), StartError> {
    let inner = Arc::clone(inner);
    let looked = tokio::task::spawn_blocking(move || {
        recovery::finish_all(&inner)?;
        ref_changes::follow_all(&Followers { db: &inner.db, git: &inner.git, now: inner.clock.now_s() })
    });
    match looked.await {
        Ok(Ok(())) => Ok(()),
        Ok(Err(error)) => Err(StartError::Refs(error.message)),
        Err(error) => Err(StartError::Refs(error.to_string())),
    }
}

/// Binds a socket, replacing one that a dead forge left behind but never a living one's.
fn bind_socket(path: &Path) -> io::Result<UnixListener> {
    match UnixListener::bind(path) {
        Err(error) if error.kind() == io::ErrorKind::AddrInUse => {
            if std::os::unix::net::UnixStream::connect(path).is_ok() {
                return Err(error);
            }
            std::fs::remove_file(path)?;
            UnixListener::bind(path)
        }
        bound => bound,
    }
}

/// A listener of either kind.
trait Accept: Send + 'static {
    type Stream: AsyncRead + AsyncWrite + Unpin + Send + 'static;

    fn accept_one(&self) -> impl Future<Output = io::Result<Self::Stream>> + Send;
}

impl Accept for TcpListener {
    type Stream = TcpStream;

    async fn accept_one(&self) -> io::Result<TcpStream> {
        let (stream, _) = self.accept().await?;
        // Answers are written whole, so waiting for more to send only costs time.
        drop(stream.set_nodelay(true));
        Ok(stream)
    }
}

impl Accept for UnixListener {
    type Stream = UnixStream;

    async fn accept_one(&self) -> io::Result<UnixStream> {
        self.accept().await.map(|(stream, _)| stream)
    }
}

async fn accept_all(
    inner: Arc<Inner>,
    listener: impl Accept,
    transport: Transport,
    mut stopped: watch::Receiver<bool>,
) {
    let mut open = JoinSet::new();
    loop {
        tokio::select! {
            _ = stopped.changed() => break,
            Some(_) = open.join_next() => {}
            accepted = listener.accept_one() => match accepted {
                Ok(stream) => {
                    open.spawn(converse(Arc::clone(&inner), stream, transport.clone(), stopped.clone()));
                }
                Err(error) => rest_after(&error).await,
            },
        }
    }
    finish_all(open).await;
}

/// Lets the requests under way end; a connection that takes too long is cut.
async fn finish_all(mut open: JoinSet<()>) {
    let all = async { while open.join_next().await.is_some() {} };
    drop(tokio::time::timeout(SHUTDOWN_MAX, all).await);
}

/// Accepting fails for a while when the process has no file descriptors left.
async fn rest_after(error: &io::Error) {
    tracing::warn!(%error, "cannot accept a connection");
    tokio::time::sleep(std::time::Duration::from_millis(50)).await;
}

async fn converse(
    inner: Arc<Inner>,
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    transport: Transport,
    mut stopped: watch::Receiver<bool>,
) {
    let service = service_fn(move |request: Request<Incoming>| {
        dispatch::serve(Arc::clone(&inner), transport.clone(), request)
    });
    let connection =
        http1::Builder::new().header_read_timeout(None).serve_connection(TokioIo::new(stream), service);
    tokio::pin!(connection);
    tokio::select! {
        // A client that hangs up, or a connection dropped on purpose, is nobody's error.
        _ = connection.as_mut() => {}
        _ = stopped.changed() => {
            connection.as_mut().graceful_shutdown();
            drop(connection.await);
        }
    }
}

/// A running forge.
pub struct ForgeHandle {
    inner: Arc<Inner>,
    address: SocketAddr,
    stop: watch::Sender<bool>,
    tasks: Vec<JoinHandle<()>>,
}

impl ForgeHandle {
    /// The address it serves on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The root of its REST API.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Changes some of the knobs.
    pub fn turn(&self, patch: KnobsPatch) -> Result<(), String> {
        self.inner.turn(patch)
    }

    /// Sets the clock.
    pub fn set_clock(&self, setting: ClockSetting) {
        self.inner.clock.set(setting);
    }

    /// The clock's time in unix seconds.
    pub fn now_s(&self) -> i64 {
        self.inner.clock.now_s()
    }

    /// What was asked so far.
    pub fn meter(&self) -> Vec<MeterRow> {
        self.inner.meter.rows()
    }

    /// Starts counting anew.
    pub fn clear_meter(&self) {
        self.inner.meter.clear();
    }

    /// Stops accepting, lets running requests end and returns.
    pub async fn shut_down(mut self) {
        // Nobody listens any more when every task has ended already.
        let _ = self.stop.send(true);
        for task in self.tasks.drain(..) {
            drop(task.await);
        }
    }
}

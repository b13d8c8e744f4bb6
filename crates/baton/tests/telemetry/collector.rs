//! A collector of traces on this machine, which keeps what it is sent.

use std::convert::Infallible;
use std::sync::{Arc, Mutex};

use http_body_util::{BodyExt as _, Full};
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::{AnyValue, any_value};
use opentelemetry_proto::tonic::trace::v1::Span;
use prost::Message as _;
use serde_json::{Map, Value, json};
use tokio::net::TcpListener;

#[derive(Default)]
struct Kept {
    paths: Vec<String>,
    requests: Vec<ExportTraceServiceRequest>,
}

/// A collector that keeps what it is sent.
pub(crate) struct Collector {
    pub(crate) url: String,
    kept: Arc<Mutex<Kept>>,
}

impl Collector {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let kept = Arc::new(Mutex::new(Kept::default()));
        tokio::spawn(serve(listener, Arc::clone(&kept)));
        Self { url, kept }
    }

    /// What was asked of it, and how.
    pub(crate) fn paths(&self) -> Vec<String> {
        self.kept.lock().unwrap().paths.clone()
    }

    pub(crate) fn spans(&self) -> Vec<Span> {
        let kept = self.kept.lock().unwrap();
        let of_resources = kept.requests.iter().flat_map(|request| &request.resource_spans);
        let of_scopes = of_resources.flat_map(|of_resource| &of_resource.scope_spans);
        of_scopes.flat_map(|of_scope| of_scope.spans.clone()).collect()
    }

    /// The attributes of who sent the first spans.
    pub(crate) fn resource(&self) -> Value {
        let kept = self.kept.lock().unwrap();
        let resource = kept.requests[0].resource_spans[0].resource.as_ref().unwrap();
        let pairs = resource.attributes.iter().map(|it| (it.key.clone(), json(it.value.as_ref())));
        Value::Object(pairs.collect::<Map<_, _>>())
    }
}

async fn serve(listener: TcpListener, kept: Arc<Mutex<Kept>>) {
    loop {
        let (stream, _) = listener.accept().await.unwrap();
        let kept = Arc::clone(&kept);
        let service = service_fn(move |request| keep(Arc::clone(&kept), request));
        tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
    }
}

async fn keep(
    kept: Arc<Mutex<Kept>>,
    request: Request<Incoming>,
) -> Result<Response<Full<Bytes>>, Infallible> {
    let path = format!("{} {}", request.method(), request.uri().path());
    assert_eq!(request.headers()["content-type"], "application/x-protobuf");
    let body = request.into_body().collect().await.unwrap().to_bytes();
    let mut kept = kept.lock().unwrap();
    kept.paths.push(path);
    kept.requests.push(ExportTraceServiceRequest::decode(body).unwrap());
    Ok(Response::new(Full::default()))
}

/// Returns a value of an attribute, of the kinds that are sent.
pub(crate) fn json(value: Option<&AnyValue>) -> Value {
    match value.and_then(|value| value.value.as_ref()).unwrap() {
        any_value::Value::StringValue(text) => json!(text),
        any_value::Value::IntValue(number) => json!(number),
        any_value::Value::DoubleValue(number) => json!(number),
        any_value::Value::ArrayValue(array) => array.values.iter().map(|it| json(Some(it))).collect(),
        other => panic!("no attribute is expected to be {other:?}"),
    }
}

//! Why a delivery is refused, as an answer.

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};

/// Why a delivery is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refusal {
    Header(&'static str),
    NotUtf8,
    Form,
    Cut,
    Stranger,
    Page,
    Unsigned,
    WronglySigned,
    Slow,
    TooLarge,
    Crowded,
    Store,
}

impl Refusal {
    fn status(self) -> StatusCode {
        match self {
            Self::Header(_) | Self::NotUtf8 | Self::Cut => StatusCode::BAD_REQUEST,
            Self::Unsigned | Self::WronglySigned => StatusCode::UNAUTHORIZED,
            Self::Stranger | Self::Page => StatusCode::FORBIDDEN,
            Self::Slow => StatusCode::REQUEST_TIMEOUT,
            Self::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::Form => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::Crowded | Self::Store => StatusCode::SERVICE_UNAVAILABLE,
        }
    }

    fn words(self) -> String {
        match self {
            Self::Header(name) => {
                return format!("the header {name} is missing or is not a short plain text\n");
            }
            Self::NotUtf8 => "the body is not UTF-8 text\n",
            Self::Form => "the body is a form: set the webhook's content type to application/json\n",
            Self::Cut => "the body ended early\n",
            Self::Stranger => "without a secret, only this machine may deliver: set a secret on both sides\n",
            Self::Page => {
                "without a secret, only programs of this machine may deliver, to 127.0.0.1 or localhost: set a secret on both sides\n"
            }
            Self::Unsigned => "the header X-Hub-Signature-256 is missing: set the secret of the webhook\n",
            Self::WronglySigned => "the signature does not fit: the secrets differ\n",
            Self::Slow => "the body did not come in time\n",
            Self::TooLarge => "the body is larger than 10 MiB\n",
            Self::Crowded => "too much is being delivered at once: deliver it again later\n",
            Self::Store => "the delivery could not be committed: deliver it again later\n",
        }
        .to_owned()
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        (self.status(), self.words()).into_response()
    }
}

//! What a client is made from, and why it could not be made.
//!
//! Nothing here comes from the environment or a file; the binary reads those.

use std::time::Duration;

use crate::Auth;

/// GitHub's own address.
pub const DEFAULT_API_URL: &str = "https://api.github.com";

/// Everything a client needs to know.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Where the API is: `https://api.github.com`, `https://ghe.example/api/v3`, `http://127.0.0.1:7070`.
    pub api_url: String,
    /// Whom to act as.
    pub auth: Auth,
    /// How long one request may take, from connecting to the last byte of the answer.
    pub timeout: Duration,
    /// When and how often to try again.
    pub retry: RetrySettings,
    /// Allows plain HTTP to other machines, which shows the token to everyone on the way.
    pub allow_plain_http: bool,
    /// How many pages a list may have; a longer one is an error, never cut.
    pub pages_max: u32,
    /// How pull requests are merged.
    pub merge_method: MergeMethod,
}

/// How a pull request is merged.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum MergeMethod {
    /// With a commit that joins both.
    #[default]
    Merge,
    /// As one commit.
    Squash,
    /// Commit by commit, on top of the base.
    Rebase,
}

impl MergeMethod {
    /// Returns GitHub's word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Merge => "merge",
            Self::Squash => "squash",
            Self::Rebase => "rebase",
        }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            api_url: DEFAULT_API_URL.to_owned(),
            auth: Auth::Anonymous,
            timeout: Duration::from_secs(20),
            retry: RetrySettings::default(),
            allow_plain_http: false,
            pages_max: 100,
            merge_method: MergeMethod::default(),
        }
    }
}

impl Settings {
    /// Returns how long one call of one page may take with all its attempts and pauses.
    ///
    /// What is not in it: getting a token, and following a repository that was renamed.
    pub fn call_time_max(&self) -> Duration {
        self.retry.total_max + self.retry.limit_wait_max + self.timeout
    }
}

/// When and how often to try again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetrySettings {
    /// How many further attempts there may be.
    pub retries_max: u32,
    /// About how long to pause before the second attempt; each further pause is twice as long.
    pub pause_first: Duration,
    /// The longest pause between two attempts.
    pub pause_max: Duration,
    /// No attempt begins later than this after the first, pauses that the server asked for not counted.
    pub total_max: Duration,
    /// How long to wait in all, within one call, for a limit to be lifted; a longer wait is the caller's decision.
    pub limit_wait_max: Duration,
}

impl Default for RetrySettings {
    fn default() -> Self {
        Self {
            retries_max: 3,
            pause_first: Duration::from_millis(250),
            pause_max: Duration::from_secs(4),
            total_max: Duration::from_secs(30),
            limit_wait_max: Duration::from_secs(60),
        }
    }
}

/// Why there is no client.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// The address cannot be used.
    #[error("`{url}` cannot be the address of a GitHub API: {why}")]
    Address {
        /// What was given.
        url: String,
        /// What is wrong with it, and what to do.
        why: String,
    },
    /// The token has characters that no token has.
    #[error("the token has characters that cannot be sent: give it without quotes and line ends")]
    Token,
    /// The App's key cannot be used.
    #[error(
        "the App's private key cannot be used ({0}): give the whole PEM file that GitHub made, RSA, unencrypted"
    )]
    Key(String),
    /// The network layer could not be set up.
    #[error("the HTTP client could not be set up")]
    Http(#[source] reqwest::Error),
}

//! Whom to act as: nobody, a token, a token that a command prints, or a GitHub App.
//!
//! Tokens are kept in memory only. Where a token comes from (the environment, a file) is the binary's business.

pub(crate) mod app;
pub(crate) mod command;

use std::fmt;

use http::HeaderValue;

use crate::secret::Secret;
use crate::settings::SetupError;

/// Whom to act as.
#[derive(Clone, PartialEq, Eq)]
pub enum Auth {
    /// Nobody: public repositories can be read, a little.
    Anonymous,
    /// Whoever the token belongs to.
    Token(Secret),
    /// Whoever the token belongs to that this command line prints, run by `sh`: `gh auth token`.
    ///
    /// It runs once, and once more whenever the token is refused.
    TokenCommand(String),
    /// A GitHub App.
    App {
        /// The App's id, or its client id.
        app_id: String,
        /// The private key that GitHub made for it.
        private_key_pem: Secret,
        /// The installation to act through; without it, that of each repository is looked up.
        installation_id: Option<u64>,
    },
}

impl fmt::Debug for Auth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A command line may contain a token, so it is not shown either.
        f.write_str(match self {
            Self::Anonymous => "Anonymous",
            Self::Token(_) => "Token(…)",
            Self::TokenCommand(_) => "TokenCommand(…)",
            Self::App { .. } => "App(…)",
        })
    }
}

impl Auth {
    /// Acts as whoever a token belongs to.
    pub fn token(token: impl AsRef<str>) -> Self {
        Self::Token(Secret::new(token))
    }

    /// Acts as a GitHub App.
    pub fn app(
        app_id: impl fmt::Display,
        private_key_pem: impl AsRef<str>,
        installation_id: Option<u64>,
    ) -> Self {
        Self::App {
            app_id: app_id.to_string(),
            private_key_pem: Secret::new(private_key_pem),
            installation_id,
        }
    }
}

/// Makes the header that carries a token.
pub(crate) fn bearer(token: &Secret) -> Result<HeaderValue, SetupError> {
    let token = token.reveal();
    if token.is_empty() || token.contains(|c: char| !c.is_ascii_graphic()) {
        return Err(SetupError::Token);
    }
    let mut header = HeaderValue::try_from(format!("Bearer {token}")).map_err(|_| SetupError::Token)?;
    header.set_sensitive(true);
    Ok(header)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_way_to_authenticate_is_shown_with_its_secret() {
        let app = Auth::app(7, "key-7", Some(1));
        for auth in [Auth::token("token-7"), Auth::TokenCommand("echo token-7".into()), app] {
            let shown = format!("{auth:?}");
            assert!(!shown.contains("-7"), "{shown}");
        }
        assert!(!format!("{:?}", bearer(&Secret::new("token-7")).unwrap()).contains("token-7"));
    }

    #[test]
    fn what_cannot_be_a_token_is_refused() {
        for text in ["", " ", "two words", "two\nlines", "naïve"] {
            assert!(matches!(bearer(&Secret::new(text)), Err(SetupError::Token)), "{text:?}");
        }
    }
}

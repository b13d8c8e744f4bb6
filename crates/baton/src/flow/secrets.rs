//! What nobody may see in a log, a report or a comment: the secrets of this process.

use baton_core::config::StoreAddress;

use crate::command_error::CommandError;
use crate::config::{Credentials, Loaded, Surroundings};

/// Shorter values would black out half of the log.
const LEN_MIN: usize = 8;
/// What the names of variables end with whose values must not be seen.
const ENDINGS: [&str; 5] = ["TOKEN", "KEY", "SECRET", "PASSWORD", "CREDENTIALS"];

/// Returns the values of our own environment and of `.env` that no log may show, the token that a command prints, and the
/// store's address if it has a password.
pub(super) fn of_this_process(
    loaded: &Loaded,
    surroundings: &Surroundings,
) -> Result<Vec<String>, CommandError> {
    let is_secret = |name: &str| ENDINGS.iter().any(|ending| name.to_ascii_uppercase().ends_with(ending));
    let variables = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    let in_file = loaded.dotenv().iter().map(|variable| (variable.name.clone(), variable.value.clone()));
    let named = variables.chain(in_file).filter(|(name, _)| is_secret(name)).map(|(_, value)| value);
    let token = match loaded.credentials(surroundings)? {
        Credentials::Token(secret) => Some(secret.reveal().to_owned()),
        Credentials::App(_) | Credentials::Anonymous => None,
    };
    let address = match &loaded.resolved.config.store {
        StoreAddress::Postgres(url) if *url != loaded.resolved.config.store.to_string() => Some(url.clone()),
        _ => None,
    };
    Ok(named.chain(token).chain(address).filter(|value| value.len() >= LEN_MIN).collect())
}

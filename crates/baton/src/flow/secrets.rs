//! The secrets of this process, which nobody may see in a log, a report or a comment.

use baton_core::agent::secrets;
use baton_core::config::StoreAddress;

use crate::command_error::CommandError;
use crate::config::{Credentials, Loaded, Surroundings};

/// Returns the secrets of our own environment, everything in `.env`, what we act with on the tracker, and the password of the
/// store.
pub(crate) fn of_this_process(
    loaded: &Loaded,
    surroundings: &Surroundings,
) -> Result<Vec<String>, CommandError> {
    let variables: Vec<_> = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect();
    let named = variables.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    let mut found = secrets::in_environment(named);
    found.extend(secrets::in_file(loaded.dotenv().iter().map(|variable| variable.value.as_str())));
    match loaded.credentials(surroundings)? {
        Credentials::Token(secret) => found.push(secret.reveal().to_owned()),
        // A key that cannot be read is told by whoever needs it.
        Credentials::App(app) => found.extend(std::fs::read_to_string(&app.private_key_file)),
        Credentials::Anonymous => {}
    }
    if let StoreAddress::Postgres(url) = &loaded.resolved.config.store {
        found.extend(secrets::password(url).map(str::to_owned));
    }
    Ok(found)
}

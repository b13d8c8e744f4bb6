//! Slack, as this machine's configuration and environment name it.

use baton_slack::{Slack, SlackSettings, SlackToken, Socket};

use super::context::Desk;
use super::station::given;
use crate::command_error::CommandError;

/// The variable with the bot's token.
pub(crate) const TOKEN_VARIABLE: &str = "BATON_SLACK_TOKEN";
/// The variable with the app's own token, for Socket Mode.
pub(crate) const APP_TOKEN_VARIABLE: &str = "BATON_SLACK_APP_TOKEN";

/// Returns Slack, if a channel and a token are named. Without them plans that wait for Slack stay pending, with the reason.
pub(super) fn messenger(desk: &Desk) -> Result<Option<Slack>, CommandError> {
    let config = desk.config();
    let (Some(channel), Some(token)) = (&config.slack.channel, given(desk, TOKEN_VARIABLE)) else {
        return Ok(None);
    };
    baton_github::install_tls_provider();
    let slack = Slack::new(SlackSettings {
        api_url: config.slack.api_url.clone(),
        channel: channel.clone(),
        token: SlackToken::new(&token),
        timeout: config.request_timeout,
    });
    slack.map(Some).map_err(|error| CommandError::Usage(error.to_string()))
}

/// Returns the connection over which Slack tells what happened, if Socket Mode is wanted.
pub(super) fn socket(desk: &Desk) -> Result<Option<Socket>, CommandError> {
    let config = desk.config();
    if !config.slack.socket_mode {
        return Ok(None);
    }
    let token = given(desk, APP_TOKEN_VARIABLE).ok_or_else(|| {
        CommandError::Usage(format!(
            "`slack.socket_mode` needs the app's own token: put it (xapp-…) into {APP_TOKEN_VARIABLE}, or turn the setting off"
        ))
    })?;
    baton_github::install_tls_provider();
    let socket = Socket::new(&config.slack.api_url, SlackToken::new(&token), config.request_timeout);
    socket.map(Some).map_err(|error| CommandError::Usage(error.to_string()))
}

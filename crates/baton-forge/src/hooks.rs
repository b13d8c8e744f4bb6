//! Webhooks: what is told to other programs, in GitHub's words.

pub(crate) mod publish;

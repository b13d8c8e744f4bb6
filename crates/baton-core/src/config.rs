//! Configuration: the settings as a table, what their values may be, and which of several sources wins.
//!
//! Precedence is flag, environment, `.env`, `baton.yaml`, default; an empty variable and a YAML null count as not set.
//! Under `dialect: fabrik`, `.fabrik/config.yaml` comes after `baton.yaml`, and some defaults are Fabrik's.
//! Only the winning value is read, so that a variable can repair a bad file; but the file itself must be YAML without
//! unknown keys. All complaints come at once, each with key, value, source and what is allowed.
//!
//! Agents have free names and are no rows of that table; they come from `baton.yaml` alone, see [`agents`].
//!
//! Deliberately absent: files, the environment and flags, which come in as text, and secrets, which are no settings and
//! must not be in `baton.yaml`.

pub mod agents;
pub mod choice;
mod conflict;
pub mod document;
mod dollars;
pub mod dotenv;
pub mod duration;
pub(crate) mod edit_distance;
mod error;
mod fabrik;
pub(crate) mod node;
mod resolve;
pub mod schema;
mod source;
pub mod stages;
mod store_address;
pub mod table;
mod typed;
mod value;
pub(crate) mod yaml;

pub use agents::{AgentConfig, EffectiveAgent, agent_key};
pub use choice::{Adapter, HookFail, MergeMethod, PauseScope, PipelineDialect, Sandbox, WorkspaceKind};
pub use error::{ConfigError, ConfigErrors};
pub use resolve::{Effective, FlagValue, Layers, Resolved, TextFile, dialect, resolve};
pub use source::Source;
pub use store_address::{StoreAddress, StoreAddressError};
pub use typed::{
    AppConfig, ApprovalsConfig, BudgetConfig, CiConfig, ClaimsConfig, Config, DailyBudget, Notice,
    NotifyConfig, PipelineConfig, ProjectRef, ProjectRefError, RetryConfig, SlackConfig, SourcesConfig,
    WorkersConfig, WorkspacesConfig,
};
pub use value::{RawValue, Value};

//! Notices and budgets as people meet them: the real engine on the real forge, with a real command and a real listener that
//! are told, and what is shown of budgets that are spent.

mod budgets;
mod notices;
use crate::relay::scripts;
use crate::relay::setup;

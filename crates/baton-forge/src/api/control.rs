//! The forge's own endpoints for tests: knobs, clock and meter. Only its administrator reaches them.

use serde_json::json;

use crate::clock::ClockSetting;
use crate::http::call::Call;
use crate::http::error::ApiError;
use crate::http::reply::{ApiResult, Reply};
use crate::knobs::{Knobs, KnobsPatch};

pub(super) fn knobs(call: &Call) -> ApiResult {
    Reply::ok(&call.forge.panel.get())
}

pub(super) fn set_knobs(call: &Call) -> ApiResult {
    let patch: KnobsPatch = read(call)?;
    call.forge.turn(patch).map_err(ApiError::unprocessable)?;
    knobs(call)
}

pub(super) fn reset_knobs(call: &Call) -> ApiResult {
    call.forge.set_knobs(Knobs::default()).map_err(ApiError::unprocessable)?;
    Reply::no_content()
}

pub(super) fn clock(call: &Call) -> ApiResult {
    Reply::ok(&json!({ "setting": call.forge.clock.setting(), "now_s": call.forge.clock.now_s() }))
}

pub(super) fn set_clock(call: &Call) -> ApiResult {
    let setting: ClockSetting = read(call)?;
    call.forge.clock.set(setting);
    clock(call)
}

pub(super) fn meter(call: &Call) -> ApiResult {
    Reply::ok(&call.forge.meter.rows())
}

pub(super) fn clear_meter(call: &Call) -> ApiResult {
    call.forge.meter.clear();
    Reply::no_content()
}

fn read<T: serde::de::DeserializeOwned>(call: &Call) -> Result<T, ApiError> {
    serde_json::from_slice(&call.body).map_err(|error| ApiError::unprocessable(error.to_string()))
}

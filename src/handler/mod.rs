//! Carrying out a plan: the only place that calls out.

pub mod command;
pub mod http;
mod reply;

pub use reply::{Cut, CutBy, HandleError, HttpReply};

//! What a reply means for the caller (pure).

mod answer;
mod clean;
mod dotnet;
mod failure;
mod http;
mod json;
mod marks;
mod media;
mod multipart;
mod problem;
mod shorten;
mod stream;

#[cfg(test)]
mod tests;

pub use clean::{Cleaning, clean};
pub use dotnet::{ArgumentFault, CommandCall, Refusal, command_refused, command_reply};
pub use failure::http_failure;
pub use http::{Interpreted, Limits, Shortening, Whole, http_reply};

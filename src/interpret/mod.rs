//! What a reply means for the caller (pure).

mod failure;
mod http;
mod media;
mod problem;

#[cfg(test)]
mod tests;

pub use failure::http_failure;
pub use http::http_reply;

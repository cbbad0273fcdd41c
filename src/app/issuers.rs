//! Joins the two ends of a way neither may see whole: who is calling is judged in `transport`, and only `handler`
//! calls out.

use url::Url;

use crate::handler::http::Reader;
use crate::transport::access::{KeySource, Reading};

/// Reads the documents of token issuers over HTTP.
#[derive(Debug)]
pub(super) struct Issuers(pub(super) Reader);

impl KeySource for Issuers {
    fn read(&self, url: Url) -> Reading {
        let reader = self.0.clone();
        Box::pin(async move { reader.read(url).await })
    }
}

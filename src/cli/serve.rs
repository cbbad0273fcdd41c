//! `mcpinvoke serve`: HTTP or stdio until told to stop.

use clap::Args;

use super::{Failure, prepare};
use crate::app;
use crate::config::{DocumentFlags, ServeFlags};

/// Serves documents.
#[derive(Debug, Args)]
pub(super) struct Serve {
    #[command(flatten)]
    documents: DocumentFlags,
    #[command(flatten)]
    serve: ServeFlags,
}

impl Serve {
    pub(super) async fn run(self) -> Result<(), Failure> {
        let (config, _logging) = prepare(&self.documents, &self.serve)?;
        Ok(app::serve(config, app::signals()).await?)
    }
}

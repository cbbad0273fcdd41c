//! `mcpinvoke serve`: HTTP or stdio until told to stop.

use clap::Args;

use super::{Failure, prepare};
use crate::app;
use crate::config::{DocumentFlags, ServeFlags};

/// What is better not a flag, since others can read those.
const SECRETS: &str = "\
Environment alone:
  MCPINVOKE_KEY          With --stdio: the caller's key, one of `access.keys` in the configuration
  MCPINVOKE_CONFIRM_KEY  Signs confirmations, at least 32 characters; the same for all instances that
                         answer for each other. A random one by default";

/// Serves documents.
#[derive(Debug, Args)]
#[command(after_help = SECRETS)]
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

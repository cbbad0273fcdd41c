//! `mcpinvoke serve`: HTTP or stdio until told to stop.

use std::io::{self, IsTerminal};

use clap::Args;

use super::{Failure, prepare};
use crate::app::{self, Orders};
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
        config.check_stdin()?;
        // A terminal that closes sends a hangup as well, and nobody means documents by that; nor does a client that
        // goes away from its bridge.
        let is_attended = io::stdin().is_terminal() || io::stderr().is_terminal();
        let orders = Orders::from_signals(!config.stdio && !is_attended);
        Ok(app::serve(config, orders).await?)
    }
}

//! `mcpinvoke config`: what the settings come to, as a file that can be used again.

use clap::Args;

use super::{Failure, print};
use crate::config::{self, Config, DocumentFlags, ServeFlags};

/// Prints the configuration.
#[derive(Debug, Args)]
pub(super) struct PrintConfig {
    #[command(flatten)]
    documents: DocumentFlags,
    #[command(flatten)]
    serve: ServeFlags,
    /// Print the JSON Schema of the configuration file instead
    #[arg(long)]
    schema: bool,
}

impl PrintConfig {
    pub(super) fn run(self) -> Result<(), Failure> {
        if self.schema {
            return print(config::schema());
        }
        print(
            Config::resolve_any(&self.documents, &self.serve)?
                .to_yaml()
                .trim_end(),
        )
    }
}

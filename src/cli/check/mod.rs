//! `mcpinvoke check`: what is wrong with documents, and what could be better, each with its place.

mod render;
mod report;
mod sarif;

use std::io::{self, IsTerminal};

use clap::{Args, ValueEnum, builder::FalseyValueParser};
use futures_util::future::join_all;

use super::{Failure, prepare, print};
use crate::config::{Config, DocumentFlags, ServeFlags};
use crate::discovery;
use crate::openapi::{self, Severity};
use report::{Checked, Report};

/// Checks documents. Exit code 1 where there are errors.
#[derive(Debug, Args)]
pub(super) struct Check {
    #[command(flatten)]
    documents: DocumentFlags,
    /// The form of the report
    #[arg(long, value_enum, default_value_t = Format::Text, value_name = "FORMAT")]
    format: Format,
    /// Fail on these as well
    #[arg(long, value_enum, value_name = "WHAT")]
    deny: Option<Deny>,
    /// No colours on a terminal
    #[arg(long, env = "NO_COLOR", value_parser = FalseyValueParser::new())]
    no_color: bool,
}

/// The form of the report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people
    Text,
    /// One JSON object
    Json,
    /// SARIF 2.1.0, for code hosts and editors
    Sarif,
}

/// What fails beside errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Deny {
    /// Warnings
    Warnings,
}

impl Check {
    pub(super) async fn run(mut self) -> Result<(), Failure> {
        self.documents.log.get_or_insert_with(|| "warn".to_owned());
        let (config, _logging) = prepare(&self.documents, &ServeFlags::default())?;
        let report = report(&config).await;
        print(match self.format {
            Format::Text => {
                let colours = !self.no_color && io::stdout().is_terminal();
                render::text(&report, colours)
            }
            Format::Json => render::json(&report),
            Format::Sarif => sarif::log(&report),
        })?;
        let worst = match self.deny {
            Some(Deny::Warnings) => Severity::Warning,
            None => Severity::Error,
        };
        if report.has(worst) {
            Err(Failure::Told)
        } else {
            Ok(())
        }
    }
}

/// Everything that is known of the configured documents.
async fn report(config: &Config) -> Report {
    let inspections = join_all(config.documents.iter().map(async |document| {
        let settings = config.reading(document);
        openapi::inspect(&document.source, &document.overlays, &settings).await
    }));
    let mut checked: Vec<Checked> = inspections
        .await
        .into_iter()
        .zip(&config.documents)
        .map(|(inspection, source)| Checked::of(source.source.to_string(), inspection))
        .collect();
    let loaded = checked.iter().zip(config.documents.iter().enumerate());
    let sources: Vec<discovery::Source<'_>> = loaded
        .filter_map(|(checked, (number, source))| {
            Some(discovery::Source {
                document: checked.document.as_ref()?,
                number,
                prefix: source.prefix.clone(),
                base_url: source.base_url.clone(),
                commands: crate::app::commands_of(config, source, checked.document.as_ref()?),
                credentials: config.http.credentials.schemes(number),
            })
        })
        .collect();
    let diagnosis = discovery::diagnose(&sources, &config.discovery);
    drop(sources);
    let good = checked.iter_mut().filter(|one| one.document.is_some());
    for (checked, findings) in good.zip(diagnosis.documents) {
        checked.findings.extend(findings);
    }
    Report::assemble(checked, diagnosis.general, config.openapi.max_bytes)
}

#[cfg(test)]
mod tests;

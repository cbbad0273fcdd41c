//! `mcpinvoke tools`: what a client will see of documents, and what it will not, and why.

use clap::{Args, ValueEnum};
use url::Url;

use super::{Failure, diff, prepare, print};
use crate::app;
use crate::config::{Config, DocumentFlags, DocumentSource, ServeFlags};
use crate::discovery::Discovery;
use crate::mcp;
use crate::tool::{Target, Tool};

/// Lists tools.
#[derive(Debug, Args)]
pub(super) struct Tools {
    #[command(flatten)]
    documents: DocumentFlags,
    /// Print the tools as a client receives them, as JSON
    #[arg(long)]
    json: bool,
    /// Print what was skipped or changed, and why
    #[arg(long)]
    why: bool,
    /// Print about how many tokens each tool costs a model
    #[arg(long)]
    cost: bool,
    /// Print what the second of two documents changes in the tools of the first
    #[arg(long, conflicts_with_all = ["why", "cost"])]
    diff: bool,
    /// With --diff: fail where there are such changes
    #[arg(long, value_enum, value_name = "WHAT", requires = "diff")]
    deny: Option<Deny>,
}

/// Changes that fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Deny {
    /// Those that make calls fail which were valid
    Breaking,
}

/// Models read about four characters of JSON as one token.
const CHARACTERS_PER_TOKEN: usize = 4;

impl Tools {
    pub(super) async fn run(self) -> Result<(), Failure> {
        let (config, _logging) = prepare(&self.documents, &ServeFlags::default())?;
        if self.diff {
            return self.difference(&config).await;
        }
        let discovery = app::discover(&config).await?;
        if self.json {
            let tools: Vec<String> = discovery.tools.iter().map(mcp::tool_definition).collect();
            return print(format!("[\n{}\n]", tools.join(",\n")));
        }
        for tool in &discovery.tools {
            print(self.line(tool))?;
        }
        if self.cost {
            let total: usize = discovery.tools.iter().map(tokens).sum();
            print(format!("{total:>7} tokens in all, about"))?;
        }
        if self.why {
            why(&discovery)?;
        } else if !discovery.skipped.is_empty() {
            let count = discovery.skipped.len();
            tracing::warn!("{count} operations were skipped; `--why` says why");
        }
        Ok(())
    }

    async fn difference(&self, config: &Config) -> Result<(), Failure> {
        let [old, new] = config.documents.as_slice() else {
            return Err(Failure::Usage(format!(
                "--diff: expected two documents, the old and the new one, found {}",
                config.documents.len()
            )));
        };
        let alone = async |document: &DocumentSource| {
            let mut config = config.clone();
            config.documents = vec![DocumentSource {
                // Where the service runs makes no difference to its tools.
                base_url: Url::parse("http://localhost/").ok(),
                ..document.clone()
            }];
            app::discover(&config).await
        };
        let (old, new) = (alone(old).await?, alone(new).await?);
        let changes = diff::compare(&old.tools, &new.tools);
        print(if self.json {
            diff::json(&changes)
        } else {
            diff::text(&changes)
        })?;
        if self.deny == Some(Deny::Breaking) && diff::breaking(&changes) > 0 {
            return Err(Failure::Told);
        }
        Ok(())
    }

    fn line(&self, tool: &Tool) -> String {
        let Target::Http(target) = &tool.target;
        let first = tool.description.lines().next().unwrap_or_default();
        let line = format!(
            "{}  {} {}  {first}",
            tool.name, target.method, target.path.template
        );
        if self.cost {
            format!("{:>7}  {line}", tokens(tool))
        } else {
            line
        }
    }
}

fn why(discovery: &Discovery) -> Result<(), Failure> {
    for skipped in &discovery.skipped {
        print(format!(
            "skipped  {}  {}: {}",
            skipped.document, skipped.operation, skipped.reason
        ))?;
    }
    for note in &discovery.notes {
        print(format!("note     {note}"))?;
    }
    Ok(())
}

/// What a model reads of a tool: not its output schema, nor its metadata.
fn tokens(tool: &Tool) -> usize {
    let characters =
        tool.name.as_str().len() + tool.description.len() + tool.input_schema.get().len();
    characters.div_ceil(CHARACTERS_PER_TOKEN)
}

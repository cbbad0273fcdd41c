//! `mcpinvoke tools`: what a client will see of documents, and what it will not, and why.

use clap::{Args, ValueEnum};
use url::Url;

use super::{Failure, diff, prepare, print};
use crate::app::{self, Survey};
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
    /// Print about how many tokens each tool costs a model, the dearest first, and what all cost
    #[arg(long)]
    cost: bool,
    /// Print what the second of two documents changes in the tools of the first
    #[arg(long, conflicts_with_all = ["why", "cost"])]
    diff: bool,
    /// With --diff: fail where there are such changes
    #[arg(long, value_enum, value_name = "WHAT", requires = "diff")]
    deny: Option<Deny>,
    /// The order of `--cost`
    #[arg(long, value_name = "ORDER", default_value = "cost")]
    sort: Order,
}

/// Changes that fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Deny {
    /// Those that make calls fail which were valid
    Breaking,
}

/// The order of the tools with their costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Order {
    /// The dearest first
    Cost,
    /// By name
    Name,
    /// As the documents have them
    Document,
}

impl Tools {
    pub(super) async fn run(mut self) -> Result<(), Failure> {
        // Whoever lists tools wants to hear of what is wrong, not of what was done.
        self.documents.log.get_or_insert_with(|| "warn".to_owned());
        let (config, _logging) = prepare(&self.documents, &ServeFlags::default())?;
        if self.diff {
            return self.difference(&config).await;
        }
        let Survey { discovery, failed } = app::survey(&config).await?;
        self.print(&discovery, &config)?;
        if failed > 0 {
            // What is missing was named, and what there is was printed.
            return Err(Failure::Told);
        }
        Ok(())
    }

    fn print(&self, discovery: &Discovery, config: &Config) -> Result<(), Failure> {
        if self.json {
            let tools = mcp::tool_definitions(&discovery.tools, &config.mcp);
            return print(format!("[\n{}\n]", tools.join(",\n")));
        }
        if self.cost {
            self.costs(&discovery.tools, config)?;
        } else {
            for tool in &discovery.tools {
                print(line(tool))?;
            }
        }
        if self.why {
            why(discovery)?;
        } else {
            for warning in discovery.warnings.iter().chain(&discovery.idle) {
                tracing::warn!("{warning}");
            }
            match discovery.skipped.len() {
                0 => {}
                1 => tracing::warn!("1 operation was skipped; `--why` says why"),
                count => tracing::warn!("{count} operations were skipped; `--why` says why"),
            }
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

    /// What each tool costs in the form it is listed in, and what the whole costs in each form.
    fn costs(&self, tools: &[Tool], config: &Config) -> Result<(), Failure> {
        let shape = mcp::shape(tools, &config.mcp);
        let mut priced: Vec<(usize, &Tool)> = tools
            .iter()
            .map(|tool| match shape {
                mcp::Shape::Slim => (mcp::tokens(&mcp::slim(tool)), tool),
                mcp::Shape::Full | mcp::Shape::Search => (mcp::tokens(tool), tool),
            })
            .collect();
        match self.sort {
            Order::Cost => priced.sort_by_key(|(tokens, _)| std::cmp::Reverse(*tokens)),
            Order::Name => priced.sort_by(|(_, a), (_, b)| a.name.cmp(&b.name)),
            Order::Document => {}
        }
        for (tokens, tool) in priced {
            print(format!("{tokens:>7}  {}", line(tool)))?;
        }
        let costs = mcp::costs(tools);
        for (one, tokens, what) in [
            (mcp::Shape::Full, costs.full, "the full list"),
            (mcp::Shape::Slim, costs.slim, "a slim list"),
            (mcp::Shape::Search, costs.search, "search mode"),
        ] {
            let mark = if one == shape {
                "  (this is what clients get)"
            } else {
                ""
            };
            print(format!("{tokens:>7}  tokens in all, about: {what}{mark}"))?;
        }
        Ok(())
    }
}

fn line(tool: &Tool) -> String {
    let first = tool.description.lines().next().unwrap_or_default();
    let place = match &tool.target {
        Target::Http(_) => tool.target.operation(),
        Target::Command(target) => format!("runs {}", target.program),
    };
    format!("{}  {place}  {first}", tool.name)
}

fn why(discovery: &Discovery) -> Result<(), Failure> {
    for skipped in &discovery.skipped {
        print(format!(
            "skipped  {}  {}: {}",
            skipped.document, skipped.operation, skipped.reason
        ))?;
    }
    for warning in discovery.warnings.iter().chain(&discovery.idle) {
        print(format!("warning  {warning}"))?;
    }
    for note in &discovery.notes {
        print(format!("note     {note}"))?;
    }
    Ok(())
}

//! The human at the terminal, asked before a call that needs their yes.

use std::future::{Future, ready};
use std::io::{self, BufRead, IsTerminal, Write};
use std::pin::Pin;

use serde_json::{Map, Value};

use crate::policy::confirm::{Confirm, Field, Query, Reply, Stopped, Unconfirmed, Way};

/// Asks on stderr and reads from stdin; whoever said `--yes` has answered already.
#[derive(Debug, Clone, Copy)]
pub(super) struct Terminal {
    /// The answer to whether a call may be made is yes.
    pub(super) yes: bool,
}

impl Confirm for Terminal {
    fn way(&self) -> Way<'_> {
        Way::Live
    }

    fn can_ask(&self, schema: &Value) -> bool {
        let simple = |kind: &Value| {
            matches!(
                kind.as_str(),
                Some("string" | "integer" | "number" | "boolean")
            )
        };
        io::stdin().is_terminal() && (simple(&schema["type"]) || schema.get("enum").is_some())
    }

    fn reply<'a>(&'a self, query: &'a Query) -> Pin<Box<dyn Future<Output = Reply> + Send + 'a>> {
        if query.fields.is_empty() && self.yes {
            return Box::pin(ready(Reply::Accepted(Map::new())));
        }
        if !io::stdin().is_terminal() {
            return Box::pin(ready(Reply::Gone));
        }
        let query = query.clone();
        Box::pin(async move {
            let asked = tokio::task::spawn_blocking(move || ask(&query)).await;
            asked.ok().and_then(Result::ok).unwrap_or(Reply::Gone)
        })
    }
}

/// What to tell somebody whose call was not made for want of a yes.
pub(super) fn explain(stopped: &Stopped) -> String {
    match stopped {
        Stopped::Unconfirmed(Unconfirmed::Unreachable) => {
            "the call needs a confirmation and stdin is no terminal: add --yes".to_owned()
        }
        Stopped::Unconfirmed(why) => format!("not confirmed: {why}; nothing was sent"),
        _ => "not confirmed; nothing was sent".to_owned(),
    }
}

fn ask(query: &Query) -> io::Result<Reply> {
    let mut stderr = io::stderr();
    writeln!(stderr, "{}", query.message)?;
    if query.fields.is_empty() {
        let answer = line("[y/N] ")?;
        let yes = matches!(answer.trim().to_lowercase().as_str(), "y" | "yes");
        return Ok(if yes {
            Reply::Accepted(Map::new())
        } else {
            Reply::Declined
        });
    }
    let mut content = Map::new();
    for field in &query.fields {
        let text = line(&format!("{}: ", field.name))?;
        if !text.is_empty() {
            content.insert(field.name.clone(), value(field, &text));
        }
    }
    Ok(Reply::Accepted(content))
}

fn value(field: &Field, text: &str) -> Value {
    if field.schema["type"] == "string" {
        return text.into();
    }
    serde_json::from_str(text).unwrap_or_else(|_| text.into())
}

fn line(prompt: &str) -> io::Result<String> {
    let mut stderr = io::stderr();
    write!(stderr, "{prompt}")?;
    stderr.flush()?;
    let mut text = String::new();
    if io::stdin().lock().read_line(&mut text)? == 0 {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(text.trim_end_matches(['\r', '\n']).to_owned())
}

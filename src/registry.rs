//! Name to tool and handler: an immutable snapshot in the documents' order, swapped whole on reload.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::tool::{Tool, ToolName};

/// An ordered set of tools with unique names. `H` is what the caller keeps beside each tool.
#[derive(Debug)]
pub struct Registry<H> {
    entries: Vec<Entry<H>>,
    by_name: HashMap<ToolName, usize>,
    generation: u64,
}

/// A tool and what is kept beside it.
#[derive(Debug)]
pub struct Entry<H> {
    /// The tool.
    pub tool: Arc<Tool>,
    /// What belongs to it.
    pub handler: H,
}

/// Two tools have one name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("two tools are named `{0}`: give one document a prefix, or rename one of them")]
pub struct DuplicateName(pub ToolName);

impl<H> Registry<H> {
    /// Takes the tools in their order; `handler` makes what is kept beside each.
    ///
    /// # Errors
    /// [`DuplicateName`] for the first name that occurs twice.
    pub fn new(
        tools: impl IntoIterator<Item = impl Into<Arc<Tool>>>,
        handler: impl Fn(&Tool) -> H,
    ) -> Result<Self, DuplicateName> {
        static GENERATION: AtomicU64 = AtomicU64::new(1);
        let mut entries = Vec::new();
        let mut by_name = HashMap::new();
        for tool in tools {
            let tool: Arc<Tool> = tool.into();
            if by_name.insert(tool.name.clone(), entries.len()).is_some() {
                return Err(DuplicateName(tool.name.clone()));
            }
            let handler = handler(&tool);
            entries.push(Entry { tool, handler });
        }
        let generation = GENERATION.fetch_add(1, Ordering::Relaxed);
        Ok(Self {
            entries,
            by_name,
            generation,
        })
    }

    /// The tool of this name.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<&Entry<H>> {
        self.by_name.get(name).map(|&index| &self.entries[index])
    }

    /// All tools in their order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Entry<H>> + Clone {
        self.entries.iter()
    }

    /// How many tools there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is no tool.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Differs between any two registries of this process.
    #[must_use]
    pub fn generation(&self) -> u64 {
        self.generation
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool::HttpTarget;

    fn tool(name: &str) -> Tool {
        Tool::bare(name, HttpTarget::bare(http::Method::GET, ""))
    }

    #[test]
    fn keeps_the_order_and_finds_by_name() {
        let registry =
            Registry::new(["zebra", "ant"].map(tool), |tool| tool.name.to_string()).unwrap();
        let names: Vec<&str> = registry
            .iter()
            .map(|entry| entry.tool.name.as_str())
            .collect();
        assert_eq!(names, ["zebra", "ant"]);
        assert_eq!(registry.find("ant").unwrap().handler, "ant");
        // Names are case-sensitive (MCP, server/tools).
        assert!(registry.find("Ant").is_none());
        assert_eq!((registry.len(), registry.is_empty()), (2, false));
    }

    #[test]
    fn refuses_a_second_tool_of_one_name() {
        let error = Registry::new(["a", "b", "a"].map(tool), |_| ()).unwrap_err();
        assert_eq!(error, DuplicateName(ToolName::new("a").unwrap()));
    }

    #[test]
    fn each_registry_has_a_generation_of_its_own() {
        let generation = || Registry::new([tool("a")], |_| ()).unwrap().generation();
        assert_ne!(generation(), generation());
    }
}

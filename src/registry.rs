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
        tools: impl IntoIterator<Item = Tool>,
        handler: impl Fn(&Tool) -> H,
    ) -> Result<Self, DuplicateName> {
        static GENERATION: AtomicU64 = AtomicU64::new(1);
        let mut entries = Vec::new();
        let mut by_name = HashMap::new();
        for tool in tools {
            if by_name.insert(tool.name.clone(), entries.len()).is_some() {
                return Err(DuplicateName(tool.name));
            }
            let handler = handler(&tool);
            let tool = Arc::new(tool);
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
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Entry<H>> {
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

//! What is put right in arguments before they are checked, and at which places: the shape of their
//! schemas as far as it leads there.

use std::sync::{Arc, OnceLock};

/// The places of a tool's arguments where something is put right.
#[derive(Debug, Clone)]
pub struct Corrections {
    /// A document's places; its tools share them. Complete once all of them are made.
    pub places: Arc<OnceLock<Vec<Place>>>,
    /// The place of the arguments as a whole.
    pub root: usize,
}

/// One place in a value; further ones are told by their number. Places may lead back to each other, as
/// schemas do.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Place {
    /// Members that the service sets itself (`readOnly`): they are left out.
    pub left_out: Vec<Box<str>>,
    /// A number here is an integer, however it is spelled.
    pub integer: bool,
    /// Members, sorted by their names.
    pub properties: Vec<(Box<str>, usize)>,
    /// Members of other names.
    pub others: Option<usize>,
    /// Items of a list.
    pub items: Option<usize>,
}

/// They follow from the schemas that the tool's own is made of, and their numbers from its neighbours: two
/// tools differ by neither.
impl PartialEq for Corrections {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Corrections {
    /// The place of this number; nothing while the document's tools are still being made.
    #[must_use]
    pub fn place(&self, number: usize) -> Option<&Place> {
        self.places.get()?.get(number)
    }
}

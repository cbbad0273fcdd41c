//! Loading a document: read, parse, bring to one normal form, resolve references, model.

mod model;
mod reference;

pub use model::*;

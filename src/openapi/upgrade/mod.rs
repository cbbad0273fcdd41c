//! Any version to one normal form: the structure of OpenAPI 3.2, schemas in JSON Schema 2020-12.
//!
//! Everything happens in place, on walks that know where a schema stands and where a plain value.

mod composition;
mod keywords;
mod schema;
mod swagger;
mod swagger_body;
pub(super) mod templates;
mod values;
mod version;
mod walk;

pub(super) use swagger::upgrade as upgrade_swagger;
pub(super) use version::Version;
pub(super) use walk::normalise;

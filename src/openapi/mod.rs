//! Loading a document: read, parse, bring to one normal form, resolve references, model.

mod assemble;
mod budget;
mod error;
mod external;
mod finding;
mod model;
mod overlay;
mod places;
mod reference;
mod rules;
mod source;
mod text;
mod upgrade;
mod written;

use std::path::PathBuf;
use std::time::Duration;

use serde_json::Value;
use url::Url;

pub use error::{LoadError, Passes};
pub use model::*;
pub use places::{Places, Position};
pub(crate) use reference::reference_of;
pub use rules::{RULES, Rule};
pub use source::{OwnPlace, Source};

use crate::outbound::{Network, Tls};
use budget::Budget;
use external::{BroughtIn, Location};
use finding::Findings;
use overlay::Overlay;
use source::Fetched;
use upgrade::{Version, templates};
use written::Written;

/// Limits and permissions of loading.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The most bytes of one document.
    pub max_bytes: u64,
    /// The most time for fetching one document over HTTP, and for reading one from stdin.
    pub timeout: Duration,
    /// The most other documents that references may bring in.
    pub max_external_documents: usize,
    /// The most bytes of all other documents together.
    pub max_external_bytes: u64,
    /// The most references from document to document in a row.
    pub max_external_depth: usize,
    /// Folders whose files references may name, besides the document's own folder.
    pub allowed_folders: Vec<PathBuf>,
    /// Origins (scheme, host, port) whose URLs references may name, besides the document's own.
    /// Their addresses must be public.
    pub allowed_origins: Vec<Url>,
    /// Networks that are reached although they are private or link-local.
    pub allowed_networks: Vec<Network>,
    /// Authorities to trust over https, and the client's certificate, which the document's own place alone is shown.
    pub tls: Tls,
    /// The document's own place, where it is a URL.
    pub own: Option<OwnPlace>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            max_bytes: 64 << 20,
            timeout: Duration::from_secs(30),
            max_external_documents: 256,
            max_external_bytes: 64 << 20,
            max_external_depth: 16,
            allowed_folders: Vec::new(),
            allowed_origins: Vec::new(),
            allowed_networks: Vec::new(),
            tls: Tls::default(),
            own: None,
        }
    }
}

/// Loads a document and whatever it refers to.
///
/// Faults that leave the rest usable are [`Document::findings`].
///
/// # Errors
/// The source cannot be read, or is no OpenAPI document of a known version.
pub async fn load(source: &Source, settings: &Settings) -> Result<Document, LoadError> {
    load_with(source, &[], settings).await
}

/// Loads a document with overlays (OpenAPI Overlay 1.0) applied to it in their order, before
/// anything else is made of it.
///
/// # Errors
/// As [`load`]; and an overlay cannot be read, is none, or one of its targets is no JSONPath.
pub async fn load_with(
    source: &Source,
    overlays: &[Source],
    settings: &Settings,
) -> Result<Document, LoadError> {
    let fetched = source::read(source, settings).await?;
    load_fetched(source, fetched, overlays, settings).await
}

/// A document and the text it was read from, for showing where its findings stand.
#[derive(Debug)]
pub struct Inspection {
    /// The document, or why there is none.
    pub document: Result<Document, LoadError>,
    /// What was read; empty where nothing could be.
    pub text: Vec<u8>,
}

/// The same as [`load_with`], and keeps the text.
pub async fn inspect(source: &Source, overlays: &[Source], settings: &Settings) -> Inspection {
    match source::read(source, settings).await {
        Ok(fetched) => {
            let text = fetched.bytes.clone();
            let document = load_fetched(source, fetched, overlays, settings).await;
            Inspection { document, text }
        }
        Err(error) => Inspection {
            document: Err(error),
            text: Vec::new(),
        },
    }
}

async fn load_fetched(
    source: &Source,
    fetched: Fetched,
    overlays: &[Source],
    settings: &Settings,
) -> Result<Document, LoadError> {
    let name = source.to_string();
    let location = Location::of(source, fetched.url.as_ref()).await;
    let overlays = overlay::read_all(overlays, &location, settings).await?;
    let (bytes, base) = (fetched.bytes, fetched.url);
    let mut draft = blocking(&name, {
        let name = name.clone();
        move || Draft::parse(&bytes, name, base, &overlays)
    })
    .await??;
    if draft.refers_elsewhere {
        draft.brought_in = external::bring_in(
            &mut draft.tree,
            &location,
            draft.version,
            settings,
            &mut draft.findings,
        )
        .await;
    }
    draft.size += draft.brought_in.size;
    blocking(&name, move || draft.finish()).await
}

/// Loads a document from its bytes, which people know as `name`. `base` is the URL it came from,
/// for relative servers. References into other documents are findings.
///
/// # Errors
/// The bytes are no OpenAPI document of a known version, or more than allowed.
pub fn parse(
    bytes: &[u8],
    name: &str,
    base: Option<&Url>,
    settings: &Settings,
) -> Result<Document, LoadError> {
    if bytes.len() as u64 > settings.max_bytes {
        return Err(LoadError::TooLarge {
            name: name.to_owned(),
            limit: settings.max_bytes,
        });
    }
    Draft::parse(bytes, name.to_owned(), base.cloned(), &[]).map(Draft::finish)
}

/// Runs heavy work off the threads that serve calls.
async fn blocking<T: Send + 'static>(
    name: &str,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, LoadError> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|error| LoadError::Interrupted {
            name: name.to_owned(),
            reason: error.to_string(),
        })
}

/// A parsed document on its way to the normal form.
struct Draft {
    name: String,
    base: Option<Url>,
    tree: Value,
    /// Bytes of the document and of what it refers to.
    size: usize,
    version: Version,
    /// False where surely no reference leads out of the document.
    refers_elsewhere: bool,
    /// False where surely no schema is a template.
    has_templates: bool,
    brought_in: BroughtIn,
    findings: Findings,
}

impl Draft {
    fn parse(
        bytes: &[u8],
        name: String,
        base: Option<Url>,
        overlays: &[Overlay],
    ) -> Result<Self, LoadError> {
        let mut parsed = text::parse(bytes, &name)?;
        let mut findings = Findings::default();
        for pointer in &parsed.duplicates {
            findings.warn(
                "duplicate-key",
                pointer,
                "the key occurs more than once; the last one counts".to_owned(),
                "remove one of them",
            );
        }
        overlay::apply_all(overlays, &mut parsed.tree, &mut findings)?;
        let version = Version::detect(&parsed.tree, &name, &mut findings)?;
        let identified = external::identity::may_be_in(bytes)
            || overlays.iter().any(|overlay| overlay.refers_elsewhere);
        if version == Version::V31 && identified {
            external::identity::settle(&mut parsed.tree, base.as_ref());
        }
        let added: usize = overlays.iter().map(|overlay| overlay.size).sum();
        Ok(Self {
            name,
            base,
            tree: parsed.tree,
            size: bytes.len() + added,
            refers_elsewhere: external::may_be_in(bytes)
                || overlays.iter().any(|overlay| overlay.refers_elsewhere),
            has_templates: templates::may_be_in(bytes) || !overlays.is_empty(),
            version,
            brought_in: BroughtIn::default(),
            findings,
        })
    }

    fn finish(mut self) -> Document {
        if self.version == Version::V2 {
            let budget = Budget::for_size(self.size);
            upgrade::upgrade_swagger(
                &mut self.tree,
                self.base.as_ref(),
                budget,
                &mut self.findings,
            );
        }
        let mut templates = templates::Origins::default();
        let others = !self.brought_in.versions.is_empty();
        if self.version == Version::V31 && (self.has_templates || others) {
            templates = templates::specialise(&mut self.tree, &mut self.findings);
        }
        upgrade::normalise(
            &mut self.tree,
            self.version,
            &self.brought_in.versions,
            &mut self.findings,
        );
        let mut document = assemble::document(
            self.tree,
            &self.name,
            self.base.as_ref(),
            Budget::for_size(self.size),
            &mut self.findings,
        );
        document.holds_remote = self.brought_in.holds_remote;
        let written = Written {
            swagger: self.version == Version::V2,
            others: self.brought_in.others,
            templates,
        };
        document.findings = self.findings.finish(&written);
        document.schemas.told_as(written);
        document
    }
}

#[cfg(test)]
mod tests;

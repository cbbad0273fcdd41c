//! References into other files and URLs: what they name is brought into the tree under
//! `components.x-external` and the references are turned into local ones.

pub(super) mod identity;
mod rewrite;

use std::collections::{HashMap, VecDeque};
use std::path::{Path, PathBuf};

use memchr::memmem;
use serde_json::{Map, Value, json};
use url::Url;

use super::Settings;
use super::error::LoadError;
use super::finding::{Findings, Place};
use super::source::{self, Fetched, Source};
use super::text;
use super::upgrade::Version;
use super::written::Other;
use crate::secret::SafeUrl;
use rewrite::Rewrite;
pub(super) use rewrite::{holds_names, is_data};

/// Where a document stands.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Location {
    /// A file, its path free of links and dots.
    File(PathBuf),
    /// A URL without fragment.
    Url(Url),
    /// Nowhere that a relative reference could start from.
    Unknown,
}

impl Location {
    /// Of a source that was read; `url` is where its bytes came from in the end.
    pub(super) async fn of(source: &Source, url: Option<&Url>) -> Self {
        match (source, url) {
            (_, Some(url)) => Self::Url(url.clone()),
            (Source::File(path), None) => {
                let real = tokio::fs::canonicalize(path).await;
                Self::File(real.unwrap_or_else(|_| path.clone()))
            }
            (Source::Stdin | Source::Url(_) | Source::BuiltIn { .. }, None) => Self::Unknown,
        }
    }

    /// As people name it.
    pub(super) fn name(&self) -> String {
        match self {
            Self::File(path) => path.display().to_string(),
            Self::Url(url) => SafeUrl::new(url.clone()).to_string(),
            Self::Unknown => "-".to_owned(),
        }
    }

    /// What a reference's part before `#` names.
    pub(super) fn join(&self, reference: &str) -> Result<Self, String> {
        if let Ok(url) = Url::parse(reference) {
            return match url.scheme() {
                "http" | "https" => Ok(Self::Url(url)),
                "file" => url
                    .to_file_path()
                    .map(Self::File)
                    .map_err(|()| "not a local file".to_owned()),
                other => Err(format!("the scheme {other} is not read")),
            };
        }
        match self {
            Self::Url(base) => base
                .join(reference)
                .map(Self::Url)
                .map_err(|error| error.to_string()),
            Self::File(base) => {
                let path = percent_encoding::percent_decode_str(reference).decode_utf8_lossy();
                let folder = base.parent().unwrap_or_else(|| Path::new("."));
                Ok(Self::File(folder.join(path.as_ref())))
            }
            Self::Unknown => Err(
                "the document has no place that a relative reference could start from".to_owned(),
            ),
        }
    }
}

/// What was brought in, to judge findings and versions by.
#[derive(Debug, Default)]
pub(super) struct BroughtIn {
    /// Pointer prefix and version of each document.
    pub(super) versions: Vec<(String, Version)>,
    /// The documents, by index.
    pub(super) others: Vec<Other>,
    /// Bytes of all documents.
    pub(super) size: usize,
    /// One of them was read from a URL.
    pub(super) holds_remote: bool,
}

/// A document that was asked for.
struct Asked {
    location: Location,
    depth: usize,
    /// The first reference to it, for findings.
    pointer: String,
}

/// Rewrites references while it collects what to fetch.
struct Collector {
    known: HashMap<Location, usize>,
    waiting: VecDeque<(usize, Asked)>,
    count: usize,
    limit: usize,
}

/// Whether a document's text may hold a reference out of itself: a `$ref` whose value does not
/// begin with `#`. Spares most documents a walk.
pub(super) fn may_be_in(text: &[u8]) -> bool {
    memmem::find_iter(text, b"$ref").any(|at| {
        let rest = text.get(at + 4..).unwrap_or_default();
        let between =
            |byte: &&u8| matches!(**byte, b' ' | b'\t' | b'\r' | b'\n' | b'"' | b'\'' | b':');
        rest.iter().find(|byte| !between(byte)) != Some(&b'#')
    })
}

/// Brings in all that `root`, which stands at `location`, refers to outside of itself.
pub(super) async fn bring_in(
    root: &mut Value,
    location: &Location,
    version: Version,
    settings: &Settings,
    findings: &mut Findings,
) -> BroughtIn {
    let mut collector = Collector {
        known: HashMap::new(),
        waiting: VecDeque::new(),
        count: 0,
        limit: settings.max_external_documents,
    };
    collector.rewrite(root, location, None, 0, findings);
    let mut result = BroughtIn::default();
    let mut documents = Map::new();
    let mut left = settings.max_external_bytes;
    while let Some((index, asked)) = collector.waiting.pop_front() {
        result.others.push(Other::new(&asked.location, location));
        let loaded = load(&asked, location, left, settings).await;
        match loaded {
            Ok((mut tree, size)) => {
                result.holds_remote |= matches!(asked.location, Location::Url(_));
                left = left.saturating_sub(size);
                result.size += usize::try_from(size).unwrap_or(usize::MAX);
                let name = asked.location.name();
                // A fragment of a document has no version of its own.
                let own =
                    Version::detect(&tree, &name, &mut Findings::default()).unwrap_or(version);
                result
                    .versions
                    .push((format!("/components/x-external/{index}"), own));
                collector.rewrite(
                    &mut tree,
                    &asked.location,
                    Some(index),
                    asked.depth,
                    findings,
                );
                documents.insert(index.to_string(), tree);
            }
            Err(reason) => findings.warn(
                "external-reference",
                &asked.pointer,
                format!("cannot bring in {}: {reason}", asked.location.name()),
                "put the file below the document's folder, allow its place, or bundle the document",
            ),
        }
    }
    if !documents.is_empty()
        && let Value::Object(map) = root
        && let Value::Object(components) = map.entry("components").or_insert_with(|| json!({}))
    {
        components.insert("x-external".into(), Value::Object(documents));
    }
    result
}

async fn load(
    asked: &Asked,
    main: &Location,
    left: u64,
    settings: &Settings,
) -> Result<(Value, u64), String> {
    if asked.depth > settings.max_external_depth {
        return Err(format!(
            "more than {} references deep",
            settings.max_external_depth
        ));
    }
    let limit = left.min(settings.max_bytes);
    let fetched = match (&asked.location, main) {
        (Location::File(path), main) => read_allowed(path, main, limit, settings).await?,
        (Location::Url(url), main) => {
            let same = matches!(main, Location::Url(base) if base.origin() == url.origin());
            let allowed = settings
                .allowed_origins
                .iter()
                .any(|origin| origin.origin() == url.origin());
            if !same && !allowed {
                return Err("its origin is not the document's and not allowed".to_owned());
            }
            source::fetch_referenced(url, same, limit, settings)
                .await
                .map_err(|error| error.to_string())?
        }
        (Location::Unknown, _) => return Err("it stands nowhere".to_owned()),
    };
    let size = fetched.bytes.len() as u64;
    let name = asked.location.name();
    let parsed = tokio::task::spawn_blocking(move || text::parse(&fetched.bytes, &name))
        .await
        .map_err(|error| error.to_string())?
        .map_err(|error: LoadError| error.to_string())?;
    Ok((parsed.tree, size))
}

/// Links are followed before the folder is compared, so that none leads out.
async fn read_allowed(
    path: &Path,
    main: &Location,
    limit: u64,
    settings: &Settings,
) -> Result<Fetched, String> {
    let real = tokio::fs::canonicalize(path)
        .await
        .map_err(|error| error.to_string())?;
    let own = match main {
        Location::File(main) => main.parent().map(Path::to_path_buf),
        Location::Url(_) | Location::Unknown => None,
    };
    let mut allowed = false;
    for folder in own.iter().chain(&settings.allowed_folders) {
        let folder = tokio::fs::canonicalize(folder).await;
        allowed |= folder.is_ok_and(|folder| real.starts_with(folder));
    }
    if !allowed {
        return Err("it is outside of the document's folder and not allowed".to_owned());
    }
    let name = path.display().to_string();
    source::read_file(&real, &name, limit)
        .await
        .map_err(|error| error.to_string())
}

impl Collector {
    /// Turns every external reference below `node` into a local one. `own` is the number of the
    /// document that is walked, none for the main one.
    fn rewrite(
        &mut self,
        node: &mut Value,
        location: &Location,
        own: Option<usize>,
        depth: usize,
        findings: &mut Findings,
    ) {
        if own.is_none() {
            self.known.insert(location.clone(), usize::MAX);
        }
        let prefix = own.map_or(String::new(), |index| {
            format!("/components/x-external/{index}")
        });
        let mut walk = Rewrite {
            collector: self,
            location,
            own,
            depth,
            findings,
        };
        walk.value(node, false, &mut Place::at(&prefix));
    }

    /// The number of a document; asks for it where it is new.
    fn number(
        &mut self,
        location: Location,
        depth: usize,
        pointer: String,
    ) -> Result<usize, String> {
        if let Some(known) = self.known.get(&location) {
            return Ok(*known);
        }
        if self.count >= self.limit {
            return Err(format!(
                "more than {} other documents are referred to",
                self.limit
            ));
        }
        let index = self.count;
        self.count += 1;
        self.known.insert(location.clone(), index);
        self.waiting.push_back((
            index,
            Asked {
                location,
                depth,
                pointer,
            },
        ));
        Ok(index)
    }
}

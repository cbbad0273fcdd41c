//! `tools/list`: the catalogue as ready-made pages, one set for each form the revisions want.

use std::collections::HashMap;
use std::sync::OnceLock;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bytes::Bytes;
use serde::Serialize;
use sha2::{Digest, Sha256};

use super::error::Refusal;
use super::headers::{Mirror, mirrors};
use super::revision::Revision;
use crate::invoke::Catalogue;
use crate::tool::{Annotations, Json, Tool, ToolName};

/// What the protocol derives from one generation of the catalogue.
#[derive(Debug)]
pub(crate) struct Listing {
    generation: u64,
    /// The same for the same tools in the same order, in any process.
    fingerprint: [u8; 8],
    page_size: usize,
    pages: [OnceLock<Vec<Bytes>>; FORMS],
    mirrors: HashMap<ToolName, Vec<Mirror>>,
    pub(crate) views: [OnceLock<Bytes>; 2],
}

const FORMS: usize = 3;

/// A tool as a revision wants it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Wire<'a> {
    name: &'a ToolName,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<&'a str>,
    description: &'a str,
    input_schema: &'a Json,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_schema: Option<&'a Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    annotations: Option<&'a Annotations>,
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    meta: Option<&'a Json>,
}

impl Listing {
    pub(crate) fn new(catalogue: &Catalogue, page_size: usize) -> Self {
        let mut hash = Sha256::new();
        let mut found = HashMap::new();
        for entry in catalogue.iter() {
            hash.update(entry.tool.name.as_str());
            hash.update([0]);
            let mirrors = mirrors(&entry.tool);
            if !mirrors.is_empty() {
                found.insert(entry.tool.name.clone(), mirrors);
            }
        }
        let mut fingerprint = [0; 8];
        for (to, from) in fingerprint.iter_mut().zip(hash.finalize()) {
            *to = from;
        }
        Self {
            generation: catalogue.generation(),
            fingerprint,
            page_size: page_size.max(1),
            pages: Default::default(),
            mirrors: found,
            views: Default::default(),
        }
    }

    pub(crate) fn is_of(&self, catalogue: &Catalogue) -> bool {
        self.generation == catalogue.generation()
    }

    /// The mirrored properties of a tool.
    pub(crate) fn mirrors(&self, tool: &str) -> &[Mirror] {
        self.mirrors.get(tool).map_or(&[], Vec::as_slice)
    }

    /// The page at `cursor` (the first one without), as the members of a result:
    /// `"tools":[...]`, and `"nextCursor":"..."` where more follows.
    pub(crate) fn page(
        &self,
        catalogue: &Catalogue,
        revision: Revision,
        cursor: Option<&str>,
    ) -> Result<Bytes, Refusal> {
        let form = usize::from(revision.has_annotations()) + usize::from(revision.has_title());
        let pages = self.pages[form].get_or_init(|| self.build(catalogue, revision));
        let index = match cursor {
            None => 0,
            Some(cursor) => self.read_cursor(cursor)? / self.page_size,
        };
        pages.get(index).cloned().ok_or_else(bad_cursor)
    }

    fn build(&self, catalogue: &Catalogue, revision: Revision) -> Vec<Bytes> {
        let tools: Vec<&Tool> = catalogue.iter().map(|entry| &*entry.tool).collect();
        let mut pages = Vec::new();
        for (index, chunk) in tools.chunks(self.page_size).enumerate() {
            let wire: Vec<Wire<'_>> = chunk.iter().map(|tool| project(tool, revision)).collect();
            let mut page = b"\"tools\":".to_vec();
            if let Err(error) = serde_json::to_writer(&mut page, &wire) {
                // Every part is JSON text already, so this says that a type above is wrong.
                tracing::error!(%error, "a page of tools cannot be written");
            }
            let next = (index + 1) * self.page_size;
            if next < tools.len() {
                page.extend_from_slice(b",\"nextCursor\":\"");
                page.extend_from_slice(self.write_cursor(next).as_bytes());
                page.push(b'"');
            }
            pages.push(Bytes::from(page));
        }
        if pages.is_empty() {
            pages.push(Bytes::from_static(b"\"tools\":[]"));
        }
        pages
    }

    /// Good on every replica and after a restart: it names an offset into a list of tools, not
    /// anything of this process.
    fn write_cursor(&self, offset: usize) -> String {
        let mut bytes = self.fingerprint.to_vec();
        bytes.extend_from_slice(&(offset as u64).to_be_bytes());
        URL_SAFE_NO_PAD.encode(bytes)
    }

    fn read_cursor(&self, cursor: &str) -> Result<usize, Refusal> {
        let bytes = URL_SAFE_NO_PAD.decode(cursor).map_err(|_| bad_cursor())?;
        let offset = bytes
            .strip_prefix(&self.fingerprint)
            .and_then(|rest| <[u8; 8]>::try_from(rest).ok())
            .and_then(|offset| usize::try_from(u64::from_be_bytes(offset)).ok())
            .ok_or_else(bad_cursor)?;
        if offset > 0 && offset % self.page_size == 0 {
            Ok(offset)
        } else {
            Err(bad_cursor())
        }
    }
}

fn bad_cursor() -> Refusal {
    Refusal::InvalidParams("the cursor is not one of this list: begin again without".to_owned())
}

/// One tool as a client of this revision sees it.
pub(crate) fn definition(tool: &Tool, revision: Revision) -> String {
    serde_json::to_string(&project(tool, revision)).unwrap_or_default()
}

fn project(tool: &Tool, revision: Revision) -> Wire<'_> {
    let full = revision.has_title();
    Wire {
        name: &tool.name,
        title: tool.title.as_deref().filter(|_| full),
        description: &tool.description,
        input_schema: &tool.input_schema,
        output_schema: tool.output_schema.as_ref().filter(|_| full),
        annotations: revision.has_annotations().then_some(&tool.annotations),
        meta: Some(&tool.meta).filter(|meta| full && meta.get() != "{}"),
    }
}

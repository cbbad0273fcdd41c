//! `tools/list`: the catalogue as ready-made pages, one set for each form the revisions want.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, OnceLock};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bytes::Bytes;
use serde::Serialize;
use sha2::{Digest, Sha256};

use super::builtin::{Builtin, Builtins};
use super::error::Refusal;
use super::headers::{Mirror, mirrors};
use super::own::Own;
use super::revision::Revision;
use super::settings::Settings;
use super::shape::{Choice, Shape, choose, slim};
use crate::invoke::Catalogue;
use crate::tool::{Annotations, Json, Tool, ToolName};

/// What the protocol derives from one generation of the catalogue, for all callers or for those who see a
/// part of it.
#[derive(Debug)]
pub(crate) struct Listing {
    generation: u64,
    /// The tools that are seen, where it is not all of them.
    visible: Option<HashSet<ToolName>>,
    /// The listings of callers who see a part.
    pub(crate) own: Own,
    /// The same for the same tools in the same order, in any process.
    fingerprint: [u8; 8],
    page_size: usize,
    shape: Shape,
    /// In search mode.
    builtins: Option<Builtins>,
    pages: [OnceLock<Vec<Bytes>>; FORMS],
    mirrors: HashMap<ToolName, Vec<Mirror>>,
    pub(crate) views: [OnceLock<Bytes>; 2],
}

const FORMS: usize = 4;

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
    pub(crate) fn new(catalogue: &Catalogue, settings: &Settings) -> Self {
        let tools = catalogue.iter().map(|entry| &*entry.tool);
        let Choice { shape, why } = choose(tools.clone(), settings);
        if let Some(why) = why.filter(|_| !catalogue.is_empty()) {
            let count = catalogue.len();
            match shape {
                Shape::Full => tracing::warn!("all {count} tools are listed: {why}"),
                Shape::Slim => tracing::info!("the {count} tools are listed in short: {why}"),
                Shape::Search => {
                    tracing::info!("the {count} tools are found by searching, not listed: {why}");
                }
            }
        }
        Self::shaped(shape, catalogue, settings, None)
    }

    /// The same for callers who see these tools alone.
    pub(crate) fn part(
        catalogue: &Catalogue,
        settings: &Settings,
        visible: HashSet<ToolName>,
    ) -> Self {
        let shape = choose(seen(catalogue, Some(&visible)), settings).shape;
        Self::shaped(shape, catalogue, settings, Some(visible))
    }

    fn shaped(
        shape: Shape,
        catalogue: &Catalogue,
        settings: &Settings,
        visible: Option<HashSet<ToolName>>,
    ) -> Self {
        let tools = seen(catalogue, visible.as_ref());
        let mut hash = Sha256::new();
        let mut found = HashMap::new();
        for tool in tools.clone() {
            hash.update(tool.name.as_str());
            hash.update([0]);
            let mirrors = mirrors(tool);
            // Nobody can repeat in a header what was never listed.
            if !mirrors.is_empty() && shape != Shape::Search {
                found.insert(tool.name.clone(), mirrors);
            }
        }
        let builtins = (shape == Shape::Search).then(|| Builtins::new(&tools));
        drop(tools);
        let mut fingerprint = [0; 8];
        for (to, from) in fingerprint.iter_mut().zip(hash.finalize()) {
            *to = from;
        }
        Self {
            generation: catalogue.generation(),
            fingerprint,
            page_size: settings.page_size.max(1),
            shape,
            builtins,
            pages: Default::default(),
            mirrors: found,
            views: Default::default(),
            own: Own::default(),
            visible,
        }
    }

    pub(crate) fn is_of(&self, catalogue: &Catalogue) -> bool {
        self.generation == catalogue.generation()
    }

    /// The tools that are seen, in the catalogue's order.
    pub(crate) fn tools<'a>(
        &'a self,
        catalogue: &'a Catalogue,
    ) -> impl Iterator<Item = &'a Tool> + Clone {
        seen(catalogue, self.visible.as_ref())
    }

    /// The tool of this name, where it is seen.
    pub(crate) fn find<'a>(&self, catalogue: &'a Catalogue, name: &str) -> Option<&'a Arc<Tool>> {
        let tool = &catalogue.find(name)?.tool;
        let visible = self.visible.as_ref();
        visible
            .is_none_or(|visible| visible.contains(&tool.name))
            .then_some(tool)
    }

    /// The tool of ours that has this name, in search mode.
    pub(crate) fn builtin(&self, name: &str) -> Option<(&Builtins, &Builtin)> {
        let builtins = self.builtins.as_ref()?;
        Some((builtins, builtins.find(name)?))
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
        let form = usize::from(revision.has_annotations())
            + usize::from(revision.has_title())
            + usize::from(revision.has_output_references());
        let pages = self.pages[form].get_or_init(|| self.build(catalogue, revision));
        let index = match cursor {
            None => 0,
            Some(cursor) => self.read_cursor(cursor)? / self.page_size,
        };
        pages.get(index).cloned().ok_or_else(bad_cursor)
    }

    fn build(&self, catalogue: &Catalogue, revision: Revision) -> Vec<Bytes> {
        let slimmed: Vec<Tool>;
        let tools: Vec<Wire<'_>> = match (&self.builtins, self.shape) {
            (Some(builtins), _) => builtins.iter().map(|one| ours(one, revision)).collect(),
            (None, Shape::Slim) => {
                slimmed = self.tools(catalogue).map(slim).collect();
                slimmed.iter().map(|tool| project(tool, revision)).collect()
            }
            (None, Shape::Full | Shape::Search) => {
                let tools = self.tools(catalogue);
                tools.map(|tool| project(tool, revision)).collect()
            }
        };
        let mut pages = Vec::new();
        for (index, wire) in tools.chunks(self.page_size).enumerate() {
            let mut page = b"\"tools\":".to_vec();
            if let Err(error) = serde_json::to_writer(&mut page, wire) {
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

fn seen<'a>(
    catalogue: &'a Catalogue,
    visible: Option<&'a HashSet<ToolName>>,
) -> impl Iterator<Item = &'a Tool> + Clone {
    let tools = catalogue.iter().map(|entry| &*entry.tool);
    tools.filter(move |tool| visible.is_none_or(|visible| visible.contains(&tool.name)))
}

pub(crate) fn bad_cursor() -> Refusal {
    Refusal::InvalidParams("the cursor is not one of this list: begin again without".to_owned())
}

/// One tool as a client of this revision sees it.
pub(crate) fn definition(tool: &Tool, revision: Revision) -> String {
    serde_json::to_string(&project(tool, revision)).unwrap_or_default()
}

/// Three tools of ours or all of the catalogue, as `tools/list` of this revision has them.
pub(crate) fn definitions<'a>(
    tools: impl IntoIterator<Item = &'a Tool> + Clone,
    settings: &Settings,
    revision: Revision,
) -> Vec<String> {
    let write = |wire: Wire<'_>| serde_json::to_string(&wire).unwrap_or_default();
    match choose(tools.clone(), settings).shape {
        Shape::Full => {
            let tools = tools.into_iter();
            tools.map(|tool| definition(tool, revision)).collect()
        }
        Shape::Slim => {
            let tools = tools.into_iter();
            tools
                .map(|tool| definition(&slim(tool), revision))
                .collect()
        }
        Shape::Search => {
            let builtins = Builtins::new(&tools);
            let all = builtins.iter();
            all.map(|one| write(ours(one, revision))).collect()
        }
    }
}

/// Whether clients of this revision see the tool's output schema.
pub(crate) fn publishes_output(tool: &Tool, revision: Revision) -> bool {
    published_output(tool, revision).is_some()
}

fn published_output(tool: &Tool, revision: Revision) -> Option<&Json> {
    let schema = tool.output_schema.as_ref()?;
    let fits = revision.has_title() && (revision.has_output_references() || !schema.refers());
    fits.then_some(schema)
}

fn project(tool: &Tool, revision: Revision) -> Wire<'_> {
    let full = revision.has_title();
    Wire {
        name: &tool.name,
        title: tool.title.as_deref().filter(|_| full),
        description: &tool.description,
        input_schema: tool.published_schema(),
        output_schema: published_output(tool, revision),
        annotations: revision.has_annotations().then_some(&tool.annotations),
        meta: Some(&tool.meta).filter(|meta| full && meta.get() != "{}"),
    }
}

fn ours(builtin: &Builtin, revision: Revision) -> Wire<'_> {
    Wire {
        name: &builtin.name,
        title: Some(builtin.title).filter(|_| revision.has_title()),
        description: &builtin.description,
        input_schema: &builtin.input_schema,
        output_schema: None,
        annotations: revision.has_annotations().then_some(&builtin.annotations),
        meta: None,
    }
}

//! OpenAPI Overlay 1.0: changes to a document as written, each at what a JSONPath selects.

mod target;

use serde_json::{Map, Value};
use serde_json_path::{JsonPath, PathElement};

use super::Settings;
use super::error::LoadError;
use super::external::{self, Location};
use super::finding::Findings;
use super::reference::kind;
use super::source::{self, Source};
use super::text;

/// More actions than anybody writes.
const MOST_ACTIONS: usize = 10_000;
/// Values that all overlays of a document may add; an action of many targets adds its update to each.
const MOST_ADDED: usize = 1_000_000;
/// No document is nested deeper, and later stages count on it.
const DEEPEST: usize = 128;

/// An overlay that was read.
#[derive(Debug)]
pub(super) struct Overlay {
    name: String,
    /// The document it is meant for, as written.
    extends: Option<String>,
    actions: Vec<Action>,
    /// Faults of the overlay itself: rule, pointer in the overlay, message, hint.
    faults: Vec<(&'static str, &'static str, String, &'static str)>,
    /// Bytes of its text.
    pub(super) size: usize,
    /// Whether it may hold a reference to another document.
    pub(super) refers_elsewhere: bool,
}

#[derive(Debug)]
struct Action {
    written: String,
    target: JsonPath,
    change: Change,
}

#[derive(Debug)]
enum Change {
    Remove,
    Update(Value),
    Nothing,
}

/// Reads the overlays of the document that stands at `location`.
pub(super) async fn read_all(
    sources: &[Source],
    location: &Location,
    settings: &Settings,
) -> Result<Vec<Overlay>, LoadError> {
    let mut overlays = Vec::with_capacity(sources.len());
    for source in sources {
        let fetched = source::read(source, settings).await?;
        let own = Location::of(source, fetched.url.as_ref()).await;
        let mut overlay = Overlay::parse(&fetched.bytes, &source.to_string())?;
        if let Some(fault) = overlay.misplaced(&own, location) {
            overlay.faults.push(fault);
        }
        overlays.push(overlay);
    }
    Ok(overlays)
}

/// Applies overlays in their order. Findings have pointers `NAME#/actions/...`.
pub(super) fn apply_all(
    overlays: &[Overlay],
    tree: &mut Value,
    findings: &mut Findings,
) -> Result<(), LoadError> {
    let mut left = MOST_ADDED;
    for overlay in overlays {
        for (rule, pointer, message, hint) in &overlay.faults {
            let pointer = format!("{}#{pointer}", overlay.name);
            findings.warn(rule, &pointer, message.clone(), hint);
        }
        for (index, action) in overlay.actions.iter().enumerate() {
            let mut applying = Applying {
                pointer: format!("{}#/actions/{index}/target", overlay.name),
                left: &mut left,
                findings,
            };
            applying
                .action(action, tree)
                .map_err(|reason| overlay.refused(index, &reason))?;
        }
    }
    Ok(())
}

impl Overlay {
    fn parse(bytes: &[u8], name: &str) -> Result<Self, LoadError> {
        let tree = text::parse(bytes, name)?.tree;
        let fault = |reason: String| LoadError::Overlay {
            name: name.to_owned(),
            reason,
        };
        let mut overlay = Self {
            name: name.to_owned(),
            extends: tree
                .get("extends")
                .and_then(Value::as_str)
                .map(str::to_owned),
            actions: Vec::new(),
            faults: Vec::new(),
            size: bytes.len(),
            refers_elsewhere: external::may_be_in(bytes),
        };
        overlay.version(&tree).map_err(fault)?;
        let actions = match tree.get("actions") {
            Some(Value::Array(actions)) if actions.len() <= MOST_ACTIONS => actions,
            Some(Value::Array(_)) => {
                return Err(fault(format!("expected at most {MOST_ACTIONS} actions")));
            }
            _ => return Err(fault("expected a list `actions`".to_owned())),
        };
        for (index, written) in actions.iter().enumerate() {
            let action =
                Action::parse(written).map_err(|reason| overlay.refused(index, &reason))?;
            overlay.actions.push(action);
        }
        Ok(overlay)
    }

    fn version(&mut self, tree: &Value) -> Result<(), String> {
        let version = match tree.get("overlay") {
            Some(Value::String(text)) => text.clone(),
            // YAML makes a number of `1.0`.
            Some(Value::Number(number)) => number.to_string(),
            _ => return Err("expected an object with the member `overlay`, its version".to_owned()),
        };
        let mut parts = version.split('.');
        match (parts.next(), parts.next()) {
            (Some("1"), Some("0") | None) => Ok(()),
            (Some("1"), _) => {
                self.faults.push((
                    "overlay-version",
                    "/overlay",
                    format!("expected version 1.0, found {version:?}; read as 1.0"),
                    "check that it uses nothing beyond version 1.0",
                ));
                Ok(())
            }
            _ => Err(format!("expected version 1.0, found {version:?}")),
        }
    }

    /// `extends` names the one document an overlay is meant for.
    fn misplaced(
        &self,
        own: &Location,
        document: &Location,
    ) -> Option<(&'static str, &'static str, String, &'static str)> {
        let extends = self.extends.as_deref()?;
        let meant = own.join(extends).ok().map(real);
        if matches!(document, Location::Unknown) || meant.as_ref() == Some(document) {
            return None;
        }
        let message = format!(
            "the overlay extends {extends:?} and is applied to {}",
            document.name()
        );
        let hint = "apply it to the document it names, or correct `extends`";
        Some(("overlay-extends", "/extends", message, hint))
    }

    fn refused(&self, index: usize, reason: &str) -> LoadError {
        LoadError::Overlay {
            name: self.name.clone(),
            reason: format!("actions[{index}]: {reason}"),
        }
    }
}

/// Free of dots and links, as the document's own place is.
fn real(location: Location) -> Location {
    match location {
        Location::File(path) => Location::File(std::fs::canonicalize(&path).unwrap_or(path)),
        other => other,
    }
}

impl Action {
    fn parse(written: &Value) -> Result<Self, String> {
        let Some(Value::String(text)) = written.get("target") else {
            return Err("expected an object with a text `target`".to_owned());
        };
        let target = target::parse(text)?;
        let change = match (written.get("remove"), written.get("update")) {
            (Some(Value::Bool(true)), _) => Change::Remove,
            (_, Some(update)) => Change::Update(update.clone()),
            _ => Change::Nothing,
        };
        Ok(Self {
            written: text.clone(),
            target,
            change,
        })
    }
}

/// One action at work.
struct Applying<'a> {
    pointer: String,
    left: &'a mut usize,
    findings: &'a mut Findings,
}

impl Applying<'_> {
    fn action(&mut self, action: &Action, tree: &mut Value) -> Result<(), String> {
        let nodes = action.target.query_located(tree).dedup();
        let places: Vec<Vec<Token>> = nodes
            .locations()
            .map(|path| path.iter().map(Token::of).collect())
            .collect();
        drop(nodes);
        if places.is_empty() {
            self.findings.warn(
                "overlay-no-target",
                &self.pointer,
                format!("{:?} selects nothing", action.written),
                "correct the target, or remove the action",
            );
        }
        match &action.change {
            Change::Nothing => self.unfit("the action neither removes nor updates".to_owned()),
            Change::Remove => {
                // From the end, so that the places before stay what they are.
                for place in places.iter().rev() {
                    self.remove(place, tree);
                }
            }
            Change::Update(update) => {
                let added = places.len().saturating_mul(values(update));
                *self.left = self.left.checked_sub(added).ok_or_else(|| {
                    format!("the overlays add more than {MOST_ADDED} values to the document")
                })?;
                let deep = depth(update);
                for place in &places {
                    if place.len() + deep > DEEPEST {
                        return Err(format!("the update leads to more than {DEEPEST} levels"));
                    }
                    if let Some(node) = find(tree, place) {
                        self.update(node, update);
                    }
                }
            }
        }
        Ok(())
    }

    fn remove(&mut self, place: &[Token], tree: &mut Value) {
        let Some((last, parents)) = place.split_last() else {
            return self.unfit("the root cannot be removed".to_owned());
        };
        match (find(tree, parents), last) {
            (Some(Value::Object(map)), Token::Name(name)) => drop(map.shift_remove(name)),
            (Some(Value::Array(list)), Token::Index(index)) if *index < list.len() => {
                list.remove(*index);
            }
            // What held it has been removed before.
            _ => {}
        }
    }

    fn update(&mut self, node: &mut Value, update: &Value) {
        match (node, update) {
            (Value::Object(map), Value::Object(update)) => merge(map, update),
            // By the letter a list would be one entry; what people write means its entries, unless
            // the target holds lists.
            (Value::Array(list), Value::Array(entries)) if !list.iter().any(Value::is_array) => {
                list.extend(entries.iter().cloned());
            }
            (Value::Array(list), entry) => list.push(entry.clone()),
            (node, update) => self.unfit(format!(
                "expected an object to merge {} into, or a list to append it to, found {}",
                kind(update),
                kind(node)
            )),
        }
    }

    fn unfit(&mut self, message: String) {
        self.findings.warn(
            "overlay-update",
            &self.pointer,
            message,
            "correct the target or the update",
        );
    }
}

/// A step of a place.
enum Token {
    Name(String),
    Index(usize),
}

impl Token {
    fn of(element: &PathElement<'_>) -> Self {
        match element {
            PathElement::Name(name) => Self::Name((*name).to_owned()),
            PathElement::Index(index) => Self::Index(*index),
        }
    }
}

fn find<'a>(tree: &'a mut Value, place: &[Token]) -> Option<&'a mut Value> {
    place.iter().try_fold(tree, |node, token| match token {
        Token::Name(name) => node.get_mut(name),
        Token::Index(index) => node.get_mut(*index),
    })
}

/// Recursive: objects are merged, lists joined, anything else is replaced (Overlay, Action Object).
/// Both sides are bounded in depth.
fn merge(map: &mut Map<String, Value>, update: &Map<String, Value>) {
    for (key, new) in update {
        match (map.get_mut(key), new) {
            (Some(Value::Object(old)), Value::Object(new)) => merge(old, new),
            (Some(Value::Array(old)), Value::Array(new)) => old.extend(new.iter().cloned()),
            _ => {
                map.insert(key.clone(), new.clone());
            }
        }
    }
}

/// How many values an update holds. Bounded in depth by the parser, as is `depth`.
fn values(value: &Value) -> usize {
    1 + match value {
        Value::Array(list) => list.iter().map(values).sum(),
        Value::Object(map) => map.values().map(values).sum(),
        _ => 0,
    }
}

fn depth(value: &Value) -> usize {
    1 + match value {
        Value::Array(list) => list.iter().map(depth).max().unwrap_or_default(),
        Value::Object(map) => map.values().map(depth).max().unwrap_or_default(),
        _ => 0,
    }
}

#[cfg(test)]
mod tests;

//! A schema's JSON text with holes where references stand: written once per document, then put
//! together for each tool without building a tree.

use serde_json::Value;

/// About what a reference takes, in bytes.
const HOLE: usize = 28;

/// The most levels of objects and lists in a value that stands in a schema, a default for instance.
pub(super) const MAX_VALUE: usize = 16;
/// Neither values nor small definitions end below this level: parsers read 127 of them, and a schema is only a
/// part of what they read.
pub(super) const MAX_LEVEL: usize = 112;

/// JSON text with holes.
#[derive(Debug, Clone, Default)]
pub(super) struct Fragment {
    pub(super) pieces: Vec<Piece>,
    /// About how many bytes the text has, with its holes as references.
    pub(super) size: usize,
    /// How many objects and lists stand within each other at most.
    pub(super) depth: usize,
    level: usize,
}

/// A piece of a fragment.
#[derive(Debug, Clone)]
pub(super) enum Piece {
    /// Text as it stands.
    Text(String),
    /// A reference.
    Hole(Hole),
}

/// A reference to a definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Hole {
    /// Index of the definition.
    pub(super) definition: usize,
    /// Stands for the whole object `{"$ref": ...}`, so that the definition itself can stand here;
    /// otherwise for the value of a `$ref` that has siblings.
    pub(super) alone: bool,
    /// How many objects and lists it stands in.
    pub(super) level: usize,
}

impl Fragment {
    /// A bracket that opens.
    pub(super) fn open(&mut self, bracket: &str) {
        self.raw(bracket);
        self.level += 1;
        self.depth = self.depth.max(self.level);
    }

    /// A bracket that closes.
    pub(super) fn close(&mut self, bracket: &str) {
        self.raw(bracket);
        self.level = self.level.saturating_sub(1);
    }

    /// Text that is JSON already.
    pub(super) fn raw(&mut self, text: &str) {
        self.size += text.len();
        if let Some(Piece::Text(last)) = self.pieces.last_mut() {
            last.push_str(text);
        } else {
            self.pieces.push(Piece::Text(text.to_owned()));
        }
    }

    /// A JSON string.
    pub(super) fn string(&mut self, text: &str) {
        self.raw(&Value::from(text).to_string());
    }

    /// Any JSON value.
    pub(super) fn value(&mut self, value: &Value) {
        self.depth = self.depth.max(self.level + levels(value, MAX_VALUE + 1));
        self.raw(&value.to_string());
    }

    /// Whether readers of the whole could still read a value of the schema's here.
    pub(super) fn holds(&self, value: &Value) -> bool {
        let levels = levels(value, MAX_VALUE + 1);
        levels == 0 || levels <= MAX_VALUE && self.level + levels <= MAX_LEVEL
    }

    /// A reference.
    pub(super) fn hole(&mut self, definition: usize, alone: bool) {
        let level = self.level;
        self.size += HOLE;
        self.pieces.push(Piece::Hole(Hole {
            definition,
            alone,
            level,
        }));
    }

    /// The references in it.
    pub(super) fn holes(&self) -> impl Iterator<Item = Hole> + '_ {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Hole(hole) => Some(*hole),
            Piece::Text(_) => None,
        })
    }
}

/// How many objects and lists stand within each other; more than `most` are `most`.
fn levels(value: &Value, most: usize) -> usize {
    let Some(less) = most.checked_sub(1) else {
        return 0;
    };
    let inner = match value {
        Value::Array(items) => items.iter().map(|one| levels(one, less)).max(),
        Value::Object(members) => members.values().map(|one| levels(one, less)).max(),
        _ => return 0,
    };
    1 + inner.unwrap_or(0)
}

/// Writes an object's members with the commas between them.
#[derive(Debug)]
pub(super) struct Members<'a> {
    out: &'a mut Fragment,
    any: bool,
}

impl<'a> Members<'a> {
    /// Opens the object.
    pub(super) fn open(out: &'a mut Fragment) -> Self {
        out.open("{");
        Self { out, any: false }
    }

    /// Begins a member; its value is written to what comes back.
    pub(super) fn key(&mut self, name: &str) -> &mut Fragment {
        if self.any {
            self.out.raw(",");
        }
        self.any = true;
        self.out.string(name);
        self.out.raw(":");
        self.out
    }

    /// Whether readers of the whole could still read this value of a member.
    pub(super) fn holds(&self, value: &Value) -> bool {
        self.out.holds(value)
    }

    /// Closes the object.
    pub(super) fn close(self) {
        self.out.close("}");
    }
}

//! YAML 1.2 to a JSON tree: keys become texts, merge keys are applied, aliases are bounded.

use std::cell::{Cell, RefCell};
use std::fmt;

use serde::de::{self, DeserializeSeed, EnumAccess, MapAccess, SeqAccess, VariantAccess, Visitor};
use serde_json::{Map, Number, Value};

use super::super::error::LoadError;
use super::Parsed;
use crate::pointer::push;

/// Collections nested deeper than this cost the scanner quadratic time and their depth in memory.
const DEEPEST: usize = 1_000;
/// What any value costs of the budget that bounds aliases, besides its text.
const VALUE_COST: usize = 8;
/// More repeated keys than a person reads.
const MOST_DUPLICATES: usize = 100;

/// Parses one YAML document.
pub(super) fn parse(text: &str, name: &str) -> Result<Parsed, LoadError> {
    refuse_deep_flow(text, name)?;
    refuse_deep_blocks(text, name)?;
    let limits = Limits {
        budget: Cell::new(
            text.len()
                .saturating_mul(2 * VALUE_COST)
                .saturating_add(8 << 20),
        ),
        duplicates: RefCell::default(),
    };
    let node = Node {
        limits: &limits,
        path: &Path::Root,
    };
    let tree = node
        .deserialize(serde_yaml::Deserializer::from_str(text))
        .map_err(|fault| syntax(text, name, &fault))?;
    Ok(Parsed {
        tree,
        duplicates: limits.duplicates.into_inner(),
    })
}

/// Counts brackets that stand where a flow collection can begin; those inside running text do not.
fn refuse_deep_flow(text: &str, name: &str) -> Result<(), LoadError> {
    let (mut open, mut line) = (0_usize, 1_usize);
    // The last byte that is no blank, and the first byte of the last word.
    let (mut before, mut word, mut blank) = (b'\n', b'\n', true);
    for byte in text.bytes() {
        match byte {
            b'[' | b'{' => {
                let begins = matches!(before, b'\n' | b':' | b',' | b'-' | b'?' | b'[' | b'{');
                let after_anchor = blank && matches!(word, b'&' | b'!');
                open += usize::from(begins || after_anchor);
            }
            b']' | b'}' => open = open.saturating_sub(1),
            b'\n' => line += 1,
            _ => {}
        }
        if open > DEEPEST {
            let message = format!("more than {DEEPEST} brackets are open at once");
            return Err(too_deep(name, line, message));
        }
        if matches!(byte, b' ' | b'\t' | b'\r') {
            blank = true;
        } else {
            word = if blank || before == b'\n' { byte } else { word };
            (before, blank) = (byte, false);
        }
    }
    Ok(())
}

/// Counts the columns at which lines and their indicators (`-`, `?`, `:`) begin within each other. A
/// text's lines count too: no text is indented a thousand times.
fn refuse_deep_blocks(text: &str, name: &str) -> Result<(), LoadError> {
    let mut open: Vec<usize> = Vec::new();
    for (line, content) in text.lines().enumerate() {
        let bytes = content.as_bytes();
        let mut column = 0;
        loop {
            column += bytes[column..].iter().take_while(|b| **b == b' ').count();
            if column == bytes.len() {
                break;
            }
            while open.last().is_some_and(|outer| *outer >= column) {
                open.pop();
            }
            open.push(column);
            if open.len() > DEEPEST {
                let message = format!("more than {DEEPEST} values are nested in each other");
                return Err(too_deep(name, line + 1, message));
            }
            let indicator = matches!(bytes[column], b'-' | b'?' | b':')
                && matches!(bytes.get(column + 1), None | Some(b' '));
            if !indicator {
                break;
            }
            column += 1;
        }
    }
    Ok(())
}

fn too_deep(name: &str, line: usize, message: String) -> LoadError {
    LoadError::Syntax {
        name: name.into(),
        format: "YAML",
        line,
        column: 0,
        message,
    }
}

fn syntax(text: &str, name: &str, fault: &serde_yaml::Error) -> LoadError {
    let (line, column) = fault
        .location()
        .map_or((0, 0), |location| (location.line(), location.column()));
    let mut message = fault.to_string();
    if let Some(end) = message.find(" at line ") {
        message.truncate(end);
    }
    let indentation = text
        .lines()
        .nth(line.saturating_sub(1))
        .map(|found| &found[..found.len() - found.trim_start().len()]);
    if indentation.is_some_and(|blank| blank.contains('\t')) {
        message = "expected spaces before the first character, found a tab; YAML is indented with spaces only".into();
    }
    LoadError::Syntax {
        name: name.into(),
        format: "YAML",
        line,
        column,
        message,
    }
}

struct Limits {
    budget: Cell<usize>,
    duplicates: RefCell<Vec<String>>,
}

impl Limits {
    fn spend<E: de::Error>(&self, text: usize) -> Result<(), E> {
        let left = self.budget.get().checked_sub(VALUE_COST + text);
        self.budget.set(left.unwrap_or(0));
        left.map(drop)
            .ok_or_else(|| E::custom("the aliases expand to far more than the document holds"))
    }
}

/// Where a value stands; on the stack, so that only a finding costs memory.
enum Path<'a> {
    Root,
    Key(&'a Self, &'a str),
    Index(&'a Self, usize),
}

impl Path<'_> {
    fn write(&self, pointer: &mut String) {
        match self {
            Self::Root => {}
            Self::Key(parent, key) => {
                parent.write(pointer);
                push(pointer, key);
            }
            Self::Index(parent, index) => {
                parent.write(pointer);
                push(pointer, &index.to_string());
            }
        }
    }
}

#[derive(Clone, Copy)]
struct Node<'a> {
    limits: &'a Limits,
    path: &'a Path<'a>,
}

impl Node<'_> {
    fn duplicate(&self, key: &str) {
        let mut list = self.limits.duplicates.borrow_mut();
        if list.len() < MOST_DUPLICATES {
            let mut pointer = String::new();
            Path::Key(self.path, key).write(&mut pointer);
            list.push(pointer);
        }
    }
}

impl<'de> DeserializeSeed<'de> for Node<'_> {
    type Value = Value;

    fn deserialize<D: de::Deserializer<'de>>(self, source: D) -> Result<Value, D::Error> {
        source.deserialize_any(self)
    }
}

/// A key as it is written: `200`, `true` and `null` are texts in JSON.
struct Key;

impl<'de> DeserializeSeed<'de> for Key {
    type Value = String;

    fn deserialize<D: de::Deserializer<'de>>(self, source: D) -> Result<String, D::Error> {
        source.deserialize_str(self)
    }
}

impl Visitor<'_> for Key {
    type Value = String;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text as key")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<String, E> {
        crate::tree::member(text).map(|()| text.to_owned())
    }
}

impl<'de> Visitor<'de> for Node<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E: de::Error>(self) -> Result<Value, E> {
        self.limits.spend(0).map(|()| Value::Null)
    }

    fn visit_none<E: de::Error>(self) -> Result<Value, E> {
        self.visit_unit()
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<Value, E> {
        self.limits.spend(0).map(|()| value.into())
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Value, E> {
        self.limits.spend(0).map(|()| value.into())
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Value, E> {
        self.limits.spend(0).map(|()| value.into())
    }

    fn visit_i128<E: de::Error>(self, value: i128) -> Result<Value, E> {
        self.limits.spend(0).map(|()| digits(&value.to_string()))
    }

    fn visit_u128<E: de::Error>(self, value: u128) -> Result<Value, E> {
        self.limits.spend(0).map(|()| digits(&value.to_string()))
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Value, E> {
        self.limits.spend(0)?;
        // `.inf` and `.nan` have no JSON form.
        Ok(Number::from_f64(value).map_or_else(|| value.to_string().into(), Value::Number))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Value, E> {
        self.limits.spend(text.len()).map(|()| text.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        self.limits.spend(0)?;
        let mut list = Vec::new();
        loop {
            let path = Path::Index(self.path, list.len());
            match items.next_element_seed(Node {
                limits: self.limits,
                path: &path,
            })? {
                Some(item) => list.push(item),
                None => return Ok(list.into()),
            }
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        self.limits.spend(0)?;
        let mut map = Map::new();
        let mut merged = Vec::new();
        while let Some(key) = members.next_key_seed(Key)? {
            self.limits.spend(key.len())?;
            let path = Path::Key(self.path, &key);
            let value = members.next_value_seed(Node {
                limits: self.limits,
                path: &path,
            })?;
            if key == "<<" && mergeable(&value) {
                merged.push(value);
            } else if map.contains_key(&key) {
                self.duplicate(&key);
                map.insert(key, value);
            } else {
                map.insert(key, value);
            }
        }
        merged.into_iter().for_each(|value| merge(&mut map, value));
        Ok(Value::Object(map))
    }

    /// A value with a tag of its own, such as `!include x`: the tag means nothing here.
    fn visit_enum<A: EnumAccess<'de>>(self, data: A) -> Result<Value, A::Error> {
        let (_tag, value) = data.variant_seed(Key)?;
        value.newtype_variant_seed(self)
    }
}

fn digits(text: &str) -> Value {
    text.parse::<Number>()
        .map_or_else(|_| text.into(), Value::Number)
}

fn mergeable(value: &Value) -> bool {
    match value {
        Value::Object(_) => true,
        Value::Array(items) => items.iter().all(Value::is_object),
        _ => false,
    }
}

/// The merge key of YAML 1.1: own members win, then the earlier of several sources.
fn merge(map: &mut Map<String, Value>, source: Value) {
    match source {
        Value::Object(members) => {
            for (key, value) in members {
                map.entry(key).or_insert(value);
            }
        }
        Value::Array(items) => items.into_iter().for_each(|item| merge(map, item)),
        _ => {}
    }
}

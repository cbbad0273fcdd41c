//! Words as they are written.

use serde_json::Value;

use super::written::{WrittenScratch, WrittenWord, read};
use super::{Fault, condition};
use crate::tool::{Condition, Encoding, Word};

/// Groups within groups.
const DEEPEST: usize = 8;

/// A list of words.
pub(super) fn list(values: &[Value], at: &str, depth: usize) -> Result<Vec<Word>, Fault> {
    if depth > DEEPEST {
        return Err(Fault::new(at, "groups of words are nested too deeply"));
    }
    let one = |(index, value)| word(value, &format!("{at}/{index}"), depth);
    values.iter().enumerate().map(one).collect()
}

fn word(value: &Value, at: &str, depth: usize) -> Result<Word, Fault> {
    if let Value::String(text) = value {
        return Ok(Word::Literal(text.clone()));
    }
    let written: WrittenWord = read(value, at)?;
    let only = ["value", "as", "option", "prefix", "separators"];
    let is_value = written.members().iter().all(|name| only.contains(name));
    match written.value {
        Some(argument) if is_value => Ok(Word::Value {
            encoding: encoding(written.encoding.as_deref(), at)?,
            argument,
            option: written.option,
            prefix: written.prefix,
            separators: written.separators,
        }),
        value => special(WrittenWord { value, ..written }, at, depth),
    }
}

/// The forms that are no value; each has members that no other has.
fn special(written: WrittenWord, at: &str, depth: usize) -> Result<Word, Fault> {
    let given = written.members();
    let WrittenWord {
        encoding,
        option,
        flag,
        split,
        scratch,
        join,
        when,
        then,
        otherwise,
        ..
    } = written;
    let verbatim = match encoding.as_deref() {
        None | Some("plain") => Some(false),
        Some("verbatim") => Some(true),
        Some(_) => None,
    };
    let condition = match &when {
        Some(when) => condition::read(when, &format!("{at}/when"), 0)?,
        None => Condition::Always,
    };
    let branch = |words: Option<Vec<Value>>, name: &str| {
        let words = words.unwrap_or_default();
        list(&words, &format!("{at}/{name}"), depth + 1)
    };
    match (&given[..], option, flag, split, verbatim) {
        (["option", "scratch"], Some(option), ..) => Ok(Word::Scratch {
            option,
            file: match scratch {
                Some(WrittenScratch::File(name)) => Some(name),
                _ => None,
            },
        }),
        (["split"] | ["as", "split"], _, _, Some(argument), Some(verbatim)) => {
            Ok(Word::Split { argument, verbatim })
        }
        (["flag", "when"], _, Some(flag), ..) => Ok(Word::When {
            condition,
            then: vec![Word::Literal(flag)],
            otherwise: Vec::new(),
        }),
        (["join"], ..) => branch(join, "join").map(Word::Joined),
        (["when", "then"] | ["when", "else"] | ["when", "then", "else"], ..) => Ok(Word::When {
            condition,
            then: branch(then, "then")?,
            otherwise: branch(otherwise, "else")?,
        }),
        _ => Err(no_word(at)),
    }
}

fn no_word(at: &str) -> Fault {
    Fault::new(
        at,
        "expected a text or one of {value, as, option, prefix, separators}, {flag, when}, {option, scratch: true or a file name}, {split, as: verbatim}, {join} and {when, then, else}",
    )
}

fn encoding(kind: Option<&str>, at: &str) -> Result<Encoding, Fault> {
    match kind {
        None | Some("plain") => Ok(Encoding::Plain),
        Some("path") => Ok(Encoding::Path),
        Some("property") => Ok(Encoding::Property),
        Some("property-path") => Ok(Encoding::PropertyPath),
        Some("name-or-path") => Ok(Encoding::NameOrPath),
        Some("source") => Ok(Encoding::Source),
        Some("property-source") => Ok(Encoding::PropertySource),
        Some("project-path") => Ok(Encoding::ProjectPath),
        Some("verbatim") => Ok(Encoding::Verbatim),
        Some(other) => Err(Fault::new(
            &format!("{at}/as"),
            format!(
                "expected plain, path, property, property-path, project-path, name-or-path, source, property-source or verbatim, found `{other}`"
            ),
        )),
    }
}

/// Values that are taken as they are may stand behind `--` alone, where no program looks for options.
pub(super) fn check_verbatim(words: &[Word]) -> Result<(), String> {
    let mut behind = false;
    verbatim_in(words, &mut behind)
}

fn verbatim_in(words: &[Word], behind: &mut bool) -> Result<(), String> {
    for word in words {
        match word {
            Word::Literal(text) => *behind |= text == "--",
            Word::Value {
                encoding: Encoding::Verbatim,
                argument,
                ..
            }
            | Word::Split {
                verbatim: true,
                argument,
            } if !*behind => {
                return Err(format!(
                    "`{argument}` is verbatim and does not stand behind `--`"
                ));
            }
            Word::Joined(parts) => verbatim_in(parts, &mut behind.clone())?,
            Word::When {
                condition,
                then,
                otherwise,
            } => {
                let (mut one, mut other) = (*behind, *behind);
                verbatim_in(then, &mut one)?;
                verbatim_in(otherwise, &mut other)?;
                *behind = match condition {
                    Condition::Always => one,
                    _ => one && other,
                };
            }
            Word::Value { .. } | Word::Split { .. } | Word::Scratch { .. } => {}
        }
    }
    Ok(())
}

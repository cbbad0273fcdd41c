//! Words of a command line from arguments: none of them can become an option, a response file or a second
//! property, whatever a caller writes.

use std::borrow::Cow;
use std::collections::HashSet;

use serde_json::{Map, Value};

use super::project::beside_project;
use super::{ArgumentFault, PlannedWord, source};
use crate::tool::{Encoding, Word, is_given};

type Planned = Result<(), ArgumentFault>;

/// The words in their order.
pub(super) fn words(
    templates: &[Word],
    arguments: &Map<String, Value>,
    secret: &HashSet<&str>,
) -> Result<Vec<PlannedWord>, ArgumentFault> {
    let mut writer = Writer {
        arguments,
        secret,
        words: Vec::with_capacity(templates.len()),
    };
    writer.all(templates)?;
    Ok(writer.words)
}

struct Writer<'a> {
    arguments: &'a Map<String, Value>,
    secret: &'a HashSet<&'a str>,
    words: Vec<PlannedWord>,
}

impl Writer<'_> {
    fn all(&mut self, templates: &[Word]) -> Planned {
        templates.iter().try_for_each(|word| self.one(word))
    }

    /// The depth of groups is bounded when the document is read.
    fn one(&mut self, word: &Word) -> Planned {
        match word {
            Word::Literal(text) => self.words.push(PlannedWord::Text(text.clone())),
            Word::Scratch { option, file } => {
                self.words.push(PlannedWord::Text(option.clone()));
                self.words.push(PlannedWord::Scratch { file: file.clone() });
            }
            Word::Split {
                argument,
                verbatim: true,
            } => return self.split_verbatim(argument),
            Word::Split { argument, .. } => return self.split(argument),
            Word::When {
                condition,
                then,
                otherwise,
            } => {
                let holds = condition.holds(self.arguments);
                return self.all(if holds { then } else { otherwise });
            }
            Word::Joined(parts) => return self.joined(parts),
            Word::Value {
                argument,
                encoding,
                option,
                prefix,
                separators,
            } => {
                let (option, prefix) = (option.as_deref(), prefix.as_deref());
                for text in texts(self.arguments.get(argument), argument)? {
                    for piece in pieces(&text, separators.as_deref()) {
                        if let Some(option) = option {
                            self.words.push(PlannedWord::Text(option.to_owned()));
                        }
                        let prefix = prefix.unwrap_or_default();
                        let word = self.value(argument, *encoding, prefix, piece)?;
                        self.words.push(word);
                    }
                }
            }
        }
        Ok(())
    }

    /// One word of several; what follows a path belongs to the path.
    fn joined(&mut self, parts: &[Word]) -> Planned {
        let mut whole: Option<PlannedWord> = None;
        for part in parts {
            let made = words(std::slice::from_ref(part), self.arguments, self.secret)?;
            if whole.is_none() && made.is_empty() {
                return Ok(());
            }
            for word in made {
                whole = Some(match whole {
                    None => word,
                    Some(before) => join(before, word),
                });
            }
        }
        self.words.extend(whole);
        Ok(())
    }

    fn value(
        &self,
        argument: &str,
        encoding: Encoding,
        prefix: &str,
        text: &str,
    ) -> Result<PlannedWord, ArgumentFault> {
        let (encoding, named) = source::judged(encoding, text);
        let given = text;
        let text = match encoding {
            Encoding::Path | Encoding::PropertyPath | Encoding::ProjectPath => {
                check_path(argument, text)?;
                let escaped = encoding == Encoding::PropertyPath;
                let path = match encoding {
                    Encoding::ProjectPath => beside_project(self.arguments, text),
                    _ => text.to_owned(),
                };
                return Ok(PlannedWord::Path {
                    argument: argument.to_owned(),
                    prefix: prefix.to_owned(),
                    path,
                    escaped,
                });
            }
            Encoding::Verbatim if text.contains('\0') => {
                return Err(ArgumentFault::characters(argument, "must not contain NUL"));
            }
            Encoding::Verbatim => Cow::Borrowed(text),
            Encoding::Plain
            | Encoding::NameOrPath
            | Encoding::Source
            | Encoding::PropertySource => {
                check_plain(argument, text)?;
                Cow::Borrowed(text)
            }
            Encoding::Property => {
                check_plain(argument, text)?;
                check_property(argument, text)?;
                escape_property(text)
            }
        };
        let word = format!("{prefix}{text}");
        Ok(if self.secret.contains(argument) {
            PlannedWord::Secret(word)
        } else if named {
            PlannedWord::Named {
                argument: argument.to_owned(),
                name: given.to_owned(),
                word,
            }
        } else {
            PlannedWord::Text(word)
        })
    }

    /// Options that a caller types are words and nothing else: no paths, no property syntax, no quotes.
    fn split(&mut self, argument: &str) -> Planned {
        for text in texts(self.arguments.get(argument), argument)? {
            check_characters(argument, &text)?;
            for word in text.split_whitespace() {
                let strange = |c: char| "\"'`;,%$\\/<>|&(){}[]*?!#^~".contains(c);
                if word.contains(strange) || word.starts_with('@') {
                    return Err(ArgumentFault::characters(
                        argument,
                        "contains characters that are not allowed in options",
                    ));
                }
                let climbs = |part: &str| part == "..";
                if word.split(['=', ':']).any(climbs) {
                    return Err(ArgumentFault::invalid(argument, "must not contain `..`"));
                }
                self.words.push(match self.secret.contains(argument) {
                    true => PlannedWord::Secret(word.to_owned()),
                    false => PlannedWord::Text(word.to_owned()),
                });
            }
        }
        Ok(())
    }

    fn split_verbatim(&mut self, argument: &str) -> Planned {
        for text in texts(self.arguments.get(argument), argument)? {
            if text.contains('\0') {
                return Err(ArgumentFault::characters(argument, "must not contain NUL"));
            }
            let secret = self.secret.contains(argument);
            let word = |text| match secret {
                true => PlannedWord::Secret(text),
                false => PlannedWord::Text(text),
            };
            self.words.extend(unquote(&text).into_iter().map(word));
        }
        Ok(())
    }
}

/// The pieces of a text between separators; blank ones say nothing.
fn pieces<'t>(text: &'t str, separators: Option<&'t str>) -> impl Iterator<Item = &'t str> {
    let cut = separators.unwrap_or_default();
    let pieces = text.split(move |c: char| cut.contains(c));
    pieces
        .map(move |piece| if cut.is_empty() { piece } else { piece.trim() })
        .filter(|piece| !piece.is_empty())
}

fn join(before: PlannedWord, after: PlannedWord) -> PlannedWord {
    use PlannedWord::{Named, Path, Scratch, Secret, Text};
    match (before, after) {
        (Named { word, .. }, after) => join(Text(word), after),
        (before, Named { word, .. }) => join(before, Text(word)),
        (
            Path {
                argument,
                prefix,
                path,
                escaped,
            },
            after,
        ) => Path {
            argument,
            prefix,
            path: path + &plain(after),
            escaped,
        },
        (
            Text(before),
            Path {
                argument,
                prefix,
                path,
                escaped,
            },
        ) => Path {
            argument,
            prefix: before + &prefix,
            path,
            escaped,
        },
        (Text(before), Text(after)) => Text(before + &after),
        (before @ (Text(_) | Secret(_) | Scratch { .. }), after) => {
            Secret(plain(before) + &plain(after))
        }
    }
}

/// A scratch folder is a word of its own and never part of one.
fn plain(word: PlannedWord) -> String {
    match word {
        PlannedWord::Text(text) | PlannedWord::Secret(text) => text,
        PlannedWord::Path { prefix, path, .. } => prefix + &path,
        PlannedWord::Named { word, .. } => word,
        PlannedWord::Scratch { .. } => String::new(),
    }
}

/// Words as a program's own arguments: blanks split, except within double quotes.
fn unquote(text: &str) -> Vec<String> {
    let (mut words, mut word, mut quoted) = (Vec::new(), None::<String>, false);
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '"' => {
                quoted = !quoted;
                word.get_or_insert_default();
            }
            '\\' if matches!(rest.peek(), Some('"' | '\\')) => {
                word.get_or_insert_default().extend(rest.next());
            }
            c if c.is_whitespace() && !quoted => words.extend(word.take()),
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

/// The texts of an argument: its own or its items'; none where it says nothing.
fn texts<'a>(value: Option<&'a Value>, argument: &str) -> Result<Vec<Cow<'a, str>>, ArgumentFault> {
    match value {
        None => Ok(Vec::new()),
        Some(value) if !is_given(value) && *value != Value::Bool(false) => Ok(Vec::new()),
        Some(Value::Array(items)) => {
            let given = items.iter().filter(|item| is_given(item));
            given.map(|item| text(item, argument)).collect()
        }
        Some(value) => Ok(vec![text(value, argument)?]),
    }
}

/// A scalar's text; numbers keep their digits.
fn text<'a>(value: &'a Value, argument: &str) -> Result<Cow<'a, str>, ArgumentFault> {
    match value {
        Value::String(text) => Ok(Cow::Borrowed(text)),
        Value::Number(number) => Ok(Cow::Owned(number.to_string())),
        Value::Bool(true) => Ok(Cow::Borrowed("true")),
        Value::Bool(false) => Ok(Cow::Borrowed("false")),
        Value::Null | Value::Array(_) | Value::Object(_) => Err(ArgumentFault::invalid(
            argument,
            "has to be a text or a list of texts",
        )),
    }
}

fn check_characters(argument: &str, text: &str) -> Planned {
    if text.chars().any(char::is_control) {
        return Err(ArgumentFault::characters(
            argument,
            "must not contain control characters",
        ));
    }
    Ok(())
}

/// Not an option, not a response file, and not one of `MSBuild`'s switches (`/p:X=1`).
fn check_plain(argument: &str, text: &str) -> Planned {
    check_start(argument, text)?;
    let switch = text.strip_prefix('/').is_some_and(|rest| {
        let name = rest.trim_start_matches(|c: char| c.is_ascii_alphanumeric());
        name.len() < rest.len() && (name.is_empty() || name.starts_with([':', '=']))
    });
    if switch {
        return Err(ArgumentFault::invalid(
            argument,
            "must not look like a switch",
        ));
    }
    Ok(())
}

fn check_start(argument: &str, text: &str) -> Planned {
    check_characters(argument, text)?;
    // A program may trim what it reads.
    match text.trim_start().chars().next() {
        Some('-') => Err(ArgumentFault::invalid(
            argument,
            "must not begin with a dash",
        )),
        Some('@') => Err(ArgumentFault::invalid(argument, "must not begin with `@`")),
        _ => Ok(()),
    }
}

/// Where a path lies is judged on the machine; that it is one, here.
pub(super) fn check_path(argument: &str, text: &str) -> Planned {
    check_start(argument, text)?;
    let network = text.trim_start();
    if network.starts_with("\\\\") || network.starts_with("//") {
        return Err(ArgumentFault::invalid(
            argument,
            "must not be a network path",
        ));
    }
    if text.contains(['*', '?', '<', '>', '|', '"']) {
        return Err(ArgumentFault::characters(
            argument,
            "contains characters that are not allowed in a path",
        ));
    }
    Ok(())
}

fn check_property(argument: &str, text: &str) -> Planned {
    if text.contains('"') {
        return Err(ArgumentFault::characters(
            argument,
            "must not contain quotes",
        ));
    }
    Ok(())
}

/// `MSBuild` splits properties at `;` and `,` and reads `%XX` in them.
pub fn escape_property(text: &str) -> Cow<'_, str> {
    if !text.contains(['%', ';', ',', '$', '@']) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '%' => out.push_str("%25"),
            ';' => out.push_str("%3B"),
            ',' => out.push_str("%2C"),
            '$' => out.push_str("%24"),
            '@' => out.push_str("%40"),
            other => out.push(other),
        }
    }
    Cow::Owned(out)
}

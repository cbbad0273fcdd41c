//! Places of the normal form as the author of a document knows them.

use std::path::Path;

use super::external::Location;
use super::upgrade::templates::Origins;

/// How a Swagger document calls what has another place in the normal form.
const SWAGGER: [(&str, &str); 3] = [
    ("/components/schemas", "/definitions"),
    ("/components/securitySchemes", "/securityDefinitions"),
    ("/servers/0", "/basePath"),
];

/// Turns places of the normal form into those of the documents as written.
#[derive(Debug, Default)]
pub(super) struct Written {
    pub(super) swagger: bool,
    /// The documents that references brought in, in their order.
    pub(super) others: Vec<Other>,
    pub(super) templates: Origins,
}

/// A document that references brought in.
#[derive(Debug, Default)]
pub(super) struct Other {
    /// Its path or URL.
    pub(super) name: String,
    /// The same as the main document would refer to it.
    pub(super) reference: String,
}

impl Other {
    pub(super) fn new(location: &Location, main: &Location) -> Self {
        let name = location.name();
        let below = match (location, main) {
            (Location::File(path), Location::File(main)) => main
                .parent()
                .and_then(|folder| path.strip_prefix(folder).ok())
                .and_then(Path::to_str),
            _ => None,
        };
        Self {
            reference: below.map_or_else(|| name.clone(), |below| below.replace('\\', "/")),
            name,
        }
    }
}

impl Written {
    /// The pointer of the document as written; one of another document follows its name and `#`.
    pub(super) fn pointer(&self, pointer: &str) -> String {
        match self.place(pointer) {
            (Some(other), pointer) => format!("{}#{pointer}", other.name),
            (None, pointer) => pointer,
        }
    }

    /// A sentence whose references are as written. They stand in quotes, and nothing else that looks like one does.
    pub(super) fn sentence(&self, text: &str) -> String {
        let mut written = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(start) = rest.find("#/") {
            let (before, reference) = rest.split_at(start);
            written.push_str(before);
            let quote = before.chars().next_back();
            let quote = quote.filter(|quote| matches!(quote, '`' | '"' | '\''));
            let end = quote.and_then(|quote| reference.find(quote));
            // Cut off, or another document's.
            let end = end.unwrap_or("#/".len());
            let (reference, after) = reference.split_at(end);
            match self.place(&reference[1..]) {
                (Some(other), pointer) => {
                    written.push_str(&other.reference);
                    written.push('#');
                    written.push_str(&pointer);
                }
                (None, pointer) => {
                    written.push('#');
                    written.push_str(&pointer);
                }
            }
            rest = after;
        }
        written.push_str(rest);
        written
    }

    /// The document, where it is another, and the pointer there.
    fn place(&self, pointer: &str) -> (Option<&Other>, String) {
        if let Some(origin) = self.templates.of(pointer) {
            return self.place(&origin);
        }
        if let Some(rest) = pointer.strip_prefix("/components/x-external/") {
            let (number, pointer) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
            let number = number.parse().ok();
            let other = number.and_then(|number: usize| self.others.get(number));
            if other.is_some() {
                return (other, pointer.to_owned());
            }
        }
        for (normal, written) in SWAGGER.iter().filter(|_| self.swagger) {
            if let Some(rest) = pointer.strip_prefix(normal) {
                return (None, format!("{written}{rest}"));
            }
        }
        (None, pointer.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_in_sentences_are_as_written() {
        let other = |reference: &str| Other {
            name: format!("/x/{reference}"),
            reference: reference.to_owned(),
        };
        let mut written = Written {
            others: vec![other("a.yaml"), other("b/c.yaml")],
            ..Written::default()
        };
        for (text, expected) in [
            (
                "the reference \"#/components/x-external/1/x/y\" leads nowhere",
                "the reference \"b/c.yaml#/x/y\" leads nowhere",
            ),
            (
                "`#/components/x-external/0/a b` and `#/components/x-external/0` and `#/a`",
                "`a.yaml#/a b` and `a.yaml#` and `#/a`",
            ),
            (
                "\"d.yaml#/components/x-external/0/x\" #/",
                "\"d.yaml#/components/x-external/0/x\" #/",
            ),
            (
                "`#/components/x-external/7/x`",
                "`#/components/x-external/7/x`",
            ),
            ("`#/components/schemas/Pet`", "`#/components/schemas/Pet`"),
            (
                "it was cut: \"#/components/x-ext...",
                "it was cut: \"#/components/x-ext...",
            ),
        ] {
            assert_eq!(written.sentence(text), expected);
        }
        assert_eq!(
            written.pointer("/components/x-external/0/x"),
            "/x/a.yaml#/x"
        );
        written.swagger = true;
        let pet = written.sentence("the schema `#/components/schemas/Pet` is");
        assert_eq!(pet, "the schema `#/definitions/Pet` is");
    }

    #[test]
    fn files_below_the_documents_folder_are_named_from_there() {
        let main = Location::File("/x/api.yaml".into());
        let reference = |place: &str| Other::new(&Location::File(place.into()), &main).reference;
        assert_eq!(reference("/x/parts/a.yaml"), "parts/a.yaml");
        assert_eq!(reference("/y/a.yaml"), "/y/a.yaml");
    }
}

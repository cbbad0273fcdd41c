//! JSON pointers (RFC 6901): how findings, faults and settings name a place in a document, a schema or arguments.

use std::borrow::Cow;

/// The pointer of an object's member, or of an array's item by its number, below `pointer`.
#[must_use]
pub fn member(pointer: &str, name: &str) -> String {
    let mut below = String::with_capacity(pointer.len() + 1 + name.len());
    below.push_str(pointer);
    push(&mut below, name);
    below
}

/// Goes one member, or one item, deeper.
pub fn push(pointer: &mut String, name: &str) {
    pointer.push('/');
    pointer.push_str(&escape(name));
}

/// The names a pointer goes through; none for the root.
pub fn names(pointer: &str) -> impl Iterator<Item = Cow<'_, str>> {
    pointer.split('/').skip(1).map(unescape)
}

/// A name as a pointer's token (section 3).
#[must_use]
pub fn escape(name: &str) -> Cow<'_, str> {
    if name.contains(['~', '/']) {
        Cow::Owned(name.replace('~', "~0").replace('/', "~1"))
    } else {
        Cow::Borrowed(name)
    }
}

/// A pointer's token as the name it stands for (section 4).
#[must_use]
pub fn unescape(token: &str) -> Cow<'_, str> {
    if token.contains('~') {
        // In this order: `~01` stands for `~1`.
        Cow::Owned(token.replace("~1", "/").replace("~0", "~"))
    } else {
        Cow::Borrowed(token)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_back() {
        for (name, token) in [
            ("pets", "pets"),
            ("", ""),
            ("/a/{id}", "~1a~1{id}"),
            ("~1", "~01"),
            ("~/", "~0~1"),
            ("é%20", "é%20"),
        ] {
            assert_eq!(escape(name), token);
            assert_eq!(unescape(token), name);
        }
        let pointer = member(&member("", "a/b"), "~0");
        assert_eq!(pointer, "/a~1b/~00");
        assert_eq!(names(&pointer).collect::<Vec<_>>(), ["a/b", "~0"]);
        assert_eq!(names("").count(), 0);
    }
}

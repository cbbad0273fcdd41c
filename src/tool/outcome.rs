//! What a call came to, in MCP's terms but in no revision's wire form.

use bytes::Bytes;
use bytestring::ByteString;

/// The result of a tool call.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// What the model reads.
    pub content: Vec<Content>,
    /// The same as data.
    pub structured: Option<Structured>,
    /// The operation failed (MCP `isError`).
    pub is_error: bool,
    /// The upstream's HTTP status or the child's exit code, for the log.
    pub status: Option<i32>,
}

impl Outcome {
    /// A failure told in one text.
    #[must_use]
    pub fn failure(text: impl Into<String>) -> Self {
        Self {
            content: vec![Content::Text(Text::from(text.into()))],
            structured: None,
            is_error: true,
            status: None,
        }
    }

    /// The length of the content, in bytes, before anything is encoded.
    #[must_use]
    pub fn size(&self) -> u64 {
        let sizes = self.content.iter().map(|content| match content {
            Content::Text(text) | Content::Document { text, .. } => text.as_bytes().len(),
            Content::Image { data, .. }
            | Content::Audio { data, .. }
            | Content::Blob { data, .. } => data.len(),
            Content::Link { .. } => 0,
        });
        sizes.map(|size| size as u64).sum()
    }
}

/// One content block.
#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    /// Plain text or the text of a JSON document.
    Text(Text),
    /// An image; `data` is not yet base64.
    Image {
        /// The bytes.
        data: Bytes,
        /// Media type without parameters.
        media_type: String,
    },
    /// A sound; `data` is not yet base64.
    Audio {
        /// The bytes.
        data: Bytes,
        /// Media type without parameters.
        media_type: String,
    },
    /// Any other bytes, embedded as a resource's blob.
    Blob {
        /// Names the resource; no client has to be able to read it.
        uri: String,
        /// The bytes.
        data: Bytes,
        /// Media type without parameters.
        media_type: String,
    },
    /// A text embedded as a resource.
    Document {
        /// Names the resource.
        uri: String,
        /// The text.
        text: Text,
        /// Media type without parameters.
        media_type: String,
    },
    /// A resource the client can read from this server for a while.
    Link {
        /// Where.
        uri: String,
        /// A short name.
        name: String,
        /// What it is.
        description: String,
        /// Media type without parameters.
        media_type: String,
        /// In bytes, when known.
        size: Option<u64>,
    },
}

/// Data of an outcome: valid JSON text as it was received, by itself or as a member of an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Structured {
    json: Text,
    is_result: bool,
}

impl Structured {
    /// The text by itself.
    #[must_use]
    pub fn plain(json: Text) -> Self {
        Self {
            json,
            is_result: false,
        }
    }

    /// The text as the member `result` of an object, for clients that take nothing but objects.
    #[must_use]
    pub fn result(json: Text) -> Self {
        Self {
            json,
            is_result: true,
        }
    }

    /// The text as it was received.
    #[must_use]
    pub fn json(&self) -> &Text {
        &self.json
    }

    /// The same with another text in its place.
    #[must_use]
    pub fn with(&self, json: Text) -> Self {
        Self {
            json,
            is_result: self.is_result,
        }
    }

    /// What stands before and behind the received text.
    #[must_use]
    pub fn frame(&self) -> (&'static str, &'static str) {
        if self.is_result {
            ("{\"result\":", "}")
        } else {
            ("", "")
        }
    }

    /// Whether it is a JSON object.
    #[must_use]
    pub fn is_object(&self) -> bool {
        self.is_result || self.json.as_bytes().trim_ascii_start().starts_with(b"{")
    }

    /// All of it in one piece.
    #[must_use]
    pub fn to_text(&self) -> String {
        let (before, behind) = self.frame();
        [before, self.json.as_str(), behind].concat()
    }
}

impl<T: Into<Text>> From<T> for Structured {
    fn from(json: T) -> Self {
        Self::plain(json.into())
    }
}

/// Bytes that are known to be UTF-8, shared with the buffer they were received in. Checked once, however often it is
/// read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Text(ByteString);

impl Text {
    /// Checks `bytes` without copying them.
    ///
    /// # Errors
    /// Gives the bytes back when they are not UTF-8.
    pub fn from_utf8(bytes: Bytes) -> Result<Self, Bytes> {
        let text = ByteString::try_from(bytes.clone());
        text.map(Self).map_err(|_| bytes)
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The first `length` bytes, sharing their memory; fewer where that would split a character.
    #[must_use]
    pub fn head(&self, length: usize) -> Self {
        let mut end = length.min(self.0.len());
        while !self.0.is_char_boundary(end) {
            end -= 1;
        }
        Self(self.0.slice_ref(&self.0[..end]))
    }

    /// The bytes themselves.
    #[must_use]
    pub fn into_bytes(self) -> Bytes {
        self.0.into_bytes()
    }

    /// The bytes, for copying into an answer.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

impl From<String> for Text {
    fn from(text: String) -> Self {
        Self(ByteString::from(text))
    }
}

impl From<&'static str> for Text {
    fn from(text: &'static str) -> Self {
        Self(ByteString::from_static(text))
    }
}

//! A message's bytes on their way out: written, or shared with whoever has them already.

use bytes::Bytes;

/// Shorter pieces are copied: a piece of its own costs more than that.
pub(crate) const SHARED: usize = 4096;

/// JSON text in one or several pieces, none of them empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Payload(Pieces);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Pieces {
    One(Bytes),
    Several(Vec<Bytes>),
}

impl Payload {
    /// These pieces, one after another.
    #[cfg(test)]
    pub(crate) fn from_pieces(pieces: Vec<Bytes>) -> Self {
        Self(Pieces::Several(pieces))
    }

    /// How many bytes it is.
    pub(crate) fn size(&self) -> usize {
        match &self.0 {
            Pieces::One(bytes) => bytes.len(),
            Pieces::Several(pieces) => pieces.iter().map(Bytes::len).sum(),
        }
    }

    /// The pieces in their order.
    #[must_use]
    pub fn into_pieces(self) -> Vec<Bytes> {
        match self.0 {
            Pieces::One(bytes) => vec![bytes],
            Pieces::Several(pieces) => pieces,
        }
    }

    /// All of it, copied together where it is in several pieces.
    #[must_use]
    pub fn into_bytes(self) -> Bytes {
        match self.0 {
            Pieces::One(bytes) => bytes,
            Pieces::Several(pieces) => pieces.concat().into(),
        }
    }

    /// The only piece, or all of them.
    ///
    /// # Errors
    /// The pieces, where there is more than one.
    pub fn into_single(self) -> Result<Bytes, Vec<Bytes>> {
        match self.0 {
            Pieces::One(bytes) => Ok(bytes),
            Pieces::Several(pieces) => Err(pieces),
        }
    }
}

impl<T: Into<Bytes>> From<T> for Payload {
    fn from(bytes: T) -> Self {
        Self(Pieces::One(bytes.into()))
    }
}

/// Writes a payload.
#[derive(Debug, Default)]
pub(crate) struct Writer {
    pieces: Vec<Bytes>,
    /// What comes after the pieces.
    pub(crate) out: Vec<u8>,
}

impl Writer {
    /// A writer with room for so many bytes that are written.
    pub(crate) fn with_capacity(capacity: usize) -> Self {
        Self {
            pieces: Vec::new(),
            out: Vec::with_capacity(capacity),
        }
    }

    /// Appends bytes without copying them, where that pays.
    pub(crate) fn share(&mut self, bytes: Bytes) {
        if bytes.len() < SHARED {
            self.out.extend_from_slice(&bytes);
            return;
        }
        if !self.out.is_empty() {
            self.pieces.push(std::mem::take(&mut self.out).into());
        }
        self.pieces.push(bytes);
    }

    pub(crate) fn finish(mut self) -> Payload {
        if self.pieces.is_empty() {
            return self.out.into();
        }
        if !self.out.is_empty() {
            self.pieces.push(self.out.into());
        }
        Payload(Pieces::Several(self.pieces))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_pieces_are_shared_and_short_ones_copied() {
        let (long, short) = (Bytes::from(vec![b'x'; SHARED]), Bytes::from_static(b"yy"));
        let mut writer = Writer::default();
        writer.out.push(b'[');
        writer.share(short);
        writer.share(long.clone());
        writer.out.push(b']');
        let payload = writer.finish();
        let whole = payload.clone().into_bytes();
        assert_eq!(whole, [b"[yy", &*long, b"]"].concat());
        assert_eq!(payload.size(), whole.len());
        let pieces = payload.into_pieces();
        assert_eq!(pieces.len(), 3);
        assert!(std::ptr::eq(&*pieces[1], &*long));
        let mut writer = Writer::default();
        writer.out.push(b'1');
        assert_eq!(writer.finish().into_single(), Ok(Bytes::from_static(b"1")));
    }
}

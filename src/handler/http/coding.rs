//! Content codings, undone (RFC 9110, section 8.4).

use std::io;
use std::pin::Pin;

use ::http::HeaderMap;
use ::http::header::CONTENT_ENCODING;
use async_compression::tokio::bufread::{
    BrotliDecoder, DeflateDecoder, GzipDecoder, ZlibDecoder, ZstdDecoder,
};
use futures_util::{TryStreamExt, stream};
use tokio::io::{AsyncBufRead, AsyncBufReadExt, BufReader};
use tokio_util::io::{ReaderStream, StreamReader};

/// A body in more codings than this stays as it is: each is a decoder's memory, and nobody means it.
const MOST: usize = 4;

/// Where a body comes from.
pub(super) type Reader = Pin<Box<dyn AsyncBufRead + Send>>;

/// What a body was packed by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Coding {
    Gzip,
    Deflate,
    Brotli,
    Zstd,
}

/// The codings that were applied, in their order; nothing where one is unknown or they are too many.
pub(super) fn applied(headers: &HeaderMap) -> Option<Vec<Coding>> {
    let mut codings = Vec::new();
    for value in headers.get_all(CONTENT_ENCODING) {
        for word in value.to_str().ok()?.split(',') {
            match word.trim().to_ascii_lowercase().as_str() {
                "gzip" | "x-gzip" => codings.push(Coding::Gzip),
                "deflate" => codings.push(Coding::Deflate),
                "br" => codings.push(Coding::Brotli),
                "zstd" => codings.push(Coding::Zstd),
                "" | "identity" => {}
                _ => return None,
            }
        }
    }
    (codings.len() <= MOST).then_some(codings)
}

/// What was packed, the last coding undone first. Nothing is nothing, whatever coding it is said to be in: such are
/// answers to HEAD, with 204 or 304, and many an empty one.
pub(super) fn undone(mut reader: Reader, codings: Vec<Coding>) -> Reader {
    later(async move {
        if reader.fill_buf().await?.is_empty() {
            return Ok(reader);
        }
        Ok(codings.into_iter().rev().fold(reader, decoder))
    })
}

fn decoder(reader: Reader, coding: Coding) -> Reader {
    match coding {
        Coding::Gzip => {
            let mut decoder = GzipDecoder::new(reader);
            decoder.multiple_members(true);
            Box::pin(BufReader::new(decoder))
        }
        Coding::Deflate => inflated(reader),
        Coding::Brotli => Box::pin(BufReader::new(BrotliDecoder::new(reader))),
        Coding::Zstd => Box::pin(BufReader::new(ZstdDecoder::new(reader))),
    }
}

/// `deflate` is the zlib format (RFC 9110, section 8.4.1.2), but many servers send the bare data within it. The
/// first byte tells: a zlib header's lower half is 8 (RFC 1950, section 2.2), which no bare data begins with.
fn inflated(mut reader: Reader) -> Reader {
    later(async move {
        let first = reader.fill_buf().await?.first().copied();
        let decoder: Reader = if first.is_none_or(|byte| byte & 15 == 8) {
            Box::pin(BufReader::new(ZlibDecoder::new(reader)))
        } else {
            Box::pin(BufReader::new(DeflateDecoder::new(reader)))
        };
        Ok(decoder)
    })
}

/// A reader that is known once something has come.
fn later(reader: impl Future<Output = io::Result<Reader>> + Send + 'static) -> Reader {
    let pieces = stream::once(reader).map_ok(ReaderStream::new);
    Box::pin(StreamReader::new(Box::pin(pieces.try_flatten())))
}

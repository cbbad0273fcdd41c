//! Turns of a connection's task that would be for nothing.
//!
//! `hyper` wakes a connection whenever a piece of a body that it has read is taken, so that it reads the next one. It does
//! so for the last piece too, when nothing is left to read, and then the whole task has its turn in vain: on the
//! server's side all that waits for the answer is looked at once more. A small call has such a piece on either side.

use std::cell::Cell;
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};

use http_body::{Body, Frame, SizeHint};

thread_local! {
    static TAKING: Cell<Taking> = const { Cell::new(Taking::Nothing) };
}

/// What this thread does just now.
#[derive(Default)]
enum Taking {
    #[default]
    Nothing,
    /// It takes a piece, for which this connection was to be woken.
    Piece(Option<Arc<Reader>>),
}

/// Who reads bodies: a connection's task.
struct Reader {
    task: Waker,
}

impl Wake for Reader {
    fn wake(self: Arc<Self>) {
        match TAKING.take() {
            Taking::Nothing => self.task.wake_by_ref(),
            Taking::Piece(another) => {
                TAKING.set(Taking::Piece(Some(self)));
                if let Some(another) = another {
                    another.task.wake_by_ref();
                }
            }
        }
    }
}

/// Polls a connection until it ends, in a task of its own: the one that is woken has to stay the same. Of bodies that are
/// [`Pieces`] no last piece wakes it.
pub async fn reading<F: Future>(connection: F) -> F::Output {
    let reader = poll_fn(|context| {
        let task = context.waker().clone();
        Poll::Ready(Waker::from(Arc::new(Reader { task })))
    });
    let reader = reader.await;
    let mut connection = pin!(connection);
    poll_fn(|_| {
        let context = &mut Context::from_waker(&reader);
        connection.as_mut().poll(context)
    })
    .await
}

/// A body whose connection is not woken when the last piece is taken.
#[derive(Debug)]
pub struct Pieces<B>(pub B);

impl<B: Body + Unpin> Body for Pieces<B> {
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<B::Data>, B::Error>>> {
        let mut taken = Taken::begin();
        let polled = Pin::new(&mut self.0).poll_frame(context);
        taken.is_last = matches!(polled, Poll::Ready(Some(Ok(_)))) && self.0.is_end_stream();
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.0.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.0.size_hint()
    }
}

/// While it is there, a piece is taken.
struct Taken {
    is_last: bool,
}

impl Taken {
    fn begin() -> Self {
        TAKING.set(Taking::Piece(None));
        Self { is_last: false }
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        if let Taking::Piece(Some(reader)) = TAKING.take()
            && !self.is_last
        {
            reader.task.wake_by_ref();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::atomic::{AtomicUsize, Ordering};

    use bytes::Bytes;

    use super::*;

    #[derive(Default)]
    struct Count(AtomicUsize);

    impl Count {
        fn so_far(&self) -> usize {
            self.0.load(Ordering::SeqCst)
        }
    }

    impl Wake for Count {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }

    /// A body that wakes its connection whatever it is asked for.
    struct Loud {
        connection: Waker,
        pieces: Vec<Poll<Option<&'static str>>>,
        panics: bool,
    }

    impl Body for Loud {
        type Data = Bytes;
        type Error = Infallible;

        fn poll_frame(
            mut self: Pin<&mut Self>,
            _context: &mut Context<'_>,
        ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
            self.connection.wake_by_ref();
            assert!(!self.panics, "as told");
            let next = self.pieces.remove(0);
            next.map(|next| next.map(|piece| Ok(Frame::data(Bytes::from_static(piece.as_bytes())))))
        }

        fn is_end_stream(&self) -> bool {
            self.pieces.is_empty()
        }
    }

    /// The waker that a connection passes on, and how often its task is woken.
    fn connection() -> (Waker, Arc<Count>) {
        let task = Arc::new(Count::default());
        let run = pin!(reading(poll_fn(|context| Poll::Ready(
            context.waker().clone()
        ))));
        let waker = Waker::from(Arc::clone(&task));
        let Poll::Ready(passed) = run.poll(&mut Context::from_waker(&waker)) else {
            panic!("it is done at once");
        };
        (passed, task)
    }

    fn poll(body: &mut Pieces<Loud>) -> bool {
        let context = &mut Context::from_waker(Waker::noop());
        Pin::new(body).poll_frame(context).is_ready()
    }

    #[test]
    fn all_but_the_last_piece_wake_the_connection() {
        let (connection, woken) = connection();
        let pieces = vec![
            Poll::Ready(Some("a")),
            Poll::Pending,
            Poll::Ready(Some("b")),
            Poll::Ready(Some("c")),
        ];
        let mut body = Pieces(Loud {
            connection: connection.clone(),
            pieces,
            panics: false,
        });
        let counts: Vec<_> = (0..4).map(|_| (poll(&mut body), woken.so_far())).collect();
        assert_eq!(counts, [(true, 1), (false, 2), (true, 3), (true, 3)]);
        // Everything else does, the end without a length included.
        connection.wake_by_ref();
        assert_eq!(woken.so_far(), 4);
        body.0.pieces = vec![Poll::Ready(None)];
        assert!(poll(&mut body));
        assert_eq!(woken.so_far(), 5);
    }

    #[test]
    fn a_fault_while_a_piece_is_taken_silences_nobody() {
        let ((first, woken), (second, other)) = (connection(), connection());
        let mut body = Pieces(Loud {
            connection: first.clone(),
            pieces: Vec::new(),
            panics: true,
        });
        assert!(catch_unwind(AssertUnwindSafe(|| poll(&mut body))).is_err());
        assert_eq!(woken.so_far(), 1);
        first.wake();
        assert_eq!(woken.so_far(), 2);
        let taken = Taken::begin();
        second.wake();
        body.0.connection.wake_by_ref();
        assert_eq!((woken.so_far(), other.so_far()), (2, 1));
        drop(taken);
        assert_eq!((woken.so_far(), other.so_far()), (3, 1));
    }
}

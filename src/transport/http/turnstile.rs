//! How many requests are taken in at a time.
//!
//! A processor that reads hundreds of requests before it answers any has forgotten each when it comes back to it:
//! what a call needs has left the cache. So only a few are under way at once, and the others stay in their
//! sockets, but only as long as there is something else to do. Where nobody leaves for one turn of the
//! scheduler's queue, as with a slow service, more are let in, turn by turn.
//!
//! They are let in together, once most of those before them have left: their requests then go to the service one
//! right after another, and so do their answers to the clients, and the other end of each way is woken once for
//! many instead of once for each.

use std::collections::VecDeque;
use std::sync::{Arc, Weak};
use std::task::{Context, Poll, Waker};

use parking_lot::Mutex;

/// Requests under way at once for each processor, before others wait. Measured with 500 connections: twice as many
/// take a tenth more processor time each.
const PLACES: usize = 48;
/// While more than one in so many places is taken, nobody is let in for those who leave. Measured with 500
/// connections: letting one in for each takes a tenth more processor time.
const FULL: usize = 6;
/// How many more are let in where nobody leaves.
const MORE: usize = 8;

/// Counts who is inside.
#[derive(Debug)]
pub(super) struct Turnstile {
    queue: Mutex<Queue>,
    places: usize,
}

#[derive(Debug, Default)]
struct Queue {
    inside: usize,
    /// In the order of their coming; those that gave up have left their place empty.
    waiting: VecDeque<Option<Waker>>,
    /// The number of the first that waits.
    first: u64,
    /// How often somebody left.
    left: u64,
    /// Whether somebody looks for a turn in which nothing moved.
    watched: bool,
}

/// Somebody who wants to be inside for a while, again and again.
#[derive(Debug)]
pub(super) struct Visitor {
    turnstile: Arc<Turnstile>,
    place: Place,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Outside,
    /// With this number.
    Waiting(u64),
    Inside,
}

impl Turnstile {
    /// One for the processors of this machine.
    pub(super) fn new() -> Self {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        Self::with_places(PLACES * processors)
    }

    fn with_places(places: usize) -> Self {
        Self {
            queue: Mutex::default(),
            places,
        }
    }

    /// Lets some more in when nobody has left since `before`: then those inside wait for something else than this
    /// processor. How many have left by now; nothing once nobody waits.
    fn look(&self, before: Option<u64>) -> Option<u64> {
        let mut queue = self.queue.lock();
        if before == Some(queue.left) {
            let places = queue.inside + MORE;
            queue.let_in(places);
        }
        queue.watched = !queue.waiting.is_empty();
        queue.watched.then_some(queue.left)
    }
}

impl Queue {
    /// Lets the first ones in, as long as fewer than `places` are inside.
    fn let_in(&mut self, places: usize) {
        while self.inside < places
            && let Some(next) = self.waiting.pop_front()
        {
            self.first += 1;
            if let Some(waker) = next {
                self.inside += 1;
                waker.wake();
            }
        }
    }

    fn leave(&mut self, places: usize) {
        self.inside -= 1;
        self.left += 1;
        if self.inside <= places / FULL {
            self.let_in(places);
        }
    }
}

impl Visitor {
    pub(super) fn new(turnstile: Arc<Turnstile>) -> Self {
        Self {
            turnstile,
            place: Place::Outside,
        }
    }

    /// Ready once inside.
    pub(super) fn poll_enter(&mut self, context: &Context<'_>) -> Poll<()> {
        if self.place == Place::Inside {
            return Poll::Ready(());
        }
        let turnstile = &self.turnstile;
        let mut queue = turnstile.queue.lock();
        match self.place {
            Place::Waiting(number) if number >= queue.first => {
                let index = (number - queue.first) as usize;
                queue.waiting[index] = Some(context.waker().clone());
                return Poll::Pending;
            }
            // Whoever let this one in has counted it.
            Place::Waiting(_) | Place::Inside => {}
            // Nobody who comes now goes before those who wait.
            Place::Outside if queue.inside < turnstile.places && queue.waiting.is_empty() => {
                queue.inside += 1;
            }
            Place::Outside => {
                self.place = Place::Waiting(queue.first + queue.waiting.len() as u64);
                queue.waiting.push_back(Some(context.waker().clone()));
                if !std::mem::replace(&mut queue.watched, true) {
                    tokio::spawn(watch(Arc::downgrade(turnstile)));
                }
                return Poll::Pending;
            }
        }
        self.place = Place::Inside;
        Poll::Ready(())
    }

    /// Makes room for the next one.
    pub(super) fn leave(&mut self) {
        match std::mem::replace(&mut self.place, Place::Outside) {
            Place::Outside => {}
            Place::Waiting(number) => {
                let mut queue = self.turnstile.queue.lock();
                match number.checked_sub(queue.first) {
                    Some(index) => queue.waiting[index as usize] = None,
                    None => queue.leave(self.turnstile.places),
                }
            }
            Place::Inside => self.turnstile.queue.lock().leave(self.turnstile.places),
        }
    }
}

impl Drop for Visitor {
    fn drop(&mut self) {
        self.leave();
    }
}

/// Looks once in each turn of the scheduler's queue, as long as somebody waits.
async fn watch(turnstile: Weak<Turnstile>) {
    let mut left = None;
    loop {
        left = turnstile
            .upgrade()
            .and_then(|turnstile| turnstile.look(left));
        if left.is_none() {
            return;
        }
        tokio::task::yield_now().await;
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::time::Duration;

    use tokio::task::yield_now;

    use super::*;

    fn visitors<const N: usize>(turnstile: &Arc<Turnstile>) -> [Visitor; N] {
        std::array::from_fn(|_| Visitor::new(Arc::clone(turnstile)))
    }

    fn inside(visitor: &mut Visitor) -> bool {
        visitor
            .poll_enter(&Context::from_waker(Waker::noop()))
            .is_ready()
    }

    #[tokio::test]
    async fn who_waits_gets_in_together_in_the_order_of_coming() {
        let turnstile = Arc::new(Turnstile::with_places(2));
        let [mut a, mut b, mut c, mut d, mut e, mut f] = visitors(&turnstile);
        let first = [&mut a, &mut b, &mut c, &mut d, &mut e, &mut f].map(inside);
        assert_eq!(first, [true, true, false, false, false, false]);
        // Who comes again goes to the end, though there is a place; who gives up is passed over.
        drop(d);
        b.leave();
        assert_eq!([&mut c, &mut b, &mut a].map(inside), [false, false, true]);
        a.leave();
        assert_eq!(
            [&mut b, &mut f, &mut e, &mut c].map(inside),
            [false, false, true, true]
        );
        // Who is let in and does not come makes room as well.
        e.leave();
        c.leave();
        drop(f);
        assert!(inside(&mut b));
        drop(b);
        assert_eq!(turnstile.queue.lock().inside, 0);
        assert!(inside(&mut a));
    }

    #[tokio::test]
    async fn where_nobody_leaves_all_get_in() {
        let turnstile = Arc::new(Turnstile::with_places(1));
        let mut tasks = tokio::task::JoinSet::new();
        for mut visitor in visitors::<100>(&turnstile) {
            tasks.spawn(async move {
                poll_fn(|context| visitor.poll_enter(context)).await;
                std::future::pending::<()>().await;
            });
        }
        let all = async {
            while turnstile.queue.lock().inside < 100 {
                yield_now().await;
            }
        };
        tokio::time::timeout(Duration::from_secs(10), all)
            .await
            .unwrap();
        assert!(turnstile.queue.lock().waiting.is_empty());
        tasks.shutdown().await;
        assert_eq!(turnstile.queue.lock().inside, 0);
    }

    #[tokio::test]
    async fn where_somebody_leaves_each_turn_the_others_stay_outside() {
        let turnstile = Arc::new(Turnstile::with_places(4));
        let mut tasks = tokio::task::JoinSet::new();
        for mut visitor in visitors::<40>(&turnstile) {
            let turnstile = Arc::clone(&turnstile);
            tasks.spawn(async move {
                let mut most = 0;
                for _ in 0..20 {
                    poll_fn(|context| visitor.poll_enter(context)).await;
                    most = most.max(turnstile.queue.lock().inside);
                    yield_now().await;
                    visitor.leave();
                }
                most
            });
        }
        let most = tasks.join_all().await.into_iter().max();
        assert!(most.is_some_and(|most| most < 20), "{most:?}");
        assert!(!turnstile.queue.lock().watched || turnstile.queue.lock().waiting.is_empty());
    }
}

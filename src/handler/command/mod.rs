//! Programs on this machine: started without a shell, watched, ended whole.

mod reply;

pub use reply::{Captured, CommandError, CommandReply, Ended, LockInfo, Ran, RunnerChoice};

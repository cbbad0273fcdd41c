//! Arguments into command lines (pure): nothing is looked up on the machine here.

mod plan;

pub use plan::{CommandPlan, PlannedLock, PlannedRun, PlannedWord, PlannedWork};

//! How often each tool was called, for whoever asks the bridge itself.

use std::time::Duration;

use parking_lot::Mutex;

use super::builtin::CallCounts;

/// Calls by tool, in the order of their first calls. Tools are few.
#[derive(Debug, Default)]
pub(super) struct Counts(Mutex<Vec<CallCounts>>);

impl Counts {
    pub(super) fn add(&self, tool: &str, failed: bool, took: Duration) {
        let mut list = self.0.lock();
        let at = list.iter().position(|one| one.tool == tool);
        let at = at.unwrap_or_else(|| {
            list.push(CallCounts {
                tool: tool.to_owned(),
                ..CallCounts::default()
            });
            list.len() - 1
        });
        if let Some(one) = list.get_mut(at) {
            one.calls += 1;
            one.failures += u64::from(failed);
            one.milliseconds += took.as_secs_f64() * 1000.0;
        }
    }

    pub(super) fn all(&self) -> Vec<CallCounts> {
        self.0.lock().clone()
    }

    pub(super) fn reset(&self) {
        self.0.lock().clear();
    }
}

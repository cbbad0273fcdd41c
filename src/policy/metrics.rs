//! How many calls came to what, for whoever watches. Numbers alone: no name, argument or caller is a label, so
//! that nothing secret shows and nothing grows.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::audit::Ending;

/// Counts calls since the process began.
#[derive(Debug, Default)]
pub struct Counters {
    done: AtomicU64,
    failed: AtomicU64,
    refused: AtomicU64,
    limited: AtomicU64,
    abandoned: AtomicU64,
    microseconds: AtomicU64,
    deviations: AtomicU64,
}

impl Counters {
    /// Counts a call that has ended; `limited` where a limit refused it.
    pub(super) fn count(&self, ending: Ending, limited: bool, took: Duration) {
        let counter = match ending {
            Ending::Refused if limited => &self.limited,
            Ending::Done => &self.done,
            Ending::Failed => &self.failed,
            Ending::Refused => &self.refused,
            Ending::Abandoned => &self.abandoned,
        };
        counter.fetch_add(1, Ordering::Relaxed);
        let took = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        self.microseconds.fetch_add(took, Ordering::Relaxed);
    }

    /// Counts an answer that is not as its document describes it, of those that were looked at.
    pub fn deviated(&self) {
        self.deviations.fetch_add(1, Ordering::Relaxed);
    }

    /// In the text format of Prometheus, version 0.0.4.
    #[must_use]
    pub fn text(&self, tools: usize) -> String {
        let counters = [
            ("done", &self.done),
            ("failed", &self.failed),
            ("refused", &self.refused),
            ("limited", &self.limited),
            ("abandoned", &self.abandoned),
        ];
        let counts = counters.map(|(name, counter)| (name, counter.load(Ordering::Relaxed)));
        let mut text = "# HELP mcpinvoke_calls_total Tool calls by how they ended.\n# TYPE mcpinvoke_calls_total counter\n".to_owned();
        // Writing to a string cannot fail.
        for (name, count) in counts {
            let _ = writeln!(text, "mcpinvoke_calls_total{{outcome=\"{name}\"}} {count}");
        }
        let all: u64 = counts.iter().map(|(_, count)| count).sum();
        let seconds = Duration::from_micros(self.microseconds.load(Ordering::Relaxed));
        let _ = writeln!(
            text,
            "# HELP mcpinvoke_call_seconds How long calls took.\n# TYPE mcpinvoke_call_seconds summary\nmcpinvoke_call_seconds_sum {}\nmcpinvoke_call_seconds_count {all}",
            seconds.as_secs_f64()
        );
        let _ = writeln!(
            text,
            "# HELP mcpinvoke_output_deviations_total Sampled answers that are not as their documents describe them.\n# TYPE mcpinvoke_output_deviations_total counter\nmcpinvoke_output_deviations_total {}",
            self.deviations.load(Ordering::Relaxed)
        );
        let _ = writeln!(
            text,
            "# HELP mcpinvoke_tools Tools that can be called.\n# TYPE mcpinvoke_tools gauge\nmcpinvoke_tools {tools}"
        );
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_ending_is_counted_once() {
        let counters = Counters::default();
        let took = Duration::from_millis(500);
        counters.count(Ending::Done, false, took);
        counters.count(Ending::Done, false, took);
        counters.count(Ending::Failed, false, took);
        counters.count(Ending::Refused, false, took);
        counters.count(Ending::Refused, true, took);
        counters.count(Ending::Abandoned, false, took);
        counters.deviated();
        let text = counters.text(7);
        for line in [
            "mcpinvoke_calls_total{outcome=\"done\"} 2",
            "mcpinvoke_calls_total{outcome=\"failed\"} 1",
            "mcpinvoke_calls_total{outcome=\"refused\"} 1",
            "mcpinvoke_calls_total{outcome=\"limited\"} 1",
            "mcpinvoke_calls_total{outcome=\"abandoned\"} 1",
            "mcpinvoke_call_seconds_sum 3",
            "mcpinvoke_call_seconds_count 6",
            "mcpinvoke_output_deviations_total 1",
            "mcpinvoke_tools 7",
        ] {
            assert!(text.lines().any(|found| found == line), "{line} in {text}");
        }
    }
}

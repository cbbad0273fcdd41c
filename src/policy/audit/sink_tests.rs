//! Rotation, and sinks that block or fail.

use std::fs;
use std::path::Path;
use std::sync::mpsc;
use std::sync::mpsc::{Receiver, Sender};

use super::*;

const PATIENCE: Duration = Duration::from_secs(20);

fn lines(path: &Path) -> Vec<String> {
    let text = fs::read_to_string(path).unwrap();
    text.lines().map(str::to_owned).collect()
}

#[test]
fn a_file_is_moved_away_before_it_is_too_long() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("audit.jsonl");
    let settings = Settings {
        destination: Destination::File {
            path: path.clone(),
            max_bytes: 20,
            keep: 2,
        },
        arguments: Arguments::Off,
    };
    let audit = Audit::start(&settings).unwrap();
    for number in 0..8 {
        audit.write(&format!("{{\"n\":{number}}}"));
    }
    audit.flush(PATIENCE);
    let moved = |number| folder.path().join(format!("audit.jsonl.{number}"));
    assert_eq!(lines(&path), ["{\"n\":6}", "{\"n\":7}"]);
    assert_eq!(lines(&moved(1)), ["{\"n\":4}", "{\"n\":5}"]);
    assert_eq!(lines(&moved(2)), ["{\"n\":2}", "{\"n\":3}"]);
    assert!(!moved(3).exists());
}

#[test]
fn a_file_that_cannot_be_opened_is_named() {
    let settings = Settings {
        destination: Destination::File {
            path: "/nowhere/at/all".into(),
            max_bytes: 1,
            keep: 0,
        },
        arguments: Arguments::Off,
    };
    assert!(
        Audit::start(&settings)
            .unwrap_err()
            .to_string()
            .contains("/nowhere/at/all")
    );
}

/// Blocks or fails as told, and keeps what it takes.
struct Bad {
    /// Blocks each line until something comes.
    gate: Option<Receiver<()>>,
    fails: u32,
    taken: Arc<Mutex<Vec<String>>>,
    entered: Sender<()>,
}

impl Output for Bad {
    fn write(&mut self, lines: &str) -> Result<(), (usize, io::Error)> {
        let _ = self.entered.send(());
        if let Some(gate) = &self.gate {
            // A closed gate is an open one.
            let _ = gate.recv();
        }
        if self.fails > 0 {
            self.fails -= 1;
            return Err((0, io::ErrorKind::StorageFull.into()));
        }
        let lines = lines.lines().map(str::to_owned);
        self.taken.lock().extend(lines);
        Ok(())
    }
}

#[test]
fn a_blocked_sink_costs_records_and_says_how_many() {
    let (open, gate) = mpsc::channel();
    let (entered, inside) = mpsc::channel();
    let taken = Arc::new(Mutex::default());
    let bad = Bad {
        gate: Some(gate),
        fails: 0,
        taken: Arc::clone(&taken),
        entered,
    };
    let audit = Audit::over(Box::new(bad), Arguments::Off, 2);
    audit.write("first");
    inside.recv_timeout(PATIENCE).unwrap();
    // The writer is stuck with the first; two more wait, and none of these calls does.
    for number in 0..5 {
        audit.write(&number.to_string());
    }
    drop(open);
    audit.flush(PATIENCE);
    let taken = taken.lock();
    assert_eq!((taken[0].as_str(), taken.len()), ("first", 4));
    let lost: serde_json::Value = serde_json::from_str(&taken[1]).unwrap();
    assert_eq!(
        (&lost["event"], &lost["records"]),
        (&"lost".into(), &3.into())
    );
    assert_eq!(taken[2..], ["0", "1"]);
}

#[test]
fn a_full_disk_does_not_hide_what_it_cost() {
    let (entered, _inside) = mpsc::channel();
    let taken = Arc::new(Mutex::default());
    let bad = Bad {
        gate: None,
        fails: 3,
        taken: Arc::clone(&taken),
        entered,
    };
    let audit = Audit::over(Box::new(bad), Arguments::Off, 100);
    for number in 0..4 {
        audit.write(&number.to_string());
    }
    audit.flush(PATIENCE);
    // What cannot be told now is told later.
    let started = std::time::Instant::now();
    while taken.lock().is_empty() && started.elapsed() < PATIENCE {
        thread::sleep(Duration::from_millis(10));
    }
    let taken = taken.lock();
    let lost: serde_json::Value = serde_json::from_str(&taken[0]).unwrap();
    assert_eq!(lost["event"], "lost");
    let count = lost["records"].as_u64().unwrap() as usize;
    assert_eq!(count + taken.len() - 1, 4, "{taken:?}");
}

//! Where a secret value is kept: given, or in a file that may change.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::SystemTime;

use parking_lot::Mutex;

use crate::secret::{SHORTEST_MASKED, Secret, remember};

/// A secret value. Cloning shares the file's last reading.
#[derive(Debug, Clone)]
pub struct Value(Kind);

#[derive(Debug, Clone)]
enum Kind {
    Given(Secret),
    File(Arc<Watched>),
}

#[derive(Debug)]
struct Watched {
    path: PathBuf,
    last: Mutex<Reading>,
    protected: AtomicBool,
}

#[derive(Debug, Clone)]
struct Reading {
    value: Secret,
    stamp: Option<Stamp>,
}

/// When a file was changed, and its length.
pub(in crate::handler::http) type Stamp = (SystemTime, u64);

/// A file that holds no usable secret.
#[derive(Debug, thiserror::Error)]
#[error("cannot read the secret in {path}: {message}")]
pub struct Unreadable {
    path: String,
    message: String,
}

impl Value {
    /// A value that stays.
    #[must_use]
    pub fn given(value: Secret) -> Self {
        Self(Kind::Given(value))
    }

    /// The content of a file without its last line break, read again when the file has changed.
    ///
    /// # Errors
    /// [`Unreadable`] when it cannot be read now, is empty, longer than 64 KiB, not text or not one line.
    pub fn file(path: PathBuf) -> Result<Self, Unreadable> {
        let last = Mutex::new(reading(&path)?);
        Ok(Self(Kind::File(Arc::new(Watched {
            path,
            last,
            protected: AtomicBool::new(false),
        }))))
    }

    /// From now on the value, also when it changes, is masked wherever it shows. For secrets, not for names.
    pub(super) fn protect(&self) {
        match &self.0 {
            Kind::Given(value) => remember(value),
            Kind::File(file) => {
                file.protected.store(true, Ordering::Relaxed);
                remember(&file.read());
            }
        }
    }

    /// Whether it is too short to be looked for in texts.
    pub(super) fn is_short(&self) -> bool {
        self.read().expose().trim().len() < SHORTEST_MASKED
    }

    /// The value now. A file that has become unreadable keeps its last value.
    pub(super) fn read(&self) -> Secret {
        match &self.0 {
            Kind::Given(value) => value.clone(),
            Kind::File(file) => file.read(),
        }
    }
}

impl Watched {
    fn read(&self) -> Secret {
        let mut last = self.last.lock();
        let stamp = stamp(&self.path);
        if stamp.is_none() || stamp != last.stamp {
            match reading(&self.path) {
                Ok(new) => {
                    if self.protected.load(Ordering::Relaxed) {
                        remember(&new.value);
                    }
                    *last = new;
                }
                Err(error) => tracing::warn!("{error}; going on with its last value"),
            }
        }
        last.value.clone()
    }
}

/// Differs when the file does; follows links, which is how mounted secrets are exchanged.
pub(in crate::handler::http) fn stamp(path: &Path) -> Option<Stamp> {
    let data = fs::metadata(path).ok()?;
    Some((data.modified().ok()?, data.len()))
}

fn reading(path: &Path) -> Result<Reading, Unreadable> {
    let refuse = |message: String| Unreadable {
        path: path.display().to_string(),
        message,
    };
    // Before the content: a change in between is noticed the next time.
    let stamp = stamp(path);
    let value = Secret::read(path).map_err(|error| refuse(error.to_string()))?;
    if value.expose().trim().is_empty() {
        return Err(refuse("it is blank".to_owned()));
    }
    if !value.is_one_line() {
        return Err(refuse(
            "expected one line, found several or a control character".to_owned(),
        ));
    }
    Ok(Reading { value, stamp })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_again_when_it_changes_and_kept_when_it_goes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        assert!(Value::file(path.clone()).is_err());
        fs::write(&path, "first-value\n").unwrap();
        let value = Value::file(path.clone()).unwrap();
        assert_eq!(value.read().expose(), "first-value");
        fs::write(&path, "the second value\r\n").unwrap();
        assert_eq!(value.read().expose(), "the second value");
        fs::remove_file(&path).unwrap();
        assert_eq!(value.read().expose(), "the second value");
        for unusable in ["\n", "two\nlines\n", "an escape \u{1b}[2J"] {
            fs::write(&path, unusable).unwrap();
            assert!(Value::file(path.clone()).is_err(), "{unusable:?}");
            assert_eq!(value.read().expose(), "the second value");
        }
    }
}

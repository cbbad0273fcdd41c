//! What audit records are written to: standard output, or a file that is moved away when it grows.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Something records are written to.
pub(super) trait Output: Send {
    /// Writes these lines, each with its line break. Where that fails, says how many of them are written whole.
    fn write(&mut self, lines: &str) -> Result<(), (usize, io::Error)>;
}

pub(super) struct Stdout;

impl Output for Stdout {
    fn write(&mut self, lines: &str) -> Result<(), (usize, io::Error)> {
        let mut out = io::stdout().lock();
        let (written, result) = write_lines(&mut out, lines);
        result
            .and_then(|()| out.flush())
            .map_err(|error| (whole(lines, written), error))
    }
}

/// Writes lines, all at once where the output takes so much; how many bytes of them are written.
fn write_lines(out: &mut impl Write, lines: &str) -> (usize, io::Result<()>) {
    let mut rest = lines.as_bytes();
    let result = loop {
        if rest.is_empty() {
            break Ok(());
        }
        match out.write(rest) {
            Ok(0) => break Err(io::ErrorKind::WriteZero.into()),
            Ok(count) => rest = rest.get(count..).unwrap_or_default(),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => break Err(error),
        }
    };
    (lines.len() - rest.len(), result)
}

/// How many lines there are in the first so many bytes.
fn whole(lines: &str, bytes: usize) -> usize {
    let ends = lines.bytes().take(bytes).filter(|byte| *byte == b'\n');
    ends.count()
}

/// A file that is moved to `path.1`, `path.1` to `path.2` and so on, before it grows too long. Where somebody else
/// moved or removed it, records go into a new one of its name.
pub(super) struct Rotating {
    path: PathBuf,
    max_bytes: u64,
    keep: u32,
    file: File,
    length: u64,
    /// The last line is not whole: a full disk took a part of it.
    torn: bool,
    /// The log has been told that records go on where nobody looks for them.
    told: bool,
}

impl Rotating {
    pub(super) fn open(path: &Path, max_bytes: u64, keep: u32) -> io::Result<Self> {
        let file = append(path)?;
        let length = file.metadata()?.len();
        Ok(Self {
            path: path.to_owned(),
            max_bytes,
            keep,
            file,
            length,
            torn: false,
            told: false,
        })
    }

    /// Sees to it that the open file is the one that people find.
    ///
    /// # Errors
    /// It is gone, and there can be no other one.
    fn follow(&mut self) -> io::Result<()> {
        let now = fs::metadata(&self.path);
        let gone = match &now {
            Ok(now) => !is_same(now, &self.file),
            Err(error) => error.kind() == io::ErrorKind::NotFound,
        };
        if !gone {
            // Others may have cut it: logrotate's `copytruncate` does.
            self.length = now.map_or(self.length, |now| now.len());
            return Ok(());
        }
        match append(&self.path) {
            Ok(file) => {
                tracing::info!("the audit file was moved or removed: records go into a new one");
                self.length = file.metadata()?.len();
                (self.file, self.torn, self.told) = (file, false, false);
                Ok(())
            }
            // Somebody may still look where it was moved to.
            Err(error) if is_kept(&self.file) => {
                if !self.told {
                    tracing::warn!(
                        "the audit file was moved, and there can be no other of its name: {error}; records go on into the one that was moved"
                    );
                    self.told = true;
                }
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    fn rotate(&mut self) -> io::Result<()> {
        let moved = |number: u32| {
            let mut name = self.path.clone().into_os_string();
            name.push(format!(".{number}"));
            PathBuf::from(name)
        };
        for number in (1..self.keep).rev() {
            if moved(number).exists() {
                fs::rename(moved(number), moved(number + 1))?;
            }
        }
        if self.keep == 0 {
            fs::remove_file(&self.path)?;
        } else {
            fs::rename(&self.path, moved(1))?;
        }
        self.file = append(&self.path)?;
        self.length = 0;
        self.torn = false;
        Ok(())
    }
}

impl Rotating {
    /// How many bytes of these lines, and whole lines only, go into the file as it is.
    fn fitting(&self, lines: &str) -> usize {
        let room = self.max_bytes.saturating_sub(self.length);
        if lines.len() as u64 <= room {
            return lines.len();
        }
        let mut length = 0;
        for line in lines.split_inclusive('\n') {
            if (length + line.len()) as u64 > room {
                break;
            }
            length += line.len();
        }
        length
    }

    /// Writes what fits, and at least one line; how many bytes.
    fn write_some(&mut self, lines: &str) -> (usize, io::Result<()>) {
        let mut length = self.fitting(lines);
        if length == 0 && self.length > 0 {
            if let Err(error) = self.rotate() {
                // A file that is too long is better than no record.
                tracing::warn!("the audit file cannot be moved away: {error}");
                match append(&self.path) {
                    Ok(file) => self.file = file,
                    Err(error) => return (0, Err(error)),
                }
            }
            length = self.fitting(lines);
        }
        if length == 0 {
            length = lines.find('\n').map_or(lines.len(), |end| end + 1);
        }
        if self.torn {
            // Ends the line that a full disk cut.
            if let Err(error) = self.file.write_all(b"\n") {
                return (0, Err(error));
            }
            self.torn = false;
            self.length += 1;
        }
        let (written, result) = write_lines(&mut self.file, &lines[..length]);
        self.length += written as u64;
        self.torn = written > 0 && lines.as_bytes().get(written - 1) != Some(&b'\n');
        (written, result)
    }
}

impl Output for Rotating {
    fn write(&mut self, lines: &str) -> Result<(), (usize, io::Error)> {
        self.follow().map_err(|error| (0, error))?;
        let mut done = 0;
        while done < lines.len() {
            let (written, result) = self.write_some(&lines[done..]);
            done += written;
            result.map_err(|error| (whole(lines, done), error))?;
        }
        Ok(())
    }
}

/// Whether a file is the one that is found at a path. What is no ordinary file has no other of its name.
#[cfg(unix)]
fn is_same(found: &fs::Metadata, open: &File) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let same =
        |own: fs::Metadata| !own.is_file() || (own.dev(), own.ino()) == (found.dev(), found.ino());
    open.metadata().is_ok_and(same)
}

/// Elsewhere nobody can take the place of a file that is open.
#[cfg(not(unix))]
fn is_same(_found: &fs::Metadata, _open: &File) -> bool {
    true
}

/// Whether an open file has any name still.
#[cfg(unix)]
fn is_kept(open: &File) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    open.metadata().is_ok_and(|own| own.nlink() > 0)
}

#[cfg(not(unix))]
fn is_kept(_open: &File) -> bool {
    true
}

/// Opens for appending; only its owner may read a new file.
fn append(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Takes so many bytes, in pieces, and no more.
    struct Small(usize, Vec<u8>);

    impl Write for Small {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let count = bytes.len().min(self.0).min(5);
            if count == 0 {
                return Err(io::ErrorKind::StorageFull.into());
            }
            self.0 -= count;
            self.1.extend_from_slice(&bytes[..count]);
            Ok(count)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn of_a_batch_the_records_that_fitted_are_known() {
        let lines = "one\ntwelve\nthree\n";
        for (room, known) in [(0, 0), (3, 0), (4, 1), (10, 1), (11, 2), (16, 2)] {
            let (written, result) = write_lines(&mut Small(room, Vec::new()), lines);
            assert_eq!((written, whole(lines, written)), (room, known));
            assert!(result.is_err(), "{room}");
        }
        let mut out = Small(17, Vec::new());
        let (written, result) = write_lines(&mut out, lines);
        assert_eq!((written, result.is_ok()), (17, true));
        assert_eq!(out.1, lines.as_bytes());
    }

    fn read(path: &Path) -> String {
        fs::read_to_string(path).unwrap_or_default()
    }

    /// What logrotate and people do.
    #[cfg(unix)]
    #[test]
    fn a_file_that_somebody_moves_or_removes_is_opened_anew() {
        let folder = tempfile::tempdir().unwrap();
        let (path, away) = (folder.path().join("a"), folder.path().join("away"));
        let mut out = Rotating::open(&path, 1 << 20, 2).unwrap();
        out.write("one\n").unwrap();
        fs::rename(&path, &away).unwrap();
        out.write("two\n").unwrap();
        assert_eq!((read(&away), read(&path)), ("one\n".into(), "two\n".into()));
        fs::remove_file(&path).unwrap();
        out.write("three\n").unwrap();
        assert_eq!(read(&path), "three\n");
        // `create`: another one was put there.
        fs::rename(&path, &away).unwrap();
        fs::write(&path, "other\n").unwrap();
        out.write("four\n").unwrap();
        assert_eq!(read(&path), "other\nfour\n");
        // Its folder is gone: that cannot be healed, but is no success.
        folder.close().unwrap();
        assert_eq!(out.write("five\n").unwrap_err().0, 0);
    }

    #[cfg(unix)]
    #[test]
    fn where_there_can_be_no_other_file_the_moved_one_serves() {
        let folder = tempfile::tempdir().unwrap();
        let (inner, away) = (folder.path().join("inner"), folder.path().join("away"));
        fs::create_dir(&inner).unwrap();
        let mut out = Rotating::open(&inner.join("a"), 1 << 20, 2).unwrap();
        fs::rename(inner.join("a"), &away).unwrap();
        fs::remove_dir(&inner).unwrap();
        out.write("one\n").unwrap();
        assert_eq!(read(&away), "one\n");
        fs::create_dir(&inner).unwrap();
        out.write("two\n").unwrap();
        assert_eq!(read(&inner.join("a")), "two\n");
    }

    #[test]
    fn a_file_that_somebody_cuts_is_not_moved_too_early() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let mut out = Rotating::open(&path, 8, 2).unwrap();
        out.write("one\ntwo\n").unwrap();
        File::options()
            .write(true)
            .truncate(true)
            .open(&path)
            .unwrap();
        out.write("six\n").unwrap();
        assert_eq!(read(&path), "six\n");
        assert!(!folder.path().join("a.1").exists());
    }
}

//! Fresh folders for programs that leave files: made for one run, read after it, removed with it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use data_encoding::HEXLOWER;

use super::roots::canonical;

/// Files that are read.
const MOST_FILES: usize = 200;
/// Bytes that are read of all of them.
const MOST_BYTES: usize = 16 * 1024 * 1024;
/// Folders within folders.
const DEEPEST: usize = 4;

/// A folder that is removed when this is dropped.
#[derive(Debug)]
pub(super) struct Scratch(PathBuf);

impl Scratch {
    /// Makes one that nobody else can look into.
    pub(super) fn make() -> io::Result<Self> {
        let mut random = [0_u8; 12];
        getrandom::fill(&mut random).map_err(|error| io::Error::other(error.to_string()))?;
        let name = HEXLOWER.encode(&random);
        let base = canonical(&std::env::temp_dir())?;
        let path = base.join(format!("mcpinvoke-{name}"));
        #[cfg_attr(
            not(unix),
            expect(
                unused_mut,
                reason = "elsewhere folders have no mode, and temporary ones are their user's"
            )
        )]
        let mut builder = fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&path)?;
        Ok(Self(path))
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    /// Names, relative to the folder, and texts of what is in it; bounded.
    pub(super) fn files(&self) -> Vec<(String, String)> {
        let (mut files, mut left) = (Vec::new(), MOST_BYTES);
        collect(&self.0, &self.0, 0, &mut left, &mut files);
        files
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What is left is the system's to clean up.
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn collect(
    base: &Path,
    folder: &Path,
    depth: usize,
    left: &mut usize,
    files: &mut Vec<(String, String)>,
) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        let Ok(found) = path.symlink_metadata() else {
            continue;
        };
        if found.is_dir() && depth < DEEPEST {
            collect(base, &path, depth + 1, left, files);
        } else if found.is_file() && files.len() < MOST_FILES && found.len() <= *left as u64 {
            let Ok(bytes) = fs::read(&path) else {
                continue;
            };
            *left = left.saturating_sub(bytes.len());
            let name = path.strip_prefix(base).unwrap_or(&path);
            // The same on every system.
            let name: Vec<_> = name.iter().map(|part| part.to_string_lossy()).collect();
            let text = String::from_utf8_lossy(&bytes);
            let text = text.strip_prefix('\u{feff}').unwrap_or(&text).to_owned();
            files.push((name.join("/"), text));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_read_and_the_folder_goes() {
        let scratch = Scratch::make().unwrap();
        let path = scratch.path().to_owned();
        fs::create_dir(path.join("sub")).unwrap();
        fs::write(path.join("b.trx"), "\u{feff}<x/>").unwrap();
        fs::write(path.join("sub/a.json"), "{}").unwrap();
        let files = scratch.files();
        assert_eq!(files[0], ("b.trx".to_owned(), "<x/>".to_owned()));
        assert_eq!(files[1], ("sub/a.json".to_owned(), "{}".to_owned()));
        drop(scratch);
        assert!(!path.exists());
    }
}

//! Small files that are read whole and written whole.

use std::fs::Permissions;
use std::io::ErrorKind;
use std::path::Path;

use tokio::fs::OpenOptions;
use tokio::io::AsyncWriteExt;

use super::CommandError;

/// UTF-8's byte order mark.
pub(super) const MARK: &[u8] = b"\xef\xbb\xbf";
/// A longer file is no project and no settings file.
const LIMIT: u64 = 16 * 1024 * 1024;

/// A value that does not hold on this machine.
pub(super) fn refused(parameter: &str, reason: &'static str, message: String) -> CommandError {
    CommandError::Refused {
        parameter: parameter.to_owned(),
        reason,
        message,
    }
}

/// The whole file.
///
/// # Errors
/// It is not there, too long or cannot be read.
pub(super) async fn read(parameter: &str, path: &Path) -> Result<Vec<u8>, CommandError> {
    let shown = path.display();
    let wrong =
        |reason, what: &str| refused(parameter, reason, format!("The file '{shown}' {what}"));
    let failed = |error: std::io::Error| match error.kind() {
        ErrorKind::NotFound => wrong("not found", "does not exist"),
        ErrorKind::PermissionDenied => wrong("invalid value", "may not be read"),
        _ => wrong("invalid value", "cannot be read"),
    };
    let metadata = tokio::fs::metadata(path).await.map_err(failed)?;
    if !metadata.is_file() || metadata.len() > LIMIT {
        return Err(wrong(
            "invalid value",
            "is no file of a few megabytes at most",
        ));
    }
    tokio::fs::read(path).await.map_err(failed)
}

/// Puts `bytes` in the place of the file at once: a reader sees the old or the new, and a full disk leaves the old.
///
/// # Errors
/// It cannot be written.
pub(super) async fn write(parameter: &str, path: &Path, bytes: &[u8]) -> Result<(), CommandError> {
    let failed = |_: std::io::Error| {
        let message = format!("The file '{}' cannot be written", path.display());
        refused(parameter, "invalid value", message)
    };
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let mut number = [0; 8];
    getrandom::fill(&mut number).map_err(|_| failed(ErrorKind::Other.into()))?;
    let number = u64::from_ne_bytes(number);
    let fresh = path.with_file_name(format!(".{name}.{number:016x}.tmp"));
    let permissions = match tokio::fs::metadata(path).await {
        Ok(found) if found.permissions().readonly() => {
            return Err(failed(ErrorKind::PermissionDenied.into()));
        }
        Ok(found) => Some(found.permissions()),
        Err(_) => None,
    };
    fill(&fresh, bytes, permissions).await.map_err(failed)?;
    let done = tokio::fs::rename(&fresh, path).await;
    if done.is_err() {
        // Best effort: what matters is told below.
        let _ = tokio::fs::remove_file(&fresh).await;
    }
    done.map_err(failed)
}

/// Writes a file that is not there yet: nobody can know its name, and what stands there nevertheless, a link for
/// instance, is not written through. Nobody reads more than could read the file it takes the place of.
async fn fill(fresh: &Path, bytes: &[u8], permissions: Option<Permissions>) -> std::io::Result<()> {
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(fresh)
        .await?;
    let done = async {
        if let Some(permissions) = permissions {
            file.set_permissions(permissions).await?;
        }
        file.write_all(bytes).await?;
        file.flush().await
    };
    let done = done.await;
    if done.is_err() {
        let _ = tokio::fs::remove_file(fresh).await;
    }
    done
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[tokio::test]
    async fn a_file_is_replaced_and_keeps_its_mode() {
        let folder = tempfile::tempdir().expect("a folder");
        let (path, other) = (folder.path().join("a.csproj"), folder.path().join("other"));
        std::fs::write(&path, "old").expect("written");
        std::fs::write(&other, "other").expect("written");
        std::fs::set_permissions(&path, Permissions::from_mode(0o640)).expect("a mode");
        // The name that could be guessed.
        let guessed = folder
            .path()
            .join(format!(".a.csproj.{}.tmp", std::process::id()));
        symlink(&other, guessed).expect("a link");
        write("project", &path, b"new").await.expect("written");
        let text = |path| std::fs::read_to_string(path).expect("a file");
        assert_eq!((text(&path), text(&other)), ("new".into(), "other".into()));
        let mode = std::fs::metadata(&path)
            .expect("a file")
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o640);
        assert_eq!(
            std::fs::read_dir(folder.path()).expect("a folder").count(),
            3
        );
        let link = folder.path().join("link");
        symlink(&other, &link).expect("a link");
        assert!(fill(&link, b"new", None).await.is_err());
        assert_eq!(text(&other), "other");
    }
}

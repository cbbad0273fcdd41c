//! Small files that are read whole and written whole.

use std::io::ErrorKind;
use std::path::Path;

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
    let failed = |_| {
        let message = format!("The file '{}' cannot be written", path.display());
        refused(parameter, "invalid value", message)
    };
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let fresh = path.with_file_name(format!(".{name}.{}.tmp", std::process::id()));
    let done = async {
        tokio::fs::write(&fresh, bytes).await?;
        if let Ok(metadata) = tokio::fs::metadata(path).await {
            if metadata.permissions().readonly() {
                return Err(ErrorKind::PermissionDenied.into());
            }
            tokio::fs::set_permissions(&fresh, metadata.permissions()).await?;
        }
        tokio::fs::rename(&fresh, path).await
    };
    let done = done.await;
    if done.is_err() {
        // Best effort: what matters is told below.
        let _ = tokio::fs::remove_file(&fresh).await;
    }
    done.map_err(failed)
}

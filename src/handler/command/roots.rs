//! Where programs may work: paths of callers made canonical and held within the configured folders.

use std::io;
use std::path::{Component, Path, PathBuf};

use super::CommandError;

/// A caller's path is refused for this beyond what its text says.
const OUTSIDE: &str = CommandError::OUTSIDE;
const NOT_FOUND: &str = "not found";
const INVALID: &str = "invalid value";

/// The folders below which everything lies.
#[derive(Debug, Clone)]
pub(super) struct Roots(Vec<PathBuf>);

impl Roots {
    /// Takes folders that exist.
    pub(super) fn new(folders: &[PathBuf]) -> io::Result<Self> {
        let canonical = |folder: &PathBuf| {
            let found = canonical(folder)?;
            match found.is_dir() {
                true => Ok(found),
                false => Err(io::Error::new(
                    io::ErrorKind::NotADirectory,
                    format!("{} is not a folder", folder.display()),
                )),
            }
        };
        folders
            .iter()
            .map(canonical)
            .collect::<io::Result<_>>()
            .map(Self)
    }

    pub(super) fn all(&self) -> &[PathBuf] {
        &self.0
    }

    /// A folder that exists; the first root where nothing is given.
    pub(super) fn directory(
        &self,
        parameter: &str,
        given: Option<&str>,
    ) -> Result<PathBuf, CommandError> {
        let Some(first) = self.0.first() else {
            return Err(refused(parameter, OUTSIDE, "there is no folder to work in"));
        };
        let Some(given) = given else {
            return Ok(first.clone());
        };
        let found = self.path(parameter, first, given)?;
        match found.is_dir() {
            true => Ok(found),
            false => Err(refused(
                parameter,
                NOT_FOUND,
                &format!("Parameter '{parameter}': the folder does not exist: {given}"),
            )),
        }
    }

    /// `given`, taken relative to `directory` (canonical itself): symbolic links resolved, within the roots.
    /// What does not exist yet may be named, but not climbed out of.
    pub(super) fn path(
        &self,
        parameter: &str,
        directory: &Path,
        given: &str,
    ) -> Result<PathBuf, CommandError> {
        let wrong = |reason, what: &str| {
            refused(
                parameter,
                reason,
                &format!("Parameter '{parameter}' {what}: {given}"),
            )
        };
        // What programs on any system read as a separator is one.
        let text = if cfg!(windows) {
            given.to_owned()
        } else {
            given.replace('\\', "/")
        };
        if text.contains('\0') || text.starts_with("//") || text.starts_with("\\\\") {
            return Err(wrong(INVALID, "is not a path on this machine"));
        }
        let found = follow(directory, Path::new(&text))
            .map_err(|_| wrong(INVALID, "is not a path that can be followed"))?;
        let inside = self.0.iter().any(|root| found.starts_with(root));
        match inside {
            true => Ok(found),
            false => Err(wrong(OUTSIDE, &self.told())),
        }
    }

    /// The folders, for a caller who has to choose another path.
    fn told(&self) -> String {
        let folders: Vec<String> = self
            .0
            .iter()
            .map(|root| root.display().to_string())
            .collect();
        format!(
            "lies outside the folders that may be worked in ({})",
            folders.join(", ")
        )
    }
}

fn refused(parameter: &str, reason: &'static str, message: &str) -> CommandError {
    CommandError::Refused {
        parameter: parameter.to_owned(),
        reason,
        message: message.to_owned(),
    }
}

/// The path as the system would walk it. A link that leads nowhere is refused: what is made through it
/// would be made elsewhere.
fn follow(from: &Path, path: &Path) -> io::Result<PathBuf> {
    let broken = || io::Error::from(io::ErrorKind::InvalidInput);
    let mut current = from.to_path_buf();
    let mut exists = true;
    for component in path.components() {
        match component {
            Component::Prefix(prefix) => current = PathBuf::from(prefix.as_os_str()),
            Component::RootDir => current.push(component),
            Component::CurDir => {}
            Component::ParentDir if exists => {
                current.pop();
            }
            Component::ParentDir => return Err(broken()),
            Component::Normal(name) => {
                let next = current.join(name);
                if exists && next.symlink_metadata().is_ok() {
                    current = canonical(&next)?;
                } else {
                    exists = false;
                    current = next;
                }
            }
        }
    }
    Ok(current)
}

/// The path with links resolved, as programs understand it.
pub(super) fn canonical(path: &Path) -> io::Result<PathBuf> {
    std::fs::canonicalize(path).map(plain)
}

/// Without Windows' `\\?\`, which many programs do not understand.
fn plain(path: PathBuf) -> PathBuf {
    if cfg!(windows)
        && let Some(text) = path.to_str()
        && let Some(rest) = text.strip_prefix(r"\\?\")
        && !rest.starts_with("UNC\\")
    {
        return PathBuf::from(rest);
    }
    path
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn paths_stay_within_the_roots() {
        let all = tempfile::tempdir().unwrap();
        let base = std::fs::canonicalize(all.path()).unwrap();
        let root = base.join("root");
        std::fs::create_dir_all(root.join("src/app")).unwrap();
        std::fs::create_dir_all(base.join("other")).unwrap();
        std::fs::write(base.join("other/secret.txt"), "x").unwrap();
        symlink(base.join("other"), root.join("out")).unwrap();
        symlink(root.join("src"), root.join("in")).unwrap();
        symlink(base.join("nowhere"), root.join("dangling")).unwrap();
        let roots = Roots::new(std::slice::from_ref(&root)).unwrap();
        let directory = roots.directory("workingDirectory", Some("src")).unwrap();
        assert_eq!(directory, root.join("src"));
        for (given, expected) in [
            ("app/a.csproj", Some("src/app/a.csproj")),
            ("./app/../b.csproj", Some("src/b.csproj")),
            ("..\\src\\app", Some("src/app")),
            ("../in/app/x", Some("src/app/x")),
            ("new/folder/x.csproj", Some("src/new/folder/x.csproj")),
            ("a,b;c %20.csproj", Some("src/a,b;c %20.csproj")),
            ("../..", None),
            ("../../other/secret.txt", None),
            ("../out/secret.txt", None),
            ("../dangling/x", None),
            ("../dangling", None),
            ("new/../../../other", None),
            ("/etc/passwd", None),
            ("/p:Evil=1", None),
            ("//server/share", None),
            ("\\\\server\\share", None),
            ("..\\..\\other", None),
        ] {
            let found = roots.path("project", &directory, given);
            assert_eq!(
                found.as_ref().ok(),
                expected.map(|rest| root.join(rest)).as_ref(),
                "{given}: {found:?}"
            );
        }
        let sibling = format!("{}x", root.display());
        std::fs::create_dir_all(&sibling).unwrap();
        assert!(roots.path("project", &directory, &sibling).is_err());
        for (given, reason) in [("nothing", NOT_FOUND), ("../other", OUTSIDE)] {
            let Err(CommandError::Refused { reason: found, .. }) =
                roots.directory("workingDirectory", Some(given))
            else {
                panic!("{given} was accepted");
            };
            assert_eq!(found, reason);
        }
        let Err(CommandError::Refused { message, .. }) =
            roots.directory("workingDirectory", Some("/etc"))
        else {
            panic!("/etc was accepted");
        };
        assert!(message.contains(&root.display().to_string()), "{message}");
    }
}

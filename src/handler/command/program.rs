//! Finding a program, and the environment it is given: only what is listed here, so that no secret of the
//! bridge reaches it.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::settings;

/// Variables that any program gets, where the bridge has them.
const USUAL: &[&str] = &[
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LANGUAGE",
    "TZ",
    "TMPDIR",
    "TMP",
    "TEMP",
    "SYSTEMROOT",
    "SYSTEMDRIVE",
    "WINDIR",
    "COMSPEC",
    "PATHEXT",
    "USERPROFILE",
    "USERNAME",
    "APPDATA",
    "LOCALAPPDATA",
    "PROGRAMDATA",
    "PROGRAMFILES",
    "PROGRAMFILES(X86)",
    "PROGRAMW6432",
    "PROCESSOR_ARCHITECTURE",
    "NUMBER_OF_PROCESSORS",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "DISPLAY",
];
/// The same by how they begin.
const USUAL_BEGINNINGS: &[&str] = &["LC_", "XDG_", "SSL_CERT_"];

/// What `dotnet` gets besides.
const DOTNET: &[&str] = &[
    "DOTNET_CLI_HOME",
    "DOTNET_ROLL_FORWARD",
    "DOTNET_ENVIRONMENT",
    "ASPNETCORE_ENVIRONMENT",
    "ASPNETCORE_URLS",
];
const DOTNET_BEGINNINGS: &[&str] = &["DOTNET_ROOT", "NUGET_", "VSTEST_"];
/// What `dotnet` is told: English, no banner, no telemetry, no certificate made in passing, and no build server
/// or node that stays behind.
const DOTNET_FIXED: &[(&str, &str)] = &[
    ("DOTNET_NOLOGO", "1"),
    ("DOTNET_CLI_TELEMETRY_OPTOUT", "1"),
    ("DOTNET_CLI_UI_LANGUAGE", "en"),
    ("DOTNET_GENERATE_ASPNET_CERTIFICATE", "false"),
    ("DOTNET_CLI_USE_MSBUILD_SERVER", "0"),
    ("MSBUILDDISABLENODEREUSE", "1"),
    ("UseSharedCompilation", "false"),
];
/// Never handed on: with it, `MSBuild` draws on the terminal.
const NEVER: &[&str] = &["MSBUILDTERMINALLOGGER"];

/// A program with its environment.
#[derive(Debug)]
pub(super) struct Program {
    pub(super) name: String,
    configured: Option<PathBuf>,
    pub(super) environment: Arc<Vec<(OsString, OsString)>>,
    search: Option<OsString>,
}

impl Program {
    /// Takes from `environment` what the program may have.
    pub(super) fn new(
        settings: &settings::Program,
        environment: impl Iterator<Item = (OsString, OsString)>,
    ) -> Self {
        let is_dotnet = settings.name == "dotnet";
        let mut kept: Vec<(OsString, OsString)> = environment
            .filter(|(name, _)| is_handed_on(name, settings, is_dotnet))
            .collect();
        let search = kept
            .iter()
            .find(|(name, _)| name.eq_ignore_ascii_case("PATH"));
        let search = search.map(|(_, value)| value.clone());
        if is_dotnet {
            kept.retain(|(name, _)| DOTNET_FIXED.iter().all(|(fixed, _)| name != fixed));
            let fixed = DOTNET_FIXED
                .iter()
                .map(|(name, value)| (name.into(), value.into()));
            kept.extend(fixed);
        }
        Self {
            name: settings.name.clone(),
            configured: settings.path.clone(),
            environment: Arc::new(kept),
            search,
        }
    }

    /// Where the program is now. Relative folders on the search path are passed over: a project's own folder
    /// must not decide what runs.
    pub(super) fn find(&self) -> io::Result<PathBuf> {
        if let Some(path) = &self.configured {
            return Ok(path.clone());
        }
        let name = format!("{}{}", self.name, std::env::consts::EXE_SUFFIX);
        let folders = self.search.as_deref().unwrap_or(OsStr::new(""));
        std::env::split_paths(folders)
            .filter(|folder| folder.is_absolute())
            .map(|folder| folder.join(&name))
            .find(|path| is_executable(path))
            .ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "it is not on PATH"))
    }
}

fn is_handed_on(name: &OsStr, settings: &settings::Program, is_dotnet: bool) -> bool {
    let Some(name) = name.to_str() else {
        return false;
    };
    let upper = name.to_ascii_uppercase();
    let is_one = |list: &[&str]| list.contains(&upper.as_str());
    let begins = |list: &[&str]| list.iter().any(|beginning| upper.starts_with(beginning));
    let configured = settings.environment.iter().any(|one| one == name);
    !is_one(NEVER)
        && (configured
            || is_one(USUAL)
            || begins(USUAL_BEGINNINGS)
            || is_dotnet && (is_one(DOTNET) || begins(DOTNET_BEGINNINGS)))
}

#[cfg(unix)]
fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata()
        .is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(path: &Path) -> bool {
    path.is_file()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_listed_is_handed_on() {
        let settings = settings::Program {
            name: "dotnet".to_owned(),
            path: None,
            environment: vec!["MY_FEED".to_owned()],
        };
        let own = [
            ("PATH", "/usr/bin"),
            ("https_proxy", "http://p"),
            ("NUGET_PACKAGES", "/n"),
            ("DOTNET_ROOT_X64", "/d"),
            ("DOTNET_CLI_UI_LANGUAGE", "de"),
            ("DOTNET_STARTUP_HOOKS", "/evil.dll"),
            ("MSBUILDTERMINALLOGGER", "on"),
            ("AWS_SECRET_ACCESS_KEY", "x"),
            ("MCPINVOKE_CONFIRM_KEY", "x"),
            ("LD_PRELOAD", "/evil.so"),
            ("MY_FEED", "f"),
        ];
        let own = own.iter().map(|(name, value)| (name.into(), value.into()));
        let program = Program::new(&settings, own);
        let names: Vec<&str> = program
            .environment
            .iter()
            .filter_map(|(n, _)| n.to_str())
            .collect();
        let fixed = DOTNET_FIXED.iter().map(|(name, _)| *name);
        let expected: Vec<&str> = [
            "PATH",
            "https_proxy",
            "NUGET_PACKAGES",
            "DOTNET_ROOT_X64",
            "MY_FEED",
        ]
        .into_iter()
        .chain(fixed)
        .collect();
        assert_eq!(names, expected);
        let language = ("DOTNET_CLI_UI_LANGUAGE".into(), "en".into());
        assert!(program.environment.contains(&language));
    }
}

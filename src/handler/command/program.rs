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
    "DOTNET_ENVIRONMENT",
    "ASPNETCORE_ENVIRONMENT",
    "ASPNETCORE_URLS",
    // What a container or a sandbox needs for the runtime to start at all.
    "DOTNET_RUNNING_IN_CONTAINER",
    "DOTNET_MULTILEVEL_LOOKUP",
    "DOTNET_PROCESSOR_COUNT",
    "DOTNET_READYTORUN",
    "DOTNET_ENABLEDIAGNOSTICS",
    "DOTNET_ENABLEWRITEXOREXECUTE",
    "DOTNET_USE_POLLING_FILE_WATCHER",
    "DOTNET_ADD_GLOBAL_TOOLS_TO_PATH",
    "DOTNET_BUNDLE_EXTRACT_BASE_DIR",
    "DOTNET_ICU_VERSION_OVERRIDE",
    "CLR_ICU_VERSION_OVERRIDE",
    "CLR_OPENSSL_VERSION_OVERRIDE",
    "OPENSSL_CONF",
    "LD_LIBRARY_PATH",
    "MSBUILDENABLEWORKLOADRESOLVER",
];
const DOTNET_BEGINNINGS: &[&str] = &[
    "DOTNET_CLI_",
    "DOTNET_ROOT",
    "DOTNET_ROLL_FORWARD",
    "DOTNET_SYSTEM_",
    "DOTNET_SKIP_",
    "DOTNET_NUGET_",
    "DOTNET_WATCH_",
    "DOTNET_GC",
    "DOTNET_TIERED",
    "DOTNETSDK_WORKLOAD_",
    "NUGET_",
    "VSTEST_",
    "TESTINGPLATFORM_",
];
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
/// Never handed on: with them, programs draw on a terminal, colour what they print, or tell of themselves in between.
const NEVER: &[&str] = &[
    "MSBUILDTERMINALLOGGER",
    "DOTNET_SYSTEM_CONSOLE_ALLOW_ANSI_COLOR_REDIRECTION",
    "DOTNET_CLI_CONTEXT_VERBOSE",
    "DOTNET_CLI_CONTEXT_ANSI_PASS_THRU",
    "DOTNET_CLI_PERF_LOG",
];

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
            add_global_tools(&mut kept);
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

/// `dotnet tool install --global` puts its programs into the home folder, and `dotnet ef` looks for them on the search
/// path only, which a client that starts the bridge without a login shell does not extend.
fn add_global_tools(environment: &mut [(OsString, OsString)]) {
    let value = |wanted: &str| {
        let found = environment.iter().find(|(name, _)| name == wanted);
        found
            .map(|(_, value)| PathBuf::from(value))
            .filter(|path| path.is_absolute())
    };
    let home = ["DOTNET_CLI_HOME", "HOME", "USERPROFILE"]
        .into_iter()
        .find_map(value);
    let Some(tools) = home.map(|home| home.join(".dotnet").join("tools")) else {
        return;
    };
    let path = environment
        .iter_mut()
        .find(|(name, _)| name.eq_ignore_ascii_case("PATH"));
    if let Some((_, path)) = path {
        let mut folders: Vec<PathBuf> = std::env::split_paths(path).collect();
        if !folders.contains(&tools) {
            folders.push(tools);
        }
        // A folder that cannot stand in a search path leaves the path as it was.
        if let Ok(joined) = std::env::join_paths(folders) {
            *path = joined;
        }
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
            ("DOTNET_ConnectionStrings__Main", "x"),
            ("DOTNET_SYSTEM_GLOBALIZATION_INVARIANT", "1"),
            ("DOTNET_SYSTEM_CONSOLE_ALLOW_ANSI_COLOR_REDIRECTION", "1"),
            ("DOTNET_gcServer", "0"),
            ("LD_LIBRARY_PATH", "/icu"),
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
            "DOTNET_SYSTEM_GLOBALIZATION_INVARIANT",
            "DOTNET_gcServer",
            "LD_LIBRARY_PATH",
            "MY_FEED",
        ]
        .into_iter()
        .chain(fixed)
        .collect();
        assert_eq!(names, expected);
        let language = ("DOTNET_CLI_UI_LANGUAGE".into(), "en".into());
        assert!(program.environment.contains(&language));
    }

    #[cfg(unix)]
    #[test]
    fn global_tools_are_found_behind_everything_else() {
        for (own, expected) in [
            (
                vec![("PATH", "/usr/bin"), ("HOME", "/h")],
                "/usr/bin:/h/.dotnet/tools",
            ),
            (
                vec![
                    ("HOME", "/h"),
                    ("DOTNET_CLI_HOME", "/d"),
                    ("PATH", "/usr/bin"),
                ],
                "/usr/bin:/d/.dotnet/tools",
            ),
            (
                vec![("PATH", "/h/.dotnet/tools:/usr/bin"), ("HOME", "/h")],
                "/h/.dotnet/tools:/usr/bin",
            ),
            (vec![("PATH", "/usr/bin"), ("HOME", "h")], "/usr/bin"),
            (vec![("PATH", "/usr/bin")], "/usr/bin"),
        ] {
            let settings = settings::Program {
                name: "dotnet".to_owned(),
                path: None,
                environment: Vec::new(),
            };
            let own = own.iter().map(|(name, value)| (name.into(), value.into()));
            let program = Program::new(&settings, own);
            let path = program.environment.iter().find(|(name, _)| name == "PATH");
            assert_eq!(
                path.map(|(_, value)| value.as_os_str()),
                Some(expected.as_ref())
            );
        }
    }
}

//! A `dotnet` that answers only recorded command lines: the words and the folder have to be the recorded ones, and the
//! environment the one they were recorded in. Any other command line ends with 97 and says so.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use super::Bridge;
use super::recorded::{Case, Group, fixture};
use super::toolset::executable;

/// Between the words of a key.
const END: char = '\u{1f}';
/// Words that change how much is printed and where copies go, not what is done; compared only if nothing fits otherwise.
const PRESENTATION: [&str; 6] = [
    "-tl:off",
    "--tl:off",
    "--no-ansi",
    "--no-progress",
    "--no-restore",
    "--json",
];

/// What the program does around the table of command lines.
const HEAD: &str = r#"#!/bin/sh
here=${0%/*}
if [ "$DOTNET_NOLOGO$DOTNET_CLI_TELEMETRY_OPTOUT$DOTNET_CLI_UI_LANGUAGE" != 11en ] || [ -n "$MSBUILDTERMINALLOGGER" ]; then
  echo "replay: not the environment of the recordings" >&2; exit 97
fi
# An empty folder of the bridge's own stands for the root.
place=${PWD#"$here/root"}
case "$PWD" in */mcpinvoke-*) [ -z "$(ls -A)" ] && place= ;; esac
exact="$place@END@"; loose=$exact; before=; results=; written=
for word in "$@"; do
  case "$word" in "$PWD"/*) word=${word#"$PWD"/} ;; "$here/root"/*) word=${word#"$here/root"/} ;; esac
  exact="$exact$word@END@"
  case "$before" in --results-directory|--report) results=$word ;; esac
  case "$before $word" in "--output "*/mcpinvoke-*/*) written=$word; loose=${loose%"--output@END@"}; continue ;; esac
  case "$before" in
    --results-directory|--logger|--report) ;;
    *) case "$word" in @PRESENTATION@|-clp:*|--results-directory|--logger|--report) ;; *) loose="$loose$word@END@" ;; esac ;;
  esac
  before=$word
done
n=
"#;
const TAIL: &str = r#"
if [ -z "$n" ]; then
  echo "replay: nobody recorded: $*" >&2; echo "$PWD: $*" >> "$here/unrecorded"; exit 97
fi
echo "$n" > "$here/last"
[ -n "$results" ] && [ -d "$here/$n.files" ] && cp "$here/$n.files"/* "$results/"
if [ -n "$written" ]; then echo 'Build started...'; echo '[12:00:01 INF] CREATE TABLE logs;'; exec 3>"$written"; else exec 3>&1; fi
cat "$here/$n.out" >&3; cat "$here/$n.err" >&2
read -r end < "$here/$n.end"
case "$end" in SIG*) kill -s "${end#SIG}" $$ ;; *) exit "$end" ;; esac
"#;

/// The program, a folder it works in, and the group whose cases it answers.
pub struct Replay {
    folder: tempfile::TempDir,
    cases: Vec<Case>,
    group: u32,
}

impl Replay {
    /// With the cases of one group. Of a command line that was recorded several times the first answer is given.
    pub fn new(group: u32) -> Self {
        let text = fs::read_to_string(fixture(&format!("recordings/{group:02}.json"))).unwrap();
        let recorded: Group = serde_json::from_str(&text).unwrap();
        let replay = Self {
            folder: tempfile::tempdir().unwrap(),
            cases: recorded
                .cases
                .into_iter()
                .filter(|case| !case.name.starts_with("prep:"))
                .collect(),
            group,
        };
        fs::create_dir(replay.root()).unwrap();
        replay.write();
        replay
    }

    /// The folder that stands for `{ROOT}/gNN`.
    pub fn root(&self) -> PathBuf {
        self.base().join("root")
    }

    fn base(&self) -> PathBuf {
        fs::canonicalize(self.folder.path()).unwrap()
    }

    /// `{ROOT}/g21`, as the recordings write it.
    pub fn placeholder(&self) -> String {
        format!("{{ROOT}}/g{:02}", self.group)
    }

    /// The case that was answered last.
    pub fn last(&self) -> Option<Case> {
        let number: usize = fs::read_to_string(self.base().join("last"))
            .ok()?
            .trim()
            .parse()
            .ok()?;
        self.cases.get(number).cloned()
    }

    /// Command lines that were asked for and not recorded.
    pub fn unrecorded(&self) -> String {
        fs::read_to_string(self.base().join("unrecorded")).unwrap_or_default()
    }

    /// A bridge that runs it, serving the document that ships.
    pub fn bridge(&self) -> Bridge {
        let configuration = self.base().join("mcpinvoke.yaml");
        let base = self.base();
        let text = format!(
            "commands: {{dotnet: {{roots: [{0}/root], program: {0}/dotnet}}}}\n",
            base.display()
        );
        fs::write(&configuration, text).unwrap();
        Bridge::start([
            "--dotnet".into(),
            "--config".into(),
            configuration.into_os_string(),
        ])
    }

    /// Empty files and folders for the words of a case that look like them, so that they are there.
    pub fn prepare(&self, path: &str) {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        if path.extension().is_some() {
            fs::write(path, "").unwrap();
        } else {
            fs::create_dir_all(path).unwrap();
        }
    }

    fn write(&self) {
        let (mut exact, mut loose) = (HashMap::new(), HashMap::new());
        for (number, case) in self.cases.iter().enumerate() {
            if case.argv.first().map(String::as_str) != Some("dotnet") || !usual(case) {
                continue;
            }
            let (whole, part) = self.keys(case);
            exact.entry(whole).or_insert(number);
            loose.entry(part).or_insert(number);
            self.answer(case, number);
        }
        let mut script = HEAD
            .replace("@END@", &END.to_string())
            .replace("@PRESENTATION@", &PRESENTATION.join("|"));
        script.push_str("case \"$exact\" in\n");
        script.push_str(&table(&exact));
        script.push_str("esac\nif [ -z \"$n\" ]; then case \"$loose\" in\n");
        script.push_str(&table(&loose));
        script.push_str("esac; fi\n");
        script.push_str(TAIL);
        let program = self.base().join("dotnet");
        fs::write(&program, script).unwrap();
        executable(&program);
    }

    /// The folder and the words, relative to the folder; whole, and without what only concerns the presentation.
    fn keys(&self, case: &Case) -> (String, String) {
        let root = self.placeholder();
        let cwd = case.cwd.strip_prefix(&root).unwrap_or(&case.cwd);
        let mut whole = format!("{cwd}{END}");
        let mut part = whole.clone();
        let mut before = "";
        for word in case.argv.iter().skip(1) {
            let word = [&case.cwd, &root]
                .iter()
                .find_map(|folder| word.strip_prefix(folder.as_str())?.strip_prefix('/'))
                .unwrap_or(word);
            write!(whole, "{word}{END}").unwrap();
            let copies = ["--results-directory", "--logger", "--report"];
            let shown = copies.contains(&before)
                || copies.contains(&word)
                || PRESENTATION.contains(&word)
                || word.starts_with("-clp:");
            if !shown {
                write!(part, "{word}{END}").unwrap();
            }
            before = word;
        }
        (whole, part)
    }

    fn answer(&self, case: &Case, number: usize) {
        let put = |ending: &str, text: &str| {
            let text = text.replace(&self.placeholder(), &self.root().display().to_string());
            fs::write(self.base().join(format!("{number}.{ending}")), text).unwrap();
        };
        put("out", &case.stdout);
        put("err", &case.stderr);
        let end = case.exit.map_or_else(
            || case.signal.clone().unwrap_or_default(),
            |exit| exit.to_string(),
        );
        put("end", &format!("{end}\n"));
        for (name, text) in &case.files {
            let name = Path::new(name).file_name().unwrap().to_string_lossy();
            let copied = name.ends_with(".trx") || name == "format-report.json";
            if let (true, Some(text)) = (copied, text.as_str()) {
                fs::create_dir_all(self.base().join(format!("{number}.files"))).unwrap();
                put(&format!("files/{name}"), text);
            }
        }
    }
}

/// Recorded in the environment that the bridge makes; where programs are found makes no difference here.
fn usual(case: &Case) -> bool {
    let indifferent = ["PATH", "DOTNET_GENERATE_ASPNET_CERTIFICATE"];
    case.env
        .keys()
        .all(|name| indifferent.contains(&name.as_str()))
}

/// `'words') n=12 ;;`, quoted for the shell.
fn table(keys: &HashMap<String, usize>) -> String {
    let mut lines = String::new();
    for (key, number) in keys {
        writeln!(lines, "'{}') n={number} ;;", key.replace('\'', r"'\''")).unwrap();
    }
    lines
}

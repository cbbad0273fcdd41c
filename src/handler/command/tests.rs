//! What happens between a check and a start.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::sync::Arc;

use super::*;
use crate::binding::command::{Located, PlannedRun, PlannedWord, PlannedWork};
use crate::tool::NoProgress;

/// A handler whose program says where it is and what it was given.
fn handler(base: &Path) -> CommandHandler {
    let program = base.join("echo");
    fs::write(&program, "#!/bin/sh\npwd\necho \"$@\"\nls -A\n").unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    CommandHandler::new(&Settings {
        programs: vec![ProgramSettings {
            name: "echo".to_owned(),
            path: Some(program),
            environment: Vec::new(),
        }],
        roots: vec![base.join("root")],
        ..Settings::default()
    })
    .unwrap()
}

fn plan(path: &str, directory: &str, neutral: bool) -> CommandPlan {
    let located = |argument: &str, path: &str| Located {
        argument: argument.to_owned(),
        path: path.to_owned(),
    };
    CommandPlan {
        operation: "POST /x".to_owned(),
        program: "echo".to_owned(),
        action: "X".to_owned(),
        work: PlannedWork::Runs(vec![PlannedRun {
            runner: None,
            optional: false,
            neutral,
            background: false,
            words: vec![PlannedWord::Path {
                argument: "project".to_owned(),
                prefix: String::new(),
                path: path.to_owned(),
                escaped: false,
            }],
            input: None,
        }]),
        directory: Some(located("workingDirectory", directory)),
        asked: None,
        secrets: Vec::new(),
        lock: None,
        timeout: Duration::from_secs(20),
    }
}

async fn run(handler: &CommandHandler, ready: Ready) -> Result<CommandReply, CommandError> {
    let progress = Arc::new(NoProgress);
    handler
        .run(ready, &"somebody".into(), &*progress.clone(), progress)
        .await
}

#[tokio::test]
async fn what_was_exchanged_meanwhile_is_not_run() {
    let folder = tempfile::tempdir().unwrap();
    let base = fs::canonicalize(folder.path()).unwrap();
    for made in ["root/a", "root/b", "other"] {
        fs::create_dir_all(base.join(made)).unwrap();
    }
    let handler = handler(&base);
    let link = base.join("root/link");
    for (path, directory) in [("link/x", "."), (".", "link")] {
        for (target, reason) in [
            ("root/a", None),
            ("root/b", Some("changed meanwhile")),
            ("other", Some("outside the allowed roots")),
        ] {
            symlink(base.join("root/a"), &link).unwrap();
            let ready = handler.ready(plan(path, directory, false)).unwrap();
            fs::remove_file(&link).unwrap();
            symlink(base.join(target), &link).unwrap();
            let found = match run(&handler, ready).await {
                Ok(reply) => {
                    assert_eq!(reply.runs.len(), 1);
                    None
                }
                Err(CommandError::Refused { reason, .. }) => Some(reason),
                Err(other) => panic!("{other}"),
            };
            assert_eq!(found, reason, "{path} in {directory}, now {target}");
            fs::remove_file(&link).unwrap();
        }
    }
}

#[tokio::test]
async fn a_neutral_folder_is_empty_and_gone_afterwards() {
    let folder = tempfile::tempdir().unwrap();
    let base = fs::canonicalize(folder.path()).unwrap();
    fs::create_dir_all(base.join("root")).unwrap();
    fs::write(base.join("root/global.json"), "{}").unwrap();
    let handler = handler(&base);
    let reply = run(&handler, handler.ready(plan("x", ".", true)).unwrap()).await;
    let text = reply.unwrap().runs[0].stdout.text.clone();
    let lines: Vec<&str> = text.lines().collect();
    let [place, _] = lines[..] else {
        panic!("not an empty folder: {text}")
    };
    assert!(!place.starts_with(base.to_str().unwrap()), "{place}");
    assert!(!Path::new(place).exists(), "{place}");
    let reply = run(&handler, handler.ready(plan("x", ".", false)).unwrap()).await;
    assert!(reply.unwrap().runs[0].stdout.text.contains("global.json"));
}

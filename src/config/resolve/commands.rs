//! The settings of programs as they are meant.

use std::path::PathBuf;

use super::{Faults, room};
use crate::config::commands::Toolset;
use crate::config::file::{DocumentEntry, File};
use crate::config::{Commands, DocumentFlags};
use crate::discovery::DOTNET_DOCUMENT;
use crate::handler::command::{ProgramSettings, Settings};
use crate::openapi::Source;

/// Names the document that ships in the binary.
const BUILT_IN: &str = "builtin:dotnet";

/// Flags over the file. The toolset alone is the document that ships.
pub(super) fn lay(file: &mut File, flags: &DocumentFlags) {
    if flags.dotnet {
        file.commands.dotnet.get_or_insert_default();
    }
    if !flags.roots.is_empty() {
        file.commands.roots.clone_from(&flags.roots);
    }
    if file.commands.dotnet.is_some() && file.documents.is_empty() {
        file.documents = vec![DocumentEntry::Place(BUILT_IN.to_owned())];
    }
}

/// The document that ships, where that is what `place` names.
pub(super) fn built_in(place: &str) -> Option<Source> {
    (place == BUILT_IN).then_some(Source::BuiltIn {
        name: BUILT_IN,
        text: DOTNET_DOCUMENT,
    })
}

pub(super) fn settings(file: &File, faults: &mut Faults) -> Commands {
    let default = Settings::default();
    let named = file.commands.dotnet.clone();
    let Toolset {
        roots,
        program,
        environment,
        output,
        sessions,
        unsafe_output,
    } = named.clone().unwrap_or_default();
    if let Some(program) = program.as_ref().filter(|program| !program.is_absolute()) {
        let program = program.display();
        faults.0.push(format!(
            "commands.dotnet.program: expected an absolute path, found `{program}`"
        ));
    }
    let roots = match (file.commands.roots.is_empty(), roots.is_empty()) {
        (false, _) => file.commands.roots.clone(),
        (true, false) => roots,
        (true, true) => vec![PathBuf::from(".")],
    };
    for root in roots.iter().filter(|root| !root.is_dir()) {
        let root = root.display();
        if named.is_some() {
            let fault = format!("commands.dotnet.roots: `{root}` is not a folder that exists");
            faults.0.push(fault);
        }
    }
    let setting = "commands.dotnet.output";
    Commands {
        named: named.is_some(),
        unsafe_output: unsafe_output.unwrap_or_default(),
        handler: Settings {
            programs: vec![ProgramSettings {
                name: "dotnet".to_owned(),
                path: program,
                environment,
            }],
            roots,
            output: room(setting, output.as_deref(), default.output, faults),
            sessions: sessions.unwrap_or(default.sessions),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::super::resolve;
    use super::*;
    use crate::config::{Config, ServeFlags};

    fn resolved(flags: &DocumentFlags) -> Result<Config, String> {
        let config = resolve(flags, &ServeFlags::default(), &|_| None);
        config.map_err(|faults| faults.to_string())
    }

    #[test]
    fn the_toolset_alone_serves_what_ships() {
        let here = PathBuf::from(".");
        let flags = DocumentFlags {
            dotnet: true,
            ..DocumentFlags::default()
        };
        let config = resolved(&flags).unwrap();
        assert!(config.commands.named);
        assert_eq!(config.documents[0].source.to_string(), BUILT_IN);
        assert_eq!(config.commands.handler.roots, [here]);
        let flags = DocumentFlags {
            documents: vec!["a.yaml".to_owned()],
            roots: vec!["src".into(), "specs".into()],
            ..flags
        };
        let config = resolved(&flags).unwrap();
        assert_eq!(config.documents.len(), 1);
        assert_eq!(config.commands.handler.roots, flags.roots);
        assert!(config.to_yaml().contains("- specs"), "{}", config.to_yaml());
        let flags = DocumentFlags {
            dotnet: false,
            ..flags
        };
        let config = resolved(&flags).unwrap();
        assert!(!config.commands.named);
        assert_eq!(config.commands.handler.roots.len(), 2);
    }

    #[test]
    fn faults_name_the_setting() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let text = "commands: {dotnet: {program: dotnet, roots: [/nowhere/at/all], output: much}}";
        std::fs::write(file.path(), text).unwrap();
        let flags = DocumentFlags {
            config: Some(file.path().to_owned()),
            ..DocumentFlags::default()
        };
        let faults = resolved(&flags).unwrap_err();
        for setting in ["program", "roots", "output"] {
            let setting = format!("commands.dotnet.{setting}");
            assert!(faults.contains(&setting), "{faults}");
        }
    }
}

//! Which overlays change which document.

use super::Faults;
use crate::config::file::{DocumentEntry, File};
use crate::openapi::Source;

/// The overlays of one document: those for every document, then its own.
pub(super) fn of(
    file: &File,
    entry: &DocumentEntry,
    setting: &str,
    faults: &mut Faults,
) -> Vec<Source> {
    let own = match entry {
        DocumentEntry::Place(_) => &[][..],
        DocumentEntry::Full(settings) => &settings.overlays,
    };
    let for_all = file
        .overlays
        .iter()
        .map(|text| ("overlays".to_owned(), text));
    let own = own.iter().map(|text| (format!("{setting}.overlays"), text));
    let mut found = Vec::new();
    for (setting, text) in for_all.chain(own) {
        match read(text) {
            Ok(source) => found.push(source),
            Err(message) => {
                let fault = format!("{setting}: {message}");
                // A fault of the common list is told once, not for each document.
                if !faults.0.contains(&fault) {
                    faults.0.push(fault);
                }
            }
        }
    }
    found
}

fn read(text: &str) -> Result<Source, String> {
    match Source::parse(text) {
        Ok(Source::Stdin) => Err("an overlay cannot be `-`: give a path or a URL".to_owned()),
        other => other.map_err(|error| error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::resolve;
    use crate::config::{DocumentFlags, ServeFlags};

    #[test]
    fn flags_win_over_the_environment_and_bad_ones_are_told_once() {
        let environment =
            |name: &str| (name == "MCPINVOKE_OVERLAYS").then(|| "x.yaml y.yaml".to_owned());
        let shown = |overlays: &[&str]| {
            let flags = DocumentFlags {
                documents: vec!["a.yaml".to_owned(), "b.yaml".to_owned()],
                overlays: overlays.iter().map(|&text| text.to_owned()).collect(),
                ..DocumentFlags::default()
            };
            let config = resolve(&flags, &ServeFlags::default(), &environment)?;
            let names = config.documents[1].overlays.iter().map(ToString::to_string);
            Ok::<Vec<String>, crate::config::ConfigFaults>(names.collect())
        };
        assert_eq!(shown(&[]).unwrap(), ["x.yaml", "y.yaml"]);
        assert_eq!(shown(&["z.yaml"]).unwrap(), ["z.yaml"]);
        assert_eq!(shown(&["-", "ftp://x"]).unwrap_err().0.len(), 2);
    }
}

//! Arguments are described for the actions that go by them, so that none is refused or passed over which a caller was
//! told to give.

use mcpinvoke::discovery::DOTNET_DOCUMENT;

use super::{command, discovered};

#[test]
fn actions_go_by_the_arguments_that_are_described_for_them() {
    let discovery = discovered(DOTNET_DOCUMENT);
    for tool in &discovery.tools {
        let target = command(tool);
        let schema = tool.input_schema.parse();
        let properties = schema["properties"].as_object().expect("properties");
        for (name, property) in properties {
            let own = [target.selector.as_deref(), target.directory.as_deref()];
            if own.contains(&Some(name)) || ["machineReadable", "unsafeOutput"].contains(&&**name) {
                continue;
            }
            let place = format!("{} {name}", tool.name.as_str());
            let told = property["description"].as_str().expect("a description");
            let used = target.actions.iter().any(|action| action.goes_by(name));
            assert_ne!(used, told.starts_with("Has no effect"), "{place}");
            let (head, _) = told.split_once(':').unwrap_or_default();
            let named: Vec<&str> = head.split([',', ' ']).collect();
            for action in &target.actions {
                let is_named = named.contains(&action.name.as_str());
                assert!(
                    !is_named || action.goes_by(name),
                    "{place}: {}",
                    action.name
                );
            }
        }
        for name in &target.decisive {
            assert!(properties.contains_key(name), "{name}");
        }
    }
}

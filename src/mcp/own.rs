//! Listings of callers who see a part of the catalogue: made once for all callers of the same grant.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use parking_lot::Mutex;

use super::listing::Listing;
use super::settings::Settings;
use crate::invoke::Catalogue;
use crate::policy::Access;
use crate::tool::Grant;

/// Grants remembered at once. Few are in use; a crowd of tokens with scopes of their own must not fill the memory.
const MOST: usize = 64;

/// The listings of one generation of the catalogue. `None` stands for the listing of all tools.
#[derive(Debug, Default)]
pub(crate) struct Own(Mutex<HashMap<Arc<Grant>, Option<Arc<Listing>>>>);

impl Own {
    /// The listing for a grant; nothing where that sees every tool.
    pub(crate) fn of(
        &self,
        grant: &Arc<Grant>,
        access: &Access,
        catalogue: &Catalogue,
        settings: &Settings,
    ) -> Option<Arc<Listing>> {
        if let Some(known) = self.0.lock().get(grant) {
            return known.clone();
        }
        let tools = catalogue.iter().map(|entry| &*entry.tool);
        let seen = tools.filter(|tool| access.lists(grant, tool));
        let visible: HashSet<_> = seen.map(|tool| tool.name.clone()).collect();
        let part = visible.len() < catalogue.len();
        let made = part.then(|| Arc::new(Listing::part(catalogue, settings, visible)));
        let mut known = self.0.lock();
        if known.len() >= MOST {
            known.clear();
        }
        known.insert(Arc::clone(grant), made.clone());
        made
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mcp::testing::{server, tool};
    use crate::tool::{Caller, Pattern};

    fn caller(patterns: &[&str]) -> Caller {
        let tools = patterns.iter().map(|text| Pattern::new(text).unwrap());
        Caller {
            grant: Some(Arc::new(Grant {
                tools: Some(tools.collect()),
                scopes: None,
            })),
            ..Caller::anonymous("http")
        }
    }

    #[test]
    fn listings_are_shared_by_whom_they_are_the_same_for() {
        let server = server(Settings::default());
        let of = |caller: &Caller| server.catalogue(caller).1;
        let all = of(&Caller::anonymous("http"));
        assert!(Arc::ptr_eq(&all, &of(&Caller::anonymous("stdio"))));
        assert!(Arc::ptr_eq(&all, &of(&caller(&["*"]))));
        let part = of(&caller(&["first"]));
        assert!(!Arc::ptr_eq(&all, &part));
        assert!(Arc::ptr_eq(&part, &of(&caller(&["first"]))));
        for number in 0..MOST * 2 {
            of(&caller(&[&format!("t{number}")]));
        }
        assert!(all.own.0.lock().len() <= MOST);
    }

    #[test]
    fn a_part_is_listed_in_whatever_shape_fits_it() {
        let settings = Settings {
            tools_mode: crate::mcp::ToolsMode::Auto,
            budget: 300,
            ..Settings::default()
        };
        let tools: Vec<_> = (0..50)
            .map(|number| tool(&format!("tool_{number}")))
            .collect();
        let (server, _) = crate::mcp::testing::server_of(tools, settings);
        assert!(
            server
                .catalogue(&Caller::anonymous("http"))
                .1
                .builtin("search_tools")
                .is_some()
        );
        let few = server.catalogue(&caller(&["tool_7"])).1;
        assert!(few.builtin("search_tools").is_none());
    }
}

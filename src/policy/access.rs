//! Who may call which tool. A tool that a caller's patterns leave out does not exist for it; one that asks for
//! more scopes than its token has is refused with the scopes that would do.

use std::borrow::Cow;

use crate::tool::{Caller, Grant, Pattern, Security, Target, Tool};

/// What a token's scopes have to do with tools.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// The scopes that the document's `security` names are asked for.
    pub document_scopes: bool,
    /// Put before a document's scope to get the token's.
    pub prefix: String,
    /// Scopes that tools of these names ask for besides; all of each entry that matches.
    pub by_tool: Vec<(Pattern, Vec<String>)>,
    /// Tools are listed though the token lacks a scope for them, so that a client can ask for more.
    pub lists_all: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            document_scopes: true,
            prefix: String::new(),
            by_tool: Vec::new(),
            lists_all: false,
        }
    }
}

/// The decision.
#[derive(Debug, Default)]
pub struct Access(Settings);

/// Why a tool may not be called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Denied {
    /// The caller is not to know that there is such a tool.
    Hidden,
    /// A token with all of these scopes could call it.
    Scopes(Vec<String>),
}

impl Access {
    /// Puts settings in force.
    #[must_use]
    pub fn new(settings: &Settings) -> Self {
        Self(settings.clone())
    }

    /// Whether the caller may call the tool.
    ///
    /// # Errors
    /// [`Denied`] where it may not.
    pub fn check(&self, caller: &Caller, tool: &Tool) -> Result<(), Denied> {
        match &caller.grant {
            None => Ok(()),
            Some(grant) => self.judge(grant, tool),
        }
    }

    /// Whether a caller of this grant sees the tool.
    #[must_use]
    pub fn lists(&self, grant: &Grant, tool: &Tool) -> bool {
        match self.judge(grant, tool) {
            Ok(()) => true,
            Err(Denied::Hidden) => false,
            Err(Denied::Scopes(_)) => self.0.lists_all,
        }
    }

    fn judge(&self, grant: &Grant, tool: &Tool) -> Result<(), Denied> {
        let name = tool.name.as_str();
        if !grant.names(name) {
            return Err(Denied::Hidden);
        }
        let Some(scopes) = &grant.scopes else {
            return Ok(());
        };
        let has = |scope: &str| scopes.binary_search_by(|own| (**own).cmp(scope)).is_ok();
        let matching = self
            .0
            .by_tool
            .iter()
            .filter(|(pattern, _)| pattern.matches(name));
        let always: Vec<&str> = matching
            .flat_map(|(_, scopes)| scopes)
            .map(String::as_str)
            .collect();
        let security = security(tool);
        let alternatives = self.alternatives(security);
        let met = |alternative: &Vec<Cow<'_, str>>| alternative.iter().all(|scope| has(scope));
        if always.iter().all(|scope| has(scope))
            && (alternatives.is_empty() || alternatives.iter().any(met))
        {
            return Ok(());
        }
        // The alternative that is nearest, so that nobody is asked for more than it takes.
        let missing = |alternative: &&Vec<Cow<'_, str>>| {
            alternative.iter().filter(|scope| !has(scope)).count()
        };
        let nearest = alternatives.iter().min_by_key(missing);
        let mut needed: Vec<String> = Vec::new();
        let nearest = nearest.into_iter().flatten().map(AsRef::as_ref);
        for scope in nearest.chain(always) {
            if !needed.iter().any(|known| known == scope) {
                needed.push(scope.to_owned());
            }
        }
        Err(Denied::Scopes(needed))
    }

    /// What the document asks for: one of these, and all scopes of it (OpenAPI, Security Requirement Object).
    fn alternatives<'a>(&self, security: &'a Security) -> Vec<Vec<Cow<'a, str>>> {
        if !self.0.document_scopes {
            return Vec::new();
        }
        let prefix = self.0.prefix.as_str();
        let named = |scope: &'a String| match prefix {
            "" => Cow::Borrowed(scope.as_str()),
            prefix => Cow::Owned(format!("{prefix}{scope}")),
        };
        let alternatives = security.iter();
        alternatives
            .map(|needs| {
                needs
                    .iter()
                    .flat_map(|need| &need.scopes)
                    .map(named)
                    .collect()
            })
            .collect()
    }
}

fn security(tool: &Tool) -> &Security {
    match &tool.target {
        Target::Http(target) => &target.security,
        Target::Command(target) => &target.security,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::tool::{HttpTarget, SchemeKind, SecurityNeed, SecurityScheme};

    /// A tool whose alternatives each ask for these scopes of one scheme.
    fn scoped(alternatives: &[&[&[&str]]]) -> Tool {
        let scheme = Arc::new(SecurityScheme {
            document: 0,
            name: "oauth".to_owned(),
            kind: SchemeKind::Bearer { token_url: None },
        });
        let need = |scopes: &&[&str]| SecurityNeed {
            scheme: Arc::clone(&scheme),
            scopes: scopes.iter().map(|scope| (*scope).to_owned()).collect(),
        };
        let mut target = HttpTarget::bare(http::Method::PUT, "/pets");
        target.security = alternatives
            .iter()
            .map(|needs| needs.iter().map(need).collect())
            .collect();
        Tool::bare("update_pet", target)
    }

    fn caller(tools: Option<&[&str]>, scopes: Option<&[&str]>) -> Caller {
        let pattern = |text: &&str| Pattern::new(text).unwrap();
        let grant = Grant {
            tools: tools.map(|tools| tools.iter().map(pattern).collect()),
            scopes: scopes.map(|scopes| {
                let mut scopes: Vec<Box<str>> =
                    scopes.iter().map(|scope| (*scope).into()).collect();
                scopes.sort();
                scopes
            }),
        };
        Caller {
            grant: Some(Arc::new(grant)),
            ..Caller::anonymous("http")
        }
    }

    fn needed(scopes: &[&str]) -> Result<(), Denied> {
        Err(Denied::Scopes(
            scopes.iter().map(|scope| (*scope).to_owned()).collect(),
        ))
    }

    #[test]
    fn one_alternative_with_all_its_scopes_is_enough() {
        let access = Access::default();
        let pet = scoped(&[&[&["read", "write"]], &[&["admin"], &["audit"]]]);
        for (scopes, expected) in [
            (&["read", "write"][..], Ok(())),
            (&["admin", "audit"], Ok(())),
            (&["admin", "write"], needed(&["read", "write"])),
            (&["audit"], needed(&["admin", "audit"])),
            (&[], needed(&["read", "write"])),
            (&["readwrite"], needed(&["read", "write"])),
        ] {
            assert_eq!(
                access.check(&caller(None, Some(scopes)), &pet),
                expected,
                "{scopes:?}"
            );
        }
        // An alternative without scopes asks for none, and so does an operation without alternatives.
        for free in [
            scoped(&[&[&["read"]], &[&[]]]),
            scoped(&[&[&["read"]], &[]]),
            scoped(&[]),
        ] {
            assert_eq!(access.check(&caller(None, Some(&[])), &free), Ok(()));
        }
        // Keys have no scopes.
        assert_eq!(access.check(&caller(None, None), &pet), Ok(()));
        assert_eq!(access.check(&Caller::anonymous("http"), &pet), Ok(()));
    }

    #[test]
    fn scopes_are_mapped_as_configured() {
        let settings = Settings {
            prefix: "shop:".to_owned(),
            by_tool: vec![
                (
                    Pattern::new("update_*").unwrap(),
                    vec!["mcp".to_owned(), "shop:read".to_owned()],
                ),
                (Pattern::new("delete_*").unwrap(), vec!["root".to_owned()]),
            ],
            ..Settings::default()
        };
        let pet = scoped(&[&[&["read"]]]);
        let check = |settings: &Settings, scopes| {
            Access::new(settings).check(&caller(None, Some(scopes)), &pet)
        };
        assert_eq!(check(&settings, &["shop:read", "mcp"]), Ok(()));
        assert_eq!(
            check(&settings, &["read", "mcp"]),
            needed(&["shop:read", "mcp"])
        );
        let settings = Settings {
            document_scopes: false,
            by_tool: Vec::new(),
            ..settings
        };
        assert_eq!(check(&settings, &[]), Ok(()));
    }

    #[test]
    fn a_tool_out_of_the_patterns_is_hidden_whatever_the_scopes() {
        let (access, pet) = (Access::default(), scoped(&[&[&["read"]]]));
        let hidden = caller(Some(&["get_*"]), Some(&["read"]));
        assert_eq!(access.check(&hidden, &pet), Err(Denied::Hidden));
        let seen = caller(Some(&["get_*", "update_*"]), Some(&[]));
        assert_eq!(access.check(&seen, &pet), needed(&["read"]));
        let all = Access::new(&Settings {
            lists_all: true,
            ..Settings::default()
        });
        let lists =
            |access: &Access, caller: &Caller| access.lists(caller.grant.as_ref().unwrap(), &pet);
        assert!(!lists(&access, &seen) && lists(&all, &seen) && !lists(&all, &hidden));
    }
}

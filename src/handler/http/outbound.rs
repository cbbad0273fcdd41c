//! Which hosts and addresses requests may go to, and whether redirects are followed.

use url::Url;

use crate::outbound::{Guard, HostRule, Network, Reach, Refused};

/// Where requests may go.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Settings {
    /// Where given, requests go to no other host, whatever a document says.
    pub hosts: Vec<HostRule>,
    /// What becomes of redirects.
    pub redirects: Redirects,
    /// Networks that may be reached although they are link-local.
    pub allow: Vec<Network>,
}

/// What becomes of redirects.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Redirects {
    /// They are answers like any other.
    #[default]
    None,
    /// Followed within one scheme, host and port, by requests that change nothing.
    SameHost,
}

/// A place that a request may not go to.
#[derive(Debug, thiserror::Error)]
pub(super) enum Elsewhere {
    /// The host is in no rule.
    #[error("`outbound.hosts` in the configuration does not name this host")]
    Host,
    /// The address is out of reach.
    #[error(transparent)]
    Address(#[from] Refused),
}

/// The rules in force. Names are judged where they are resolved, by [`Outbound::guard`].
#[derive(Debug)]
pub(super) struct Outbound {
    hosts: Vec<HostRule>,
    redirects: Redirects,
    guard: Guard,
}

impl Outbound {
    pub(super) fn new(settings: &Settings) -> Self {
        Self {
            hosts: settings.hosts.clone(),
            redirects: settings.redirects,
            guard: Guard::new(Reach::Neighbours, &settings.allow),
        }
    }

    pub(super) fn guard(&self) -> &Guard {
        &self.guard
    }

    pub(super) fn redirects(&self) -> Redirects {
        self.redirects
    }

    /// Judges a URL by its host.
    pub(super) fn check(&self, url: &Url) -> Result<(), Elsewhere> {
        if !self.hosts.is_empty() && !self.hosts.iter().any(|rule| rule.has(url)) {
            return Err(Elsewhere::Host);
        }
        Ok(self.guard.check_url(url)?)
    }

    /// The same for a place the operator named himself: its host needs no rule.
    pub(super) fn check_named(&self, url: &Url) -> Result<(), Elsewhere> {
        Ok(self.guard.check_url(url)?)
    }
}

//! Where requests may go: judged by address, after a name is resolved and in the same step in which
//! the connection is made, so that no second look-up can give another answer.

mod address;
mod cause;
mod host;
mod network;
mod tls;

use std::fmt;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use url::{Host, Url};

use address::{Kind, kind};
pub use cause::{CertificateFault, causes, certificate_fault, was_not_sent};
pub use host::HostRule;
pub use network::Network;
pub use tls::{Certificates, Tls};

/// How far requests of one purpose may go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// Everywhere but to link-local addresses and the metadata services of clouds: for hosts that the
    /// operator named, or a document he named.
    Neighbours,
    /// To public addresses alone: for hosts that somebody else named.
    Public,
}

/// Decides about addresses. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Guard {
    reach: Reach,
    allowed: Arc<[Network]>,
    names: Names,
}

/// Who resolves names.
#[derive(Clone)]
enum Names {
    System,
    #[cfg(test)]
    Told(Arc<LookUp>),
}

#[cfg(test)]
type LookUp = dyn Fn(&str) -> Vec<IpAddr> + Send + Sync;

/// An address that no request may go to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("its address {address} is {kind}; `outbound.allow` in the configuration lets it pass")]
pub struct Refused {
    address: IpAddr,
    kind: Kind,
}

impl Guard {
    /// A guard with this reach that lets these networks pass as well.
    #[must_use]
    pub fn new(reach: Reach, allowed: &[Network]) -> Self {
        Self {
            reach,
            allowed: allowed.into(),
            names: Names::System,
        }
    }

    /// Judges the host of a URL where it is an address: no resolver is asked for those. `Url` has already
    /// read decimal, octal and hexadecimal spellings (WHATWG URL, "IPv4 parser").
    ///
    /// # Errors
    /// [`Refused`].
    pub fn check_url(&self, url: &Url) -> Result<(), Refused> {
        match url.host() {
            Some(Host::Ipv4(address)) => self.check(address.into()),
            Some(Host::Ipv6(address)) => self.check(address.into()),
            Some(Host::Domain(_)) | None => Ok(()),
        }
    }

    /// Judges one address.
    ///
    /// # Errors
    /// [`Refused`].
    pub fn check(&self, address: IpAddr) -> Result<(), Refused> {
        let kind = kind(address);
        let passes = match kind {
            Kind::Public => true,
            Kind::Private => self.reach == Reach::Neighbours,
            Kind::LinkLocal | Kind::Metadata => false,
        };
        if passes || self.allowed.iter().any(|network| network.has(address)) {
            Ok(())
        } else {
            Err(Refused { address, kind })
        }
    }

    /// The addresses of a name that may be connected to, with port 0.
    ///
    /// # Errors
    /// The name cannot be resolved, or all of its addresses are [`Refused`].
    pub async fn resolve(&self, name: &str) -> io::Result<Vec<SocketAddr>> {
        let found = self.names.look_up(name).await?;
        let mut refused = None;
        let mut passed = Vec::with_capacity(found.len());
        for address in found {
            match self.check(address.ip()) {
                Ok(()) => passed.push(address),
                Err(error) => refused = Some(error),
            }
        }
        match refused {
            Some(error) if passed.is_empty() => Err(io::Error::other(error)),
            _ if passed.is_empty() => Err(io::ErrorKind::NotFound.into()),
            _ => Ok(passed),
        }
    }

    /// The same with names resolved by `look_up`.
    #[cfg(test)]
    pub(crate) fn told(
        mut self,
        look_up: impl Fn(&str) -> Vec<IpAddr> + Send + Sync + 'static,
    ) -> Self {
        self.names = Names::Told(Arc::new(look_up));
        self
    }
}

/// For clients of `reqwest`: what was judged is what they connect to.
impl Resolve for Guard {
    fn resolve(&self, name: Name) -> Resolving {
        let guard = self.clone();
        Box::pin(async move {
            let addresses = Self::resolve(&guard, name.as_str()).await?;
            Ok(Box::new(addresses.into_iter()) as Addrs)
        })
    }
}

impl Names {
    async fn look_up(&self, name: &str) -> io::Result<Vec<SocketAddr>> {
        match self {
            Self::System => Ok(tokio::net::lookup_host((name, 0)).await?.collect()),
            #[cfg(test)]
            Self::Told(look_up) => Ok(look_up(name)
                .into_iter()
                .map(|address| SocketAddr::new(address, 0))
                .collect()),
        }
    }
}

impl fmt::Debug for Names {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Names")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guard(reach: Reach, allowed: &[&str]) -> Guard {
        let allowed: Vec<Network> = allowed.iter().map(|text| text.parse().unwrap()).collect();
        Guard::new(reach, &allowed)
    }

    #[test]
    fn spellings_of_an_address_are_that_address() {
        let near = guard(Reach::Neighbours, &[]);
        for metadata in [
            "http://169.254.169.254/",
            "http://2852039166/",
            "http://0xA9FEA9FE/",
            "http://0251.0376.0251.0376/",
            "http://169.254.43518/",
            "http://169.254.169.254./",
            "http://１６９.254.169.254/",
            "http://[::ffff:169.254.169.254]/",
            "http://[::ffff:a9fe:a9fe]/",
            "http://[64:ff9b::a9fe:a9fe]/",
            "http://[2002:a9fe:a9fe::1]/",
            "http://[fd00:ec2::254]/",
            "http://[fe80::1]/",
        ] {
            let url = Url::parse(metadata).unwrap();
            assert!(near.check_url(&url).is_err(), "{metadata}");
        }
        let far = guard(Reach::Public, &[]);
        for private in [
            "http://0/",
            "http://0.0.0.0/",
            "http://127.1/",
            "http://017700000001/",
            "http://[::]/",
            "http://[::1]/",
            "http://10.0.0.1/",
        ] {
            let url = Url::parse(private).unwrap();
            assert!(far.check_url(&url).is_err(), "{private}");
            assert!(near.check_url(&url).is_ok(), "{private}");
        }
    }

    #[test]
    fn what_is_allowed_passes_in_every_spelling() {
        let far = guard(
            Reach::Public,
            &["10.1.0.0/16", "fd00::/8", "169.254.169.254"],
        );
        for (address, passes) in [
            ("10.1.2.3", true),
            ("::ffff:10.1.2.3", true),
            ("10.2.0.1", false),
            ("fd12::1", true),
            ("169.254.169.254", true),
            ("169.254.169.253", false),
            ("8.8.8.8", true),
        ] {
            assert_eq!(
                far.check(address.parse().unwrap()).is_ok(),
                passes,
                "{address}"
            );
        }
    }

    #[tokio::test]
    async fn names_are_judged_by_what_they_resolve_to() {
        let answers = |name: &str| match name {
            "inside.test" => vec!["10.0.0.1".parse().unwrap()],
            "mixed.test" => vec![
                "169.254.169.254".parse().unwrap(),
                "8.8.8.8".parse().unwrap(),
            ],
            _ => Vec::new(),
        };
        let far = guard(Reach::Public, &[]).told(answers);
        let error = far.resolve("inside.test").await.unwrap_err();
        let refused = error.to_string();
        assert!(refused.contains("10.0.0.1 is private"), "{refused}");
        let near = guard(Reach::Neighbours, &[]).told(answers);
        assert!(near.resolve("inside.test").await.is_ok());
        // Only what was judged is connected to.
        let passed = near.resolve("mixed.test").await.unwrap();
        assert_eq!(passed, ["8.8.8.8:0".parse().unwrap()]);
        assert!(near.resolve("nothing.test").await.is_err());
    }
}

//! A network as people write it: an address, or an address and the length of its prefix.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use super::address::embedded;

/// All addresses with one prefix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Network {
    address: IpAddr,
    length: u8,
}

/// A text that is no network.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a network: expected for instance `10.1.0.0/16`, `fd00::/8` or `192.168.1.7`")]
pub struct NotANetwork(String);

impl Network {
    /// Whether an address is in it. An IPv4 network has the IPv6 addresses that lead into it.
    #[must_use]
    pub fn has(&self, address: IpAddr) -> bool {
        match (self.address, address) {
            (IpAddr::V4(own), IpAddr::V4(other)) => same(
                own.to_bits().into(),
                other.to_bits().into(),
                32,
                self.length,
            ),
            (IpAddr::V6(own), IpAddr::V6(other)) => {
                same(own.to_bits(), other.to_bits(), 128, self.length)
            }
            (IpAddr::V4(_), IpAddr::V6(other)) => {
                embedded(other).is_some_and(|inner| self.has(inner.into()))
            }
            (IpAddr::V6(_), IpAddr::V4(_)) => false,
        }
    }
}

/// The first `length` of `width` bits are the same.
fn same(one: u128, other: u128, width: u32, length: u8) -> bool {
    let rest = width - u32::from(length);
    (one ^ other).checked_shr(rest).unwrap_or(0) == 0
}

impl FromStr for Network {
    type Err = NotANetwork;

    fn from_str(text: &str) -> Result<Self, NotANetwork> {
        let refused = || NotANetwork(text.to_owned());
        let (address, length) = match text.trim().split_once('/') {
            Some((address, length)) => (address, Some(length)),
            None => (text.trim(), None),
        };
        let address: IpAddr = address.parse().map_err(|_| refused())?;
        let width = if address.is_ipv4() { 32 } else { 128 };
        let length = match length {
            Some(length) => length.parse().map_err(|_| refused())?,
            None => width,
        };
        if length > width {
            return Err(refused());
        }
        Ok(Self { address, length })
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.address, self.length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn networks_are_read_and_have_their_addresses() {
        let has = |network: &str, address: &str| {
            let network: Network = network.parse().unwrap();
            network.has(address.parse().unwrap())
        };
        assert!(has("10.1.0.0/16", "10.1.255.255") && !has("10.1.0.0/16", "10.2.0.0"));
        assert!(has("0.0.0.0/0", "8.8.8.8") && !has("0.0.0.0/0", "fd00::1"));
        assert!(has("::/0", "fd00::1") && has("fd00::/8", "fdff::1"));
        assert!(has("127.0.0.1", "::ffff:127.0.0.1") && !has("127.0.0.1", "127.0.0.2"));
        for bad in [
            "",
            "10.0.0",
            "10.0.0.0/33",
            "::/129",
            "a.test",
            "10.0.0.0/-1",
        ] {
            assert!(bad.parse::<Network>().is_err(), "{bad}");
        }
    }
}

//! What kind of address one is, whatever way it is written.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// What is at an address, as far as the address tells (IANA special-purpose registries, RFC 6890).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// Anybody's.
    Public,
    /// The machine itself, its own network, or nothing one can talk to.
    Private,
    /// Reached without a router: nothing that has a document is there, but metadata services are.
    LinkLocal,
    /// Tells a cloud machine's secrets to whoever asks from it.
    Metadata,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Public => "public",
            Self::Private => "private",
            Self::LinkLocal => "link-local",
            Self::Metadata => "a cloud's metadata service",
        })
    }
}

/// Metadata services outside of the link-local network: Azure, Alibaba, Oracle.
const METADATA_V4: [Ipv4Addr; 3] = [
    Ipv4Addr::new(168, 63, 129, 16),
    Ipv4Addr::new(100, 100, 100, 200),
    Ipv4Addr::new(192, 0, 0, 192),
];
/// AWS and Google.
const METADATA_V6: [Ipv6Addr; 2] = [
    Ipv6Addr::new(0xfd00, 0x0ec2, 0, 0, 0, 0, 0, 0x254),
    Ipv6Addr::new(0xfd20, 0x00ce, 0, 0, 0, 0, 0, 0x254),
];

pub(super) fn kind(address: IpAddr) -> Kind {
    match address {
        IpAddr::V4(address) => of_v4(address),
        IpAddr::V6(address) => match embedded(address) {
            // Whoever translates may stand inside: what it leads to counts, and is never more public.
            Some(inner) => of_v4(inner).max(if mapped(address) {
                Kind::Public
            } else {
                Kind::Private
            }),
            None => of_v6(address),
        },
    }
}

fn of_v4(address: Ipv4Addr) -> Kind {
    let [a, b, c, _] = address.octets();
    if address == Ipv4Addr::new(169, 254, 169, 254) || METADATA_V4.contains(&address) {
        return Kind::Metadata;
    }
    if address.is_link_local() {
        return Kind::LinkLocal;
    }
    let shared = a == 100 && (64..128).contains(&b);
    let benchmark = a == 198 && (b == 18 || b == 19);
    let assigned = a == 192 && b == 0 && c == 0;
    let relay = a == 192 && b == 88 && c == 99;
    let private = address.is_private()
        || address.is_loopback()
        || address.is_multicast()
        || address.is_documentation()
        || shared
        || benchmark
        || assigned
        || relay
        || a == 0
        || a >= 240;
    if private { Kind::Private } else { Kind::Public }
}

fn of_v6(address: Ipv6Addr) -> Kind {
    let segments = address.segments();
    if METADATA_V6.contains(&address) {
        Kind::Metadata
    } else if segments[0] & 0xffc0 == 0xfe80 {
        Kind::LinkLocal
    } else if segments[0] & 0xe000 == 0x2000 && !is_special(segments) {
        Kind::Public
    } else {
        // Only 2000::/3 is given out.
        Kind::Private
    }
}

/// 2001::/23 is for protocols, 2001:db8::/32 and 3fff::/20 for documents.
fn is_special([a, b, ..]: [u16; 8]) -> bool {
    a == 0x2001 && (b < 0x0200 || b == 0x0db8) || a == 0x3fff && b < 0x1000
}

fn mapped(address: Ipv6Addr) -> bool {
    address.to_ipv4_mapped().is_some()
}

/// The IPv4 address an IPv6 address leads to: mapped and compatible (RFC 4291), NAT64 (RFC 6052, RFC 8215)
/// and 6to4 (RFC 3056).
pub(super) fn embedded(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let s = address.segments();
    let v4 = |high: u16, low: u16| {
        let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
        Ipv4Addr::new(a, b, c, d)
    };
    match s {
        // `::` and `::1` are addresses of their own.
        [0, 0, 0, 0, 0, 0, 0, 0 | 1] => None,
        [0, 0, 0, 0, 0, 0 | 0xffff, high, low] => Some(v4(high, low)),
        [0, 0, 0, 0, 0xffff, 0, high, low] => Some(v4(high, low)),
        [0x64, 0xff9b, 0 | 1, .., high, low] => Some(v4(high, low)),
        [0x2002, high, low, ..] => Some(v4(high, low)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_told_apart() {
        for (address, expected) in [
            ("8.8.8.8", Kind::Public),
            ("2606:4700::1", Kind::Public),
            ("::ffff:8.8.8.8", Kind::Public),
            ("10.1.2.3", Kind::Private),
            ("127.0.0.1", Kind::Private),
            ("192.168.0.1", Kind::Private),
            ("172.16.0.1", Kind::Private),
            ("100.64.0.1", Kind::Private),
            ("0.0.0.0", Kind::Private),
            ("0.1.2.3", Kind::Private),
            ("255.255.255.255", Kind::Private),
            ("198.18.0.1", Kind::Private),
            ("224.0.0.1", Kind::Private),
            ("192.0.2.1", Kind::Private),
            ("::", Kind::Private),
            ("::1", Kind::Private),
            ("::7f00:1", Kind::Private),
            ("fd00::1", Kind::Private),
            ("ff02::1", Kind::Private),
            ("2001:db8::1", Kind::Private),
            ("2001::1", Kind::Private),
            ("::ffff:10.0.0.1", Kind::Private),
            ("::ffff:0:127.0.0.1", Kind::Private),
            ("64:ff9b::a00:1", Kind::Private),
            ("64:ff9b::808:808", Kind::Private),
            ("64:ff9b:1::a00:1", Kind::Private),
            ("2002:a00:1::", Kind::Private),
            ("169.254.1.1", Kind::LinkLocal),
            ("fe80::1", Kind::LinkLocal),
            ("febf::1", Kind::LinkLocal),
            ("::ffff:169.254.170.2", Kind::LinkLocal),
            ("169.254.169.254", Kind::Metadata),
            ("168.63.129.16", Kind::Metadata),
            ("100.100.100.200", Kind::Metadata),
            ("fd00:ec2::254", Kind::Metadata),
            ("fd20:ce::254", Kind::Metadata),
            ("::ffff:169.254.169.254", Kind::Metadata),
            ("64:ff9b::a9fe:a9fe", Kind::Metadata),
        ] {
            assert_eq!(kind(address.parse().unwrap()), expected, "{address}");
        }
    }
}

//! How HTTP is served.

use std::net::SocketAddr;

use super::{Faults, access, duration, policy, room, upstream};
use crate::config::file::{File, Limits};
use crate::transport;
use crate::transport::http::MAX_CONNECTIONS;

pub(super) fn settings(file: &File, faults: &mut Faults) -> transport::http::Settings {
    let default = transport::http::Settings::default();
    let Limits {
        request,
        connections,
        ..
    } = &file.limits;
    let listen = file
        .listen
        .as_deref()
        .and_then(|text| faults.take("listen", address(text)));
    let path = file.path.clone().unwrap_or_else(|| default.path.clone());
    faults.take("path", endpoint(&path));
    let connections = connections.unwrap_or(default.max_connections);
    if !(1..=MAX_CONNECTIONS).contains(&connections) {
        faults.0.push(format!(
            "limits.connections: expected 1 to {MAX_CONNECTIONS}, found {connections}"
        ));
    }
    transport::http::Settings {
        listen: listen.unwrap_or(default.listen),
        path,
        allowed_hosts: file.allowed_hosts.clone(),
        allowed_origins: file.allowed_origins.clone(),
        keys: access::keys(file, faults),
        tokens: access::tokens(file, faults),
        requests: policy::requests(file, faults),
        forward_headers: upstream::forwarded(file, faults),
        metrics: file.metrics,
        max_body_bytes: room(
            "limits.request",
            request.as_deref(),
            default.max_body_bytes,
            faults,
        ),
        max_connections: connections,
        drain: duration(
            "timeouts.drain",
            file.timeouts.drain.as_deref(),
            default.drain,
            faults,
        ),
        ..default
    }
}

/// Whether the router would take a segment of a path for more than its letters.
pub(super) fn is_capture(segment: &str) -> bool {
    segment.starts_with([':', '*'])
}

/// A path that the endpoint can have: one that requests have as it is written, and that is no page's.
fn endpoint(path: &str) -> Result<(), String> {
    let fits = |c: char| c.is_ascii_alphanumeric() || "/-._~%!$&'()+,;=:@*".contains(c);
    let mut segments = path.split('/').skip(1);
    let odd = |segment: &str| matches!(segment, "." | "..") || is_capture(segment);
    if !path.starts_with('/') || path == "/" || !path.chars().all(fits) || segments.any(odd) {
        return Err(format!("expected a path such as `/mcp`, found `{path}`"));
    }
    if path.contains("//") {
        return Err(format!("expected no empty segment, found `{path}`"));
    }
    if transport::http::is_reserved(path) {
        return Err(format!(
            "`{path}` is a page of the bridge's own: expected another, such as `/mcp`"
        ));
    }
    Ok(())
}

/// An address, or a port of the loopback address.
pub(super) fn address(text: &str) -> Result<SocketAddr, String> {
    let text = text.trim();
    let local = text
        .parse::<u16>()
        .map(|port| SocketAddr::from(([127, 0, 0, 1], port)));
    let named = text
        .strip_prefix("localhost:")
        .map(|port| format!("127.0.0.1:{port}"));
    local
        .ok()
        .or_else(|| named.as_deref().unwrap_or(text).parse().ok())
        .ok_or_else(|| format!("`{text}` is not an address: expected for instance `127.0.0.1:8080`, `[::1]:8080` or `8080`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_that_cannot_be_served_are_refused() {
        for good in [
            "/mcp",
            "/a/b-c_d.e~f",
            "/mcpinvoke",
            "/mcp/",
            "/v1:mcp",
            "/a%20b",
        ] {
            assert_eq!(endpoint(good), Ok(()), "{good}");
        }
        for bad in [
            "", "/", "mcp", "/:x", "/*x", "/{x}", "/a/:b", "/a b", "/a?b", "/a#b", "//a", "/a//b",
            "/..", "/a/./b", "/größe",
        ] {
            let fault = endpoint(bad).unwrap_err();
            assert!(fault.contains("expected"), "{bad}: {fault}");
        }
        for taken in [
            "/healthz",
            "/readyz",
            "/metrics",
            "/.well-known/mcp-context",
            "/.well-known/oauth-protected-resource/x",
            "/api/discovery/tools",
        ] {
            let fault = endpoint(taken).unwrap_err();
            assert!(fault.contains("the bridge's own"), "{taken}: {fault}");
        }
    }

    #[test]
    fn somebody_is_served() {
        let faults = |text: &str| {
            let mut faults = Faults::default();
            settings(&File::parse(text).unwrap(), &mut faults);
            faults.0.join("\n")
        };
        for number in ["0", "1000001", "18446744073709551615"] {
            let found = faults(&format!("limits: {{connections: {number}}}"));
            assert!(
                found.starts_with("limits.connections: expected 1 to"),
                "{found}"
            );
        }
        assert_eq!(
            faults("limits: {connections: 1}\ntimeouts: {drain: 0s}"),
            ""
        );
        assert!(faults("limits: {request: 10}").contains("at least 1KiB"));
    }
}

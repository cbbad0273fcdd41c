//! The page as HTML: everything from outside is escaped, nothing is loaded, nothing runs.

use std::fmt::Write as _;
use std::sync::OnceLock;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
    X_FRAME_OPTIONS,
};
use http::{HeaderMap, HeaderName, HeaderValue};
use sha2::{Digest, Sha256};

use super::Item;
use crate::state::Stage;
use crate::time::rfc3339_seconds;

const STYLE: &str = include_str!("style.css");

/// Nothing of the page is kept, framed, or able to load or run anything.
pub(super) fn harden(headers: &mut HeaderMap) {
    static POLICY: OnceLock<String> = OnceLock::new();
    let policy = POLICY.get_or_init(|| {
        let style = STANDARD.encode(Sha256::digest(STYLE.as_bytes()));
        format!(
            "default-src 'none'; style-src 'sha256-{style}'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
        )
    });
    if let Ok(policy) = HeaderValue::from_str(policy) {
        headers.insert(CONTENT_SECURITY_POLICY, policy);
    }
    for (name, value) in [
        (CACHE_CONTROL, "no-store"),
        (X_FRAME_OPTIONS, "DENY"),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        // With `no-referrer` browsers would send forms with `Origin: null`.
        (REFERRER_POLICY, "same-origin"),
        (
            HeaderName::from_static("cross-origin-opener-policy"),
            "same-origin",
        ),
        (
            HeaderName::from_static("cross-origin-resource-policy"),
            "same-origin",
        ),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
}

/// All that waits, and what was decided.
pub(super) fn list(
    waiting: &[Item],
    recent: &[Item],
    note: Option<&Item>,
    name: &str,
    form: &str,
    now: u64,
) -> String {
    let mut body = header(name, form, "approvals");
    if let Some(item) = note {
        let what = match &item.entry.stage {
            Stage::Approved(_) => "Approved. The call is made as soon as its client asks again.",
            Stage::Used(_) => "Approved, and the call has been made.",
            _ => "Denied. Nothing was sent.",
        };
        let tool = &item.shown.preview.tool;
        let tool = escape(tool);
        let _ = write!(
            body,
            "<p class=note role=status><code>{tool}</code> {what}</p>"
        );
    }
    let count = match waiting.len() {
        0 => "<p class=empty>Nothing waits for you. This page looks again every ten seconds.</p>"
            .to_owned(),
        1 => "<p>One call waits for your decision.</p>".to_owned(),
        n => format!("<p>{n} calls wait for your decision, the oldest first.</p>"),
    };
    body.push_str(&count);
    for item in waiting {
        card(&mut body, item, "approvals", form, now);
    }
    if !recent.is_empty() {
        history(&mut body, recent);
    }
    let title = match waiting.len() {
        0 => "Approvals".to_owned(),
        n => format!("({n}) Approvals"),
    };
    // Only where there is nothing to read or to press.
    document(&title, &body, waiting.is_empty())
}

/// One call on a page of its own.
pub(super) fn one(item: &Item, name: &str, form: &str, now: u64) -> String {
    let mut body = header(name, form, "../approvals");
    card(&mut body, item, "../approvals", form, now);
    body.push_str("<p><a href=\"../approvals\">All approvals</a></p>");
    document("Approval", &body, false)
}

/// A decision that came too late.
pub(super) fn over(item: &Item, now: u64) -> String {
    let mut body =
        "<h1>Decided already</h1><p role=status>Your decision was not needed any more.</p>"
            .to_owned();
    card(&mut body, item, "../approvals", "", now);
    body.push_str("<p><a href=\"../approvals\">All approvals</a></p>");
    document("Decided already", &body, false)
}

pub(super) fn message(title: &str, text: &str) -> String {
    let (title, text) = (escape(title), escape(text));
    let body = format!(
        "<h1>{title}</h1><p role=status>{text}</p><p><a href=\"../approvals\">All approvals</a></p>"
    );
    document(&title, &body, false)
}

/// `root` is the way from the page asked for to the list.
pub(super) fn login(to: &str, root: &str, wrong: bool) -> String {
    let (to, root) = (escape(to), escape(root));
    let fault = match wrong {
        true => "<p class=fault role=alert>This token is not known.</p>",
        false => "",
    };
    let body = format!(
        "<h1>Approvals</h1><p>Calls wait here for somebody's yes. Who are you?</p>{fault}\
         <form method=post action=\"{root}/login\" class=login>\
         <input type=hidden name=to value=\"{to}\">\
         <label for=token>Operator's token</label>\
         <input id=token name=token type=password autocomplete=current-password required autofocus>\
         <button class=yes>Sign in</button></form>"
    );
    document("Sign in", &body, false)
}

fn header(name: &str, form: &str, root: &str) -> String {
    let name = escape(name);
    let log_out = match form {
        "" => String::new(),
        form => format!(
            "<form method=post action=\"{root}/logout\"><input type=hidden name=form value=\"{form}\"><button>Sign out</button></form>"
        ),
    };
    format!(
        "<header><h1>Approvals</h1><span>Signed in as <bdi>{name}</bdi></span>{log_out}</header>"
    )
}

fn card(out: &mut String, item: &Item, root: &str, form: &str, now: u64) {
    let Item { entry, shown } = item;
    let preview = &shown.preview;
    let client = match &shown.client {
        Some(client) => format!("through <bdi>{}</bdi> ", escape(client)),
        None => String::new(),
    };
    let _ = write!(
        out,
        "<article id=\"{id}\"><h2><bdi>{who}</bdi> asks to call <code>{tool}</code></h2>\
         <p class=meta>{client}over {transport}, asked {ago} ago. {end}</p>\
         <pre class=request><b>{method}</b> <span>{url}</span></pre>",
        id = entry.id,
        who = escape(&shown.principal),
        tool = escape(&preview.tool),
        transport = escape(&shown.transport),
        ago = span(now.saturating_sub(entry.created)),
        end = ending(item, now),
        method = escape(&preview.method),
        url = escape(&preview.url),
    );
    if !preview.headers.is_empty() {
        let headers = escape(&preview.headers.join("\n"));
        let title = if preview.is_command() {
            "Folder"
        } else {
            "Headers"
        };
        let _ = write!(out, "<h3>{title}</h3><pre>{headers}</pre>");
    }
    if let Some(text) = &preview.body {
        let _ = write!(out, "<h3>Body</h3><pre>{}</pre>", escape(text));
    }
    out.push_str("<p class=hint>Secrets are shown as ***; the service gets them as they are.</p>");
    if entry.stage == Stage::Open && !form.is_empty() {
        let _ = write!(
            out,
            "<form method=post action=\"{root}/{id}\"><input type=hidden name=form value=\"{form}\">\
             <button class=yes name=decision value=approve>Approve</button>\
             <button class=no name=decision value=deny>Deny</button>\
             <span class=hint>Approving lets exactly this call be made, once.</span></form>",
            id = entry.id
        );
    }
    out.push_str("</article>");
}

fn ending(item: &Item, now: u64) -> String {
    let entry = &item.entry;
    match &entry.stage {
        Stage::Open => format!(
            "Expires in <strong>{}</strong>, at {}.",
            span(entry.expires.saturating_sub(now)),
            clock(entry.expires)
        ),
        stage => format!("{}.", outcome(stage)),
    }
}

fn history(out: &mut String, recent: &[Item]) {
    out.push_str(
        "<section><h2>Recently</h2><table><thead><tr><th scope=col>When<th scope=col>Decision\
         <th scope=col>Who asked<th scope=col>Call</tr></thead><tbody>",
    );
    for Item { entry, shown } in recent {
        let at = match &entry.stage {
            Stage::Approved(verdict) | Stage::Denied(verdict) | Stage::Used(verdict) => verdict.at,
            Stage::Open | Stage::Withdrawn | Stage::Expired => entry.created,
        };
        let _ = write!(
            out,
            "<tr><td>{}<td>{}<td><bdi>{}</bdi><td><code>{}</code> <small>{} {}</small></tr>",
            clock(at),
            outcome(&entry.stage),
            escape(&shown.principal),
            escape(&shown.preview.tool),
            escape(&shown.preview.method),
            escape(&shown.preview.brief_url()),
        );
    }
    out.push_str("</tbody></table></section>");
}

fn outcome(stage: &Stage) -> String {
    let by = |by: &str| format!("by <bdi>{}</bdi>", escape(by));
    match stage {
        Stage::Open => "Waits".to_owned(),
        Stage::Approved(verdict) => format!("Approved {}, not called yet", by(&verdict.by)),
        Stage::Denied(verdict) => format!("Denied {}", by(&verdict.by)),
        Stage::Used(verdict) => format!("Approved {} and called", by(&verdict.by)),
        Stage::Withdrawn => "Withdrawn by the caller".to_owned(),
        Stage::Expired => "Nobody decided in time".to_owned(),
    }
}

fn document(title: &str, body: &str, refreshes: bool) -> String {
    let refresh = match refreshes {
        true => "<meta http-equiv=refresh content=10>",
        false => "",
    };
    format!(
        "<!doctype html><html lang=en><head><meta charset=utf-8>\
         <meta name=viewport content=\"width=device-width, initial-scale=1\">\
         <meta name=robots content=noindex>{refresh}<title>{title}</title><style>{STYLE}</style></head>\
         <body><main>{body}</main></body></html>"
    )
}

/// `12:03:11 UTC` of a time in seconds since 1970.
fn clock(seconds: u64) -> String {
    let text = rfc3339_seconds(seconds);
    let of_day = text.get(11..19).unwrap_or_default();
    format!("<time datetime=\"{text}\">{of_day} UTC</time>")
}

fn span(seconds: u64) -> String {
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, seconds) => format!("{seconds} s"),
        (0, minutes, seconds) => format!("{minutes} min {seconds} s"),
        (hours, minutes, _) => format!("{hours} h {minutes} min"),
    }
}

/// Text as HTML: in elements and in quoted attributes it stays text.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

//! What a human is shown of a request before it is sent: bounded, and with nothing that could
//! mislead the eye.

use http::header::{ACCEPT, CONTENT_TYPE};
use http::{HeaderMap, Method};
use serde::{Deserialize, Serialize};

use super::brief::{OF_LINE, OF_URL, brief, of_body};
use crate::tool::essence;

/// What stands in a method's place where programs run; HTTP's methods are in capitals.
const RUN: &str = "run";

/// Characters of a URL or command lines, a header and a body that are shown where there is room for them.
const LONGEST: usize = 64 * 1024;
/// And in a message.
const BRIEF_URL: usize = 1000;
const BRIEF_HEADER: usize = 200;
const BRIEF_BODY: usize = 2000;
/// Headers shown.
const MOST_HEADERS: usize = 64;
/// Headers that carry credentials by their nature; shown by name only.
const SECRET_HEADERS: [&str; 6] = [
    "authorization",
    "proxy-authorization",
    "cookie",
    "x-api-key",
    "api-key",
    "x-auth-token",
];

/// A request as a human is shown it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Preview {
    /// The tool's name.
    pub tool: String,
    /// The request method.
    pub method: String,
    /// The whole URL.
    pub url: String,
    /// Headers that say something about the call, one a line.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub headers: Vec<String>,
    /// The body, or its size where it is no text; of commands, arguments that no line shows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
}

impl Preview {
    /// Shows a planned request; secrets are to be masked before it is planned.
    #[must_use]
    pub fn new(
        tool: &str,
        method: &Method,
        url: &str,
        headers: &HeaderMap,
        body: Option<&[u8]>,
    ) -> Self {
        Self {
            tool: tool.to_owned(),
            method: method.as_str().to_owned(),
            // A mask in a URL is one still.
            url: plain(&url.replace("%2A%2A%2A", "***"), LONGEST),
            headers: shown(headers),
            body: body.map(|bytes| text(bytes, headers)),
        }
    }

    /// Shows command lines; they take the place of method and URL. Secrets are to be masked before.
    #[must_use]
    pub fn of_commands(tool: &str, lines: &[String], directory: &str) -> Self {
        Self {
            tool: tool.to_owned(),
            method: RUN.to_owned(),
            url: plain(&lines.join("\nthen "), LONGEST),
            // Whole, for it is agreed to as well.
            headers: vec![format!("in {}", plain(directory, LONGEST))],
            body: None,
        }
    }

    /// The same with the arguments, where the command lines do not tell all. Secrets are to be masked before.
    #[must_use]
    pub fn with_arguments(self, arguments: &str) -> Self {
        Self {
            body: Some(plain(arguments, LONGEST)),
            ..self
        }
    }

    /// The same with a word about how many characters are masked because they look like a secret: whoever writes the
    /// arguments can make anything look like one.
    #[must_use]
    pub fn hiding(mut self, characters: usize) -> Self {
        if characters > 0 {
            let line = format!("({characters} characters are masked: they look like a secret)");
            self.headers.push(line);
        }
        self
    }

    /// Whether programs are to run; `headers` then say where.
    #[must_use]
    pub fn is_command(&self) -> bool {
        self.method == RUN
    }

    /// Where the call goes, for which alone a yes is: method and URL, or command lines and their folder.
    pub(super) fn place(&self) -> [&str; 3] {
        let folder = self.headers.first().filter(|_| self.is_command());
        let folder = folder.map_or("", String::as_str);
        [&self.method, &self.url, folder]
    }

    /// The same as short as a message has to be: long values lose their ends.
    #[must_use]
    pub fn brief(&self) -> Self {
        let body = self.body.as_deref();
        let headers = self.headers.iter();
        Self {
            tool: self.tool.clone(),
            method: self.method.clone(),
            url: self.brief_url(),
            headers: headers
                .map(|line| brief(line, BRIEF_HEADER, OF_LINE))
                .collect(),
            body: body.map(|body| brief(body, BRIEF_BODY, of_body(body))),
        }
    }

    /// The URL, or the command lines, as short as a message has to be.
    #[must_use]
    pub fn brief_url(&self) -> String {
        let values = match self.is_command() {
            true => OF_LINE,
            false => OF_URL,
        };
        brief(&self.url, BRIEF_URL, values)
    }

    /// The template with `{tool}`, `{method}`, `{url}`, `{headers}` and `{body}` filled in. What
    /// is filled in is never looked at for places again.
    #[must_use]
    pub fn fill(&self, template: &str) -> String {
        let brief = self.brief();
        let mut out = String::with_capacity(template.len() + self.url.len() + 64);
        let mut rest = template;
        while let Some(open) = rest.find('{') {
            out.push_str(&rest[..open]);
            rest = &rest[open..];
            let place = PLACES.iter().find(|place| rest.starts_with(**place));
            match place {
                Some(place) => {
                    brief.write(place, &mut out);
                    rest = &rest[place.len()..];
                }
                None => {
                    out.push('{');
                    rest = &rest[1..];
                }
            }
        }
        out.push_str(rest);
        out.trim_end().to_owned()
    }

    fn write(&self, place: &str, out: &mut String) {
        match place {
            "{tool}" => out.push_str(&self.tool),
            "{method}" => out.push_str(&self.method),
            "{url}" => out.push_str(&self.url),
            "{headers}" => out.push_str(&self.headers.join("\n")),
            _ => out.push_str(self.body.as_deref().unwrap_or_default()),
        }
    }
}

/// What a template may name.
const PLACES: [&str; 5] = ["{tool}", "{method}", "{url}", "{headers}", "{body}"];

/// The first place in a template that means nothing.
#[must_use]
pub fn unknown_place(template: &str) -> Option<&str> {
    let mut rest = template;
    while let Some(open) = rest.find('{') {
        rest = &rest[open..];
        let end = rest.find('}')? + 1;
        if !PLACES.contains(&&rest[..end]) {
            return Some(&rest[..end]);
        }
        rest = &rest[end..];
    }
    None
}

fn shown(headers: &HeaderMap) -> Vec<String> {
    let quiet = ["traceparent", "tracestate", "baggage", "user-agent"];
    let loud = headers
        .iter()
        .filter(|(name, _)| **name != ACCEPT && !quiet.contains(&name.as_str()));
    let loud: Vec<_> = loud.collect();
    let more = loud.len().saturating_sub(MOST_HEADERS);
    let mut lines: Vec<String> = loud
        .into_iter()
        .take(MOST_HEADERS)
        .map(|(name, value)| {
            if SECRET_HEADERS.contains(&name.as_str()) {
                return format!("{name}: ***");
            }
            let value = String::from_utf8_lossy(value.as_bytes());
            format!("{name}: {}", plain(&value, LONGEST))
        })
        .collect();
    if more > 0 {
        lines.push(format!("… ({more} more headers)"));
    }
    lines
}

fn text(bytes: &[u8], headers: &HeaderMap) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => plain(text, LONGEST),
        Err(_) => {
            let kind = headers
                .get(CONTENT_TYPE)
                .and_then(|kind| kind.to_str().ok());
            let kind = kind.map(essence);
            format!(
                "({} bytes of {})",
                bytes.len(),
                kind.unwrap_or("binary data")
            )
        }
    }
}

/// At most `limit` characters, none of which moves the cursor or turns the writing direction.
pub(super) fn plain(text: &str, limit: usize) -> String {
    let mut out: String = text
        .chars()
        .take(limit)
        .filter(|c| *c != '\r')
        .map(|c| if is_misleading(c) { '\u{fffd}' } else { c })
        .collect();
    let more = text.chars().skip(limit).count();
    if more > 0 {
        out.push_str(&format!("… ({more} more characters)"));
    }
    out
}

fn is_misleading(c: char) -> bool {
    (c.is_control() && c != '\n' && c != '\t')
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e01ef}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderValue;

    fn preview(body: &[u8]) -> Preview {
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT, HeaderValue::from_static("*/*"));
        headers.insert(
            CONTENT_TYPE,
            HeaderValue::from_static("application/pdf; a=b"),
        );
        headers.insert("authorization", HeaderValue::from_static("Bearer x"));
        headers.insert("x-reason", HeaderValue::from_static("spring"));
        Preview::new(
            "cut",
            &Method::PUT,
            "http://a.test/t?x={body}",
            &headers,
            Some(body),
        )
    }

    #[test]
    fn shows_what_matters_and_no_more() {
        let hidden = preview("a\u{34f}b\u{e0100}c\u{e01ef}d\u{e0041}".as_bytes());
        let expected = "a\u{fffd}b\u{fffd}c\u{fffd}d\u{fffd}";
        assert_eq!(hidden.body.as_deref(), Some(expected));
        let shown = preview(b"one\x1b[2J\xe2\x80\xaetwo");
        assert_eq!(
            shown.headers,
            [
                "content-type: application/pdf; a=b",
                "authorization: ***",
                "x-reason: spring"
            ]
        );
        assert_eq!(shown.body.as_deref(), Some("one\u{fffd}[2J\u{fffd}two"));
        let long = preview("é".repeat(2005).as_bytes());
        assert!(long.fill("{body}").ends_with("é… (1505 more characters)"));
        let brief = long.brief().body.unwrap();
        assert!(brief.ends_with("é… (1505 more characters)"));
        assert_eq!(long.body.unwrap().chars().count(), 2005);
        let longer = preview("é".repeat(64 * 1024 + 5).as_bytes());
        assert!(longer.body.unwrap().ends_with("é… (5 more characters)"));
        let binary = preview(b"\xff\x00");
        assert_eq!(binary.body.as_deref(), Some("(2 bytes of application/pdf)"));
    }

    #[test]
    fn nothing_is_pushed_out_of_sight_by_what_stands_before_it() {
        let long = "Lunch for the team. ".repeat(100);
        let mut headers = HeaderMap::new();
        headers.insert("x-note", format!("{long}amount=1000000").parse().unwrap());
        let url = format!(
            "http://a.test/pay?note={}&amount=1000000",
            long.replace(' ', "+")
        );
        let body = format!("{{\"note\":\"{long}{long}\",\"amount\":1000000}}");
        let call = Preview::new("pay", &Method::POST, &url, &headers, Some(body.as_bytes()));
        let lines = [
            format!("dotnet run -- '{long}'"),
            "rm -r 1000000".to_owned(),
        ];
        let command = Preview::of_commands("run", &lines, "/src");
        for preview in [call, command] {
            assert!(preview.url.ends_with("1000000") && !preview.url.contains("more char"));
            for place in ["{url}", "{headers}", "{body}"] {
                let shown = preview.fill(place);
                assert!(
                    shown.is_empty() || shown.contains("1000000") || shown == "in /src",
                    "{shown}"
                );
                assert!(shown.len() < 2200, "{shown}");
            }
        }
    }

    #[test]
    fn templates_are_filled_once() {
        let shown = preview(b"{url}");
        assert_eq!(
            shown.fill("{tool}: {method} {url} {other} {body}\n"),
            "cut: PUT http://a.test/t?x={body} {other} {url}"
        );
        assert_eq!(unknown_place("{tool} {other}"), Some("{other}"));
        assert_eq!(unknown_place("{tool} {url}{body} {"), None);
    }
}

//! docs/parameters.md is true: every cell of its tables is a call, and what it says is what arrives.
//!
//! `INSTA_UPDATE=always` writes what arrives into the page.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use crate::support::{Bridge, DocumentFile, Seen, Upstream};

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/parameters.md");

/// One cell of a table.
struct Cell {
    line: usize,
    column: usize,
    /// The table's first head cell: where the value goes.
    place: String,
    /// The row's first cell: what the document says.
    said: String,
    /// The column's head; nothing where the argument is absent.
    value: Option<Value>,
}

#[tokio::test]
async fn the_page_tells_what_is_sent() {
    let page = std::fs::read_to_string(PAGE).unwrap();
    let cells = cells(&page);
    assert!(cells.len() > 300, "{}", cells.len());
    let upstream = Upstream::ok().await;
    let mut lines: Vec<String> = page.lines().map(str::to_owned).collect();
    for swagger in [false, true] {
        let mine: Vec<&Cell> = cells
            .iter()
            .filter(|cell| cell.is_swagger() == swagger)
            .collect();
        let file = DocumentFile::new(&document(&mine, swagger).to_string(), ".json");
        let bridge = Bridge::start([
            file.path().into_os_string(),
            "--base-url".into(),
            upstream.url().into(),
        ]);
        for (number, cell) in mine.into_iter().enumerate() {
            upstream.forget();
            let result = bridge
                .call(&format!("case{number}"), cell.arguments())
                .await;
            let found = match upstream.seen().as_slice() {
                [] if result["isError"] == true => "refused".to_owned(),
                [seen] => shown(&cell.sent(seen)),
                other => panic!("{}: {} requests", cell.said, other.len()),
            };
            let line = &mut lines[cell.line];
            let mut parts = split(line);
            parts[cell.column] = found;
            *line = format!("| {} |", parts.join(" | "));
        }
    }
    let found = format!("{}\n", lines.join("\n"));
    if is_refreshed() {
        std::fs::write(PAGE, found).unwrap();
    } else if found != page {
        let mut differing = String::new();
        for (old, new) in page.lines().zip(&lines).filter(|(old, new)| old != new) {
            writeln!(differing, "- {old}\n+ {new}").unwrap();
        }
        panic!("the page differs from what is sent:\n{differing}");
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "golden files are refreshed by this variable"
)]
fn is_refreshed() -> bool {
    std::env::var("INSTA_UPDATE").is_ok_and(|word| word == "always")
}

fn cells(page: &str) -> Vec<Cell> {
    let mut cells = Vec::new();
    let mut head: Vec<String> = Vec::new();
    for (line, text) in page.lines().enumerate() {
        if !text.starts_with('|') {
            head.clear();
        } else if head.is_empty() {
            head = split(text);
        } else if !text.starts_with("|-") {
            let row = split(text);
            assert_eq!(row.len(), head.len(), "{text}");
            for (column, name) in head.iter().enumerate().skip(1) {
                let value = (name != "absent").then(|| serde_json::from_str(code(name)).unwrap());
                cells.push(Cell {
                    line,
                    column,
                    place: head[0].clone(),
                    said: code(&row[0]).to_owned(),
                    value,
                });
            }
        }
    }
    cells
}

fn split(line: &str) -> Vec<String> {
    let inner = line.trim().trim_start_matches('|');
    let inner = inner.strip_suffix('|').unwrap_or(inner);
    let inner = inner.replace("\\|", "\u{0}");
    let cell = |cell: &str| cell.trim().replace('\u{0}', "\\|");
    inner.split('|').map(cell).collect()
}

fn code(cell: &str) -> &str {
    cell.trim_matches('`')
}

fn shown(sent: &Option<String>) -> String {
    match sent.as_deref() {
        None => "nothing".to_owned(),
        Some("") => "empty".to_owned(),
        Some(text) => format!("`{}`", text.replace('|', "\\|").replace('\t', "⇥")),
    }
}

fn document(cells: &[&Cell], swagger: bool) -> Value {
    let mut paths = Map::new();
    for (number, cell) in cells.iter().enumerate() {
        let mut operation = cell.operation();
        operation["operationId"] = format!("case{number}").into();
        operation["responses"] = json!({"200": {"description": "ok"}});
        let (mut path, mut method) = (format!("/x{number}"), "get");
        if cell.place.contains("in: path") {
            path.push_str("/{color}");
        }
        if cell.is_body() {
            method = "post";
        }
        paths.insert(path, json!({ method: operation }));
    }
    let (key, version) = if swagger {
        ("swagger", "2.0")
    } else {
        ("openapi", "3.2.0")
    };
    json!({key: version, "info": {"title": "T", "version": "1"}, "paths": paths})
}

fn yaml(text: &str) -> Value {
    serde_yaml::from_str(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

impl Cell {
    fn is_swagger(&self) -> bool {
        self.place.starts_with("Swagger")
    }

    fn is_body(&self) -> bool {
        self.place.ends_with("body") || self.place.contains("formData")
    }

    fn operation(&self) -> Value {
        let said = self.said.as_str();
        match self.place.as_str() {
            "form body" => {
                let said = said.trim_start_matches('{').trim_end_matches('}');
                let encoding = yaml(&format!("{{{said}}}"));
                content("application/x-www-form-urlencoded", json!({}), &encoding)
            }
            "multipart body" => {
                let said = yaml(&format!("{{{said}}}"));
                content(
                    "multipart/form-data",
                    said["schema"].clone(),
                    &said["encoding"],
                )
            }
            "body" => json!({"requestBody": {"content": yaml(said)}}),
            place => {
                let place = code(place.trim_start_matches("Swagger 2.0 "));
                let mut parameter = yaml(&format!("{{name: color, {place}, {said}}}"));
                if place == "in: path" {
                    parameter["required"] = true.into();
                }
                if self.is_swagger() {
                    parameter["type"] = "array".into();
                    parameter["items"] = json!({"type": "string"});
                } else if parameter.get("content").is_none() {
                    parameter["schema"] = json!({});
                }
                json!({"parameters": [parameter]})
            }
        }
    }

    fn arguments(&self) -> Value {
        let Some(value) = &self.value else {
            return json!({});
        };
        match self.place.as_str() {
            "form body" | "multipart body" => json!({"body": {"a": value}}),
            "body" => json!({"body": value}),
            place if place.contains("formData") => json!({"body": {"color": value}}),
            _ => json!({"color": value}),
        }
    }

    /// The part of the request that the table is about.
    fn sent(&self, seen: &Seen) -> Option<String> {
        let header = |name: &str| seen.header(name).map(str::to_owned);
        let after = seen
            .target
            .trim_start_matches("/x")
            .trim_start_matches(|c: char| c.is_ascii_digit());
        let body = || {
            seen.header("content-type").map(|_| {
                String::from_utf8_lossy(&seen.body)
                    .trim_end()
                    .replace('\n', "⏎")
            })
        };
        match self.place.as_str() {
            "multipart body" => Some(parts(seen)),
            "body" | "form body" => body(),
            place if place.contains("formData") => body(),
            place if place.contains("header") => header("color"),
            place if place.contains("cookie") => header("cookie"),
            _ => Some(after.to_owned()).filter(|after| !after.is_empty()),
        }
    }
}

fn content(media_type: &str, schema: Value, encoding: &Value) -> Value {
    let mut media = json!({"schema": {"type": "object", "properties": {}}});
    if !schema.is_null() {
        media["schema"]["properties"]["a"] = schema;
    }
    if !encoding.is_null() {
        media["encoding"] = json!({ "a": encoding });
    }
    json!({"requestBody": {"content": {media_type: media}}})
}

/// `name (type, file name) = content`, for each part.
fn parts(seen: &Seen) -> String {
    let boundary = seen
        .header("content-type")
        .and_then(|text| text.split_once("boundary="));
    let delimiter = format!("--{}", boundary.unwrap().1);
    let text = seen.text();
    let parts = text.split(delimiter.as_str()).skip(1).filter_map(|part| {
        let (head, content) = part.strip_prefix("\r\n")?.split_once("\r\n\r\n")?;
        let quoted = |name: &str| {
            Some(
                head.split_once(&format!(" {name}=\""))?
                    .1
                    .split_once('"')?
                    .0
                    .to_owned(),
            )
        };
        let media_type = head
            .split_once("Content-Type: ")
            .map(|(_, kind)| kind.to_owned());
        let about: Vec<String> = media_type.into_iter().chain(quoted("filename")).collect();
        let about = if about.is_empty() {
            String::new()
        } else {
            format!(" ({})", about.join(", "))
        };
        Some(format!(
            "{}{about} = {}",
            quoted("name")?,
            content.trim_end()
        ))
    });
    parts.collect::<Vec<_>>().join("; ")
}

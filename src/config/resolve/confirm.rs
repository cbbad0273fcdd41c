//! The settings of human confirmation as they are meant.

use std::time::Duration;

use super::access::{fingerprint, public_url};
use super::{Faults, address, duration};
use crate::approvals::{self, Operator};
use crate::config::confirm::{Approvals, Confirm};
use crate::config::file::File;
use crate::policy::confirm;
use crate::secret::{Secret, remember};

/// The shortest signing key, in characters.
const SHORTEST_KEY: usize = 32;
/// The shortest token of an operator, in characters.
const SHORTEST_TOKEN: usize = 16;
/// Shorter than the patience of most clients and proxies.
const WAIT: Duration = Duration::from_secs(45);
/// Calls that wait for an operator.
const MAX_PENDING: usize = 100;

pub(super) fn settings(
    written: &Confirm,
    environment: &dyn Fn(&str) -> Option<String>,
    faults: &mut Faults,
) -> confirm::Settings {
    let default = confirm::Settings::default();
    let template = written.template.clone().unwrap_or(default.template);
    if let Some(place) = confirm::unknown_place(&template) {
        faults.0.push(format!(
            "confirm.template: `{place}` means nothing: expected {{tool}}, {{method}}, {{url}}, {{headers}} or {{body}}"
        ));
    }
    let ttl = duration("confirm.ttl", written.ttl.as_deref(), default.ttl, faults);
    if ttl.as_secs() == 0 {
        faults
            .0
            .push("confirm.ttl: expected at least 1s".to_owned());
    }
    let approvals = written
        .approvals
        .as_ref()
        .map(|written| confirm::Approvals {
            required: written.required.unwrap_or_default(),
            wait: duration(
                "confirm.approvals.wait",
                written.wait.as_deref(),
                WAIT,
                faults,
            ),
        });
    let natural = match approvals {
        Some(_) => confirm::Fallback::Approvals,
        None => default.fallback,
    };
    let fallback = written.fallback.map_or(natural, Into::into);
    if fallback == confirm::Fallback::Approvals && approvals.is_none() {
        let fault =
            "confirm.fallback: `approvals` needs `confirm.approvals` with an operator's token";
        faults.0.push(fault.to_owned());
    }
    confirm::Settings {
        template,
        ttl,
        fallback,
        approvals,
        key: key(written, environment, faults),
    }
}

/// The operators' page, where there is one.
pub(super) fn page(
    file: &File,
    environment: &dyn Fn(&str) -> Option<String>,
    faults: &mut Faults,
) -> Option<approvals::Settings> {
    let written = file.confirm.approvals.as_ref()?;
    let listen = written
        .listen
        .as_deref()
        .and_then(|text| faults.take("confirm.approvals.listen", address(text)));
    let stdio = file.stdio.unwrap_or_default();
    // A fault of this one is reported where it is read for the endpoint.
    let main = file.listen.as_deref().and_then(|text| address(text).ok());
    let reachable = main.is_some_and(|main| !main.ip().is_loopback());
    if written.listen.is_none() && (stdio || reachable) {
        let why = match stdio {
            true => "stdio has no listener to share",
            false => "the endpoint's listener can be reached by others",
        };
        faults.0.push(format!(
            "confirm.approvals.listen: {why}: expected for instance `127.0.0.1:8081`"
        ));
    }
    let path = file.path.as_deref().unwrap_or_default();
    let below = path.strip_prefix(approvals::PATH);
    let taken = below.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    if written.listen.is_none() && taken {
        let fault = "path: `/approvals` is the operators' page; give it a listener of its own (confirm.approvals.listen)";
        faults.0.push(fault.to_owned());
    }
    let ttl = file.confirm.ttl.as_deref();
    let default = confirm::Settings::default().ttl;
    let operators = operators(written, environment, faults);
    not_callers(file, &operators, faults);
    Some(approvals::Settings {
        operators,
        listen,
        url: written
            .url
            .as_deref()
            .and_then(|text| faults.take("confirm.approvals.url", public_url(text))),
        max_pending: pending(written.max_pending, faults),
        // Its faults are reported where the setting is read for the questions.
        lasts: duration("confirm.ttl", ttl, default, &mut Faults::default()).as_secs(),
    })
}

fn pending(written: Option<usize>, faults: &mut Faults) -> usize {
    let most = written.unwrap_or(MAX_PENDING);
    if most == 0 {
        let fault = "confirm.approvals.max_pending: expected at least 1, found 0";
        faults.0.push(fault.to_owned());
    }
    most
}

/// No caller agrees to its own calls.
fn not_callers(file: &File, operators: &[Operator], faults: &mut Faults) {
    for (index, key) in file.access.keys.iter().enumerate() {
        // A fault of the hash itself is reported with the keys.
        let hash = fingerprint(&key.hash).ok();
        let same = operators.iter().find(|one| Some(one.token) == hash);
        if let Some(operator) = same {
            faults.0.push(format!(
                "access.keys[{index}]: expected a key of its own: its hash is that of the operator `{}`, so its caller could approve its own calls",
                operator.name
            ));
        }
    }
}

fn operators(
    written: &Approvals,
    environment: &dyn Fn(&str) -> Option<String>,
    faults: &mut Faults,
) -> Vec<Operator> {
    let mut operators: Vec<Operator> = Vec::new();
    if let Some(entry) = &written.token {
        let name = written.name.as_deref().unwrap_or("operator");
        let operator = entry.text(environment).and_then(|token| {
            let token = token.expose().trim();
            match token.chars().count() {
                length if length < SHORTEST_TOKEN => Err(format!(
                    "expected at least {SHORTEST_TOKEN} characters, found {length}"
                )),
                _ => {
                    remember(&Secret::new(token.to_owned()));
                    Ok(Operator::new(name, token))
                }
            }
        });
        operators.extend(faults.take("confirm.approvals.token", operator));
    } else if written.operators.is_empty() {
        let fault = "confirm.approvals: expected a token, for instance `token: {env: APPROVALS_TOKEN}`, or operators";
        faults.0.push(fault.to_owned());
    }
    for (index, one) in written.operators.iter().enumerate() {
        let setting = format!("confirm.approvals.operators[{index}]");
        let operator = fingerprint(&one.hash).and_then(|token| {
            let name = one.name.trim();
            if name.is_empty() || operators.iter().any(|other| &*other.name == name) {
                return Err("expected a name of its own".to_owned());
            }
            if let Some(other) = operators.iter().find(|other| other.token == token) {
                return Err(format!(
                    "expected a token of its own: its hash is that of `{}`",
                    other.name
                ));
            }
            let name = name.into();
            Ok(Operator { name, token })
        });
        operators.extend(faults.take(&setting, operator));
    }
    operators
}

fn key(
    written: &Confirm,
    environment: &dyn Fn(&str) -> Option<String>,
    faults: &mut Faults,
) -> Option<Secret> {
    let (setting, key) = match (environment("MCPINVOKE_CONFIRM_KEY"), &written.key_file) {
        (Some(text), _) => ("MCPINVOKE_CONFIRM_KEY", Secret::new(text)),
        (None, Some(path)) => {
            let read = Secret::read(path);
            let read = read.map_err(|error| format!("cannot read {}: {error}", path.display()));
            ("confirm.key_file", faults.take("confirm.key_file", read)?)
        }
        (None, None) => return None,
    };
    let text = key.expose().trim();
    let checked = match text.chars().count() {
        length if length < SHORTEST_KEY => Err(format!(
            "expected a key of at least {SHORTEST_KEY} characters, found {length}"
        )),
        _ => Ok(Secret::new(text.to_owned())),
    };
    faults.take(setting, checked)
}

#[cfg(test)]
mod tests {
    use data_encoding::HEXLOWER;

    use super::*;

    #[test]
    fn a_short_key_and_a_strange_place_are_faults() {
        let written = Confirm {
            template: Some("{tool} {argument}".to_owned()),
            ttl: Some("0s".to_owned()),
            ..Confirm::default()
        };
        let mut faults = Faults::default();
        settings(&written, &|_| Some("hunter2".to_owned()), &mut faults);
        let text = faults.0.join("\n");
        for expected in [
            "`{argument}`",
            "MCPINVOKE_CONFIRM_KEY",
            "found 7",
            "confirm.ttl",
        ] {
            assert!(text.contains(expected), "{text}");
        }
        assert!(!text.contains("hunter2"));
        let mut faults = Faults::default();
        let key = "k".repeat(32);
        let good = settings(&Confirm::default(), &|_| Some(key.clone()), &mut faults);
        assert!(faults.0.is_empty() && good.key.is_some());
    }

    fn read(text: &str) -> (Option<approvals::Settings>, String) {
        let file = File::parse(text).unwrap();
        let mut faults = Faults::default();
        let environment = |name: &str| (name == "SET").then(|| "a-long-enough-token".to_owned());
        settings(&file.confirm, &|_| None, &mut faults);
        let page = page(&file, &environment, &mut faults);
        (page, faults.0.join("\n"))
    }

    #[test]
    fn approvals_need_an_operator_and_a_place_that_is_theirs() {
        let (page, faults) = read("confirm: {approvals: {token: {env: SET}, name: olga}}");
        let page = page.unwrap();
        assert!(faults.is_empty() && page.listen.is_none(), "{faults}");
        assert_eq!(
            page.operators,
            [Operator::new("olga", "a-long-enough-token")]
        );
        for (text, fault) in [
            ("confirm: {approvals: {}}", "expected a token"),
            ("confirm: {approvals: {token: hunter2}}", "found 7"),
            (
                "confirm: {approvals: {token: {env: UNSET}}}",
                "UNSET is not set",
            ),
            (
                "confirm: {approvals: {operators: [{name: a, hash: hunter2}]}}",
                "operators[0]",
            ),
            (
                "path: /approvals\nconfirm: {approvals: {token: {env: SET}}}",
                "path: `/approvals`",
            ),
            (
                "confirm: {fallback: approvals}",
                "needs `confirm.approvals`",
            ),
            (
                "stdio: true\nconfirm: {approvals: {token: {env: SET}}}",
                "approvals.listen",
            ),
            (
                "listen: 0.0.0.0:80\nconfirm: {approvals: {token: {env: SET}}}",
                "approvals.listen",
            ),
            (
                "confirm: {approvals: {token: {env: SET}, listen: x, url: y, wait: z}}",
                "approvals.wait",
            ),
        ] {
            let (_, faults) = read(text);
            assert!(faults.contains(fault), "{text}: {faults}");
            assert!(!faults.contains("hunter2"), "{faults}");
        }
        let own = "stdio: true\nconfirm: {approvals: {token: {env: SET}, listen: 8081}}";
        assert_eq!(read(own).1, "");
    }

    #[test]
    fn no_caller_is_an_operator() {
        let (page, _) = read("confirm: {approvals: {token: {env: SET}}}");
        let page = page.unwrap();
        let own = HEXLOWER.encode(page.operators[0].token.as_bytes());
        for (text, fault) in [
            (
                &format!(
                    "access: {{keys: [{{name: bot, hash: {own}}}]}}\nconfirm: {{approvals: {{token: {{env: SET}}}}}}"
                ),
                "access.keys[0]: expected a key of its own",
            ),
            (
                &format!(
                    "confirm: {{approvals: {{token: {{env: SET}}, operators: [{{name: max, hash: {own}}}]}}}}"
                ),
                "operators[0]: expected a token of its own",
            ),
            (
                &"confirm: {approvals: {token: {env: SET}, url: 'https://max:only-in-ops-url@ops.test'}}"
                    .to_owned(),
                "approvals.url",
            ),
        ] {
            let (_, faults) = read(text);
            assert!(faults.contains(fault), "{text}: {faults}");
        }
    }
}

//! One walk over a JSON value that masks what is secret in it, names of members included.

use std::borrow::Cow;

use serde_json::Value;

use super::names::SecretNames;
use super::redact::{DEEPEST, Redactor};
use crate::secret::{MASK, mask_known};

/// The rules of one walk: all of them, or the process's own secrets alone.
pub(super) struct Rules<'a> {
    pub(super) redactor: Option<&'a Redactor>,
    pub(super) secret: &'a SecretNames,
}

impl Rules<'_> {
    /// Masks a value in place; whether anything changed.
    pub(super) fn walk(&self, value: &mut Value, depth: usize) -> bool {
        if depth > DEEPEST {
            *value = MASK.into();
            return true;
        }
        match value {
            Value::String(text) => {
                let masked = match self.redactor {
                    Some(redactor) => redactor.text(text),
                    None => mask_known(text),
                };
                let Cow::Owned(masked) = masked else {
                    return false;
                };
                *text = masked;
                true
            }
            Value::Number(number) => {
                let known = matches!(mask_known(number.as_str()), Cow::Owned(_));
                if known {
                    *value = MASK.into();
                }
                known
            }
            Value::Array(items) => {
                let mut changed = false;
                for item in items {
                    changed |= self.walk(item, depth + 1);
                }
                changed
            }
            Value::Object(members) => {
                let mut changed = false;
                for (name, member) in members.iter_mut() {
                    let by_name = self.secret.has(name)
                        || self.redactor.is_some_and(|all| all.is_secret_name(name));
                    if by_name && !matches!(member, Value::Null | Value::Bool(_)) {
                        *member = MASK.into();
                        changed = true;
                    } else {
                        changed |= self.walk(member, depth + 1);
                    }
                }
                if members
                    .keys()
                    .any(|name| matches!(mask_known(name), Cow::Owned(_)))
                {
                    let named =
                        |(name, member): (String, Value)| (mask_known(&name).into_owned(), member);
                    *members = std::mem::take(members).into_iter().map(named).collect();
                    changed = true;
                }
                changed
            }
            Value::Null | Value::Bool(_) => false,
        }
    }
}

//! JSON pointers (RFC 6901) of values to mask, in which a `*` stands for any one member.

use serde_json::Value;

use crate::pointer::unescape;
use crate::secret::MASK;

/// The members a pointer goes through, without the slash before the first.
pub(super) fn tokens(pointer: &str) -> Vec<String> {
    let tokens = pointer.split('/');
    tokens.map(|token| unescape(token).into_owned()).collect()
}

/// Masks what a pointer leads to; whether there was anything.
pub(super) fn mask_at(value: &mut Value, pointer: &[String]) -> bool {
    let Some((token, rest)) = pointer.split_first() else {
        *value = MASK.into();
        return true;
    };
    match value {
        Value::Object(members) if token == "*" => {
            let mut changed = false;
            for member in members.values_mut() {
                changed |= mask_at(member, rest);
            }
            changed
        }
        Value::Array(items) if token == "*" => {
            let mut changed = false;
            for item in items {
                changed |= mask_at(item, rest);
            }
            changed
        }
        Value::Object(members) => members
            .get_mut(token)
            .is_some_and(|member| mask_at(member, rest)),
        Value::Array(items) => token
            .parse::<usize>()
            .ok()
            .and_then(|index| items.get_mut(index))
            .is_some_and(|item| mask_at(item, rest)),
        _ => false,
    }
}

//! References: local JSON pointers into the normal form.

use serde_json::Value;

/// The node that a local reference such as `#/components/schemas/Pet` names.
pub(super) fn lookup<'a>(root: &'a Value, reference: &str) -> Option<&'a Value> {
    root.pointer(reference.strip_prefix('#')?)
}

//! Bounds what copies cost: a document of references into references is small, its expansion not.

use std::cell::Cell;

use serde_json::Value;

/// What every document may copy, about a hundred megabytes.
const LEAST_VALUES: usize = 1_000_000;
/// A value of a document takes more bytes than this, white space included.
const BYTES_PER_VALUE: usize = 4;

/// How many values may still be copied.
#[derive(Debug)]
pub(super) struct Budget(Cell<usize>);

impl Budget {
    /// For a document of so many bytes.
    pub(super) fn for_size(bytes: usize) -> Self {
        Self(Cell::new(LEAST_VALUES + bytes / BYTES_PER_VALUE))
    }

    /// Whether everything asked for so far could be copied.
    pub(super) fn is_spent(&self) -> bool {
        self.0.get() == 0
    }

    /// A copy, null once the budget is spent.
    pub(super) fn copy(&self, value: &Value) -> Value {
        let left = count(value, self.0.get());
        self.0.set(left);
        if left == 0 {
            Value::Null
        } else {
            value.clone()
        }
    }

    /// Room for `number` values of another kind.
    pub(super) fn spend(&self, number: usize) -> bool {
        self.0.set(self.0.get().saturating_sub(number));
        !self.is_spent()
    }
}

/// What is left of `left` after every value of the tree; long texts count more.
fn count(value: &Value, left: usize) -> usize {
    let left = left.saturating_sub(1);
    match value {
        _ if left == 0 => 0,
        Value::String(text) => left.saturating_sub(text.len() / 256),
        Value::Array(items) => items.iter().fold(left, |left, item| count(item, left)),
        Value::Object(members) => members.values().fold(left, |left, item| count(item, left)),
        Value::Null | Value::Bool(_) | Value::Number(_) => left,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn copies_end_when_the_budget_does() {
        let budget = Budget(Cell::new(8));
        assert_eq!(budget.copy(&json!({"a": [1, 2]})), json!({"a": [1, 2]}));
        assert!(!budget.is_spent());
        assert_eq!(budget.copy(&json!([1, 2, 3, 4])), Value::Null);
        assert!(budget.is_spent());
        assert!(!budget.spend(0));
    }
}

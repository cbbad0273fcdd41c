//! Schemas by chance, compared with a validator that knows dynamic scopes.

use serde_json::{Map, Value, json};

use super::super::load;
use super::{assert_plain, with_schemas};

const ROUNDS: usize = 150;
const SCHEMAS: u64 = 5;

/// Numbers that are the same in every run.
struct Chance(u64);

impl Chance {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }

    fn name(&mut self, limit: u64) -> Value {
        json!(format!("s{}", self.below(limit)))
    }

    fn property(&mut self) -> Value {
        match self.below(5) {
            0 => json!({"$ref": self.name(SCHEMAS)}),
            1 => json!({"$dynamicRef": "#T"}),
            2 => json!({"$dynamicRef": "#U"}),
            3 => json!({"items": {"$ref": self.name(SCHEMAS)}}),
            _ => json!(true),
        }
    }

    fn anchor(&mut self, name: &str) -> Value {
        let mut schema = match self.below(6) {
            0 => json!({"$ref": self.name(SCHEMAS)}),
            1 => json!({"type": (["string", "number", "null"].get(self.below(3) as usize))}),
            2 => {
                json!({"properties": {"a": self.property(), "b": {"$dynamicRef": "#U"}}, "required": ["a"]})
            }
            3 => json!({"maxProperties": self.below(3)}),
            _ => json!({"type": "object"}),
        };
        schema["$dynamicAnchor"] = json!(name);
        schema
    }

    fn schema(&mut self, number: u64) -> Value {
        let mut schema = json!({
            "$id": format!("s{number}"),
            "properties": {"a": self.property(), "b": self.property()},
            "$defs": {"t": self.anchor("T"), "u": self.anchor("U")},
        });
        if number > 0 && self.below(2) == 0 {
            schema["$ref"] = self.name(number);
        }
        if self.below(3) == 0 {
            let id = format!("in{number}");
            schema["$defs"]["in"] = json!({
                "$id": id, "$dynamicAnchor": "T",
                "properties": {"a": {"$dynamicRef": "#U"}, "b": {"$ref": "#/$defs/q"}},
                "$defs": {"q": {"$dynamicAnchor": "U", "type": "number"}},
            });
            schema["additionalProperties"] = json!({"$ref": id});
        }
        schema
    }

    fn value(&mut self, depth: u64) -> Value {
        match self.below(if depth > 3 { 3 } else { 8 }) {
            0 => json!(1),
            1 => json!("x"),
            2 => json!(null),
            3 => json!([self.value(depth + 1)]),
            4 => json!({"a": self.value(depth + 1)}),
            5 => json!({"b": self.value(depth + 1)}),
            6 => json!({"c": self.value(depth + 1), "a": self.value(depth + 1)}),
            _ => json!({"a": self.value(depth + 1), "b": self.value(depth + 1)}),
        }
    }
}

#[test]
fn copies_take_what_a_validator_takes_that_knows_scopes() {
    let mut chance = Chance(0x2545_F491_4F6C_DD1D);
    let mut seen = [0; 2];
    for _ in 0..ROUNDS {
        let all = (0..SCHEMAS).map(|number| (format!("S{number}"), chance.schema(number)));
        let schemas = Value::Object(all.collect::<Map<_, _>>());
        let document = load(&with_schemas(&schemas));
        assert_plain(&document);
        assert!(document.findings.is_empty(), "{:?}", document.findings);
        let components = document.schemas.get("#/components").unwrap();
        for number in 0..SCHEMAS {
            let written =
                json!({"$id": "https://a.test/", "$ref": format!("s{number}"), "$defs": schemas});
            let loaded = json!({"$ref": format!("#/components/schemas/S{number}"), "components": components});
            let written = jsonschema::draft202012::new(&written).unwrap();
            let loaded = jsonschema::draft202012::new(&loaded).unwrap();
            for _ in 0..8 {
                let value = chance.value(0);
                let expected = written.is_valid(&value);
                assert_eq!(
                    loaded.is_valid(&value),
                    expected,
                    "S{number}: {value}: {schemas}"
                );
                seen[usize::from(expected)] += 1;
            }
        }
    }
    assert!(seen.iter().all(|count| *count > 100), "{seen:?}");
}

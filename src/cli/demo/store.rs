//! The pet store's shelves: what it holds, and the rules of changing it. Starts the same each time.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

/// A photo of a pet.
#[derive(Debug, Clone)]
pub(super) struct Photo {
    pub(super) data: Vec<u8>,
    pub(super) caption: Option<String>,
}

/// Everything the store knows.
#[derive(Debug)]
pub(super) struct Store {
    pub(super) pets: BTreeMap<u64, Map<String, Value>>,
    pub(super) photos: BTreeMap<u64, Vec<Photo>>,
    pub(super) categories: Vec<Value>,
    orders: BTreeMap<String, Value>,
    placed: BTreeMap<String, String>,
    next_pet: u64,
}

/// Why the store refuses something, as RFC 9457 wants it told.
#[derive(Debug)]
pub(super) enum Refusal {
    /// 404.
    NotFound(String),
    /// 400, with the pointer of the value.
    Invalid(&'static str, String),
    /// 409.
    Conflict(String),
    /// 413.
    TooLarge,
}

const MEGABYTE: usize = 1_000_000;
/// A PNG of one red pixel.
const PIXEL: &[u8] = include_bytes!("pixel.png");
const FIRST_ORDER: &str = "00000000-0000-4000-8000-000000000001";

impl Store {
    /// Five pets, two photos, four categories, one order.
    pub(super) fn stocked() -> Self {
        let mut store = Self {
            pets: BTreeMap::new(),
            photos: BTreeMap::new(),
            categories: categories(),
            orders: BTreeMap::new(),
            placed: BTreeMap::new(),
            next_pet: 1,
        };
        for pet in pets() {
            store.add_pet(pet);
        }
        let photo = Photo {
            data: PIXEL.to_vec(),
            caption: None,
        };
        store.photos.insert(1, vec![photo.clone()]);
        store.photos.insert(2, vec![photo]);
        store.orders.insert(FIRST_ORDER.to_owned(), first_order());
        store
    }

    pub(super) fn add_pet(&mut self, mut pet: Map<String, Value>) -> Value {
        let id = self.next_pet;
        self.next_pet += 1;
        pet.insert("addedAt".to_owned(), "2026-01-01T09:00:00Z".into());
        self.store_pet(id, pet)
    }

    /// Puts `pet` on the shelf as `id`, with the defaults of the document.
    pub(super) fn store_pet(&mut self, id: u64, given: Map<String, Value>) -> Value {
        let mut pet = Map::new();
        pet.insert("id".to_owned(), id.into());
        pet.extend(
            given
                .into_iter()
                .filter(|(name, _)| name != "id" && name != "note"),
        );
        pet.entry("status").or_insert_with(|| "available".into());
        pet.entry("tags").or_insert_with(|| json!([]));
        self.pets.insert(id, pet.clone());
        Value::Object(pet)
    }

    pub(super) fn pet(&mut self, id: u64) -> Result<&mut Map<String, Value>, Refusal> {
        self.pets
            .get_mut(&id)
            .ok_or_else(|| Refusal::NotFound(format!("there is no pet {id}")))
    }

    /// JSON Merge Patch (RFC 7396) of the top level.
    pub(super) fn change_pet(
        &mut self,
        id: u64,
        changes: Map<String, Value>,
    ) -> Result<Value, Refusal> {
        let pet = self.pet(id)?;
        for (name, value) in changes {
            match value {
                _ if name == "note" => {}
                Value::Null => {
                    pet.shift_remove(&name);
                }
                value => {
                    pet.insert(name, value);
                }
            }
        }
        Ok(Value::Object(pet.clone()))
    }

    pub(super) fn add_photo(&mut self, id: u64, photo: Photo) -> Result<Value, Refusal> {
        self.pet(id)?;
        if photo.data.len() > MEGABYTE {
            return Err(Refusal::TooLarge);
        }
        let photos = self.photos.entry(id).or_default();
        let answer = json!({
            "id": photos.len() + 1, "petId": id, "contentType": "image/png",
            "size": photo.data.len(), "caption": photo.caption,
        });
        photos.push(photo);
        Ok(answer)
    }

    pub(super) fn inventory(&self) -> Value {
        let mut count = BTreeMap::from([("available", 0), ("pending", 0), ("sold", 0)]);
        for pet in self.pets.values() {
            if let Some(number) = pet["status"]
                .as_str()
                .and_then(|state| count.get_mut(state))
            {
                *number += 1;
            }
        }
        json!(count)
    }

    pub(super) fn add_category(&mut self, name: &str, parent: Option<&Value>) -> Value {
        let parent = parent.and_then(|parent| {
            let name = parent["name"].as_str()?;
            let known = self
                .categories
                .iter()
                .find(|known| known["name"] == name)
                .cloned();
            Some(known.unwrap_or_else(|| self.add_category(name, parent.get("parent"))))
        });
        let mut category = json!({"id": self.categories.len() + 1, "name": name});
        if let Some(parent) = parent {
            category["parent"] = parent;
        }
        self.categories.push(category.clone());
        category
    }

    /// Orders available pets; the same key gives the first order again.
    pub(super) fn place_order(
        &mut self,
        key: &str,
        mut order: Map<String, Value>,
    ) -> Result<Value, Refusal> {
        if let Some(order) = self.placed.get(key).and_then(|id| self.orders.get(id)) {
            return Ok(order.clone());
        }
        let items = order
            .get("items")
            .and_then(Value::as_array)
            .cloned()
            .unwrap_or_default();
        if items.is_empty() {
            return Err(Refusal::Invalid(
                "/items",
                "an order needs at least one item".to_owned(),
            ));
        }
        let wanted: Vec<u64> = items
            .iter()
            .filter_map(|item| item["petId"].as_u64())
            .collect();
        let mut total = 0.0;
        for &id in &wanted {
            let pet = self.pet(id)?;
            if pet["status"] != "available" {
                return Err(Refusal::Conflict(format!("pet {id} is not available")));
            }
            total += pet["price"].as_f64().unwrap_or_default();
        }
        for id in wanted {
            self.pet(id)?.insert("status".to_owned(), "pending".into());
        }
        let id = format!("00000000-0000-4000-8000-{:012}", self.orders.len() + 1);
        order.insert("id".to_owned(), id.clone().into());
        order.insert("status".to_owned(), "placed".into());
        order.insert("total".to_owned(), json!((total * 100.0).round() / 100.0));
        self.placed.insert(key.to_owned(), id.clone());
        let order = Value::Object(order);
        self.orders.insert(id, order.clone());
        Ok(order)
    }

    pub(super) fn order(&self, id: &str) -> Result<&Value, Refusal> {
        self.orders
            .get(id)
            .ok_or_else(|| Refusal::NotFound(format!("there is no order {id}")))
    }

    pub(super) fn cancel_order(&mut self, id: &str) -> Result<(), Refusal> {
        let order = self.order(id)?;
        if order["status"] != "placed" {
            let state = order["status"].as_str().unwrap_or_default();
            return Err(Refusal::Conflict(format!("the order is already {state}")));
        }
        let items = order["items"].as_array().cloned().unwrap_or_default();
        for pet in items.iter().filter_map(|item| item["petId"].as_u64()) {
            if let Some(pet) = self.pets.get_mut(&pet) {
                pet.insert("status".to_owned(), "available".into());
            }
        }
        if let Some(order) = self.orders.get_mut(id) {
            order["status"] = "cancelled".into();
        }
        Ok(())
    }
}

fn pets() -> Vec<Map<String, Value>> {
    let pets = [
        json!({"name": "Rex", "species": "dog", "price": 199.9, "born": "2024-03-01", "chip": 900_123_456_789_012_u64, "tags": ["calm"], "categoryId": 2}),
        json!({"name": "Minka", "species": "cat", "price": 120, "born": "2025-06-17", "tags": ["young", "playful"], "categoryId": 3}),
        json!({"name": "Kiki", "species": "bird", "price": 49.5, "status": "pending", "born": null, "tags": ["loud"], "categoryId": 4}),
        json!({"name": "Bello", "species": "dog", "price": 89, "status": "sold", "born": "2019-11-05", "tags": ["calm", "old"], "categoryId": 2}),
        json!({"name": "Nemo", "species": "fish", "price": 12.25, "born": null, "tags": [], "categoryId": 1}),
    ];
    pets.into_iter()
        .filter_map(|pet| pet.as_object().cloned())
        .collect()
}

fn categories() -> Vec<Value> {
    let animals = json!({"id": 1, "name": "Animals"});
    let below = |id: u64, name: &str| json!({"id": id, "name": name, "parent": animals});
    vec![
        animals.clone(),
        below(2, "Dogs"),
        below(3, "Cats"),
        below(4, "Birds"),
    ]
}

fn first_order() -> Value {
    json!({
        "id": FIRST_ORDER, "status": "placed", "total": 49.5,
        "items": [{"petId": 3, "withAccessories": true}],
        "customer": {
            "name": "Ada Nowak", "email": "ada@example.org",
            "address": {"street": "1 Canal Street", "city": "Porto", "postalCode": null, "country": "PT"},
        },
        "giftMessage": null,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_is_placed_once_and_can_be_cancelled() {
        let mut store = Store::stocked();
        let order = json!({"items": [{"petId": 1}], "customer": {}})
            .as_object()
            .cloned()
            .unwrap();
        let first = store.place_order("key-00001", order.clone()).unwrap();
        assert_eq!(
            store.place_order("key-00001", order.clone()).unwrap(),
            first
        );
        assert!(matches!(
            store.place_order("key-00002", order),
            Err(Refusal::Conflict(_))
        ));
        assert_eq!(
            store.inventory(),
            json!({"available": 2, "pending": 2, "sold": 1})
        );
        for id in [first["id"].as_str().unwrap(), FIRST_ORDER] {
            store.cancel_order(id).unwrap();
        }
        assert_eq!(
            store.inventory(),
            json!({"available": 4, "pending": 0, "sold": 1})
        );
        assert!(matches!(
            store.cancel_order(FIRST_ORDER),
            Err(Refusal::Conflict(_))
        ));
    }
}

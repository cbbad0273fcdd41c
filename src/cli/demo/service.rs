//! The pet store over HTTP, as `specs/petstore.yaml` describes it.

use std::sync::Arc;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{FromRequest, Multipart, Path, RawQuery, Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{delete, get, post};
use parking_lot::Mutex;
use serde_json::{Map, Value, json};

use super::query::{PetQuery, page};
use super::store::{Photo, Refusal, Store};

type Shared = Arc<Mutex<Store>>;

/// The service's routes, below `/api/v1`.
pub(super) fn routes() -> Router {
    let pet = get(get_pet)
        .put(replace_pet)
        .patch(change_pet)
        .delete(delete_pet);
    let api = Router::new()
        .route("/pets", get(list_pets).post(create_pet))
        .route("/pets/search", get(search_pets))
        .route("/pets/{pet}", pet)
        .route("/pets/{pet}/photos", post(add_photo))
        .route("/pets/{pet}/photos/{photo}", get(get_photo))
        .route("/categories", get(list_categories).post(create_category))
        .route("/store/inventory", get(inventory))
        .route("/store/orders", post(place_order))
        .route("/store/orders/{order}", get(get_order))
        .route("/store/orders/{order}", delete(cancel_order));
    Router::new()
        .nest("/api/v1", api)
        .with_state(Arc::new(Mutex::new(Store::stocked())))
}

async fn list_pets(State(store): State<Shared>, RawQuery(query): RawQuery) -> Response {
    let query = PetQuery::list(query.as_deref().unwrap_or_default());
    json_answer(StatusCode::OK, &page(&store.lock().pets, &query))
}

async fn search_pets(State(store): State<Shared>, RawQuery(query): RawQuery) -> Response {
    let query = PetQuery::search(query.as_deref().unwrap_or_default());
    json_answer(StatusCode::OK, &page(&store.lock().pets, &query))
}

async fn get_pet(State(store): State<Shared>, Path(pet): Path<u64>) -> Response {
    answer(
        StatusCode::OK,
        store.lock().pet(pet).map(|pet| Value::Object(pet.clone())),
    )
}

async fn create_pet(State(store): State<Shared>, body: Bytes) -> Response {
    let created = object(&body).and_then(|pet| checked(pet).map(|pet| store.lock().add_pet(pet)));
    answer(StatusCode::CREATED, created)
}

async fn replace_pet(State(store): State<Shared>, Path(pet): Path<u64>, body: Bytes) -> Response {
    let mut store = store.lock();
    let stored = store
        .pet(pet)
        .map(|_| ())
        .and_then(|()| object(&body))
        .and_then(checked)
        .map(|given| store.store_pet(pet, given));
    answer(StatusCode::OK, stored)
}

async fn change_pet(State(store): State<Shared>, Path(pet): Path<u64>, body: Bytes) -> Response {
    let changed = object(&body).and_then(|changes| store.lock().change_pet(pet, changes));
    answer(StatusCode::OK, changed)
}

async fn delete_pet(State(store): State<Shared>, Path(pet): Path<u64>) -> Response {
    let mut store = store.lock();
    let gone = store.pet(pet).map(|_| ()).map(|()| {
        store.pets.remove(&pet);
        store.photos.remove(&pet);
    });
    no_content(gone)
}

async fn add_photo(
    State(store): State<Shared>,
    Path(pet): Path<u64>,
    request: Request,
) -> Response {
    let photo = match photo_of(request).await {
        Ok(photo) => photo,
        Err(refusal) => return refusal.into_response(),
    };
    answer(StatusCode::CREATED, store.lock().add_photo(pet, photo))
}

async fn photo_of(request: Request) -> Result<Photo, Refusal> {
    let unreadable = |error: &dyn std::fmt::Display| Refusal::Invalid("/file", error.to_string());
    let form = request
        .headers()
        .get(header::CONTENT_TYPE)
        .is_some_and(|value| value.as_bytes().starts_with(b"multipart/"));
    if !form {
        let data = Bytes::from_request(request, &())
            .await
            .map_err(|error| unreadable(&error))?;
        return Ok(Photo {
            data: data.to_vec(),
            caption: None,
        });
    }
    let mut parts = Multipart::from_request(request, &())
        .await
        .map_err(|error| unreadable(&error))?;
    let (mut data, mut caption) = (None, None);
    while let Some(part) = parts
        .next_field()
        .await
        .map_err(|error| unreadable(&error))?
    {
        match part.name() {
            Some("file") => {
                data = Some(
                    part.bytes()
                        .await
                        .map_err(|error| unreadable(&error))?
                        .to_vec(),
                )
            }
            Some("caption") => {
                caption = Some(part.text().await.map_err(|error| unreadable(&error))?)
            }
            _ => {}
        }
    }
    let data = data.ok_or_else(|| Refusal::Invalid("/file", "a picture is wanted".to_owned()))?;
    Ok(Photo { data, caption })
}

async fn get_photo(
    State(store): State<Shared>,
    Path((pet, photo)): Path<(u64, usize)>,
) -> Response {
    let store = store.lock();
    let found = store
        .photos
        .get(&pet)
        .and_then(|photos| photos.get(photo.checked_sub(1)?));
    match found {
        Some(photo) => ([(header::CONTENT_TYPE, "image/png")], photo.data.clone()).into_response(),
        None => Refusal::NotFound(format!("pet {pet} has no photo {photo}")).into_response(),
    }
}

async fn list_categories(State(store): State<Shared>) -> Response {
    json_answer(
        StatusCode::OK,
        &Value::from(store.lock().categories.clone()),
    )
}

async fn create_category(State(store): State<Shared>, body: Bytes) -> Response {
    let created = object(&body).and_then(|given| match given.get("name").and_then(Value::as_str) {
        Some(name) => Ok(store.lock().add_category(name, given.get("parent"))),
        None => Err(Refusal::Invalid("/name", "a name is wanted".to_owned())),
    });
    answer(StatusCode::CREATED, created)
}

async fn inventory(State(store): State<Shared>) -> Response {
    json_answer(StatusCode::OK, &store.lock().inventory())
}

async fn place_order(State(store): State<Shared>, headers: HeaderMap, body: Bytes) -> Response {
    let key = headers
        .get("idempotency-key")
        .and_then(|key| key.to_str().ok());
    let placed = match key {
        Some(key) => object(&body).and_then(|order| store.lock().place_order(key, order)),
        None => Err(Refusal::Invalid(
            "/Idempotency-Key",
            "the header is missing".to_owned(),
        )),
    };
    answer(StatusCode::CREATED, placed)
}

async fn get_order(State(store): State<Shared>, Path(order): Path<String>) -> Response {
    answer(StatusCode::OK, store.lock().order(&order).cloned())
}

async fn cancel_order(State(store): State<Shared>, Path(order): Path<String>) -> Response {
    no_content(store.lock().cancel_order(&order))
}

fn object(body: &[u8]) -> Result<Map<String, Value>, Refusal> {
    serde_json::from_slice(body).map_err(|error| Refusal::Invalid("", error.to_string()))
}

fn checked(pet: Map<String, Value>) -> Result<Map<String, Value>, Refusal> {
    for (name, pointer) in [
        ("name", "/name"),
        ("species", "/species"),
        ("price", "/price"),
    ] {
        if pet.get(name).is_none_or(Value::is_null) {
            return Err(Refusal::Invalid(pointer, format!("a {name} is wanted")));
        }
    }
    Ok(pet)
}

fn answer(status: StatusCode, result: Result<Value, Refusal>) -> Response {
    match result {
        Ok(value) => json_answer(status, &value),
        Err(refusal) => refusal.into_response(),
    }
}

fn no_content(result: Result<(), Refusal>) -> Response {
    match result {
        Ok(()) => StatusCode::NO_CONTENT.into_response(),
        Err(refusal) => refusal.into_response(),
    }
}

fn json_answer(status: StatusCode, value: &Value) -> Response {
    (
        status,
        [(header::CONTENT_TYPE, "application/json")],
        value.to_string(),
    )
        .into_response()
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let (status, detail, errors) = match self {
            Self::NotFound(detail) => (StatusCode::NOT_FOUND, detail, None),
            Self::Conflict(detail) => (StatusCode::CONFLICT, detail, None),
            Self::TooLarge => (
                StatusCode::PAYLOAD_TOO_LARGE,
                "a photo has at most one megabyte".to_owned(),
                None,
            ),
            Self::Invalid(pointer, detail) => {
                let errors = json!([{"pointer": pointer, "detail": detail}]);
                (
                    StatusCode::BAD_REQUEST,
                    "the request does not fit".to_owned(),
                    Some(errors),
                )
            }
        };
        let mut problem = json!({
            "type": "about:blank", "title": status.canonical_reason(), "status": status.as_u16(), "detail": detail,
        });
        if let Some(errors) = errors {
            problem["errors"] = errors;
        }
        let head = [(header::CONTENT_TYPE, "application/problem+json")];
        (status, head, Body::from(problem.to_string())).into_response()
    }
}

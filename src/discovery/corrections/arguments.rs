//! The places of a tool's arguments: its parameters, and its body or what a flat body consists of.

use std::borrow::Cow;

use super::{Corrector, NOWHERE, Wanted};
use crate::discovery::body::{Form, PlannedBody};
use crate::discovery::defs::Definitions;
use crate::discovery::parameters::Planned;
use crate::tool::{Corrections, Place};

impl<'d> Corrector<'d> {
    /// What is put right in the arguments of a tool whose keys are assigned.
    pub(in crate::discovery) fn arguments(
        &mut self,
        parameters: &[Planned<'d>],
        body: Option<&PlannedBody<'d>>,
        definitions: &Definitions<'d>,
    ) -> Option<Corrections> {
        let mut root = Place::default();
        let mut claimed: Vec<&str> = Vec::new();
        for one in parameters.iter().filter(|one| !one.hidden) {
            claimed.push(&one.key);
            // What nobody declares is any text.
            if let Cow::Borrowed(source) = one.source
                && let Some(next) = self.of(&source.schema, definitions)
            {
                root.properties.push((one.key.as_str().into(), next));
            }
        }
        if let Some(body) = body
            && let Some(place) = self.body(body, definitions)
        {
            claimed.extend(body.choice.as_deref());
            match &body.fields {
                None => root.properties.push((body.key.as_str().into(), place)),
                Some(_) => self.spread(&mut root, body, place, claimed),
            }
        }
        let nothing = root.properties.is_empty() && root.left_out.is_empty();
        if nothing && root.others.is_none() {
            return None;
        }
        Some(self.corrections(root))
    }

    fn body(&mut self, body: &PlannedBody<'d>, definitions: &Definitions<'d>) -> Option<usize> {
        // JSON has its numbers as they are given.
        let as_text = |form| matches!(form, Form::Urlencoded | Form::Multipart | Form::Xml);
        if self.wanted == Wanted::Integers && !body.media.iter().any(|one| as_text(one.form)) {
            return None;
        }
        let best = body.media.first()?;
        match (best.form, &best.media.item_schema) {
            (Form::Text | Form::Binary, _) => None,
            (Form::JsonLines, Some(item)) => {
                let items = Some(self.of(item, definitions)?);
                Some(self.add(Place {
                    items,
                    ..Place::default()
                }))
            }
            _ => self.of(&best.media.schema, definitions),
        }
    }

    /// The members of a flat body are arguments, but for those whose names others have.
    fn spread<'k>(
        &self,
        root: &mut Place,
        body: &'k PlannedBody<'d>,
        place: usize,
        mut claimed: Vec<&'k str>,
    ) {
        let place = &self.places[place];
        let fields = body.fields.as_deref().unwrap_or_default();
        claimed.extend(fields.iter().map(|field| field.key.as_str()));
        let is_free = |name: &str| !claimed.contains(&name);
        for (name, next) in &place.properties {
            let field = fields.iter().find(|field| field.property == &**name);
            match field {
                Some(field) => root.properties.push((field.key.as_str().into(), *next)),
                None if is_free(name) => root.properties.push((name.clone(), *next)),
                None => {}
            }
        }
        let left_out = place.left_out.iter().filter(|name| is_free(name));
        root.left_out.extend(left_out.cloned());
        root.others = place.others;
        if root.others.is_some() {
            let known: Vec<Box<str>> = root.properties.iter().map(|(one, _)| one.clone()).collect();
            let others = claimed
                .iter()
                .filter(|key| !known.iter().any(|one| **one == ***key));
            let others: Vec<_> = others.map(|key| (Box::from(*key), NOWHERE)).collect();
            root.properties.extend(others);
        }
    }
}

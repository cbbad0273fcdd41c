//! Which names the meaning of a resource depends on.

use super::resources::{Name, Resources, Target};

/// Steps from reference to reference, over all names.
const MOST_STEPS: usize = 20_000_000;

/// By resource, the names that a dynamic reference has which can be reached from it, sorted.
/// Nothing where there are too many ways.
pub(super) fn of(resources: &Resources<'_>) -> Option<Vec<Vec<Name>>> {
    let count = resources.list.len();
    let node_of = |name: Name| count + name as usize;
    // Who refers to a resource, or to a name, which stands for all that it may be bound to.
    let mut referring: Vec<Vec<usize>> = vec![Vec::new(); count + resources.names];
    for (id, resource) in resources.list.iter().enumerate() {
        for site in &resource.sites {
            match &site.target {
                Target::Place(other, ..) if *other != id => referring[*other].push(id),
                Target::Bound(name) => referring[node_of(*name)].push(id),
                Target::Place(..) | Target::Elsewhere => {}
            }
        }
        for inner in &resource.nested {
            referring[*inner].push(id);
        }
        for (name, _) in &resource.own {
            referring[id].push(node_of(*name));
        }
    }
    for list in &mut referring {
        list.sort_unstable();
        list.dedup();
    }
    let mut needs = vec![Vec::new(); count];
    let mut seen = vec![usize::MAX; referring.len()];
    let mut left = MOST_STEPS;
    for (number, name) in (0_usize..).zip(0_u32..).take(resources.names) {
        let mut waiting = vec![node_of(name)];
        while let Some(node) = waiting.pop() {
            for &from in &referring[node] {
                left = left.checked_sub(1)?;
                if seen[from] == number {
                    continue;
                }
                seen[from] = number;
                waiting.push(from);
                if let Some(needs) = needs.get_mut(from) {
                    needs.push(name);
                }
            }
        }
    }
    Some(needs)
}

//! The people directory: who is known, their address and team, who has left.

use std::collections::BTreeMap;

/// Whether somebody still works here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Employment {
    /// Yes.
    Active,
    /// No longer.
    Departed,
}

/// One person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    /// The name as it appears in owner tags.
    pub owner: String,
    /// Where mail goes.
    pub email: Option<String>,
    /// The team.
    pub team: Option<String>,
    /// Whether they still work here.
    pub status: Employment,
}

/// People by name and by address, found without regard to case.
#[derive(Debug, Clone, Default)]
pub struct Directory {
    people: Vec<Person>,
    index: BTreeMap<String, usize>,
}

impl Directory {
    /// A directory of these people. Of two entries for one name the first counts; the names of the
    /// others are returned, so that the configuration can point them out.
    pub fn new(people: Vec<Person>) -> (Self, Vec<String>) {
        let mut index = BTreeMap::new();
        let mut doubled = Vec::new();
        for (position, person) in people.iter().enumerate() {
            if index.contains_key(&key(&person.owner)) {
                doubled.push(person.owner.clone());
                continue;
            }
            index.insert(key(&person.owner), position);
            if let Some(email) = &person.email {
                index.entry(key(email)).or_insert(position);
            }
        }
        (Self { people, index }, doubled)
    }

    /// The person of that name or address.
    pub fn find(&self, name: &str) -> Option<&Person> {
        self.index.get(&key(name)).and_then(|&position| self.people.get(position))
    }

    /// Everybody, in the order of the list.
    pub fn people(&self) -> &[Person] {
        &self.people
    }

    /// How many people are listed.
    pub fn len(&self) -> usize {
        self.people.len()
    }

    /// Whether nobody is listed.
    pub fn is_empty(&self) -> bool {
        self.people.is_empty()
    }
}

fn key(name: &str) -> String {
    reaper_model::tags::trim_blanks(name).to_lowercase()
}

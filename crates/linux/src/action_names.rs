//! What an application calls its actions, untranslated.

use crate::bounds;
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};
use tokio::sync::OnceCell;

/// For each list of names that an application told in its user's language, the names that mean the same everywhere.
/// GTK tells translated ones by `GetActions` (measured on GTK 3.24 and 4.8: "Klicken", "Klick"), and asking for the
/// others takes a call a name: so it is done once a list.
#[derive(Debug, Default)]
pub(crate) struct ActionNames(Mutex<HashMap<Names, Arc<OnceCell<Names>>>>);

type Names = Vec<String>;

impl ActionNames {
    /// Where the untranslated names of that list are, or whoever comes first puts them.
    pub(crate) fn of(&self, told: &[String]) -> Arc<OnceCell<Names>> {
        let mut lists = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(list) = lists.get(told) {
            return Arc::clone(list);
        }
        if lists.len() >= bounds::ACTION_LISTS {
            lists.clear();
        }
        Arc::clone(lists.entry(told.to_vec()).or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_list_has_one_place_and_the_number_of_lists_is_bounded() {
        let names = ActionNames::default();
        let list = |number: usize| vec![format!("Klicken {number}")];
        let first = names.of(&list(0));
        first.set(vec!["click".to_owned()]).unwrap();
        assert_eq!(names.of(&list(0)).get(), Some(&vec!["click".to_owned()]));
        for number in 1..=bounds::ACTION_LISTS {
            names.of(&list(number));
        }
        assert_eq!(names.of(&list(0)).get(), None);
    }
}

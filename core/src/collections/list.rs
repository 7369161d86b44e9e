//! A list that is shared, and whose elements are.

use std::ops::Deref;
use std::sync::Arc;
use std::{fmt, slice};

/// A list that costs the same to clone however long it is, and whose equality costs nothing for what is the same.
pub struct List<T>(Arc<Vec<Arc<T>>>);

impl<T> List<T> {
    /// True when both hold the same elements, by pointer.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
            || self.len() == other.len() && self.iter().zip(other).all(|(one, other)| Arc::ptr_eq(one, other))
    }

    /// The elements, to be changed: copied first, when somebody else holds the list.
    pub(crate) fn make_mut(&mut self) -> &mut Vec<Arc<T>> {
        Arc::make_mut(&mut self.0)
    }
}

impl<T> Clone for List<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T> Default for List<T> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<T> Deref for List<T> {
    type Target = [Arc<T>];

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl<T: PartialEq> PartialEq for List<T> {
    fn eq(&self, other: &Self) -> bool {
        let is_equal = |(one, other): (&Arc<T>, &Arc<T>)| Arc::ptr_eq(one, other) || one == other;
        Arc::ptr_eq(&self.0, &other.0) || self.len() == other.len() && self.iter().zip(other).all(is_equal)
    }
}

impl<T: fmt::Debug> fmt::Debug for List<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

impl<T> FromIterator<Arc<T>> for List<T> {
    fn from_iter<I: IntoIterator<Item = Arc<T>>>(elements: I) -> Self {
        Self(Arc::new(elements.into_iter().collect()))
    }
}

impl<'a, T> IntoIterator for &'a List<T> {
    type IntoIter = slice::Iter<'a, Arc<T>>;
    type Item = &'a Arc<T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

//! Maps and sets as sorted lists.
//!
//! Their code is small: with `BTreeMap` and `BTreeSet` in their thirty-five places the WebAssembly of the npm package had
//! 215 KB more. Looking up takes O(log n). Inserting and removing move what comes after, which is little here: most keys are
//! ids that ascend with time and come in at the end, and sessions, which are kept by the thousand, come in sorted. What
//! comes by the ten thousand and goes in any order (deadlines, effects, wakers) is in trees.

use std::borrow::Borrow;
use std::fmt;
use std::ops::Index;

/// A map as a list of pairs, sorted by key.
#[derive(Clone, PartialEq, Eq)]
pub struct SortedMap<K, V> {
    pairs: Vec<(K, V)>,
}

/// A set as a sorted list.
#[derive(Clone, PartialEq, Eq)]
pub struct SortedSet<T> {
    elements: SortedMap<T, ()>,
}

/// A place in a map, taken or free. See [`SortedMap::entry`].
#[derive(Debug)]
pub struct Entry<'a, K, V> {
    map: &'a mut SortedMap<K, V>,
    place: Result<usize, (usize, K)>,
}

impl<K, V> SortedMap<K, V> {
    /// An empty map.
    #[must_use]
    pub const fn new() -> Self {
        Self { pairs: Vec::new() }
    }

    /// How many pairs there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    /// True when there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// All pairs, by key.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (&K, &V)> + ExactSizeIterator {
        self.pairs.iter().map(|(key, value)| (key, value))
    }

    /// All pairs, by key, to be changed.
    pub fn iter_mut(&mut self) -> impl DoubleEndedIterator<Item = (&K, &mut V)> + ExactSizeIterator {
        self.pairs.iter_mut().map(|(key, value)| (&*key, value))
    }

    /// All keys, in order.
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = &K> + ExactSizeIterator {
        self.pairs.iter().map(|(key, _)| key)
    }

    /// All values, by key.
    pub fn values(&self) -> impl DoubleEndedIterator<Item = &V> + ExactSizeIterator {
        self.pairs.iter().map(|(_, value)| value)
    }

    /// All values, by key, to be changed.
    pub fn values_mut(&mut self) -> impl DoubleEndedIterator<Item = &mut V> + ExactSizeIterator {
        self.pairs.iter_mut().map(|(_, value)| value)
    }

    /// Keeps the pairs that are wanted.
    pub fn retain(&mut self, mut is_wanted: impl FnMut(&K, &mut V) -> bool) {
        self.pairs.retain_mut(|(key, value)| is_wanted(key, value));
    }

    /// Removes all pairs.
    pub fn clear(&mut self) {
        self.pairs.clear();
    }
}

impl<K: Ord, V> SortedMap<K, V> {
    fn find<Q: Ord + ?Sized>(&self, key: &Q) -> Result<usize, usize>
    where
        K: Borrow<Q>,
    {
        self.pairs.binary_search_by(|(held, _)| held.borrow().cmp(key))
    }

    /// Where a key is, or belongs. One that comes after all others is found at once.
    fn place_of(&self, key: &K) -> Result<usize, usize> {
        match self.pairs.last() {
            Some((last, _)) if last >= key => self.find(key),
            Some(_) | None => Err(self.pairs.len()),
        }
    }

    /// The value of a key.
    #[must_use]
    pub fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.get_key_value(key).map(|(_, value)| value)
    }

    /// A key as it is held, and its value.
    #[must_use]
    pub fn get_key_value<Q: Ord + ?Sized>(&self, key: &Q) -> Option<(&K, &V)>
    where
        K: Borrow<Q>,
    {
        let place = self.find(key).ok()?;
        let (key, value) = &self.pairs[place];
        Some((key, value))
    }

    /// The value of a key, to be changed.
    #[must_use]
    pub fn get_mut<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        let place = self.find(key).ok()?;
        Some(&mut self.pairs[place].1)
    }

    /// True when there is such a key.
    #[must_use]
    pub fn contains_key<Q: Ord + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.find(key).is_ok()
    }

    /// Sets the value of a key; returns the one it had.
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        match self.place_of(&key) {
            Ok(place) => Some(std::mem::replace(&mut self.pairs[place].1, value)),
            Err(place) => {
                self.pairs.insert(place, (key, value));
                None
            }
        }
    }

    /// Removes a key; returns its value.
    pub fn remove<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        let place = self.find(key).ok()?;
        Some(self.pairs.remove(place).1)
    }

    /// The place of a key, to be filled if it is free.
    pub fn entry(&mut self, key: K) -> Entry<'_, K, V> {
        let place = self.place_of(&key).map_err(|place| (place, key));
        Entry { map: self, place }
    }
}

impl<'a, K, V> Entry<'a, K, V> {
    /// The value that is there, or `make`s it.
    pub fn or_insert_with(self, make: impl FnOnce() -> V) -> &'a mut V {
        let place = match self.place {
            Ok(place) => place,
            Err((place, key)) => {
                self.map.pairs.insert(place, (key, make()));
                place
            }
        };
        &mut self.map.pairs[place].1
    }

    /// The value that is there, or this.
    pub fn or_insert(self, value: V) -> &'a mut V {
        self.or_insert_with(|| value)
    }

    /// The value that is there, or the default.
    pub fn or_default(self) -> &'a mut V
    where
        V: Default,
    {
        self.or_insert_with(V::default)
    }
}

impl<T> SortedSet<T> {
    /// An empty set.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            elements: SortedMap::new(),
        }
    }

    /// How many elements there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.elements.len()
    }

    /// True when there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.elements.is_empty()
    }

    /// All elements, in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &T> + ExactSizeIterator {
        self.elements.keys()
    }

    /// Keeps the elements that are wanted.
    pub fn retain(&mut self, mut is_wanted: impl FnMut(&T) -> bool) {
        self.elements.retain(|element, ()| is_wanted(element));
    }

    /// Removes all elements.
    pub fn clear(&mut self) {
        self.elements.clear();
    }
}

impl<T: Ord> SortedSet<T> {
    /// True when this element is in it.
    #[must_use]
    pub fn contains<Q: Ord + ?Sized>(&self, element: &Q) -> bool
    where
        T: Borrow<Q>,
    {
        self.elements.contains_key(element)
    }

    /// Adds an element. False when it is in it already.
    pub fn insert(&mut self, element: T) -> bool {
        self.elements.insert(element, ()).is_none()
    }

    /// Removes an element. False when it is not in it.
    pub fn remove<Q: Ord + ?Sized>(&mut self, element: &Q) -> bool
    where
        T: Borrow<Q>,
    {
        self.elements.remove(element).is_some()
    }
}

impl<K, V> Default for SortedMap<K, V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> Default for SortedSet<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: fmt::Debug, V: fmt::Debug> fmt::Debug for SortedMap<K, V> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_map().entries(self.iter()).finish()
    }
}

impl<T: fmt::Debug> fmt::Debug for SortedSet<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_set().entries(self.iter()).finish()
    }
}

impl<K: Ord, V> Extend<(K, V)> for SortedMap<K, V> {
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, pairs: I) {
        for (key, value) in pairs {
            self.insert(key, value);
        }
    }
}

impl<T: Ord> Extend<T> for SortedSet<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, elements: I) {
        for element in elements {
            self.insert(element);
        }
    }
}

impl<K: Ord, V> FromIterator<(K, V)> for SortedMap<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(pairs: I) -> Self {
        let mut map = Self::new();
        map.extend(pairs);
        map
    }
}

impl<T: Ord> FromIterator<T> for SortedSet<T> {
    fn from_iter<I: IntoIterator<Item = T>>(elements: I) -> Self {
        let mut set = Self::new();
        set.extend(elements);
        set
    }
}

impl<K: Ord, V, const N: usize> From<[(K, V); N]> for SortedMap<K, V> {
    fn from(pairs: [(K, V); N]) -> Self {
        pairs.into_iter().collect()
    }
}

impl<T: Ord, const N: usize> From<[T; N]> for SortedSet<T> {
    fn from(elements: [T; N]) -> Self {
        elements.into_iter().collect()
    }
}

impl<K, V> IntoIterator for SortedMap<K, V> {
    type Item = (K, V);
    type IntoIter = std::vec::IntoIter<(K, V)>;

    fn into_iter(self) -> Self::IntoIter {
        self.pairs.into_iter()
    }
}

impl<T> IntoIterator for SortedSet<T> {
    type Item = T;
    type IntoIter = std::iter::Map<std::vec::IntoIter<(T, ())>, fn((T, ())) -> T>;

    fn into_iter(self) -> Self::IntoIter {
        self.elements.into_iter().map(|(element, ())| element)
    }
}

impl<'a, K, V> IntoIterator for &'a SortedMap<K, V> {
    type Item = (&'a K, &'a V);
    type IntoIter = std::iter::Map<std::slice::Iter<'a, (K, V)>, fn(&'a (K, V)) -> (&'a K, &'a V)>;

    fn into_iter(self) -> Self::IntoIter {
        self.pairs.iter().map(|(key, value)| (key, value))
    }
}

impl<K: Ord + Borrow<Q>, V, Q: Ord + ?Sized> Index<&Q> for SortedMap<K, V> {
    type Output = V;

    /// # Panics
    ///
    /// If there is no such key.
    fn index(&self, key: &Q) -> &V {
        self.get(key)
            .expect("whoever indexes a map knows that the key is there")
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn it_does_what_a_tree_does() {
        let (mut sorted, mut tree) = (SortedMap::new(), BTreeMap::new());
        let mut key = 1_u32;
        for step in 0..4000_u32 {
            key = key.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let short = key >> 26;
            match step % 5 {
                0 | 1 => assert_eq!(sorted.insert(short, step), tree.insert(short, step)),
                2 => assert_eq!(sorted.remove(&short), tree.remove(&short)),
                3 => assert_eq!(*sorted.entry(short).or_insert(step), *tree.entry(short).or_insert(step)),
                _ => assert_eq!(sorted.get(&short), tree.get(&short)),
            }
            assert!(sorted.iter().eq(tree.iter()));
        }
    }

    #[test]
    fn a_set_holds_each_element_once_and_in_order() {
        let mut set = SortedSet::from(["b", "a", "c", "a"]);
        assert!(set.iter().eq(["a", "b", "c"].iter()));
        assert!(!set.insert("b"));
        assert!(set.remove("b") && !set.contains("b"));
        set.retain(|element| *element != "a");
        assert_eq!(format!("{set:?}"), "{\"c\"}");
    }
}

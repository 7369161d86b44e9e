//! Sorting with code that is small where many types are sorted.

use std::cmp::Ordering;

/// Sorts by a key; elements with equal keys keep their order.
///
/// It sorts indices, with one function for all types, and then swaps the elements: each type that the standard library
/// sorts takes 4 KB of WebAssembly. Makes O(n log n) comparisons, and two keys for each.
pub fn sort_by_key<T, K: Ord>(elements: &mut [T], mut key: impl FnMut(&T) -> K) {
    let mut order: Vec<usize> = (0..elements.len()).collect();
    sort_places(&mut order, &mut |one, other| {
        key(&elements[one]).cmp(&key(&elements[other]))
    });
    for place in 0..order.len() {
        let mut from = order[place];
        // An element whose place was filled before has been swapped to where that one came from.
        while from < place {
            from = order[from];
        }
        elements.swap(place, from);
    }
}

#[inline(never)]
fn sort_places(order: &mut [usize], compare: &mut dyn FnMut(usize, usize) -> Ordering) {
    order.sort_by(|one, other| compare(*one, *other));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_does_what_a_stable_sort_does() {
        let mut random = 1_u32;
        for length in 0..200_u32 {
            let elements: Vec<(u32, u32)> = (0..length)
                .map(|place| {
                    random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    (random >> 27, place)
                })
                .collect();
            let (mut ours, mut theirs) = (elements.clone(), elements);
            sort_by_key(&mut ours, |(key, _)| *key);
            theirs.sort_by_key(|(key, _)| *key);
            assert_eq!(ours, theirs);
        }
    }
}

//! Which rows of a long list are drawn: those near what is in sight, and those that must not go.
//!
//! Each row has a height: the one that was measured when it was last drawn, before that a guess that does not change. Rows
//! that are not drawn are stood in for by gaps of the same height, so that nothing moves when a row is drawn or goes.

use std::ops::Range;

/// A piece of the list as it is drawn.
#[derive(Clone, Debug, PartialEq)]
pub enum Piece {
    /// This row.
    Row(usize),
    /// Stands in for these rows.
    Gap(Range<usize>),
}

/// A place in the list.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Place {
    /// The row.
    pub row: usize,
    /// How far it is below the top of the row, in px.
    pub into: f64,
}

/// The place at a distance from the top of the list, in px; below the end of the list it is in the last row.
#[must_use]
pub fn place_at(heights: impl IntoIterator<Item = f64>, distance: f64) -> Place {
    let (mut top, mut place) = (0.0, Place::default());
    for (row, height) in heights.into_iter().enumerate() {
        place = Place {
            row,
            into: (distance - top).clamp(0.0, height),
        };
        top += height;
        if top > distance {
            break;
        }
    }
    place
}

/// The rows from `above` px before a place to `below` px after it.
#[must_use]
pub fn near(height: impl Fn(usize) -> f64, count: usize, place: Place, above: f64, below: f64) -> Range<usize> {
    let first = place.row.min(count);
    let (mut start, mut room) = (first, above - place.into);
    while start > 0 && room > 0.0 {
        start -= 1;
        room -= height(start);
    }
    let (mut end, mut room) = (first, below + place.into);
    while end < count && room > 0.0 {
        room -= height(end);
        end += 1;
    }
    start..end
}

/// The rows and gaps of a list, from its top to its end.
#[must_use]
pub fn pieces(count: usize, is_drawn: impl Fn(usize) -> bool) -> Vec<Piece> {
    let mut pieces = Vec::new();
    for row in 0..count {
        match pieces.last_mut() {
            _ if is_drawn(row) => pieces.push(Piece::Row(row)),
            Some(Piece::Gap(rows)) => rows.end = row + 1,
            Some(Piece::Row(_)) | None => pieces.push(Piece::Gap(row..row + 1)),
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_drawn_two_screens_around_what_is_in_sight() {
        let height = |row: usize| if row.is_multiple_of(2) { 100.0 } else { 50.0 };
        let top_of = |row| Place { row, into: 0.0 };
        assert_eq!(near(height, 1_000, top_of(500), 300.0, 600.0), 496..508);
        assert_eq!(near(height, 1_000, top_of(2), 300.0, 600.0), 0..10);
        assert_eq!(near(height, 1_000, top_of(999), 300.0, 600.0), 995..1_000);
        assert_eq!(near(height, 0, top_of(0), 300.0, 600.0), 0..0);
    }

    #[test]
    fn what_follows_a_row_that_is_higher_than_the_screen_is_drawn_near_its_end() {
        let height = |row: usize| if row == 0 { 9_000.0 } else { 100.0 };
        let place = place_at((0..100).map(height), 8_900.0);
        assert_eq!(near(height, 100, place, 600.0, 600.0), 0..6);
        assert_eq!(near(height, 100, Place::default(), 600.0, 600.0), 0..1);
    }

    #[test]
    fn a_place_is_a_row_and_a_way_into_it() {
        let heights = [100.0, 0.0, 50.0];
        let at = |distance| place_at(heights, distance);
        let place = |row, into| Place { row, into };
        assert_eq!(
            [-9.0, 0.0, 99.0].map(at),
            [place(0, 0.0), place(0, 0.0), place(0, 99.0)]
        );
        assert_eq!(
            [100.0, 149.0, 9_999.0].map(at),
            [place(2, 0.0), place(2, 49.0), place(2, 50.0)]
        );
        assert_eq!(place_at([], 5.0), Place::default());
    }

    #[test]
    fn what_is_not_drawn_is_stood_in_for() {
        let drawn = [1, 4, 5];
        assert_eq!(
            pieces(8, |row| drawn.contains(&row)),
            [
                Piece::Gap(0..1),
                Piece::Row(1),
                Piece::Gap(2..4),
                Piece::Row(4),
                Piece::Row(5),
                Piece::Gap(6..8)
            ]
        );
        assert_eq!(pieces(2, |_| true), [Piece::Row(0), Piece::Row(1)]);
        assert_eq!(pieces(0, |_| true), []);
    }
}

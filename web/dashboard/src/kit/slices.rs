//! Long lists that are drawn in slices, frame by frame: the page never stands still for them.

use leptos::prelude::*;

use crate::kit::erased::{effect, leave_at_end};

/// The first slice is so many times as long as those that follow: it fills the screen.
const FIRST: usize = 3;

/// How many of `count` rows are drawn, from the top of the list: at least `needed` at once, `slice` more with each frame, and
/// all of them in the end. What is drawn stays, so that nothing moves.
pub(crate) fn drawn(slice: usize, count: Memo<usize>, needed: Memo<usize>) -> Memo<usize> {
    let frame = RwSignal::new(0_usize);
    let drawn = Memo::new(move |before: Option<&usize>| {
        leave_at_end();
        frame.track();
        let more = before.map_or(0, |before| before + slice);
        count.get().min(more.max(FIRST * slice).max(needed.get()))
    });
    effect(move || {
        if drawn.get() < count.get() {
            request_animation_frame(move || {
                frame.try_update(|frame| *frame += 1);
            });
        }
    });
    drawn
}

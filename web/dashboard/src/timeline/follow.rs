//! Whether the timeline follows its end.
//!
//! Following is a wish of the person, not a measurement: it holds from the opening of the page until they scroll up, and
//! again once they return to the end. Content that arrives, cards that fold and images that load move the scroll position
//! as well, so a change of the position counts only after a person's input, or while the content stands still.

use std::time::Duration;

use switchboard_core::Time;

/// So close to the end counts as being there, in px.
pub const END_MARGIN: f64 = 48.0;

/// A `scroll` event that comes so soon after an input, or after one that did, was caused by it: smooth scrolling and the
/// momentum of a swipe go on for a while.
const INPUT_LASTS: Duration = Duration::from_millis(400);

/// An input of a person that may scroll. A page that is busy hears of what it scrolls with one of the next two frames,
/// however late they are, so [`INPUT_LASTS`] counts from the first.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Input {
    /// No frame has begun since it came.
    New,
    /// The first frame after it began at this time.
    Since(Time),
}

/// The wish to see the end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Follow {
    wanted: bool,
    /// The last position that is known, in px.
    top: f64,
    /// How far it was from where the end is in view, in px.
    to_end: f64,
    input: Option<Input>,
    /// Whether [`Self::handle_frame`] is called.
    has_frames: bool,
    /// How often the content has changed.
    changes: u64,
    /// The changes that have been laid out, together with their `scroll` events.
    settled: u64,
}

impl Default for Follow {
    fn default() -> Self {
        Self {
            wanted: true,
            top: 0.0,
            to_end: 0.0,
            input: None,
            has_frames: false,
            changes: 0,
            settled: 0,
        }
    }
}

impl Follow {
    /// Whether the end is to stay in view.
    #[must_use]
    pub fn is_wanted(&self) -> bool {
        self.wanted
    }

    /// A person has used the wheel, a finger, a scroll bar or a key that scrolls. Returns whether
    /// [`Self::handle_frame`] has to be called with each frame from now on.
    pub fn handle_input(&mut self) -> bool {
        self.input = Some(Input::New);
        !std::mem::replace(&mut self.has_frames, true)
    }

    /// A frame has begun, and its `scroll` events have been handled. Returns whether it has to be called with the next.
    pub fn handle_frame(&mut self, now: Time) -> bool {
        match self.input {
            Some(Input::New) => self.input = Some(Input::Since(now)),
            Some(Input::Since(first)) if now.since(first) >= INPUT_LASTS => self.input = None,
            Some(Input::Since(_)) | None => {}
        }
        self.has_frames = self.has_input();
        self.has_frames
    }

    /// The page was hidden, or is shown again: there are no frames between the two, and what moves then moves by itself.
    pub fn handle_visibility(&mut self) {
        self.input = None;
    }

    /// The content has changed. Returns the number of the change for [`Self::handle_settled`].
    pub fn handle_change(&mut self) -> u64 {
        self.changes += 1;
        self.changes
    }

    /// This change has been laid out, and the `scroll` events that it caused have been handled.
    pub fn handle_settled(&mut self, change: u64) {
        self.settled = self.settled.max(change);
    }

    /// The page itself has scrolled to `top`, from where the end is in view.
    pub fn handle_own_scroll(&mut self, top: f64) {
        self.top = top;
        self.to_end = 0.0;
    }

    /// Whether what moves now may be what a person scrolls.
    #[must_use]
    pub fn has_input(&self) -> bool {
        self.input.is_some()
    }

    /// What came in above has moved the position, not what is in sight.
    pub fn handle_shift(&mut self, distance: f64) {
        self.top += distance;
    }

    /// A `scroll` event: the position is `top`, and from `end` on the end is in view.
    pub fn handle_scroll(&mut self, top: f64, end: f64) {
        let moved = top - self.top;
        if moved.abs() < 1.0 {
            return;
        }
        self.top = top;
        let before = std::mem::replace(&mut self.to_end, end - top);
        if self.has_input() {
            self.handle_input();
        } else if self.settled < self.changes {
            return;
        }
        if moved < 0.0 && top < end - 1.0 {
            self.wanted = false;
        } else if moved > 0.0 && self.to_end <= END_MARGIN && (self.to_end < before || self.to_end < 1.0) {
            // What grows above moves the position as well, but brings the end no nearer.
            self.wanted = true;
        }
    }

    /// A person has pressed the key that leads to the end.
    pub fn handle_end_key(&mut self) {
        self.wanted = true;
    }

    /// The person has asked to be taken to `top`.
    pub fn handle_wish(&mut self, top: f64, end: f64) {
        self.top = top;
        self.to_end = end - top;
        self.wanted = self.to_end <= END_MARGIN;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Time = Time(1_000_000);

    fn at_end(end: f64) -> Follow {
        let mut follow = Follow::default();
        follow.handle_own_scroll(end);
        follow
    }

    #[test]
    fn a_card_that_folds_while_another_comes_ends_nothing() {
        let mut follow = at_end(500.0);
        let change = follow.handle_change();
        follow.handle_scroll(300.0, 700.0);
        assert!(follow.is_wanted());
        follow.handle_settled(change);
        follow.handle_own_scroll(700.0);
        follow.handle_scroll(700.0, 700.0);
        assert!(follow.is_wanted());
    }

    #[test]
    fn the_slightest_scrolling_up_of_a_person_ends_it_and_returning_resumes_it() {
        let mut follow = at_end(500.0);
        follow.handle_change();
        follow.handle_input();
        follow.handle_scroll(490.0, 500.0);
        assert!(!follow.is_wanted());
        follow.handle_input();
        follow.handle_scroll(495.0, 500.0);
        assert!(follow.is_wanted());
    }

    #[test]
    fn what_a_busy_page_hears_late_of_is_still_a_persons() {
        let late = NOW + INPUT_LASTS * 5;
        let mut follow = at_end(500.0);
        follow.handle_change();
        assert!(follow.handle_input());
        assert!(follow.handle_frame(late));
        follow.handle_scroll(490.0, 500.0);
        assert!(!follow.is_wanted());
    }

    #[test]
    fn a_key_that_scrolls_smoothly_counts_from_the_first_frame() {
        let late = NOW + INPUT_LASTS;
        let mut follow = at_end(500.0);
        follow.handle_change();
        follow.handle_input();
        assert!(follow.handle_frame(late));
        assert!(follow.handle_frame(late));
        follow.handle_scroll(490.0, 500.0);
        assert!(!follow.is_wanted());
    }

    #[test]
    fn an_input_is_over_when_the_page_is_hidden() {
        let mut follow = at_end(500.0);
        follow.handle_change();
        follow.handle_input();
        follow.handle_visibility();
        follow.handle_scroll(300.0, 700.0);
        assert!(follow.is_wanted());
        // The frame that was asked for still comes: there are not two of them for the next input.
        assert!(!follow.handle_input());
        assert!(follow.handle_frame(NOW));
    }

    #[test]
    fn an_input_that_scrolls_nothing_is_over_after_some_frames() {
        let mut follow = at_end(500.0);
        follow.handle_change();
        follow.handle_input();
        assert!(follow.handle_frame(NOW));
        assert!(follow.handle_frame(NOW));
        assert!(!follow.handle_frame(NOW + INPUT_LASTS));
        follow.handle_scroll(300.0, 700.0);
        assert!(follow.is_wanted());
    }

    #[test]
    fn what_comes_in_above_hides_no_scrolling_of_a_person() {
        let mut follow = at_end(500.0);
        follow.handle_input();
        follow.handle_change();
        follow.handle_shift(3_000.0);
        follow.handle_scroll(3_480.0, 3_500.0);
        assert!(!follow.is_wanted());
        // Rows that turn out to be higher than was thought.
        follow.handle_scroll(3_980.0, 4_000.0);
        assert!(!follow.is_wanted());
        follow.handle_scroll(3_985.0, 4_000.0);
        assert!(follow.is_wanted());
    }

    #[test]
    fn a_match_that_the_browser_finds_in_a_quiet_timeline_ends_it() {
        let mut follow = at_end(500.0);
        follow.handle_scroll(100.0, 500.0);
        assert!(!follow.is_wanted());
    }

    #[test]
    fn content_that_shrinks_to_where_a_person_reads_does_not_resume_it() {
        let mut follow = at_end(500.0);
        follow.handle_input();
        follow.handle_scroll(300.0, 500.0);
        follow.handle_change();
        follow.handle_frame(NOW);
        follow.handle_frame(NOW + INPUT_LASTS);
        follow.handle_scroll(310.0, 310.0);
        assert!(!follow.is_wanted());
    }

    #[test]
    fn a_long_swipe_is_one_input() {
        let mut follow = at_end(500.0);
        follow.handle_change();
        follow.handle_input();
        let half = INPUT_LASTS / 2;
        follow.handle_scroll(500.5, 600.0);
        for step in 1_u32..=4 {
            follow.handle_frame(NOW + half * step);
            follow.handle_scroll(500.0 - f64::from(step) * 10.0, 600.0);
        }
        assert!(!follow.is_wanted());
    }

    #[test]
    fn a_press_on_what_leads_to_the_end_is_a_wish() {
        let mut follow = at_end(500.0);
        follow.handle_scroll(100.0, 500.0);
        follow.handle_wish(480.0, 500.0);
        assert!(follow.is_wanted());
        follow.handle_wish(200.0, 500.0);
        assert!(!follow.is_wanted());
    }
}

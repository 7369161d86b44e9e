//! Tells a draft that another tab has written from one of this tab's own, which comes back a moment later.

/// What this tab has written and the view has not shown yet, oldest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written<T>(Vec<T>);

impl<T> Default for Written<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: PartialEq> Written<T> {
    /// Notes what this tab writes.
    pub fn write(&mut self, draft: T) {
        self.0.push(draft);
    }

    /// Takes what the view shows. Returns true for the draft of another tab, unless something of this tab is on its
    /// way, which is newer.
    pub fn observe(&mut self, shown: &T) -> bool {
        match self.0.iter().position(|own| own == shown) {
            Some(place) => {
                self.0.drain(..=place);
                false
            }
            None => self.0.is_empty(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// R13
    #[test]
    fn what_another_tab_writes_is_taken_and_what_is_typed_here_is_not_undone() {
        let mut written = Written::default();
        assert!(written.observe(&"kept"));
        for typed in ["a", "ab", "abc"] {
            written.write(typed);
        }
        // The view may lag behind, and skip some.
        assert_eq!(
            ["kept", "a", "a", "abc"].map(|shown| written.observe(&shown)),
            [false; 4]
        );
        assert!(written.observe(&"from elsewhere"));
    }
}

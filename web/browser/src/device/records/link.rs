//! A link between sessions as a record.

use switchboard_core::ports::SessionLink;

use crate::codec::record;

record!(SessionLink {
    session,
    made_for,
    made
});

#[cfg(test)]
mod tests {
    use switchboard_core::Time;

    use super::*;
    use crate::device::records::{read_link, write_link};

    /// C7
    #[test]
    fn a_link_comes_back_as_it_was() {
        let link = SessionLink {
            session: "ses_2".into(),
            made_for: "ses_1".into(),
            made: Time(3),
        };
        assert_eq!(read_link(&write_link(&link)), Ok(link));
    }
}

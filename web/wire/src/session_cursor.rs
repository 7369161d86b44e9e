//! The places in the session list of all projects.
//!
//! The server names the next page in a header that a browser hides from pages of another origin (`x-next-cursor`). Its value
//! is a time, and a page has the newest sessions that were last updated before it. So it can be computed from the page before.

/// Sessions in the first page. Each page is twice as long as the one before: ten thousand sessions take eight.
const FIRST_PAGE: u32 = 100;

/// Sessions in the longest page, about 1.8 MB. Source: docs/opencode.md §4.
const PAGE_MAX: u32 = 3_200;

/// Sessions of one time that are asked for at most. Source: docs/opencode.md §6.
const ONE_TIME_MAX: u32 = 100_000;

/// A page of the list: `limit` sessions, those first that were updated last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SessionCursor {
    /// Only sessions that were last updated before this, in milliseconds of the server's clock; all for none.
    pub before: Option<u64>,
    /// The most sessions that the page has.
    pub limit: u32,
}

impl SessionCursor {
    /// The page that a text of [`SessionPage::next`](switchboard_core::model::SessionPage::next) leads to. None, or a text
    /// that is none of these, is the first page.
    #[must_use]
    pub fn of(page: Option<&str>) -> Self {
        let mut numbers = page.unwrap_or_default().split(' ').map(str::parse::<u64>);
        let before = numbers.next().and_then(Result::ok);
        let limit = numbers.next().and_then(Result::ok);
        let limit = limit.and_then(|limit| u32::try_from(limit).ok());
        Self {
            before,
            limit: limit.unwrap_or(FIRST_PAGE).clamp(FIRST_PAGE, ONE_TIME_MAX),
        }
    }

    /// Leads to the page after this one, of which `listed` sessions came, the oldest updated at `oldest`. None after the last
    /// page: a server that has more sessions sends as many as it was asked for. One that sends more has no pages.
    ///
    /// The next page begins with those of the same time, since any of them may be missing. Where a page has no other time, it
    /// is asked for again, twice as long.
    #[must_use]
    pub fn next(self, listed: usize, oldest: Option<u64>) -> Option<String> {
        let is_full = u32::try_from(listed) == Ok(self.limit);
        let before = oldest.filter(|_| is_full)?.saturating_add(1);
        let longer = self.limit.saturating_mul(2);
        let (before, limit) = match self.before {
            Some(asked) if asked <= before => (asked, longer),
            Some(_) | None => (before, longer.min(PAGE_MAX)),
        };
        (limit <= ONE_TIME_MAX).then(|| format!("{before} {limit}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads a list of sessions with these times, newest first, page by page. Returns the places that were named, as a server
    /// sorts them, and how many pages it took.
    fn read_all(times: &[u64]) -> (Vec<usize>, usize) {
        let (mut named, mut pages, mut page) = (Vec::new(), 0, Some(SessionCursor::of(None)));
        while let Some(cursor) = page {
            pages += 1;
            let rows = times.iter().enumerate();
            let rows = rows.filter(|(_, time)| cursor.before.is_none_or(|before| **time < before));
            let rows: Vec<_> = rows.take(cursor.limit as usize).collect();
            named.extend(rows.iter().map(|(place, _)| *place));
            let next = cursor.next(rows.len(), rows.last().map(|(_, time)| **time));
            page = next.map(|next| SessionCursor::of(Some(&next)));
        }
        named.sort_unstable();
        named.dedup();
        (named, pages)
    }

    /// R22
    #[test]
    fn every_session_is_in_a_page_also_where_many_were_updated_at_once() {
        let falling: Vec<u64> = (0..1_000).rev().collect();
        assert_eq!(read_all(&falling), ((0..1_000).collect(), 4));
        let many: Vec<u64> = (0..10_000).rev().collect();
        assert_eq!(read_all(&many).1, 8);
        for equal in [2, 99, 100, 101, 250, 1_000] {
            for newer in [0, 1, 50, 99, 100, 150] {
                let newest = (0..newer).map(|place| 2_000 - place);
                let oldest = (0..120).map(|place| 500 - place);
                let times: Vec<u64> = newest
                    .chain([1_000; 1_000].into_iter().take(equal))
                    .chain(oldest)
                    .collect();
                let (named, _) = read_all(&times);
                assert_eq!(named.len(), times.len(), "{equal} at once after {newer}");
            }
        }
    }

    /// R22
    #[test]
    fn a_list_that_fills_its_last_page_ends_with_an_empty_one() {
        assert_eq!(read_all(&[]), (Vec::new(), 1));
        let falling: Vec<u64> = (0..100).rev().collect();
        assert_eq!(read_all(&falling), ((0..100).collect(), 2));
    }

    /// Servers from before the list of all projects, and those that pay no heed to what they are asked.
    #[test]
    fn a_server_without_pages_is_not_asked_for_ever() {
        let first = SessionCursor::of(None);
        assert_eq!(first.next(173, Some(5)), None, "more than was asked for");
        assert_eq!(first.next(100, None), None, "no session has a time");
        let (mut page, mut asked) = (first, 1);
        while let Some(next) = page.next(page.limit as usize, Some(5)) {
            (page, asked) = (SessionCursor::of(Some(&next)), asked + 1);
        }
        assert_eq!(asked, 10, "the same time for ever");
    }

    #[test]
    fn a_text_that_is_no_place_is_the_first_page() {
        for page in [None, Some(""), Some("next"), Some("-5 100")] {
            assert_eq!(
                SessionCursor::of(page),
                SessionCursor {
                    before: None,
                    limit: 100
                }
            );
        }
        assert_eq!(
            SessionCursor::of(Some("179 200")),
            SessionCursor {
                before: Some(179),
                limit: 200
            }
        );
    }
}

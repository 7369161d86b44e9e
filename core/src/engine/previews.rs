//! Text that streams: shown in a timeline until the server has the whole, and in nothing that decides.

use std::sync::Arc;

use crate::collections::SortedMap;
use crate::model::{MessageId, PartId, SessionId};
use crate::ports::Preview;

/// Bytes that are previewed of one part; the rest appears when the part has ended.
const TEXT_MAX: usize = 200_000;
/// Parts that are previewed at once.
const PARTS_MAX: usize = 64;

/// The parts that stream, in the sessions that are followed.
#[derive(Debug, Default)]
pub(crate) struct Previews(SortedMap<PartId, Streaming>);

#[derive(Debug)]
struct Streaming {
    session: SessionId,
    message: MessageId,
    text: String,
    /// The text as it was last shown.
    shown: Arc<str>,
}

impl Previews {
    /// Appends to a part. Returns false when there is no room for it.
    pub(crate) fn append(&mut self, preview: Preview) -> bool {
        if self.0.len() >= PARTS_MAX && !self.0.contains_key(&preview.part) {
            return false;
        }
        let streaming = self.0.entry(preview.part).or_insert_with(|| Streaming {
            session: preview.session,
            message: preview.message,
            text: String::new(),
            shown: Arc::from(""),
        });
        let has_room = streaming.text.len() + preview.delta.len() <= TEXT_MAX;
        if has_room {
            streaming.text.push_str(&preview.delta);
        }
        has_room
    }

    /// What streams in a session. Each text is copied once for all that was appended since it was last shown.
    pub(crate) fn show(&mut self, session: &SessionId) -> SortedMap<PartId, Arc<str>> {
        let there = self.0.iter_mut().filter(|(_, streaming)| streaming.session == *session);
        there
            .map(|(part, streaming)| {
                if streaming.shown.len() != streaming.text.len() {
                    streaming.shown = Arc::from(streaming.text.as_str());
                }
                (part.clone(), streaming.shown.clone())
            })
            .collect()
    }

    /// The newest text that streams in a session; empty when none does.
    pub(crate) fn newest_of(&self, session: &SessionId) -> &str {
        let newest_first = self.0.values().rev();
        let mut there = newest_first.filter(|streaming| streaming.session == *session);
        there.next().map_or("", |streaming| &streaming.text)
    }

    /// The server has the text of a message.
    pub(crate) fn forget_message(&mut self, message: &MessageId) {
        self.0.retain(|_, streaming| streaming.message != *message);
    }

    /// Forgets what streams in sessions that are not followed.
    pub(crate) fn retain(&mut self, is_followed: impl Fn(&SessionId) -> bool) {
        self.0.retain(|_, streaming| is_followed(&streaming.session));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn delta(session: &str, part: &str, text: &str) -> Preview {
        Preview {
            session: session.into(),
            message: format!("msg_of_{session}").as_str().into(),
            part: part.into(),
            delta: text.to_owned(),
        }
    }

    #[test]
    fn a_text_and_the_number_of_texts_have_a_limit() {
        let mut previews = Previews::default();
        let half = "x".repeat(TEXT_MAX / 2 + 1);
        assert!(previews.append(delta("ses_1", "prt_1", &half)));
        assert!(!previews.append(delta("ses_1", "prt_1", &half)));
        for part in 0..PARTS_MAX {
            previews.append(delta("ses_1", &format!("prt_2{part}"), "a"));
        }
        assert!(!previews.append(delta("ses_1", "prt_3", "a")));
        assert_eq!(previews.show(&"ses_1".into()).len(), PARTS_MAX);
    }

    #[test]
    fn a_session_shows_its_own_texts_until_the_server_has_them() {
        let mut previews = Previews::default();
        previews.append(delta("ses_1", "prt_1", "one "));
        previews.append(delta("ses_2", "prt_2", "two"));
        previews.append(delta("ses_1", "prt_1", "more"));
        let shown = previews.show(&"ses_1".into());
        assert_eq!(shown.values().map(|text| &**text).collect::<Vec<_>>(), ["one more"]);
        assert_eq!(previews.newest_of(&"ses_2".into()), "two");
        previews.forget_message(&"msg_of_ses_1".into());
        assert!(previews.show(&"ses_1".into()).is_empty());
        assert_eq!(previews.newest_of(&"ses_1".into()), "");
    }
}

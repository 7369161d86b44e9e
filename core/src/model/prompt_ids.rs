//! The ids of a prompt, and numbers that look random and follow from a seed alone.

use crate::model::{MessageId, PartId};
use crate::time::Time;

const BASE62: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// The ids under which a prompt is stored. The server takes a prompt with the same ids once, however often it is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromptIds {
    /// The id of its message.
    pub message: MessageId,
    /// The id of the part that is its text.
    pub part: PartId,
}

/// A sequence that follows from its seed (splitmix64, Steele et al. 2014).
#[derive(Clone, Debug)]
pub(crate) struct Seed {
    state: u64,
    /// The newest time that went into an id, so that ids made later sort later.
    newest: u64,
}

impl Seed {
    pub(crate) fn new(seed: u64) -> Self {
        Self { state: seed, newest: 0 }
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Ids for a prompt. Their time is the later of `now` and `newest_seen` + 1, both milliseconds (requirements F5).
    pub(crate) fn prompt_ids(&mut self, now: Time, newest_seen: u64) -> PromptIds {
        let time = now.0.max(newest_seen.max(self.newest).saturating_add(1));
        self.newest = time;
        PromptIds {
            message: MessageId::from(self.id("msg_", time)),
            part: PartId::from(self.id("prt_", time)),
        }
    }

    /// The server's own form: 12 hex digits of `time * 0x1000` modulo 2^48, then 14 base62 characters.
    fn id(&mut self, prefix: &str, time: u64) -> String {
        let stamp = time.wrapping_mul(0x1000) & 0xffff_ffff_ffff;
        let tail: String = (0..14)
            .map(|_| {
                let place = usize::try_from(self.next() % 62).unwrap_or_default();
                char::from(BASE62[place])
            })
            .collect();
        format!("{prefix}{stamp:012x}{tail}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// F5
    #[test]
    fn ids_have_the_form_of_the_server_and_sort_after_what_was_seen() {
        let mut seed = Seed::new(7);
        let PromptIds { message: first, part } = seed.prompt_ids(Time(1_795_293_392_736), 0);
        let second = seed.prompt_ids(Time(1_795_293_392_000), 1_795_293_392_800).message;
        assert!(first.as_str().starts_with("msg_1ffd32f60000"), "{first}");
        assert!(part.as_str().starts_with("prt_1ffd32f60000"), "{part}");
        assert_eq!(first.as_str().len(), "msg_1ffd32f60001I9ipKQ4WmYMDgG".len());
        assert!(second > first);
    }

    #[test]
    fn the_same_seed_gives_the_same_numbers() {
        let (mut left, mut right) = (Seed::new(42), Seed::new(42));
        assert_eq!((left.next(), left.next()), (right.next(), right.next()));
        assert_ne!(Seed::new(1).next(), Seed::new(2).next());
    }
}

//! Makes ids as the server does: a prefix, the time, and something random.

use switchboard_core::Time;

use crate::random::Random;

const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// Makes ids.
#[derive(Debug)]
pub(super) struct Ids {
    random: Random,
    made: u64,
}

impl Ids {
    pub(super) fn new(random: Random) -> Self {
        Self { random, made: 0 }
    }

    /// An id such as `msg_1ffd32f60001I9ipKQ4WmYMDgG`.
    pub(super) fn make(&mut self, prefix: &str, now: Time) -> String {
        self.made += 1;
        let stamp = (now.0 * 0x1000 + self.made % 0x1000) % (1 << 48);
        let mut id = format!("{prefix}_{stamp:012x}");
        let mut drawn = [self.random.number(), self.random.number()];
        for place in 0..14 {
            let rest = &mut drawn[place % 2];
            id.push(char::from(ALPHABET[usize::try_from(*rest % 62).unwrap_or_default()]));
            *rest /= 62;
        }
        id
    }
}

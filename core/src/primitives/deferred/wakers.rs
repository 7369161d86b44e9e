//! Who waits for one thing: mostly nobody, or one; so the first is held without an allocation.

use std::collections::BTreeMap;
use std::task::Waker;

/// Wakers, each under a ticket. They are woken in the order of their tickets.
#[derive(Debug, Default)]
pub(crate) struct Wakers {
    tickets: u64,
    /// Older than all of `others`: it is filled only when nobody waits.
    first: Option<(Ticket, Waker)>,
    others: BTreeMap<Ticket, Waker>,
}

/// The place of one who waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Ticket(u64);

impl Wakers {
    /// Keeps a waker, in place of the one that this ticket had. Returns the ticket, and what was replaced.
    #[inline]
    pub(crate) fn keep(&mut self, ticket: Option<Ticket>, waker: Waker) -> (Ticket, Option<Waker>) {
        let ticket = ticket.unwrap_or_else(|| {
            self.tickets += 1;
            Ticket(self.tickets)
        });
        let replaced = match &mut self.first {
            Some((first, kept)) if *first == ticket => Some(std::mem::replace(kept, waker)),
            None if self.others.is_empty() => {
                self.first = Some((ticket, waker));
                None
            }
            Some(_) | None => self.others.insert(ticket, waker),
        };
        (ticket, replaced)
    }

    /// Forgets whoever has this ticket.
    #[inline]
    pub(crate) fn forget(&mut self, ticket: Ticket) -> Option<Waker> {
        match self.first.take_if(|(first, _)| *first == ticket) {
            Some((_, waker)) => Some(waker),
            None => self.others.remove(&ticket),
        }
    }

    /// Takes everybody, to be woken once no borrow is left. Tickets go on where they were.
    #[inline]
    pub(crate) fn take(&mut self) -> Woken {
        Woken {
            first: self.first.take().map(|(_, waker)| waker),
            others: std::mem::take(&mut self.others),
        }
    }
}

/// Those to be woken.
#[must_use = "whoever is not woken waits for ever"]
#[derive(Debug)]
pub(crate) struct Woken {
    first: Option<Waker>,
    others: BTreeMap<Ticket, Waker>,
}

impl Woken {
    /// Wakes them. A waker may call back into whatever it likes: nothing may be borrowed here.
    #[inline]
    pub(crate) fn wake(self) {
        if let Some(first) = self.first {
            first.wake();
        }
        self.others.into_values().for_each(Waker::wake);
    }
}

//! Results for those who wait. They are told while nothing is borrowed: what wakes may run any code, and call the board.

use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;

use futures::channel::oneshot;

/// Tells somebody one result.
pub(crate) type Telling = Box<dyn FnOnce()>;

/// The results that nobody has been told yet. Its clones share them.
#[derive(Clone, Default)]
pub(crate) struct Told(Rc<RefCell<Vec<Telling>>>);

impl Told {
    /// Somebody waits for a result.
    pub(crate) fn waiter<T>(&self) -> (Waiter<T>, oneshot::Receiver<T>) {
        let (sender, receiver) = oneshot::channel();
        let told = self.clone();
        (Waiter { sender, told }, receiver)
    }

    /// What is to be told.
    pub(crate) fn take(&self) -> Vec<Telling> {
        self.0.take()
    }
}

impl fmt::Debug for Told {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Told").field(&self.0.borrow().len()).finish()
    }
}

/// Somebody who waits. Dropping it tells them that nothing comes: it wakes them at once, so that it is done while nothing is
/// borrowed.
#[derive(Debug)]
pub(crate) struct Waiter<T> {
    sender: oneshot::Sender<T>,
    told: Told,
}

impl<T: 'static> Waiter<T> {
    /// Tells the result when nothing is borrowed. Whoever waits no more is told nothing.
    pub(crate) fn tell(self, result: T) {
        let sender = self.sender;
        let telling = Box::new(move || drop(sender.send(result)));
        self.told.0.borrow_mut().push(telling);
    }

    /// Tells the result at once. Only for one who has just been made: nobody polls its receiver yet, and so nobody is woken.
    pub(crate) fn tell_at_once(self, result: T) {
        drop(self.sender.send(result));
    }

    /// True when nobody waits any more.
    pub(crate) fn is_canceled(&self) -> bool {
        self.sender.is_canceled()
    }
}

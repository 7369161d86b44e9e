//! Decides which tab leads: one for each server, and a visible one if there is one.
//!
//! The right to lead is a lock of the browser, and all tabs queue for it: when the leader is closed, the next one leads.
//! A visible tab that does not lead asks to. A hidden tab that hears this goes to the end of the queue, also when it is
//! the leader. A visible leader says that it leads. Nobody says anything when the leader is frozen; then the asking tab
//! takes the lock.

use std::collections::VecDeque;
use std::time::Duration;

use switchboard_core::Time;

/// How long a visible tab waits for a word of the leader before it takes the lock.
const PATIENCE: Duration = Duration::from_secs(1);

/// What tabs say to each other about leading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Word {
    /// I am visible and want to lead.
    Asks,
    /// I am visible and lead.
    Leads,
    /// I lead and have just been hidden.
    Hides,
}

/// What a tab does next. Each action about the lock replaces the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Gives back the lock or the place in the queue, and queues at the end.
    Queue,
    /// Gives up the place in the queue, and takes the lock from whoever has it.
    Take,
    /// Says this to the other tabs.
    Say(Word),
}

/// One tab's part in it.
#[derive(Debug)]
pub struct Leadership {
    is_visible: bool,
    is_leading: bool,
    patience_ends: Option<Time>,
    actions: VecDeque<Action>,
}

impl Leadership {
    /// A tab that has just been opened.
    #[must_use]
    pub fn new(is_visible: bool, now: Time) -> Self {
        let mut leadership = Self {
            is_visible,
            is_leading: false,
            patience_ends: None,
            actions: VecDeque::from([Action::Queue]),
        };
        if is_visible {
            leadership.ask(now);
        }
        leadership
    }

    /// The tab was shown or hidden.
    pub fn handle_visible(&mut self, is_visible: bool, now: Time) {
        self.is_visible = is_visible;
        match (is_visible, self.is_leading) {
            (true, false) => self.ask(now),
            (false, true) => self.say(Word::Hides),
            (false, false) => self.patience_ends = None,
            (true, true) => {}
        }
    }

    /// Another tab said something.
    pub fn handle_word(&mut self, word: Word, now: Time) {
        match (word, self.is_leading, self.is_visible) {
            (Word::Asks, true, true) => self.say(Word::Leads),
            (Word::Asks, _, false) => {
                self.is_leading = false;
                self.actions.push_back(Action::Queue);
            }
            (Word::Hides, false, true) => self.ask(now),
            (Word::Leads, false, _) => self.patience_ends = None,
            (Word::Asks, false, true) | (Word::Leads, true, _) | (Word::Hides, true, _) | (Word::Hides, _, false) => {}
        }
    }

    /// The lock is ours.
    pub fn handle_granted(&mut self) {
        self.is_leading = true;
        self.patience_ends = None;
        if self.is_visible {
            self.say(Word::Leads);
        }
    }

    /// Another tab has taken the lock.
    pub fn handle_taken(&mut self) {
        self.is_leading = false;
        self.actions.push_back(Action::Queue);
    }

    /// Time has passed.
    pub fn handle_deadline(&mut self, now: Time) {
        if self.patience_ends.is_some_and(|end| end <= now) {
            self.patience_ends = None;
            self.actions.push_back(Action::Take);
        }
    }

    /// When [`Leadership::handle_deadline`] is due. Every other input may change it.
    #[must_use]
    pub fn next_deadline(&self) -> Option<Time> {
        self.patience_ends
    }

    /// What to do next, until there is nothing.
    pub fn next_action(&mut self) -> Option<Action> {
        self.actions.pop_front()
    }

    /// Whether this tab leads.
    #[must_use]
    pub fn is_leading(&self) -> bool {
        self.is_leading
    }

    fn ask(&mut self, now: Time) {
        self.say(Word::Asks);
        self.patience_ends = Some(now + PATIENCE);
    }

    fn say(&mut self, word: Word) {
        self.actions.push_back(Action::Say(word));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lone_tab_leads() {
        let mut desk = Desk::default();
        let tab = desk.open(true);
        assert_eq!(desk.leader(), Some(tab));
    }

    #[test]
    fn of_two_visible_tabs_the_first_goes_on_leading() {
        let mut desk = Desk::default();
        let (first, _) = (desk.open(true), desk.open(true));
        desk.wait();
        assert_eq!(desk.leader(), Some(first));
    }

    #[test]
    fn a_visible_tab_takes_over_from_a_hidden_leader_and_no_other_hidden_tab_comes_between() {
        let mut desk = Desk::default();
        let (_, _, visible) = (desk.open(false), desk.open(false), desk.open(false));
        desk.show(visible, true);
        assert_eq!(desk.leader(), Some(visible));
    }

    #[test]
    fn when_the_leader_is_hidden_a_visible_tab_leads() {
        let mut desk = Desk::default();
        let (first, _, third) = (desk.open(true), desk.open(false), desk.open(true));
        desk.show(first, false);
        assert_eq!(desk.leader(), Some(third));
    }

    #[test]
    fn when_all_are_hidden_the_leader_goes_on_leading() {
        let mut desk = Desk::default();
        let (first, second) = (desk.open(true), desk.open(true));
        desk.show(second, false);
        desk.show(first, false);
        desk.wait();
        assert_eq!(desk.leader(), Some(first));
    }

    #[test]
    fn when_the_leader_is_closed_the_next_one_leads() {
        let mut desk = Desk::default();
        let (first, second) = (desk.open(true), desk.open(false));
        desk.close(first);
        assert_eq!(desk.leader(), Some(second));
    }

    #[test]
    fn a_frozen_leader_loses_the_lead_and_follows_when_it_thaws() {
        let mut desk = Desk::default();
        let frozen = desk.open(false);
        desk.freeze(frozen);
        let visible = desk.open(true);
        assert_eq!(desk.leader(), Some(frozen), "it still has the lock");
        desk.wait();
        assert_eq!(desk.leader(), Some(visible));
        desk.thaw(frozen);
        desk.show(frozen, true);
        desk.wait();
        assert_eq!(desk.leader(), Some(visible));
        assert!(!desk.tabs[frozen].leadership.is_leading());
    }

    #[test]
    fn two_tabs_that_lose_patience_at_once_agree_on_one_leader() {
        let mut desk = Desk::default();
        let frozen = desk.open(false);
        desk.freeze(frozen);
        let (first, second) = (desk.open(true), desk.open(true));
        desk.wait();
        let leading: Vec<usize> = [first, second]
            .into_iter()
            .filter(|tab| desk.tabs[*tab].leadership.is_leading())
            .collect();
        assert_eq!(leading, [desk.leader().unwrap()]);
    }

    /// Some tabs, their lock and its queue.
    #[derive(Default)]
    struct Desk {
        tabs: Vec<Tab>,
        holder: Option<usize>,
        queue: VecDeque<usize>,
        now: Time,
    }

    struct Tab {
        leadership: Leadership,
        is_frozen: bool,
        missed: Vec<Missed>,
    }

    #[derive(Clone, Copy)]
    enum Missed {
        Word(Word),
        Taken,
    }

    impl Desk {
        fn open(&mut self, is_visible: bool) -> usize {
            self.tabs.push(Tab {
                leadership: Leadership::new(is_visible, self.now),
                is_frozen: false,
                missed: Vec::new(),
            });
            self.settle();
            self.tabs.len() - 1
        }

        fn show(&mut self, tab: usize, is_visible: bool) {
            self.tabs[tab].leadership.handle_visible(is_visible, self.now);
            self.settle();
        }

        fn close(&mut self, tab: usize) {
            self.tabs[tab].is_frozen = true;
            self.leave(tab);
            self.settle();
        }

        fn freeze(&mut self, tab: usize) {
            self.tabs[tab].is_frozen = true;
        }

        fn thaw(&mut self, tab: usize) {
            self.tabs[tab].is_frozen = false;
            for missed in std::mem::take(&mut self.tabs[tab].missed) {
                self.tell(tab, missed);
            }
            self.settle();
        }

        /// Lets more time pass than anybody has patience.
        fn wait(&mut self) {
            self.now = self.now + PATIENCE;
            for tab in self.tabs.iter_mut().filter(|tab| !tab.is_frozen) {
                tab.leadership.handle_deadline(self.now);
            }
            self.settle();
        }

        fn leader(&self) -> Option<usize> {
            self.holder
        }

        fn settle(&mut self) {
            for _ in 0..1000 {
                let Some((tab, action)) = self.next_action() else {
                    return;
                };
                match action {
                    Action::Queue => {
                        self.leave(tab);
                        self.queue.push_back(tab);
                    }
                    Action::Take => {
                        self.leave(tab);
                        if let Some(loser) = self.holder.replace(tab) {
                            self.tell(loser, Missed::Taken);
                        }
                        self.tabs[tab].leadership.handle_granted();
                    }
                    Action::Say(word) => {
                        for other in (0..self.tabs.len()).filter(|other| *other != tab) {
                            self.tell(other, Missed::Word(word));
                        }
                    }
                }
                self.grant();
            }
            panic!("the tabs do not come to an end");
        }

        fn next_action(&mut self) -> Option<(usize, Action)> {
            let awake = self.tabs.iter_mut().enumerate().filter(|(_, tab)| !tab.is_frozen);
            awake
                .filter_map(|(at, tab)| Some((at, tab.leadership.next_action()?)))
                .next()
        }

        fn tell(&mut self, tab: usize, what: Missed) {
            let tab = &mut self.tabs[tab];
            match what {
                _ if tab.is_frozen => tab.missed.push(what),
                Missed::Word(word) => tab.leadership.handle_word(word, self.now),
                Missed::Taken => tab.leadership.handle_taken(),
            }
        }

        fn leave(&mut self, tab: usize) {
            self.queue.retain(|queued| *queued != tab);
            if self.holder == Some(tab) {
                self.holder = None;
                self.grant();
            }
        }

        fn grant(&mut self) {
            if self.holder.is_none()
                && let Some(next) = self.queue.pop_front()
            {
                self.holder = Some(next);
                self.tabs[next].leadership.handle_granted();
            }
        }
    }
}

//! The policies of a connected server: kept on this device, and the same in every tab.

use leptos::prelude::*;
use switchboard_core::model::{Request, RequestId};
use switchboard_core::policy::{Policy, Unattended};
use switchboard_core::view::RequestView;

use crate::kit::erased::effect;
use crate::state::actions::Actions;
use crate::state::store::Store;
use switchboard_browser::device::settings::Settings;

/// What happens to requests that nobody answers. Comes from context.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Policies {
    base: StoredValue<String>,
    chosen: RwSignal<Unattended>,
    stopped: RwSignal<Vec<RequestId>>,
    actions: Actions,
}

impl Policies {
    /// Follows what is chosen in any tab, and stops what a person has stopped in any tab, until its owner is gone.
    pub(crate) fn following(base: String, store: Store, actions: Actions) -> Self {
        let policies = Self {
            chosen: RwSignal::new(Settings::open().unattended(&base)),
            stopped: RwSignal::new(Settings::open().stopped(&base)),
            base: StoredValue::new(base),
            actions,
        };
        let listener = window_event_listener(leptos::ev::storage, move |_| policies.adopt());
        on_cleanup(move || listener.remove());
        effect(move || {
            let stopped = policies.stopped.read();
            let counting: Vec<RequestId> = store.requests().with(|requests| {
                let counting = requests.iter().filter(|view| counts(view));
                counting.map(|view| view.request.id.clone()).collect()
            });
            for id in counting.iter().filter(|id| stopped.contains(id)) {
                actions.stop_countdown(id);
            }
        });
        policies
    }

    /// What is chosen.
    pub(crate) fn chosen(self) -> ReadSignal<Unattended> {
        self.chosen.read_only()
    }

    /// The policy for a request.
    pub(crate) fn policy(self, request: &Request) -> Policy {
        self.chosen.read().policy(request).clone()
    }

    /// Changes the policies from now on, in every tab.
    pub(crate) fn change(self, change: impl FnOnce(&mut Unattended)) {
        let mut unattended = self.chosen.get_untracked();
        change(&mut unattended);
        self.base
            .with_value(|base| Settings::open().set_unattended(base, &unattended));
        self.take(unattended);
    }

    /// Keeps a policy from answering a request, in every tab.
    pub(crate) fn stop(self, request: &RequestId) {
        self.base.with_value(|base| Settings::open().add_stopped(base, request));
        self.actions.stop_countdown(request);
        self.read_stopped();
    }

    /// Whether a person has kept the policy from answering a request.
    pub(crate) fn is_stopped(self, request: &RequestId) -> bool {
        self.stopped.read().contains(request)
    }

    fn read_stopped(self) {
        let stopped = self.base.with_value(|base| Settings::open().stopped(base));
        if stopped != *self.stopped.read_untracked() {
            self.stopped.set(stopped);
        }
    }

    fn adopt(self) {
        self.read_stopped();
        let unattended = self.base.with_value(|base| Settings::open().unattended(base));
        if unattended != *self.chosen.read_untracked() {
            self.take(unattended);
        }
    }

    fn take(self, unattended: Unattended) {
        self.chosen.set(unattended.clone());
        self.actions.set_unattended(unattended);
    }
}

/// True while a default answer is about to be given.
fn counts(view: &RequestView) -> bool {
    let unanswered = view.unanswered.as_ref();
    unanswered.is_some_and(|unanswered| unanswered.answering_in.is_some())
}

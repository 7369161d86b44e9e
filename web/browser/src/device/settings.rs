//! What the dashboard remembers between visits: servers, their passwords if the person wants that, what happens when nobody
//! answers, which agent and model take the prompts of a directory, what checks it, the reviewers, and the theme.
//!
//! A server and its password are kept for the tab alone, in `sessionStorage`, unless the person chose to keep them on this
//! device. Where the browser keeps nothing, nothing is remembered, and that is no error: only [`crate::device::storage`] promises.

mod choice;
mod unattended;

use switchboard_core::PromptOptions;
use switchboard_core::completion::CompletionConfig;
use switchboard_core::model::{Directory, RequestId};
use switchboard_core::policy::Unattended;
use wasm_bindgen::JsCast;
use web_sys::{Storage, Window};

use crate::codec::{Record, choice, from_text, record, to_text};
use crate::device::notification_settings::{Muted, NotificationSettings};
use crate::formats::{
    InvalidConfig, SavedReviewer, default_reviewers, read_config, read_reviewers, write_config, write_reviewers,
};
use crate::opencode::http::Credentials;
use choice::Choice;

const SERVERS: &str = "switchboard:servers";
const TOGETHER: &str = "switchboard:together";
const THEME: &str = "switchboard:theme";
const SINGLE_KEYS: &str = "switchboard:single-keys";
const NOTIFICATIONS: &str = "switchboard:notifications";
const COMPLETION: &str = "switchboard:completion";
const REVIEWERS: &str = "switchboard:reviewers";

/// So many stopped countdowns are remembered for a server.
const STOPPED_MAX: usize = 50;

/// Of so many directories of a server it is remembered which agent and model were chosen, and what checks them.
const CHOICES_MAX: usize = 50;

/// So many requests of a server are remembered as told: more than wait at once.
const TOLD_MAX: usize = 500;

/// A server that was connected before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RememberedServer {
    /// Its normalised address.
    pub base: String,
    /// What the person calls it.
    pub name: Option<String>,
    /// The name to log in with.
    pub username: Option<String>,
}
record!(RememberedServer { base, name, username });

/// How long a password is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// Until the tab is closed.
    ForTab,
    /// Until it is forgotten.
    OnDevice,
}

/// Light or dark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Theme {
    /// Light.
    Light,
    /// Dark.
    Dark,
}
choice!(Theme {
    "light" => Light,
    "dark" => Dark,
});

/// What is remembered. Several of these see the same.
#[derive(Clone, Debug)]
pub struct Settings {
    tab: Option<Storage>,
    device: Option<Storage>,
}

impl Settings {
    /// The settings of this origin.
    #[must_use]
    pub fn open() -> Self {
        let window: Option<Window> = js_sys::global().dyn_into().ok();
        Self {
            tab: window
                .as_ref()
                .and_then(|window| window.session_storage().ok().flatten()),
            device: window.and_then(|window| window.local_storage().ok().flatten()),
        }
    }

    /// The remembered servers: those of this tab first, the latest first.
    #[must_use]
    pub fn servers(&self) -> Vec<RememberedServer> {
        let mut servers = list(self.tab.as_ref());
        for server in list(self.device.as_ref()) {
            if servers.iter().all(|known| known.base != server.base) {
                servers.push(server);
            }
        }
        servers
    }

    /// Remembers a server and its password, in place of what was remembered of it.
    pub fn remember(&self, server: RememberedServer, credentials: Option<&Credentials>, keep: Keep) {
        self.sign_out(&server.base);
        let storage = match keep {
            Keep::ForTab => self.tab.as_ref(),
            Keep::OnDevice => self.device.as_ref(),
        };
        if let Some(Credentials { username, password }) = credentials {
            write(
                storage,
                &password_key(&server.base),
                &vec![username.clone(), password.clone()],
            );
        }
        let mut servers = list(storage);
        servers.insert(0, server);
        write(storage, SERVERS, &servers);
    }

    /// Forgets a server, its password, what happens there when nobody answers, and what was chosen in its directories.
    pub fn forget(&self, base: &str) {
        self.sign_out(base);
        for key in [
            unattended_key,
            stopped_key,
            last_seen_key,
            choices_key,
            checks_key,
            muted_key,
            told_key,
        ] {
            remove(self.device.as_ref(), &key(base));
        }
        let mut together = self.together();
        together.retain(|server| server.base != base);
        self.set_together(&together);
    }

    /// Remembers another name of a remembered server; none is its address.
    pub fn rename(&self, base: &str, name: Option<&str>) {
        self.rename_in_tab(base, name);
        for key in [SERVERS, TOGETHER] {
            rename(self.device.as_ref(), key, base, name);
        }
    }

    /// The same in this tab alone, for a name that another tab has given.
    pub fn rename_in_tab(&self, base: &str, name: Option<&str>) {
        rename(self.tab.as_ref(), SERVERS, base, name);
    }

    /// What a server is remembered as for every tab of this device; none for one that is remembered for a tab alone.
    #[must_use]
    pub fn shared(&self, base: &str) -> Option<RememberedServer> {
        let all = self.together().into_iter().chain(list(self.device.as_ref()));
        let mut it = all.filter(|server| server.base == base);
        it.next()
    }

    /// The servers that are shown together, in their order; none unless a person has put several beside each other.
    #[must_use]
    pub fn together(&self) -> Vec<RememberedServer> {
        read(self.device.as_ref(), TOGETHER).unwrap_or_default()
    }

    /// Remembers on this device which servers are shown together.
    pub fn set_together(&self, servers: &[RememberedServer]) {
        write(self.device.as_ref(), TOGETHER, &servers.to_vec());
    }

    /// What is known of a server: what is remembered of it, and what it lacks of the servers that are shown together.
    #[must_use]
    pub fn known(&self, base: &str) -> Option<RememberedServer> {
        let of = |servers: Vec<RememberedServer>| servers.into_iter().find(|server| server.base == base);
        match (of(self.servers()), of(self.together())) {
            (Some(remembered), Some(listed)) => Some(RememberedServer {
                name: remembered.name.or(listed.name),
                username: remembered.username.or(listed.username),
                ..remembered
            }),
            (remembered, listed) => remembered.or(listed),
        }
    }

    fn sign_out(&self, base: &str) {
        for storage in [self.tab.as_ref(), self.device.as_ref()] {
            let mut servers = list(storage);
            servers.retain(|server| server.base != base);
            write(storage, SERVERS, &servers);
            remove(storage, &password_key(base));
        }
    }

    /// The name and password of a server, if they are remembered.
    #[must_use]
    pub fn credentials(&self, base: &str) -> Option<Credentials> {
        [self.tab.as_ref(), self.device.as_ref()]
            .into_iter()
            .find_map(|storage| read::<Vec<String>>(storage, &password_key(base)))
            .and_then(|kept| <[String; 2]>::try_from(kept).ok())
            .map(|[username, password]| Credentials { username, password })
    }

    /// How long the password of a server is kept, or would be; none for a server that is not remembered.
    #[must_use]
    pub fn keep(&self, base: &str) -> Option<Keep> {
        let holds = |storage| list(storage).iter().any(|server| server.base == base);
        if holds(self.device.as_ref()) {
            Some(Keep::OnDevice)
        } else {
            holds(self.tab.as_ref()).then_some(Keep::ForTab)
        }
    }

    /// What happens to requests of a server that nobody answers. Nothing, until a person chooses something.
    #[must_use]
    pub fn unattended(&self, base: &str) -> Unattended {
        read(self.device.as_ref(), &unattended_key(base)).unwrap_or_else(Unattended::never)
    }

    /// Remembers on this device what happens to requests of a server that nobody answers.
    pub fn set_unattended(&self, base: &str, unattended: &Unattended) {
        write(self.device.as_ref(), &unattended_key(base), unattended);
    }

    /// The requests of a server whose countdown a person has stopped, the latest first.
    #[must_use]
    pub fn stopped(&self, base: &str) -> Vec<RequestId> {
        read(self.device.as_ref(), &stopped_key(base)).unwrap_or_default()
    }

    /// Remembers on this device that a person has stopped the countdown of a request.
    pub fn add_stopped(&self, base: &str, request: &RequestId) {
        let device = self.device.as_ref();
        add_first(device, &stopped_key(base), request, STOPPED_MAX);
    }

    /// When a person wants to be told of requests by a notification.
    #[must_use]
    pub fn notifications(&self) -> NotificationSettings {
        read(self.device.as_ref(), NOTIFICATIONS).unwrap_or_default()
    }

    /// Remembers on this device when a person wants to be told.
    pub fn set_notifications(&self, settings: &NotificationSettings) {
        write(self.device.as_ref(), NOTIFICATIONS, settings);
    }

    /// What of a server a person does not want to be told of.
    #[must_use]
    pub fn muted(&self, base: &str) -> Muted {
        read(self.device.as_ref(), &muted_key(base)).unwrap_or_default()
    }

    /// Remembers on this device what of a server a person does not want to be told of.
    pub fn set_muted(&self, base: &str, muted: &Muted) {
        write(self.device.as_ref(), &muted_key(base), muted);
    }

    /// The requests of a server that a person was told of in any tab, the latest first.
    #[must_use]
    pub fn told(&self, base: &str) -> Vec<RequestId> {
        read(self.device.as_ref(), &told_key(base)).unwrap_or_default()
    }

    /// Remembers on this device that a person was told of a request.
    pub fn add_told(&self, base: &str, request: &RequestId) {
        add_first(self.device.as_ref(), &told_key(base), request, TOLD_MAX);
    }

    /// The agent and the model that were chosen last in a directory of a server.
    #[must_use]
    pub fn prompt_options(&self, base: &str, directory: &Directory) -> PromptOptions {
        let chosen = self.choices(base).into_iter();
        let mut here = chosen.filter(|choice| choice.directory == *directory);
        here.next().map(|choice| choice.options).unwrap_or_default()
    }

    /// Remembers on this device which agent and model were chosen in a directory of a server.
    pub fn set_prompt_options(&self, base: &str, directory: &Directory, options: PromptOptions) {
        let mut choices = self.choices(base);
        choices.retain(|choice| choice.directory != *directory);
        if options != PromptOptions::default() {
            let directory = directory.clone();
            choices.insert(0, Choice { directory, options });
        }
        choices.truncate(CHOICES_MAX);
        write(self.device.as_ref(), &choices_key(base), &choices);
    }

    /// The latest first.
    fn choices(&self, base: &str) -> Vec<Choice> {
        read(self.device.as_ref(), &choices_key(base)).unwrap_or_default()
    }

    /// The command that last checked a directory of a server.
    #[must_use]
    pub fn check_command(&self, base: &str, directory: &Directory) -> Option<String> {
        let checks = self.checks(base).into_iter();
        let mut here = checks.filter(|(checked, _)| checked == directory);
        here.next().map(|(_, command)| command)
    }

    /// Remembers on this device which command checks a directory of a server; an empty one is forgotten.
    pub fn set_check_command(&self, base: &str, directory: &Directory, command: &str) {
        let mut checks = self.checks(base);
        checks.retain(|(checked, _)| checked != directory);
        if !command.trim().is_empty() {
            checks.insert(0, (directory.clone(), command.to_owned()));
        }
        checks.truncate(CHOICES_MAX);
        write(self.device.as_ref(), &checks_key(base), &checks);
    }

    /// The latest first.
    fn checks(&self, base: &str) -> Vec<(Directory, String)> {
        read(self.device.as_ref(), &checks_key(base)).unwrap_or_default()
    }

    /// The reviewers that a person has saved; the default ones until then.
    ///
    /// # Errors
    /// Names the field that is wrong, and leaves everything as it is.
    pub fn reviewers(&self) -> Result<Vec<SavedReviewer>, InvalidConfig> {
        let kept = self.reviewers_text();
        kept.map_or_else(|| Ok(default_reviewers()), |kept| read_reviewers(&kept))
    }

    /// The same as the JSON that is kept, whether or not it can be read; none until a person saves some.
    #[must_use]
    pub fn reviewers_text(&self) -> Option<String> {
        self.device.as_ref().and_then(|device| device.get_item(REVIEWERS).ok()?)
    }

    /// Remembers reviewers on this device, in place of all others. False where they are not kept: the storage is full, or
    /// there is none.
    pub fn set_reviewers(&self, reviewers: &[SavedReviewer]) -> bool {
        let kept = |device: &Storage| device.set_item(REVIEWERS, &write_reviewers(reviewers)).is_ok();
        self.device.as_ref().is_some_and(kept)
    }

    /// Whether keys without Control do something. They do until a person switches them off.
    #[must_use]
    pub fn single_keys(&self) -> bool {
        read(self.device.as_ref(), SINGLE_KEYS).unwrap_or(true)
    }

    /// Remembers on this device whether keys without Control do something.
    pub fn set_single_keys(&self, on: bool) {
        write(self.device.as_ref(), SINGLE_KEYS, &on);
    }

    /// When a person last looked at a server, in milliseconds since the epoch.
    #[must_use]
    pub fn last_seen(&self, base: &str) -> Option<u64> {
        read(self.device.as_ref(), &last_seen_key(base))
    }

    /// Remembers that a person looked at a server then.
    pub fn set_last_seen(&self, base: &str, time: u64) {
        write(self.device.as_ref(), &last_seen_key(base), &time);
    }

    /// The rules of completion. Where there are none the defaults are written, for a person to change.
    ///
    /// # Errors
    /// Names the field that is wrong, and leaves everything as it is.
    pub fn completion_config(&self) -> Result<CompletionConfig, InvalidConfig> {
        read_config(&self.completion_text())
    }

    /// The rules of completion as they are kept, also where they cannot be read. Where there are none the defaults are written.
    #[must_use]
    pub fn completion_text(&self) -> String {
        let kept = |device: &Storage| device.get_item(COMPLETION).ok().flatten();
        self.device.as_ref().and_then(kept).unwrap_or_else(|| {
            let defaults = write_config();
            // A full storage forgets.
            let _forgotten = self.set_completion(&defaults);
            defaults
        })
    }

    /// Remembers the rules of completion on this device, as [`read_config`] reads them. False where they are not kept: the
    /// storage is full, or there is none.
    #[must_use]
    pub fn set_completion(&self, text: &str) -> bool {
        let kept = |device: &Storage| device.set_item(COMPLETION, text).is_ok();
        self.device.as_ref().is_some_and(kept)
    }

    /// The theme that was chosen; none means as the system has it.
    #[must_use]
    pub fn theme(&self) -> Option<Theme> {
        read(self.device.as_ref(), THEME)
    }

    /// Remembers the theme on this device.
    pub fn set_theme(&self, theme: Option<Theme>) {
        match theme {
            Some(theme) => write(self.device.as_ref(), THEME, &theme),
            None => remove(self.device.as_ref(), THEME),
        }
    }
}

fn password_key(base: &str) -> String {
    format!("switchboard:password:{base}")
}

fn unattended_key(base: &str) -> String {
    format!("switchboard:unattended:{base}")
}

fn last_seen_key(base: &str) -> String {
    format!("switchboard:last-seen:{base}")
}

fn stopped_key(base: &str) -> String {
    format!("switchboard:stopped:{base}")
}

fn choices_key(base: &str) -> String {
    format!("switchboard:choices:{base}")
}

fn checks_key(base: &str) -> String {
    format!("switchboard:checks:{base}")
}

fn muted_key(base: &str) -> String {
    format!("switchboard:muted:{base}")
}

fn told_key(base: &str) -> String {
    format!("switchboard:told:{base}")
}

/// Puts a request at the head of a list that holds so many.
fn add_first(storage: Option<&Storage>, key: &str, request: &RequestId, most: usize) {
    let mut requests: Vec<RequestId> = read(storage, key).unwrap_or_default();
    requests.retain(|known| known != request);
    requests.insert(0, request.clone());
    requests.truncate(most);
    write(storage, key, &requests);
}

fn list(storage: Option<&Storage>) -> Vec<RememberedServer> {
    read(storage, SERVERS).unwrap_or_default()
}

fn rename(storage: Option<&Storage>, key: &str, base: &str, name: Option<&str>) {
    let mut servers: Vec<RememberedServer> = read(storage, key).unwrap_or_default();
    for server in servers.iter_mut().filter(|server| server.base == base) {
        server.name = name.map(str::to_owned);
    }
    write(storage, key, &servers);
}

fn read<R: Record>(storage: Option<&Storage>, key: &str) -> Option<R> {
    from_text(&storage?.get_item(key).ok().flatten()?)
}

fn write(storage: Option<&Storage>, key: &str, value: &impl Record) {
    if let Some(storage) = storage {
        // A full storage forgets.
        let _forgotten = storage.set_item(key, &to_text(value));
    }
}

fn remove(storage: Option<&Storage>, key: &str) {
    if let Some(storage) = storage {
        let _not_allowed = storage.remove_item(key);
    }
}

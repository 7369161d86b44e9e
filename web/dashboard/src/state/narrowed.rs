//! To what the lists of the page are narrowed. The address says it, so that the way back leads there.

use js_sys::encode_uri_component;
use leptos::prelude::*;
use switchboard_core::model::Directory;
use web_sys::UrlSearchParams;

use crate::kit::erased::memo;
use crate::state::keys::ServerKey;
use crate::state::narrowing::Narrowing;
use crate::state::navigation::{Navigation, with_query};
use crate::state::route::Route;
use crate::state::servers::Servers;

const SERVER: &str = "server";
const DIRECTORY: &str = "directory";

/// What the lists show. Comes from context.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Narrowed {
    navigation: Navigation,
    servers: Servers,
    narrowing: Memo<Narrowing>,
}

impl Narrowed {
    /// Follows the address.
    pub(crate) fn following(navigation: Navigation, servers: Servers) -> Self {
        let named = memo(move || read(&navigation.query().read(), servers));
        let narrowing = memo(move || {
            let narrowing = named.get();
            let Route::Request(of) = navigation.route().get() else {
                return narrowing;
            };
            let is_shown = servers.request_of(&of).is_some_and(|key| {
                let requests = servers.requests().read();
                let request = requests.iter().find(|asked| asked.is(&key));
                request.is_some_and(|asked| narrowing.allows(asked))
            });
            // Whoever follows a link to a request wants to see it.
            if is_shown { narrowing } else { Narrowing::default() }
        });
        Self {
            navigation,
            servers,
            narrowing,
        }
    }

    /// What is shown now.
    pub(crate) fn narrowing(self) -> Memo<Narrowing> {
        self.narrowing
    }

    /// Shows this instead; the way back leads to what was shown before.
    pub(crate) fn narrow(self, narrowing: &Narrowing) {
        self.navigation.narrow(&query(narrowing, self.servers));
    }

    /// The address of a list that shows one server, and says more of what it shows.
    pub(crate) fn href(
        self,
        list: &Route,
        server: ServerKey,
        more: impl Iterator<Item = (&'static str, String)>,
    ) -> String {
        let server = untrack(|| self.servers.are_several()).then_some(server);
        let narrowing = Narrowing {
            server,
            directory: None,
        };
        let narrowed = query(&narrowing, self.servers);
        let written = more.map(|(name, value)| format!("{name}={}", encode_uri_component(&value)));
        let parameters = Some(narrowed)
            .filter(|query| !query.is_empty())
            .into_iter()
            .chain(written);
        with_query(&list.href(), &parameters.collect::<Vec<_>>().join("&"))
    }

    /// Whether something waits that is left out, and how much.
    pub(crate) fn waiting_elsewhere(self) -> usize {
        let narrowing = self.narrowing.read();
        self.servers.requests().with(|requests| {
            let is_elsewhere = |asked: &&_| !narrowing.allows(asked) && asked.view.state.is_waiting();
            requests.iter().filter(is_elsewhere).count()
        })
    }
}

/// A query as [`query`] writes it. A server that is not there narrows nothing, nor does the only one.
fn read(query: &str, servers: Servers) -> Narrowing {
    let Ok(parameters) = UrlSearchParams::new_with_str(query) else {
        return Narrowing::default();
    };
    let server = parameters.get(SERVER).filter(|_| servers.are_several());
    let server = server.and_then(|name| servers.named(Some(&name)));
    Narrowing {
        server: server.map(|scope| scope.key),
        directory: parameters.get(DIRECTORY).map(Directory::from),
    }
}

/// What stands behind `?` in the address.
fn query(narrowing: &Narrowing, servers: Servers) -> String {
    let server = narrowing.server.and_then(|key| untrack(|| servers.get(key)));
    let directory = narrowing.directory.as_ref().map(Directory::to_string);
    let parameters = [
        (SERVER, server.map(|scope| scope.address_name())),
        (DIRECTORY, directory),
    ];
    let written = parameters.into_iter().filter_map(|(name, value)| {
        let value = encode_uri_component(&value?);
        Some(format!("{name}={value}"))
    });
    written.collect::<Vec<_>>().join("&")
}

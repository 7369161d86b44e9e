//! The connections as a page: each server, how it is, and the way to another one.

use leptos::html::Input;
use leptos::prelude::*;
use switchboard_core::view::{Link, PromptState, RequestState};

use crate::kit::erased::{Show, followed, live, memo};
use crate::kit::focus;
use crate::kit::icons::Icon;
use crate::kit::now::Now;
use crate::kit::sheet::Sheet;
use crate::pages::connect::{AtFirst, ConnectForm, Remembered};
use crate::pages::server_list::ServerList;
use crate::parts::part;
use crate::side::header::Header;
use crate::state::each_server::for_each_server;
use crate::state::keys::ServerKey;
use crate::state::route::Route;
use crate::state::servers::{ServerScope, Servers};
use crate::words::activity::ALL_AND_FIGURES;
use crate::words::connection::WHAT_IS_WRONG;
use crate::words::{connect, state_words};
use switchboard_browser::device::settings::Settings;

/// The servers.
#[component]
fn ServersPage() -> impl IntoView {
    let servers = expect_context::<Servers>();
    let list = servers.list().get_untracked();
    let is_in_trouble = |scope: &&ServerScope| {
        let link = scope.store.server().with_untracked(|view| view.link.clone());
        !matches!(link, Link::Live | Link::Connecting)
    };
    let (shown, at_first) = match (servers.take_to_examine(), list.iter().find(is_in_trouble).copied()) {
        (Some(asked), _) => (Some(asked), AtFirst::Show),
        (None, Some(troubled)) => (Some(troubled), AtFirst::Examine),
        (None, None) => (list.first().copied(), AtFirst::Wait),
    };
    let address = shown.map(|scope| scope.connection.base());
    let asked = SignIn(RwSignal::new((address.unwrap_or_default(), at_first)));
    provide_context(asked);
    let bases = Signal::derive(move || {
        let list = servers.list().read();
        list.iter().map(|scope| scope.connection.base()).collect::<Vec<_>>()
    });
    let connected = Callback::new(move |wanted| {
        servers.connect(wanted);
        // Setting the part behind `#` fails only in a page that is going away.
        let _ = window().location().set_hash(&Route::Inbox.href());
    });
    view! {
        <Header title="Servers">""</Header>
        <div class="pane" data-scrolls="main">
            <div class="servers">
                {for_each_server(servers, || view! { <OneServer /> }.into_any())}
                <Remembered connected=bases on_connect=connected />
                <h2 class="group-label">{connect::SIGN_IN}</h2>
                {live(move || {
                    let (address, at_first) = asked.0.get();
                    let credentials = Settings::open().credentials(&address);
                    view! { <ConnectForm address credentials at_first on_connect=connected>""</ConnectForm> }
                })}
                <ServerList />
            </div>
        </div>
    }
}

/// The address with which the form is filled in, and what it does then. Comes from context.
#[derive(Clone, Copy, Debug)]
struct SignIn(RwSignal<(String, AtFirst)>);

/// How a server leaves the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Leaving {
    Removed,
    Forgotten,
}

/// The section of a server, as a selector.
fn section(key: ServerKey) -> String {
    format!("[data-testid=server][data-server=\"{}\"]", key.0)
}

/// Whether a request was answered, and the answer is not proven to have arrived.
fn is_sent(state: &RequestState) -> bool {
    match state {
        RequestState::Sending { .. } | RequestState::Sent { .. } | RequestState::NotSent { .. } => true,
        RequestState::Waiting
        | RequestState::Answered { .. }
        | RequestState::AnsweredElsewhere { .. }
        | RequestState::Dismissed { .. }
        | RequestState::Gone { .. } => false,
    }
}

fn is_stored(state: &PromptState) -> bool {
    match state {
        PromptState::Stored { .. } => true,
        PromptState::Sending { .. } | PromptState::Sent | PromptState::NotSent { .. } => false,
    }
}

/// A server: its name, how it is, and its place among the others.
#[component]
fn OneServer() -> impl IntoView {
    let servers = expect_context::<Servers>();
    let ServerScope {
        key,
        connection,
        store,
        loops,
        ..
    } = expect_context();
    let now = expect_context::<Now>();
    let words = memo(move || state_words::server(&store.server().read(), now.get()));
    let version = memo(move || store.server().read().version.clone());
    let asked = expect_context::<SignIn>();
    let wants_password = memo(move || store.server().read().link == Link::Password);
    let is_failing = memo(move || matches!(store.server().read().link, Link::Stale { .. } | Link::Offline { .. }));
    let examine = move |_| asked.0.set((connection.base(), AtFirst::Show));
    let is_forgotten = RwSignal::new(false);
    let not_done = memo(move || {
        let requests = store
            .requests()
            .with(|requests| requests.iter().filter(|view| is_sent(&view.state)).count());
        let prompts = store
            .prompts()
            .with(|prompts| prompts.iter().filter(|view| !is_stored(&view.state)).count());
        connect::not_done(&connection.name(), requests + prompts, loops.progress().read().len())
    });
    let asks = RwSignal::new(None::<Leaving>);
    let leave = move |how: Leaving| {
        let neighbour = servers.neighbour(key);
        asks.set(None);
        match how {
            Leaving::Removed => servers.disconnect(key),
            Leaving::Forgotten => {
                is_forgotten.set(true);
                servers.forget(key);
            }
        }
        focus::back_to(neighbour.map(section).into_iter().collect());
    };
    let press = move |how: Leaving| {
        if not_done.read_untracked().is_some() && servers.list().read_untracked().len() > 1 {
            asks.set(Some(how));
        } else {
            leave(how);
        }
    };
    let raise = move |_| {
        focus::hold(|| servers.raise(key));
        focus::back_to(vec![section(key)]);
    };
    let is_first = memo(move || servers.list().read().first().is_some_and(|first| first.key == key));
    let field = NodeRef::<Input>::new();
    // Another name, given in another tab, does not replace what is being typed.
    let typed = StoredValue::new(None::<String>);
    let name = move || {
        let name = connection.name();
        typed.get_value().unwrap_or(name)
    };
    let has_focus = move || {
        let field = field.try_get_untracked().flatten();
        field.is_some_and(|field| field.matches(":focus").unwrap_or(false))
    };
    // The field may be gone by then.
    let rename = move || {
        if let Some(name) = typed.try_update_value(Option::take).flatten() {
            servers.rename(key, &name);
        }
    };
    on_cleanup(rename);
    let labelled = move |label: fn(&str) -> String| followed(move || label(&connection.name()));
    view! {
        <section class="server" tabindex="-1" data-server=key.0.to_string() aria-label=followed(move || connection.name()) data-testid="server">
            <h2 class="server-name">{live(move || connection.name())}</h2>
            <p class="server-state">
                <span class=move || words.read().tone.class()><Icon sign=Signal::derive(move || words.read().sign) /></span>
                {live(move || words.read().sentence())}
            </p>
            <dl class="facts">
                <dt>"Address"</dt>
                <dd>{connection.base()}</dd>
                <dt>"OpenCode"</dt>
                <dd>{live(move || version.get().unwrap_or_else(|| connect::NO_VERSION.to_owned()))}</dd>
            </dl>
            <label class="field">
                <span class="field-label">"Name"</span>
                <input
                    class="input"
                    type="text"
                    dir="auto"
                    node_ref=field
                    prop:value=followed(name)
                    on:input=move |event| typed.set_value(Some(event_target_value(&event)))
                    on:change=move |_| {
                        if has_focus() {
                            rename();
                        }
                    }
                    // A field that is moved among the others loses the focus and gets it back: that is no end of typing.
                    on:blur=move |_| request_animation_frame(move || if !has_focus() { rename() })
                />
            </label>
            <div class="footer">
                <Show when=move || wants_password.get()>
                    <button type="button" class="button" aria-label=labelled(connect::sign_in) on:click=examine>"Enter the password"</button>
                </Show>
                <Show when=move || is_failing.get()>
                    <button type="button" class="button" aria-label=labelled(connect::what_is_wrong) on:click=examine>{WHAT_IS_WRONG}</button>
                </Show>
                <a class="button" href=Route::Activity.href()>{ALL_AND_FIGURES}</a>
                <Show when=move || servers.are_several() && !is_first.get()>
                    <button type="button" class="button" aria-label=labelled(connect::move_up) on:click=raise>
                        "Move up"
                    </button>
                </Show>
                <Show when=move || servers.are_several()>
                    <button type="button" class="button" data-opens="leave" aria-label=labelled(connect::remove) on:click=move |_| press(Leaving::Removed)>
                        "Remove"
                    </button>
                </Show>
                <button type="button" class="button" title=connect::FORGETS on:click=move |_| press(Leaving::Forgotten)>
                    "Forget this server"
                </button>
            </div>
            {live(move || asks.get().map(|how| view! {
                <Sheet label=connect::LEAVE back_to=vec![format!("{} [data-opens=leave]", section(key))]>
                    <p>{live(move || not_done.get())}</p>
                    <div class="footer">
                        <button type="button" class="button" on:click=move |_| leave(how)>
                            {match how {
                                Leaving::Removed => "Remove it",
                                Leaving::Forgotten => "Forget it",
                            }}
                        </button>
                        <button type="button" class="button button-quiet" on:click=move |_| asks.set(None)>"Keep it"</button>
                    </div>
                </Sheet>
            }))}
            {live(move || is_forgotten.get().then_some(connect::FORGOTTEN))}
        </section>
    }
    .into_any()
}

part! {
    /// The servers, a part.
    connect: servers_part() view! { <ServersPage /> }, focus::heading
}

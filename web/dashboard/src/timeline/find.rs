//! Searches all messages of the session: the search of the browser sees only those near the one that is read.

use gloo_events::{EventListener, EventListenerOptions};
use leptos::html::Input;
use leptos::prelude::*;
use switchboard_core::model::MessageId;
use switchboard_core::view::Older;
use wasm_bindgen::JsCast;
use web_sys::{Element, Event, KeyboardEvent};

use super::found::unmark;
use super::scene::Scene;
use super::scroll::Scroll;
use super::search::{first_from, says, step};
use crate::kit::erased::{Show, effect, live, memo};
use crate::kit::focus::focus;
use crate::kit::icons::Icon;
use crate::kit::key_name::key_name;
use crate::kit::sign::Sign;
use crate::state::actions::Actions;
use crate::state::dialogs::Dialogs;
use crate::state::store::in_messages;
use crate::words::find::{FIND, LOAD, NEXT, NOT_LOADED, PREVIOUS, place_of};
use crate::words::timeline::READING_OLDER;

/// The search: nothing until its key is pressed.
#[component]
pub(super) fn Find(scroll: Scroll) -> impl IntoView {
    let is_open = RwSignal::new(false);
    let field = NodeRef::<Input>::new();
    let before = StoredValue::new_local(None::<Element>);
    let close = move || {
        is_open.set(false);
        unmark();
        let before = before.try_update_value(Option::take).flatten();
        match before.filter(|before| before.is_connected()) {
            Some(before) => focus(&before),
            None => scroll.focus(),
        }
    };
    let open = move || {
        if let Some(field) = field.get_untracked() {
            field.select();
            return;
        }
        let active = document().active_element();
        before.set_value(active.filter(|active| active.tag_name() != "BODY"));
        is_open.set(true);
    };
    let dialogs = expect_context::<Dialogs>();
    on_key(move |event| {
        // With the focus in the field, the key is for the search of the browser.
        if is_find(event) && !has_focus(field) && !dialogs.is_open() {
            event.prevent_default();
            open();
        }
    });
    on_cleanup(unmark);
    view! {
        <Show when=move || is_open.get()>
            <Field scroll field close />
        </Show>
    }
}

fn has_focus(field: NodeRef<Input>) -> bool {
    let field = field.get_untracked();
    field.is_some_and(|field| document().active_element().as_ref() == Some(field.as_ref()))
}

/// Ctrl F, or Command F.
fn is_find(event: &KeyboardEvent) -> bool {
    let is_plain = !event.alt_key() && !event.shift_key();
    is_plain && (event.ctrl_key() != event.meta_key()) && key_name(&event.key(), &event.code()) == "f"
}

/// Calls back for each key that is pressed on the page, before anything else hears of it, until the owner is gone.
fn on_key(handle: impl Fn(&KeyboardEvent) + 'static) {
    let options = EventListenerOptions {
        passive: false,
        ..EventListenerOptions::run_in_capture_phase()
    };
    let listener = EventListener::new_with_options(&window(), "keydown", options, move |event: &Event| {
        if let Some(event) = event.dyn_ref::<KeyboardEvent>().filter(|event| !event.is_composing()) {
            handle(event);
        }
    });
    let listener = StoredValue::new_local(listener);
    on_cleanup(move || listener.dispose());
}

#[component]
fn Field(scroll: Scroll, field: NodeRef<Input>, close: impl Fn() + Copy + Send + 'static) -> impl IntoView {
    let scene = expect_context::<Scene>();
    let wanted = RwSignal::new(String::new());
    let current = RwSignal::new(None::<MessageId>);
    let found = found(scene, wanted);
    let show = move |id: Option<&MessageId>| {
        if let Some(id) = id {
            scroll.to_message(id, wanted.get_untracked());
        } else {
            unmark();
        }
        current.set(id.cloned());
    };
    let search = move |text: String| {
        let from = current.get_untracked().or_else(|| scroll.first_in_sight());
        wanted.set(text);
        let all: Vec<MessageId> = scene
            .messages
            .with_untracked(|messages| messages.iter().map(|message| message.id.clone()).collect());
        found.with_untracked(|found| show(first_from(found, &all, from.as_ref())));
    };
    let go =
        move |forwards| found.with_untracked(|found| show(step(found, current.get_untracked().as_ref(), forwards)));
    on_key(move |event| {
        let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
        let is_here = target.is_some_and(|target| target.closest("[role=search]").ok().flatten().is_some());
        match event.key().as_str() {
            "Escape" if is_here => close(),
            "Enter" if has_focus(field) => go(!event.shift_key()),
            _ => return,
        }
        event.prevent_default();
        event.stop_propagation();
    });
    effect(move || {
        if let Some(field) = field.get() {
            focus(&field);
        }
    });
    let count = move || {
        let is_blank = wanted.with(String::is_empty);
        let place = || {
            found.with(|found| {
                found
                    .iter()
                    .position(|id| current.with(|current| Some(id) == current.as_ref()))
            })
        };
        (!is_blank).then(|| place_of(place(), found.with(Vec::len)))
    };
    view! {
        <div class="find" role="search" aria-label=FIND data-testid="find">
            <input
                node_ref=field
                class="find-field"
                type="text"
                aria-label=FIND
                placeholder=FIND
                autocomplete="off"
                spellcheck="false"
                on:input:target=move |event| search(event.target().value())
            />
            <span class="find-count" role="status">{live(count)}</span>
            <button class="icon-button" type="button" aria-label=PREVIOUS title=PREVIOUS on:click=move |_| go(false)>
                <Icon sign=Sign::ChevronUp />
            </button>
            <button class="icon-button" type="button" aria-label=NEXT title=NEXT on:click=move |_| go(true)>
                <Icon sign=Sign::ChevronDown />
            </button>
            <button class="icon-button" type="button" aria-label="Close" title="Close" on:click=move |_| close()>
                <Icon sign=Sign::X />
            </button>
            <NotLoaded />
        </div>
    }
}

/// The messages that say what is wanted, oldest first.
fn found(scene: Scene, wanted: RwSignal<String>) -> Memo<Vec<MessageId>> {
    let by_message = memo(move || {
        let wanted = wanted.get();
        in_messages(scene.messages, move |message| {
            says(message, &wanted).then(|| message.id.clone())
        })
    });
    memo(move || by_message.get().with(|found| found.iter().flatten().cloned().collect()))
}

/// Says that older messages are not held, and loads them page by page once that is asked for.
#[component]
fn NotLoaded() -> impl IntoView {
    let scene = expect_context::<Scene>();
    let actions = expect_context::<Actions>();
    let is_wanted = RwSignal::new(false);
    let older = memo(move || scene.older());
    effect(move || {
        if is_wanted.get() && older.get() == Older::Available {
            actions.load_older();
        }
    });
    live(move || match older.get() {
        Older::Available | Older::Loading if is_wanted.get() => {
            view! { <p class="find-older">{READING_OLDER}</p> }.into_any()
        }
        Older::Available | Older::Loading => view! {
            <p class="find-older">
                {NOT_LOADED}
                <button class="button button-small" type="button" on:click=move |_| is_wanted.set(true)>
                    {LOAD}
                </button>
            </p>
        }
        .into_any(),
        Older::Unknown | Older::None => ().into_any(),
    })
}

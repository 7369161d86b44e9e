//! Parts of the page, whose program is loaded when they are first shown, or once the server has been read.
//!
//! To make a part of a component:
//! 1. Write `part!` below the component, in its file. It makes a function of the name given there, which takes the
//!    component's arguments and shows it, and a module of that name with `load`.
//! 2. Call that function where the component was used.
//! 3. Add its `load` to `load_parts` in `app/shell.rs`: nothing is missing then when the network is.
//!
//! The word before the name is the file that it goes into: what only parts of one file need lies there, what parts of
//! several files need in a file between them, and everything else in the program itself. `cargo xtask build` prints the
//! sizes. Most of a component is what it uses: it gains nothing as a part when the inbox uses the same.
//!
//! Only with the feature `parts`, which `cargo xtask build` sets, is the program cut; without it, it is one file.

use std::pin::Pin;

use futures::FutureExt;
use leptos::prelude::*;
use leptos::task::spawn_local;
use leptos::wasm_split::SplitLoaderError;

use crate::kit::erased::live;
use crate::words::parts::{LOADING, NOT_LOADED};
use switchboard_browser::platform::page::idle;

/// `FILE: NAME(ARGUMENTS) VIEW, FOCUS` makes a part of a view. `FOCUS` moves the focus when it is there at last.
macro_rules! part {
    ($(#[$doc:meta])* $file:ident: $name:ident($($argument:ident: $type:ty),* $(,)?) $view:expr, $focus:expr) => {
        $(#[$doc])*
        pub(crate) fn $name($($argument: $type),*) -> AnyView {
            let view = move || Box::pin($name::$name($(Clone::clone(&$argument)),*)) as $crate::parts::View;
            $crate::parts::shown($name::load, Box::new(view), $focus)
        }

        #[doc = concat!("The program of `", stringify!($name), "`.")]
        pub(crate) mod $name {
            use super::*;

            #[cfg(feature = "parts")]
            #[::leptos::wasm_split::wasm_split(
                $file,
                wasm_split_path = ::leptos::wasm_split,
                preload(program),
                fallible
            )]
            pub(super) fn $name($($argument: $type),*) -> Result<AnyView, ::leptos::wasm_split::SplitLoaderError> {
                Ok($view.into_any())
            }

            #[cfg(not(feature = "parts"))]
            pub(super) fn $name(
                $($argument: $type),*
            ) -> std::future::Ready<Result<AnyView, ::leptos::wasm_split::SplitLoaderError>> {
                std::future::ready(Ok($view.into_any()))
            }

            #[cfg(not(feature = "parts"))]
            fn program() -> std::future::Ready<Result<(), ::leptos::wasm_split::SplitLoaderError>> {
                std::future::ready(Ok(()))
            }

            /// Loads it.
            pub(crate) fn load() -> $crate::parts::Loading {
                Box::pin(program())
            }
        }
    };
}
pub(crate) use part;

/// The loading of a program. Done at once when it is there; one that failed can be tried again.
pub(crate) type Loading = Pin<Box<dyn Future<Output = Result<(), SplitLoaderError>>>>;

/// A view. Made at once when its program is there.
pub(crate) type View = Pin<Box<dyn Future<Output = Result<AnyView, SplitLoaderError>>>>;

/// Where the loading of a part stands.
#[derive(Clone, Copy, Debug)]
enum Stage {
    Loading,
    Loaded,
    Failed,
}

/// Loads programs one after the other while the page has nothing else to do, so that each is there when it is shown.
pub(crate) fn load_all<const N: usize>(programs: [fn() -> Loading; N]) {
    spawn_local(async move {
        idle().await;
        for load in programs {
            // What could not be loaded is tried again when it is shown.
            drop(load().await);
        }
    });
}

/// Shows a part once its program is there, and nothing until then: nobody has asked for it.
pub(crate) fn when_loaded(load: fn() -> Loading, view: fn() -> AnyView) -> AnyView {
    let is_loaded = RwSignal::new(false);
    spawn_local(async move {
        if load().await.is_ok() {
            is_loaded.try_set(true);
        }
    });
    live(move || is_loaded.get().then(view)).into_any()
}

/// Shows a part: at once when its program is there, else as soon as it is.
pub(crate) fn shown(load: fn() -> Loading, view: Box<dyn Fn() -> View + Send>, focus: fn()) -> AnyView {
    let mut loading = load();
    let is_loaded = loading.as_mut().now_or_never().map(|loaded| loaded.is_ok());
    if is_loaded == Some(true)
        && let Some(view) = made(&view)
    {
        return view;
    }
    let stage = RwSignal::new(if is_loaded.is_none() {
        Stage::Loading
    } else {
        Stage::Failed
    });
    if is_loaded.is_none() {
        spawn_local(async move {
            let is_loaded = loading.await.is_ok();
            change(stage, if is_loaded { Stage::Loaded } else { Stage::Failed }, focus);
        });
    }
    let page = move || match stage.get() {
        Stage::Loading => view! { <p class="part-loading" role="status">{LOADING}</p> }.into_any(),
        Stage::Loaded => made(&view).unwrap_or_else(|| not_loaded(load, stage, focus)),
        Stage::Failed => not_loaded(load, stage, focus),
    };
    page.into_any()
}

/// The view of a program that is there.
fn made(view: &dyn Fn() -> View) -> Option<AnyView> {
    view().now_or_never()?.ok()
}

/// Goes on, unless the part was left meanwhile.
fn change(stage: RwSignal<Stage>, to: Stage, focus: fn()) {
    if stage.try_set(to).is_none() {
        focus();
    }
}

/// In place of a part. It stays until the part is there.
fn not_loaded(load: fn() -> Loading, stage: RwSignal<Stage>, focus: fn()) -> AnyView {
    let is_trying = RwSignal::new(false);
    let again = move |_| {
        if is_trying.get_untracked() {
            return;
        }
        is_trying.set(true);
        spawn_local(async move {
            if load().await.is_ok() {
                change(stage, Stage::Loaded, focus);
            } else {
                is_trying.try_set(false);
            }
        });
    };
    let reload = move |_| {
        // Reloading fails only in a page that is going away.
        let _ = window().location().reload();
    };
    view! {
        <div class="part-missing">
            <p role="alert">{NOT_LOADED}</p>
            <button type="button" class="button" aria-busy=move || is_trying.get().then_some("true") on:click=again>
                {live(move || if is_trying.get() { "Trying…" } else { "Try again" })}
            </button>
            <button type="button" class="button button-quiet" on:click=reload>"Reload the page"</button>
        </div>
    }
    .into_any()
}

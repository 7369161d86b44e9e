//! Events by name, with the type of what their handlers get.
#![allow(non_upper_case_globals, reason = "they are written so in views")]

use std::marker::PhantomData;

pub use web_sys::{
    AnimationEvent, BeforeUnloadEvent, ClipboardEvent, CompositionEvent, DragEvent, Event, FocusEvent, HashChangeEvent,
    InputEvent, KeyboardEvent, MouseEvent, PointerEvent, PopStateEvent, StorageEvent, SubmitEvent, TransitionEvent,
    WheelEvent,
};

/// The name of an event.
pub struct EventName<E> {
    pub(crate) name: &'static str,
    event: PhantomData<fn() -> E>,
}
crate::payload::handle!(EventName<E>);

const fn name<E>(name: &'static str) -> EventName<E> {
    EventName {
        name,
        event: PhantomData,
    }
}

macro_rules! events {
    ($($event:ident: $type:ty),* $(,)?) => {
        $(
            #[doc = concat!("The event `", stringify!($event), "`.")]
            pub const $event: EventName<$type> = name(stringify!($event));
        )*
    };
}

events! {
    animationend: AnimationEvent,
    auxclick: MouseEvent,
    beforeinput: InputEvent,
    beforeunload: BeforeUnloadEvent,
    blur: FocusEvent,
    cancel: Event,
    change: Event,
    click: MouseEvent,
    close: Event,
    compositionend: CompositionEvent,
    compositionstart: CompositionEvent,
    compositionupdate: CompositionEvent,
    contextmenu: MouseEvent,
    copy: ClipboardEvent,
    cut: ClipboardEvent,
    dblclick: MouseEvent,
    drag: DragEvent,
    dragend: DragEvent,
    dragenter: DragEvent,
    dragleave: DragEvent,
    dragover: DragEvent,
    dragstart: DragEvent,
    drop: DragEvent,
    error: Event,
    focus: FocusEvent,
    focusin: FocusEvent,
    focusout: FocusEvent,
    hashchange: HashChangeEvent,
    input: Event,
    invalid: Event,
    keydown: KeyboardEvent,
    keyup: KeyboardEvent,
    load: Event,
    mousedown: MouseEvent,
    mouseenter: MouseEvent,
    mouseleave: MouseEvent,
    mousemove: MouseEvent,
    mouseout: MouseEvent,
    mouseover: MouseEvent,
    mouseup: MouseEvent,
    offline: Event,
    online: Event,
    pagehide: Event,
    pageshow: Event,
    paste: ClipboardEvent,
    pointercancel: PointerEvent,
    pointerdown: PointerEvent,
    pointerenter: PointerEvent,
    pointerleave: PointerEvent,
    pointermove: PointerEvent,
    pointerout: PointerEvent,
    pointerover: PointerEvent,
    pointerup: PointerEvent,
    popstate: PopStateEvent,
    reset: Event,
    scroll: Event,
    scrollend: Event,
    select: Event,
    selectionchange: Event,
    storage: StorageEvent,
    submit: SubmitEvent,
    toggle: Event,
    transitionend: TransitionEvent,
    visibilitychange: Event,
    wheel: WheelEvent,
}

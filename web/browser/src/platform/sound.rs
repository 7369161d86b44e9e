//! One short sound, made by the browser: no file is loaded for it.

use gloo_events::EventListener;
use js_sys::Reflect;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{AudioContext, Window};

/// Its two notes in Hz.
const NOTES: [f32; 2] = [660.0, 880.0];

/// How long a note lasts, in seconds.
const NOTE_LENGTH: f64 = 0.16;

/// How loud it is, of 1.
const LOUDNESS: f32 = 0.12;

/// Plays it. A page in which nobody has clicked since it was loaded may play nothing, and plays nothing later either.
pub fn play() {
    if has_been_used() {
        // Without a sound device there is no sound; what it tells of is on the screen, too.
        let _silent = try_play();
    }
}

fn try_play() -> Result<(), JsValue> {
    let context = AudioContext::new()?;
    let oscillator = context.create_oscillator()?;
    let gain = context.create_gain()?;
    oscillator.connect_with_audio_node(&gain)?;
    gain.connect_with_audio_node(&context.destination())?;
    let begin = context.current_time();
    let end = begin + NOTE_LENGTH * NOTES.len() as f64;
    for (place, note) in NOTES.into_iter().enumerate() {
        let at = begin + NOTE_LENGTH * place as f64;
        oscillator.frequency().set_value_at_time(note, at)?;
    }
    // It swells and fades: a tone that begins or ends at once clicks.
    gain.gain().set_value_at_time(0.0, begin)?;
    gain.gain().linear_ramp_to_value_at_time(LOUDNESS, begin + 0.02)?;
    gain.gain().linear_ramp_to_value_at_time(0.0, end)?;
    oscillator.start()?;
    oscillator.stop_with_when(end)?;
    let ended = move |_: &web_sys::Event| {
        // It fails only for a context that is closed.
        let _closing = context.close();
    };
    EventListener::once(&oscillator, "ended", ended).forget();
    Ok(())
}

/// Whether a person has clicked or typed in this page. A browser that cannot say lets the sound decide.
fn has_been_used() -> bool {
    let Ok(window) = js_sys::global().dyn_into::<Window>() else {
        return false;
    };
    Reflect::get(&window.navigator(), &"userActivation".into())
        .and_then(|activation| Reflect::get(&activation, &"hasBeenActive".into()))
        .ok()
        .and_then(|active| active.as_bool())
        .unwrap_or(true)
}

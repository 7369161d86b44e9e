//! The detector of complete outputs, and the rules it goes by.

use std::time::Duration;

use serde::Serialize;
use switchboard_core::Clock;
use switchboard_core::completion::{Completion, Format, Incomplete, IncompleteReason, Output, OutputDetector, Rules};
use wasm_bindgen::prelude::*;

use super::error;
use super::given::Given;
use super::plain::plain;
use switchboard_browser::formats;
use switchboard_browser::platform::clock::BrowserClock;

/// Says when an output is complete, while it arrives.
#[wasm_bindgen]
#[derive(Debug)]
pub struct CompletionDetector {
    clock: BrowserClock,
    detector: OutputDetector,
}

#[derive(Serialize)]
struct OutputShape<'a> {
    complete: bool,
    text: &'a str,
    reason: &'static str,
    message: Option<String>,
    exit: Option<i32>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RulesShape {
    timeout: u64,
    interval: u64,
    min_length: usize,
    required_field: String,
    markers: MarkersShape,
}

#[derive(Serialize)]
struct MarkersShape {
    yaml: Vec<String>,
    json: Vec<String>,
}

#[wasm_bindgen]
impl CompletionDetector {
    /// A detector for an output that begins now.
    #[wasm_bindgen(constructor)]
    pub fn new(options: JsValue) -> Result<CompletionDetector, JsValue> {
        let given = Given::new("CompletionDetector", options);
        let (clock, format, rules) = (BrowserClock::new(), read_format(&given)?, read_rules(&given)?);
        let detector = OutputDetector::new(format, rules, clock.now());
        Ok(Self { clock, detector })
    }

    /// Takes what has arrived. True when the output is over.
    pub fn push(&mut self, piece: &str) -> bool {
        self.detector.push(piece, self.clock.now());
        self.detector.is_over()
    }

    /// Looks at the time. True when the output is over.
    pub fn tick(&mut self) -> bool {
        self.detector.poll(self.clock.now());
        self.detector.is_over()
    }

    /// The process has ended, with this exit code if it is known.
    pub fn end(&mut self, exit: Option<i32>) {
        self.detector.end(exit);
    }

    /// In how many milliseconds to look at the time; none when the output is over.
    #[must_use]
    pub fn due(&self) -> Option<f64> {
        let deadline = self.detector.next_deadline()?;
        Some(deadline.since(self.clock.now()).as_millis() as f64)
    }

    /// The output so far. One that is not over is cut off here, as by its time-out.
    pub fn finish(&self) -> Result<JsValue, JsValue> {
        match self.detector.clone().finish(self.clock.now()) {
            Ok(Output { text, by, exit, .. }) => plain(&OutputShape {
                complete: true,
                text: &text,
                reason: match by {
                    Completion::Marked => "marked",
                    Completion::Settled => "settled",
                    Completion::Ended => "ended",
                },
                message: None,
                exit,
            }),
            Err(incomplete) => {
                let Incomplete { text, reason, exit, .. } = &incomplete;
                plain(&OutputShape {
                    complete: false,
                    text,
                    reason: match reason {
                        IncompleteReason::TimedOut(_) => "timedOut",
                        IncompleteReason::Failed => "failed",
                        IncompleteReason::Empty => "empty",
                    },
                    message: Some(incomplete.to_string()),
                    exit: *exit,
                })
            }
        }
    }
}

/// The rules for an agent and a model, from the text of a configuration.
#[wasm_bindgen(js_name = rulesOf)]
pub fn rules_of(text: &str, agent: Option<String>, model: Option<String>) -> Result<JsValue, JsValue> {
    let config = formats::read_config(text).map_err(|reason| error::invalid_argument(&reason.to_string()))?;
    let rules = config.rules(agent.as_deref(), model.as_deref());
    plain(&RulesShape {
        timeout: rules.dispatch_timeout.as_millis() as u64,
        interval: rules.interval.as_millis() as u64,
        min_length: rules.min_output_length,
        required_field: rules.required_field,
        markers: MarkersShape {
            yaml: rules.completion_markers.yaml,
            json: rules.completion_markers.json,
        },
    })
}

/// The defaults, as the text of a configuration.
#[wasm_bindgen(js_name = usualConfig)]
#[must_use]
pub fn usual_config() -> String {
    formats::write_config()
}

fn read_format(given: &Given) -> Result<Format, JsValue> {
    match given.text("format")?.as_deref() {
        None | Some("yaml") => Ok(Format::Yaml),
        Some("json") => Ok(Format::Json),
        Some(_) => Err(given.wrong("format", "\"yaml\" or \"json\"")),
    }
}

fn read_rules(given: &Given) -> Result<Rules, JsValue> {
    let mut rules = Rules::default();
    if let Some(timeout) = given.span("timeout")? {
        rules.dispatch_timeout = timeout;
    }
    if let Some(interval) = given.span("interval")? {
        rules.interval = interval.max(Duration::from_millis(1));
    }
    if let Some(length) = given.count("minLength")? {
        rules.min_output_length = length;
    }
    if let Some(field) = given.text("requiredField")? {
        rules.required_field = field;
    }
    if let Some(markers) = given.inner("markers")? {
        if let Some(yaml) = markers.form("yaml", "a list of texts")? {
            rules.completion_markers.yaml = yaml;
        }
        if let Some(json) = markers.form("json", "a list of texts")? {
            rules.completion_markers.json = json;
        }
    }
    Ok(rules)
}

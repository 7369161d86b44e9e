//! The output detector: one long output in many pieces.

use std::fmt::Write;

use switchboard_core::Time;
use switchboard_core::completion::{Format, OutputDetector, Rules};

use crate::measure;

const BYTES: usize = 1 << 20;

pub(crate) fn in_pieces() {
    for (name, format, line) in [
        ("YAML", Format::Yaml, yaml_line as fn(usize) -> String),
        ("JSON", Format::Json, json_line),
    ] {
        let sizes = [1, 2, 4].map(|factor| factor * BYTES);
        let costs = sizes.map(|bytes| {
            let text = text(bytes, line);
            let pieces = pieces(&text, 1_000 * bytes / BYTES);
            let time = measure::fastest(|| {
                measure::time(|| {
                    let mut detector = OutputDetector::new(format, Rules::default(), Time(0));
                    for piece in &pieces {
                        detector.push(piece, Time(0));
                    }
                    assert!(!detector.is_over(), "no marker has come");
                    detector
                })
            });
            if bytes == BYTES {
                let rate = bytes as f64 / time.as_secs_f64() / 1e6;
                println!(
                    "  {name}, 1 MB in {} pieces: {rate:.0} MB/s (target ≥ 500)",
                    pieces.len()
                );
            }
            measure::each(time, bytes)
        });
        println!("  {name}, longer outputs: {}", measure::growth(&costs));
    }
}

fn yaml_line(number: usize) -> String {
    format!("  - file: src/part_{number}.rs\n    note: the loop is left before the last element was seen\n")
}

fn json_line(number: usize) -> String {
    format!("  {{\"file\": \"src/part_{number}.rs\", \"note\": \"left {{ too \\\" early\"}},\n")
}

/// A text that is never complete.
fn text(bytes: usize, line: fn(usize) -> String) -> String {
    let mut text = String::from("{\n");
    for number in 0.. {
        let _ = write!(text, "{}", line(number));
        if text.len() >= bytes {
            break;
        }
    }
    text
}

/// The text in about as many pieces, cut anywhere.
fn pieces(text: &str, count: usize) -> Vec<&str> {
    let size = text.len().div_ceil(count);
    let cuts = (0..text.len()).step_by(size);
    cuts.map(|from| &text[from..text.len().min(from + size)]).collect()
}

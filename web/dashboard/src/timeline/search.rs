//! Which messages contain a text that a person looks for.

use switchboard_core::model::{Message, MessageId, PartBody};

/// Whether a message says `wanted`, in upper or lower case: in its text, its thoughts, or what its tools were called with
/// and returned.
#[must_use]
pub fn says(message: &Message, wanted: &str) -> bool {
    let has = |text: &str| find(text, wanted).is_some();
    let has_any = |texts: [Option<&str>; 4]| texts.into_iter().flatten().any(has);
    let in_error = message.error.as_ref().is_some_and(|error| has(&error.message));
    in_error
        || message.parts.iter().any(|part| match &part.body {
            PartBody::Text { text, synthetic } => !synthetic && has(text),
            PartBody::Reasoning { text, .. } => has(text),
            PartBody::Tool(tool) => has_any([
                Some(&tool.tool),
                tool.subject.as_deref(),
                tool.output.as_deref(),
                tool.error.as_deref(),
            ]),
            PartBody::File { name, .. } | PartBody::Agent { name } => has(name),
            PartBody::Retry { message, .. } => has(message),
            PartBody::Patch { .. }
            | PartBody::Compaction
            | PartBody::StepStart
            | PartBody::StepFinish
            | PartBody::Other(_) => false,
        })
}

/// Where `wanted` is first in a text, in upper or lower case: the bytes of the text that match it.
#[must_use]
pub fn find(text: &str, wanted: &str) -> Option<std::ops::Range<usize>> {
    let first = wanted.chars().next()?;
    let (lower, upper) = (first.to_lowercase().next()?, first.to_uppercase().next()?);
    let starts = text.match_indices([lower, upper]).map(|(at, _)| at);
    starts
        .filter_map(|at| Some(at..at + matching(&text[at..], wanted)?))
        .next()
}

/// How many bytes at the beginning of a text match `wanted`.
fn matching(text: &str, wanted: &str) -> Option<usize> {
    let mut rest = text.char_indices();
    for wanted in wanted.chars() {
        let (_, found) = rest.next()?;
        let is_same = found == wanted || found.to_lowercase().eq(wanted.to_lowercase());
        is_same.then_some(())?;
    }
    Some(rest.next().map_or(text.len(), |(end, _)| end))
}

/// The message to begin with: the first one from `from` on, else the last.
#[must_use]
pub fn first_from<'a>(found: &'a [MessageId], all: &[MessageId], from: Option<&MessageId>) -> Option<&'a MessageId> {
    let from = all.iter().position(|id| Some(id) == from).unwrap_or(all.len());
    let after = &all[from..];
    found.iter().find(|id| after.contains(id)).or(found.last())
}

/// The result after or before `current`. After the last comes the first.
#[must_use]
pub fn step<'a>(found: &'a [MessageId], current: Option<&MessageId>, forwards: bool) -> Option<&'a MessageId> {
    let place = found.iter().position(|id| Some(id) == current);
    let count = found.len().max(1);
    let next = match (place, forwards) {
        (Some(place), true) => (place + 1) % count,
        (Some(place), false) => (place + count - 1) % count,
        (None, true) => 0,
        (None, false) => count - 1,
    };
    found.get(next)
}

#[cfg(test)]
mod tests {
    use switchboard_core::model::ToolPart;

    use super::*;
    use crate::fixtures::message;

    #[test]
    fn a_text_is_found_whatever_its_case() {
        assert_eq!(find("The STORE has one", "store"), Some(4..9));
        assert_eq!(find("größer als GRÖSSE, Größe", "grösse"), Some(13..20));
        assert_eq!(find("aab", "ab"), Some(1..3));
        assert_eq!(find("ab", "abc"), None);
        assert_eq!(find("ab", ""), None);
    }

    #[test]
    fn a_message_is_found_by_what_it_shows() {
        let text = |synthetic| PartBody::Text {
            text: "one Owner".to_owned(),
            synthetic,
        };
        let tool = PartBody::Tool(Box::new(ToolPart {
            subject: Some("src/owner.rs".to_owned()),
            ..ToolPart::default()
        }));
        let found = |body| says(&message("msg_1", vec![body]), "owner");
        assert!(found(text(false)) && found(tool));
        assert!(!found(text(true)) && !found(PartBody::StepStart));
    }

    #[test]
    fn results_are_gone_through_in_a_ring_from_where_a_person_reads() {
        let ids = |ids: &[&str]| ids.iter().map(|id| MessageId::from(*id)).collect::<Vec<_>>();
        let (all, found) = (ids(&["a", "b", "c", "d", "e"]), ids(&["b", "d"]));
        let first = |from: &str| first_from(&found, &all, Some(&from.into())).map(ToString::to_string);
        assert_eq!(
            ["a", "b", "c", "e"].map(|from| first(from).unwrap()),
            ["b", "b", "d", "d"]
        );
        assert_eq!(first_from(&[], &all, None), None);
        let next = |from: &str, forwards| {
            step(&found, Some(&from.into()), forwards)
                .map(ToString::to_string)
                .unwrap()
        };
        assert_eq!(["b", "d"].map(|from| next(from, true)), ["d", "b"]);
        assert_eq!(["b", "d"].map(|from| next(from, false)), ["d", "b"]);
        assert_eq!(step(&[], None, true), None);
    }
}

//! Splits the text of a question into what stands out and what follows.

/// A first paragraph of more characters does not stand out: so much bold text is hard to read.
const LEAD_MAX: usize = 400;

/// The first paragraph and the rest. Of a long first paragraph only the first line or sentence is the lead, if that is
/// short enough, else there is no lead.
#[must_use]
pub fn split(text: &str) -> (&str, &str) {
    let end = text.find("\n\n").unwrap_or(text.len());
    let is_short = |end: &usize| text[..*end].chars().count() <= LEAD_MAX;
    let line = || text.find('\n');
    let sentence = || text.find(['?', '.', '!']).map(|at| at + 1);
    let end = Some(end)
        .filter(is_short)
        .or_else(|| line().filter(is_short))
        .or_else(|| sentence().filter(is_short))
        .unwrap_or(0);
    let (lead, rest) = text.split_at(end);
    (lead.trim_end(), rest.trim_start_matches('\n'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_paragraph_stands_out_unless_it_is_long() {
        assert_eq!(split("Which colour?"), ("Which colour?", ""));
        assert_eq!(split("One\ntwo\n\n- three\n- four"), ("One\ntwo", "- three\n- four"));
        let long = "x ".repeat(300);
        let cases = [
            (format!("Is it so? {long}"), "Is it so?"),
            (format!("A line\n{long}"), "A line"),
            (long.clone(), ""),
            (format!("{long}?\n\nAnd so on"), ""),
        ];
        for (text, lead) in &cases {
            let (found, rest) = split(text);
            assert_eq!(found, *lead);
            assert!(text.ends_with(rest) && text.starts_with(found));
        }
    }
}

//! Decides where a link may lead, and when its address must be seen.

use std::borrow::Cow;
use std::ops::Range;

use super::{Inline, plain};
use crate::kit::visible::visible;

const SCHEMES: [&str; 3] = ["https://", "http://", "mailto:"];

/// Finds the first address that a text names: `https:` and `http:`, up to the punctuation behind it.
///
/// A sign that hides ends it, so that what is seen is where the link leads.
pub(super) fn find(text: &str) -> Option<Range<usize>> {
    let mut from = 0;
    loop {
        let start = from + text[from..].find("http")?;
        let rest = &text[start..];
        let scheme = SCHEMES[..2].iter().find(|scheme| rest.starts_with(**scheme));
        let follows_word = text[..start].chars().next_back().is_some_and(char::is_alphanumeric);
        let length = scheme.map_or(0, |scheme| address_length(rest, scheme.len()));
        if length > 0 && !follows_word {
            return Some(start..start + length);
        }
        from = start + "http".len();
    }
}

/// How long the address is that a text begins with; 0 when nothing stands behind its scheme.
fn address_length(text: &str, scheme: usize) -> usize {
    let ends = |character: char| {
        let is_quote = matches!(character, '<' | '>' | '"' | '`' | '“' | '”');
        character.is_whitespace() || is_quote || matches!(visible(character.encode_utf8(&mut [0; 4])), Cow::Owned(_))
    };
    let mut address = &text[..text.find(ends).unwrap_or(text.len())];
    while let Some(last) = address.chars().next_back() {
        let closes_more = last == ')' && address.matches(')').count() > address.matches('(').count();
        if !closes_more && !matches!(last, '.' | ',' | ';' | ':' | '!' | '?' | '\'' | '*' | '_' | ']') {
            break;
        }
        address = &address[..address.len() - last.len_utf8()];
    }
    if address.len() > scheme { address.len() } else { 0 }
}

/// Turns a link of the author into what is shown of it.
///
/// An address that no link may have becomes text. The address is also written out when the label claims another one.
pub(super) fn link(address: &str, label: Vec<Inline>) -> Vec<Inline> {
    let name = plain(&label);
    let same = name.trim() == address.trim();
    if !is_safe(address) {
        let mut shown = label;
        if !same && !address.is_empty() {
            shown.push(Inline::Text(format!(" ({})", visible(address))));
        }
        return shown;
    }
    let claims_another = !same && claims_another(&name, address);
    let label = if name.trim().is_empty() {
        vec![Inline::Text(address.to_owned())]
    } else {
        label
    };
    let mut shown = vec![Inline::Link {
        address: address.to_owned(),
        label,
    }];
    if claims_another {
        shown.push(Inline::Text(format!(" ({})", visible(address))));
    }
    shown
}

fn is_safe(address: &str) -> bool {
    let begins = SCHEMES.iter().any(|scheme| {
        address
            .get(..scheme.len())
            .is_some_and(|begin| begin.eq_ignore_ascii_case(scheme))
    });
    begins
        && !address
            .chars()
            .any(|character| character.is_control() || character.is_whitespace())
}

/// True for a label that reads as another address: with a scheme, or with a word that begins with another host.
fn claims_another(name: &str, address: &str) -> bool {
    let (_, rest) = address.split_once("://").unwrap_or(("", address));
    let authority = rest.split(['/', '\\', '?', '#']).next().unwrap_or_default();
    let own = authority.rsplit('@').next().and_then(host_of);
    let is_another = |host: &str| own.is_none_or(|own| !host.eq_ignore_ascii_case(own));
    name.contains("://") || name.split_whitespace().filter_map(host_of).any(is_another)
}

/// The host that a word begins with: `example.org` of `example.org:8080/path`. The name of a file may look like one.
fn host_of(word: &str) -> Option<&str> {
    let word = word.trim_matches(|character: char| !character.is_alphanumeric());
    let host = word.split(['/', ':', '?', '#']).next()?;
    let parts: Vec<&str> = host.split('.').collect();
    let is_label = |part: &&str| {
        !part.is_empty()
            && part
                .chars()
                .all(|character| character.is_alphanumeric() || character == '-')
    };
    let is_top = |part: &&str| part.chars().count() >= 2 && part.chars().all(char::is_alphabetic);
    let is_host = parts.len() >= 2 && parts.iter().all(is_label) && parts.last().is_some_and(is_top);
    is_host.then_some(host)
}

//! Decides where a link may lead, and when its address must be seen.

use super::{Inline, plain};
use crate::ui::visible::visible;

const SCHEMES: [&str; 3] = ["https://", "http://", "mailto:"];

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
    let claims_another = !same && claims_address(&name);
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

fn claims_address(name: &str) -> bool {
    name.contains("://") || name.trim_start().to_ascii_lowercase().starts_with("www.")
}

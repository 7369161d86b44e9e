//! What a pressed key is called, whatever letters the keyboard has.

/// The name of a key: what it types, `a` to `z` in lower case, or such as `Enter`.
///
/// A keyboard for another script types none of the letters that are keys here. There the place of the key counts,
/// which `code` names by the letter of a Latin keyboard.
#[must_use]
pub fn key_name(key: &str, code: &str) -> String {
    let mut characters = key.chars();
    let (Some(typed), None) = (characters.next(), characters.next()) else {
        return key.to_owned();
    };
    let place = code.strip_prefix("Key").filter(|place| place.len() == 1);
    match place {
        Some(place) if typed.is_alphabetic() && !typed.is_ascii() && !is_latin(typed) => place.to_ascii_lowercase(),
        Some(_) | None => key.to_ascii_lowercase(),
    }
}

/// A Latin letter with or without marks: the keyboard has the others, too.
fn is_latin(letter: char) -> bool {
    matches!(letter, '\u{C0}'..='\u{24F}' | '\u{1E00}'..='\u{1EFF}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_of_other_scripts_count_by_their_place() {
        for (key, code, name) in [
            ("a", "KeyQ", "a"),
            ("A", "KeyA", "a"),
            ("ф", "KeyA", "a"),
            ("Р", "KeyH", "h"),
            ("α", "KeyA", "a"),
            ("ö", "KeyO", "ö"),
            ("[", "Digit8", "["),
            ("Enter", "Enter", "Enter"),
            ("ArrowLeft", "ArrowLeft", "ArrowLeft"),
            ("1", "Digit1", "1"),
        ] {
            assert_eq!(key_name(key, code), name, "{key} {code}");
        }
    }
}

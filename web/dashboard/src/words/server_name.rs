//! What a server is called in sentences.

/// The host of an address, and its port where it has one: `localhost:4096`, `build-01.lan`.
#[must_use]
pub fn short_name(base: &str) -> String {
    let host = base.split_once("://").map_or(base, |(_, host)| host);
    host.trim_end_matches('/').to_owned()
}

/// What a server is called by this name of a person's, where others are called so already: with its host behind it.
#[must_use]
pub fn distinct(name: &str, base: &str, others: &[String]) -> String {
    if others.iter().any(|other| other == name) {
        format!("{name} ({})", short_name(base))
    } else {
        name.to_owned()
    }
}

/// What a server is called in addresses of the page. Different addresses of servers have different names, whatever else is
/// connected: what is no letter, digit, `.`, `:`, `-` or `_` is `~` and the two digits of its byte.
#[must_use]
pub fn address_name(base: &str) -> String {
    let scheme = if base.starts_with("https:") { "https:" } else { "" };
    let letters = short_name(base).into_bytes().into_iter().map(|byte| match byte {
        b'.' | b':' | b'-' | b'_' => char::from(byte).to_string(),
        _ if byte.is_ascii_alphanumeric() => char::from(byte).to_string(),
        _ => format!("~{byte:02x}"),
    });
    letters.fold(scheme.to_owned(), |name, letter| name + &letter)
}

/// Whether this can be the name of a server in an address.
#[must_use]
pub fn is_address_name(text: &str) -> bool {
    let is_known = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b':' | b'-' | b'_' | b'~');
    !text.is_empty() && text.bytes().all(is_known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_called_by_its_host() {
        assert_eq!(short_name("http://localhost:4096"), "localhost:4096");
        assert_eq!(short_name("https://build-01.lan/agents/"), "build-01.lan/agents");
    }

    #[test]
    fn a_name_that_another_has_is_told_from_it() {
        let others = ["build".to_owned()];
        assert_eq!(distinct("test", "http://one:4096", &others), "test");
        assert_eq!(distinct("build", "http://two:4096", &others), "build (two:4096)");
    }

    #[test]
    fn its_name_in_addresses_is_its_own() {
        for (base, name) in [
            ("http://localhost:4096", "localhost:4096"),
            ("https://localhost:4096", "https:localhost:4096"),
            ("http://build-01.lan/team/a", "build-01.lan~2fteam~2fa"),
            ("http://build-01.lan/team-a", "build-01.lan~2fteam-a"),
            ("http://build-01.lan/team~2fa", "build-01.lan~2fteam~7e2fa"),
            ("http://build-01-lan/Team", "build-01-lan~2fTeam"),
            ("http://[::1]:4096", "~5b::1~5d:4096"),
        ] {
            assert_eq!(address_name(base), name);
            assert!(is_address_name(name), "{name}");
        }
        assert!(!is_address_name("<a>"));
        assert!(!is_address_name(""));
    }
}

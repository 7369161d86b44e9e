//! What a server is called in sentences.

/// The host of an address, and its port where it has one: `localhost:4096`, `build-01.lan`.
#[must_use]
pub fn short_name(base: &str) -> String {
    let host = base.split_once("://").map_or(base, |(_, host)| host);
    host.trim_end_matches('/').to_owned()
}

/// What a server is called in addresses of the page: letters, digits and hyphens, and none of `taken`.
#[must_use]
pub fn address_name(base: &str, taken: &[String]) -> String {
    let name: String = short_name(base)
        .chars()
        .map(|letter| {
            if letter.is_ascii_alphanumeric() {
                letter.to_ascii_lowercase()
            } else {
                '-'
            }
        })
        .collect();
    let with = |number: usize| match number {
        1 => name.clone(),
        several => format!("{name}-{several}"),
    };
    let is_free = |name: &String| !taken.contains(name);
    // Of so many names one is free.
    (1..=taken.len() + 1).map(with).find(is_free).unwrap_or(name)
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
    fn its_name_in_addresses_is_its_own() {
        let mut taken = Vec::new();
        for (base, name) in [
            ("http://localhost:4096", "localhost-4096"),
            ("https://localhost:4096", "localhost-4096-2"),
            ("https://Build-01.lan/agents", "build-01-lan-agents"),
        ] {
            let found = address_name(base, &taken);
            assert_eq!(found, name);
            taken.push(found);
        }
    }
}

//! What a server is called in sentences.

/// The host of an address, and its port where it has one: `localhost:4096`, `build-01.lan`.
#[must_use]
pub fn short_name(base: &str) -> String {
    let host = base.split_once("://").map_or(base, |(_, host)| host);
    host.trim_end_matches('/').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_called_by_its_host() {
        assert_eq!(short_name("http://localhost:4096"), "localhost:4096");
        assert_eq!(short_name("https://build-01.lan/agents/"), "build-01.lan/agents");
    }
}

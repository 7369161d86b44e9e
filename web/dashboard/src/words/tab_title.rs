//! What the tab of the browser is called.

/// The product, the page that is shown, and how many requests wait.
#[must_use]
pub fn tab_title(waiting: usize, page: Option<&str>) -> String {
    let count = match waiting {
        0 => String::new(),
        several => format!("({several}) "),
    };
    let page = page.map_or_else(String::new, |page| format!("{page} · "));
    format!("{count}{page}Switchboard")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tab_counts_what_waits_and_names_its_page() {
        assert_eq!(tab_title(0, None), "Switchboard");
        assert_eq!(tab_title(2, Some("Sessions")), "(2) Sessions · Switchboard");
    }
}

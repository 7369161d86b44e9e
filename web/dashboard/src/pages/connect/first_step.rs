//! What happens when the page is opened: connect at once, or ask.
//!
//! A link must not be able to make this page speak with any machine. So an address in a link is used at once only when
//! it is on this device, on the page's own host, or known from before.

/// What is known when the page is opened. All addresses are normalised.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Known {
    /// The server that the link names.
    pub linked: Option<String>,
    /// It is on this device, or on the host that served the page.
    pub linked_is_near: bool,
    /// The server that whoever serves this page has introduced.
    pub introduced: Option<String>,
    /// Servers from before, the last one used first.
    pub remembered: Vec<String>,
}

/// What happens first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FirstStep {
    /// Connect to this server, and show it whatever comes of it.
    Connect(String),
    /// Find out what answers at this address, and connect if it is a server.
    Try(String),
    /// Ask, with this address filled in.
    Ask(Option<String>),
}

/// What happens first.
#[must_use]
pub fn first_step(known: Known) -> FirstStep {
    let Some(linked) = known.linked else {
        let last = known.introduced.or_else(|| known.remembered.into_iter().next());
        return last.map_or(FirstStep::Ask(None), FirstStep::Connect);
    };
    if known.introduced.as_ref() == Some(&linked) || known.remembered.contains(&linked) {
        FirstStep::Connect(linked)
    } else if known.linked_is_near {
        FirstStep::Try(linked)
    } else {
        FirstStep::Ask(Some(linked))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn linked(address: &str) -> Known {
        Known {
            linked: Some(address.to_owned()),
            ..Known::default()
        }
    }

    #[test]
    fn a_link_to_a_strange_machine_asks_first() {
        let strange = linked("https://elsewhere.example");
        assert_eq!(
            first_step(strange.clone()),
            FirstStep::Ask(Some("https://elsewhere.example".to_owned()))
        );
        let known = Known {
            remembered: vec!["https://elsewhere.example".to_owned()],
            ..strange
        };
        assert_eq!(
            first_step(known),
            FirstStep::Connect("https://elsewhere.example".to_owned())
        );
    }

    #[test]
    fn a_link_to_this_device_is_tried_at_once() {
        let near = Known {
            linked_is_near: true,
            ..linked("http://localhost:4096")
        };
        assert_eq!(first_step(near), FirstStep::Try("http://localhost:4096".to_owned()));
    }

    #[test]
    fn a_link_goes_before_what_is_introduced_and_that_before_what_is_remembered() {
        let known = Known {
            introduced: Some("http://127.0.0.1:4097".to_owned()),
            remembered: vec!["http://127.0.0.1:5000".to_owned()],
            ..Known::default()
        };
        assert_eq!(
            first_step(known.clone()),
            FirstStep::Connect("http://127.0.0.1:4097".to_owned())
        );
        let elsewhere = Known {
            linked: Some("https://elsewhere.example".to_owned()),
            ..known
        };
        assert_eq!(
            first_step(elsewhere),
            FirstStep::Ask(Some("https://elsewhere.example".to_owned()))
        );
        assert_eq!(first_step(Known::default()), FirstStep::Ask(None));
    }
}

//! Which lines of a list are left.

use switchboard_browser::device::activity::Kind;
use switchboard_core::metrics::AnsweredBy;

use super::lines::Line;

/// What a person looks for. Without any of it everything is left.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Only these.
    pub group: Option<Group>,
    /// Only what has this in its text or in the title of its session, in capitals or not.
    pub text: String,
}

/// What belongs together for a person who looks for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Was asked.
    Asked,
    /// Answered, rejected or dismissed by a person, here or elsewhere.
    Answered,
    /// Done by a policy, or by time.
    Policy,
    /// Forgotten by the server.
    Gone,
    /// The connection.
    Connection,
    /// Runs that ended.
    Runs,
}

impl Group {
    /// All, with their names.
    pub const NAMED: [(Group, &'static str); 6] = [
        (Group::Asked, "Asked"),
        (Group::Answered, "Answered"),
        (Group::Policy, "By time-out"),
        (Group::Gone, "Gone"),
        (Group::Connection, "Connection"),
        (Group::Runs, "Ended runs"),
    ];

    /// Its name in addresses.
    fn key(self) -> &'static str {
        match self {
            Group::Asked => "asked",
            Group::Answered => "answered",
            Group::Policy => "time-out",
            Group::Gone => "gone",
            Group::Connection => "connection",
            Group::Runs => "runs",
        }
    }

    fn of(line: &Line) -> Self {
        match line.happening.kind {
            Kind::Asked => Group::Asked,
            _ if line.happening.by == Some(AnsweredBy::Policy) => Group::Policy,
            Kind::Answered | Kind::Rejected | Kind::Dismissed => Group::Answered,
            Kind::TimedOut => Group::Policy,
            Kind::Gone => Group::Gone,
            Kind::Outage => Group::Connection,
            Kind::RunEnded => Group::Runs,
        }
    }
}

/// Names of what a filter says in an address.
const KIND: &str = "kind";
const TEXT: &str = "text";

impl Filter {
    /// What an address says of it.
    pub fn parameters(&self) -> impl Iterator<Item = (&'static str, String)> {
        let text = Some(&self.text).filter(|text| !text.is_empty());
        let kind = self.group.map(|group| (KIND, group.key().to_owned()));
        kind.into_iter().chain(text.map(|text| (TEXT, text.clone())))
    }

    /// The filter that an address names with such parameters; none where it names none.
    #[must_use]
    pub fn named(parameter: impl Fn(&str) -> Option<String>) -> Option<Self> {
        let kind = parameter(KIND);
        let mut groups = Group::NAMED.into_iter().map(|(group, _)| group);
        let group = kind.and_then(|kind| groups.find(|group| group.key() == kind));
        let text = parameter(TEXT).unwrap_or_default();
        (group.is_some() || !text.is_empty()).then_some(Self { group, text })
    }

    /// Whether a line is left.
    #[must_use]
    pub fn allows(&self, line: &Line) -> bool {
        let happening = &line.happening;
        let wanted = self.text.trim().to_lowercase();
        self.group.is_none_or(|group| group == Group::of(line))
            && [&happening.text, &happening.title]
                .iter()
                .any(|text| text.to_lowercase().contains(&wanted))
    }
}

#[cfg(test)]
mod tests {
    use switchboard_core::Time;
    use switchboard_core::model::{Ask, Reply};
    use switchboard_core::ports::ReadError;
    use switchboard_core::view::{Ending, RequestState, RequestView};

    use super::*;
    use crate::fixtures::{asking, ended};
    use crate::pages::activity::lines::{lines, of_request, outage};

    fn happened() -> Vec<Line> {
        let state = || RequestState::Answered {
            at: Time(20),
            sent: Time(19),
            note: None,
        };
        let answered = |id, by_policy| RequestView {
            reply: Some(Reply::Answers(vec![vec!["Größe".to_owned()]])),
            by_policy,
            ..asking(id, Ask::Questions(Vec::new()), state())
        };
        let views = [answered("que_1", false), answered("que_2", true)];
        let mut kept: Vec<_> = views
            .iter()
            .flat_map(|view| of_request(view, &|_| String::new()))
            .collect();
        kept.push(outage("build-01", Time(5), &ReadError::TimedOut));
        lines(kept.iter(), &[ended("Fence", 30, Ending::Done)], Time(0), Time(40))
    }

    fn left(filter: &Filter) -> usize {
        happened().iter().filter(|line| filter.allows(line)).count()
    }

    #[test]
    fn without_a_filter_everything_is_left() {
        assert_eq!(left(&Filter::default()), 6);
    }

    #[test]
    fn an_address_names_a_filter_and_leads_back_to_it() {
        let groups = Group::NAMED.map(|(group, _)| Some(group));
        for group in groups.into_iter().chain([None]) {
            for text in ["", "Größe"] {
                let filter = Filter {
                    group,
                    text: text.to_owned(),
                };
                let parameters: Vec<_> = filter.parameters().collect();
                let named = Filter::named(|name| {
                    let mut values = parameters.iter().filter(|(known, _)| *known == name);
                    values.next().map(|(_, value)| value.clone())
                });
                assert_eq!(named, Some(filter).filter(|filter| *filter != Filter::default()));
            }
        }
        assert_eq!(Filter::named(|_| Some("unknown".to_owned())).unwrap().group, None);
    }

    #[test]
    fn groups_tell_people_from_policies() {
        let of = |group| {
            left(&Filter {
                group: Some(group),
                ..Filter::default()
            })
        };
        let counts = Group::NAMED.map(|(group, _)| of(group));
        assert_eq!(counts, [2, 1, 1, 0, 1, 1]);
    }

    #[test]
    fn a_text_is_found_in_any_case() {
        for (text, count) in [(" gröSSE ", 0), (" GRÖße", 2), ("fence", 1), ("BUILD", 1), ("", 6)] {
            let filter = Filter {
                text: text.to_owned(),
                ..Filter::default()
            };
            assert_eq!(left(&filter), count, "{text}");
        }
    }
}

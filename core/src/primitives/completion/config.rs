//! The rules of completion: defaults, and overrides per agent and model.
//!
//! Their JSON form is read and written outside (`web/browser/src/formats`); durations are seconds there.

use std::time::Duration;

use crate::collections::SortedMap;

/// What decides when an output is complete.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Rules {
    /// How long an output may take. Defaults to 180 s: a safety net, not a wait.
    pub dispatch_timeout: Duration,
    /// Between two looks while somebody awaits the output. Defaults to 1 s.
    pub interval: Duration,
    /// What a complete output ends with.
    pub completion_markers: Markers,
    /// Characters that an output has at least before a marker counts. Defaults to 100.
    pub min_output_length: usize,
    /// The name of the field that every complete output has. Defaults to `v`, the verdict.
    pub required_field: String,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            dispatch_timeout: Duration::from_secs(180),
            interval: Duration::from_secs(1),
            completion_markers: Markers::default(),
            min_output_length: 100,
            required_field: "v".to_owned(),
        }
    }
}

/// End markers per format. Blanks and line breaks around them mean nothing: a marker is a whole line.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Markers {
    /// Of YAML. Defaults to `---` (which counts after content only) and `...`.
    pub yaml: Vec<String>,
    /// Of JSON. Defaults to the closing brace. Whatever it says, the brace that counts is the one that closes the first.
    pub json: Vec<String>,
}

impl Default for Markers {
    fn default() -> Self {
        Self {
            yaml: vec!["---".to_owned(), "\n...".to_owned()],
            json: vec!["}\n".to_owned()],
        }
    }
}

/// Rules of which some are given.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PartialRules {
    /// See [`Rules::dispatch_timeout`].
    pub dispatch_timeout: Option<Duration>,
    /// See [`Rules::interval`].
    pub interval: Option<Duration>,
    /// See [`Markers::yaml`].
    pub yaml_markers: Option<Vec<String>>,
    /// See [`Markers::json`].
    pub json_markers: Option<Vec<String>>,
    /// See [`Rules::min_output_length`].
    pub min_output_length: Option<usize>,
    /// See [`Rules::required_field`].
    pub required_field: Option<String>,
}

/// All rules: for everybody, and for some agents and models.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CompletionConfig {
    /// For everybody; what is not given is as in [`Rules::default`].
    pub default: PartialRules,
    /// For some. A key is `agent`, `agent@provider/model` or `@provider/model`; the more exact one wins.
    pub overrides: SortedMap<String, PartialRules>,
}

impl CompletionConfig {
    /// The rules for an agent with a model (`provider/model`).
    ///
    /// ```
    /// use std::time::Duration;
    /// use switchboard_core::completion::{CompletionConfig, PartialRules};
    ///
    /// let slow = PartialRules { dispatch_timeout: Some(Duration::from_secs(600)), ..PartialRules::default() };
    /// let config = CompletionConfig { overrides: [("review".to_owned(), slow)].into(), ..CompletionConfig::default() };
    /// assert_eq!(config.rules(Some("review"), None).dispatch_timeout, Duration::from_secs(600));
    /// assert_eq!(config.rules(Some("build"), None).dispatch_timeout, Duration::from_secs(180));
    /// ```
    #[must_use]
    pub fn rules(&self, agent: Option<&str>, model: Option<&str>) -> Rules {
        let mut rules = Rules::default();
        self.default.apply(&mut rules);
        let keys = [
            model.map(|model| format!("@{model}")),
            agent.map(str::to_owned),
            agent.zip(model).map(|(agent, model)| format!("{agent}@{model}")),
        ];
        for key in keys.into_iter().flatten() {
            if let Some(partial) = self.overrides.get(&key) {
                partial.apply(&mut rules);
            }
        }
        rules
    }
}

impl PartialRules {
    /// Takes over what is given there.
    pub fn take_over(&mut self, given: Self) {
        self.dispatch_timeout = given.dispatch_timeout.or(self.dispatch_timeout);
        self.interval = given.interval.or(self.interval);
        self.yaml_markers = given.yaml_markers.or(self.yaml_markers.take());
        self.json_markers = given.json_markers.or(self.json_markers.take());
        self.min_output_length = given.min_output_length.or(self.min_output_length);
        self.required_field = given.required_field.or(self.required_field.take());
    }

    fn apply(&self, rules: &mut Rules) {
        fn set<T: Clone>(rule: &mut T, given: Option<&T>) {
            if let Some(given) = given {
                *rule = given.clone();
            }
        }
        set(&mut rules.dispatch_timeout, self.dispatch_timeout.as_ref());
        set(&mut rules.interval, self.interval.as_ref());
        set(&mut rules.completion_markers.yaml, self.yaml_markers.as_ref());
        set(&mut rules.completion_markers.json, self.json_markers.as_ref());
        set(&mut rules.min_output_length, self.min_output_length.as_ref());
        set(&mut rules.required_field, self.required_field.as_ref());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn takes(seconds: u64) -> PartialRules {
        PartialRules {
            dispatch_timeout: Some(Duration::from_secs(seconds)),
            ..PartialRules::default()
        }
    }

    /// C5
    #[test]
    fn nothing_given_means_the_defaults() {
        let rules = CompletionConfig::default().rules(Some("build"), Some("a/b"));
        assert_eq!(rules, Rules::default());
    }

    /// C5
    #[test]
    fn the_more_exact_override_wins_and_leaves_the_rest() {
        let only_length = PartialRules {
            min_output_length: Some(7),
            ..PartialRules::default()
        };
        let config = CompletionConfig {
            default: takes(10),
            overrides: SortedMap::from([
                ("@a/b".to_owned(), takes(20)),
                ("review".to_owned(), takes(30)),
                ("review@a/b".to_owned(), only_length),
            ]),
        };
        let seconds = |agent, model| config.rules(agent, model).dispatch_timeout.as_secs();
        assert_eq!(seconds(None, None), 10);
        assert_eq!(seconds(Some("build"), Some("a/b")), 20);
        assert_eq!(seconds(Some("review"), Some("a/b")), 30);
        assert_eq!(config.rules(Some("review"), Some("a/b")).min_output_length, 7);
    }
}

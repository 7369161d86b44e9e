//! What a prompt may name: the agents and the models that are set up in a directory.

use serde_json::Value;
use switchboard_core::model::{Directory, ModelRef};

use super::message::model;
use super::path::in_directory;
use super::{WireError, json};

/// An agent that a person may prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfferedAgent {
    /// Its name, which is its id.
    pub name: String,
    /// The model it takes for a prompt that names none, in place of the session's last.
    pub model: Option<ModelRef>,
}

/// The models of one provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Provider {
    /// What the provider is called.
    pub name: String,
    /// Its models, by name.
    pub models: Vec<OfferedModel>,
}

/// A model that a prompt may name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfferedModel {
    /// Its id.
    pub id: ModelRef,
    /// What it is called.
    pub name: String,
}

/// The path and query of the agents of a directory.
#[must_use]
pub fn path_of_agents(directory: &Directory) -> String {
    in_directory("/agent", directory)
}

/// The path and query of the providers that are set up in a directory. All that OpenCode knows (`/provider`) are 6 MB.
#[must_use]
pub fn path_of_providers(directory: &Directory) -> String {
    in_directory("/config/providers", directory)
}

/// Understands `GET /agent`: the agents that a person may prompt, in the server's order.
///
/// Sub-agents are left out, and those that OpenCode hides because it calls them itself.
///
/// # Errors
/// When it is no list.
pub fn agents(body: &str) -> Result<Vec<OfferedAgent>, WireError> {
    let agents = json::parse_list(body)?;
    let is_offered = |agent: &&Value| agent["mode"] != "subagent" && agent["hidden"] != true;
    let read = |agent: &Value| {
        Some(OfferedAgent {
            name: json::filled(&agent["name"])?,
            model: model(&agent["model"]),
        })
    };
    Ok(agents.iter().filter(is_offered).filter_map(read).collect())
}

/// Understands `GET /config/providers`: the providers that have models, in the server's order.
///
/// # Errors
/// When it has no list of providers.
pub fn providers(body: &str) -> Result<Vec<Provider>, WireError> {
    let value = json::parse(body)?;
    let providers = value["providers"]
        .as_array()
        .ok_or(WireError::Missing("list of providers"))?;
    Ok(providers.iter().filter_map(provider).collect())
}

fn provider(value: &Value) -> Option<Provider> {
    let id = json::filled(&value["id"])?;
    let models = value["models"].as_object()?.iter();
    let mut models: Vec<OfferedModel> = models.filter_map(|(key, model)| offered(&id, key, model)).collect();
    models.sort_by(|one, other| one.name.cmp(&other.name));
    (!models.is_empty()).then(|| Provider {
        name: json::filled(&value["name"]).unwrap_or(id),
        models,
    })
}

/// A prompt names a model by the key that it has in its provider.
fn offered(provider: &str, key: &str, model: &Value) -> Option<OfferedModel> {
    let is_named = !key.trim().is_empty() && model.is_object();
    is_named.then(|| OfferedModel {
        id: ModelRef {
            provider: provider.to_owned(),
            model: key.to_owned(),
        },
        name: json::filled(&model["name"]).unwrap_or_else(|| key.to_owned()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_without_a_name_is_left_out_and_the_others_stay() {
        let body = r#"[null,7,"build",{"name":7},{"name":" "},{"mode":"primary"},{"name":"ask","mode":[],"hidden":"no","model":{"providerID":"stub"}},
            {"name":"fix","mode":"all","model":{"providerID":"stub","modelID":"scripted"}},{"name":"sub","mode":"subagent"}]"#;
        let found = agents(body).unwrap();
        let names: Vec<&str> = found.iter().map(|agent| agent.name.as_str()).collect();
        assert_eq!(names, ["ask", "fix"]);
        let models: Vec<Option<String>> = found
            .iter()
            .map(|agent| agent.model.as_ref().map(ToString::to_string))
            .collect();
        assert_eq!(models, [None, Some("stub/scripted".to_owned())]);
    }

    #[test]
    fn a_provider_or_a_model_that_cannot_be_named_is_left_out_and_the_others_stay() {
        let body = r#"{"providers":[null,{"name":"No id","models":{"a":{}}},{"id":"none"},{"id":"empty","models":{}},
            {"id":"list","models":[{"id":"a"}]},
            {"id":"odd","name":7,"models":{"":{"name":"No key"},"b":null,"c":{"name":[]},"d":{"name":"A"}}}]}"#;
        let found = providers(body).unwrap();
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].name, "odd");
        let models: Vec<(&str, &str)> = found[0]
            .models
            .iter()
            .map(|model| (model.name.as_str(), model.id.model.as_str()))
            .collect();
        assert_eq!(models, [("A", "d"), ("c", "c")]);
    }

    #[test]
    fn what_is_no_list_is_an_error() {
        assert!(agents("{}").is_err());
        for body in ["[]", "{}", r#"{"providers":{}}"#, "<!doctype html>"] {
            assert!(providers(body).is_err(), "{body}");
        }
    }
}

//! The agents and the models that a prompt may name.

use switchboard_wire as wire;

use crate::fixture::recorded;

#[test]
fn the_agents_that_a_person_may_prompt_are_offered_and_sub_agents_are_not() {
    let agents = wire::agents(&recorded("agent-list.json")).expect("a list");
    let names: Vec<&str> = agents.iter().map(|agent| agent.name.as_str()).collect();
    assert_eq!(names, ["build", "plan"]);
}

#[test]
fn the_models_of_each_provider_are_offered_by_name() {
    let providers = wire::providers(&recorded("config-providers.json")).expect("providers");
    let names: Vec<(&str, usize)> = providers
        .iter()
        .map(|provider| (provider.name.as_str(), provider.models.len()))
        .collect();
    assert_eq!(names, [("OpenCode Zen", 8), ("Scripted model", 1)]);
    assert!(providers[0].models.is_sorted_by_key(|model| model.name.clone()));
    let scripted = &providers[1].models[0];
    assert_eq!(
        (scripted.name.as_str(), scripted.id.to_string()),
        ("Scripted", "stub/scripted".to_owned())
    );
}

#[test]
fn a_directory_cannot_change_the_path_of_either_list() {
    let directory = "/a b&c".into();
    assert_eq!(wire::path_of_agents(&directory), "/agent?directory=%2Fa%20b%26c");
    assert_eq!(
        wire::path_of_providers(&directory),
        "/config/providers?directory=%2Fa%20b%26c"
    );
}

//! What is said of the agent and the model that take a message.

use switchboard_core::PromptOptions;

/// The first choice, and what it stands for where that is known.
#[must_use]
pub fn default_choice(stands_for: Option<&str>) -> String {
    stands_for.map_or_else(|| "Default".to_owned(), |name| format!("Default ({name})"))
}

/// What was chosen before is no longer there.
#[must_use]
pub fn gone(gone: &PromptOptions) -> Option<String> {
    let model = gone.model.as_ref().map(ToString::to_string);
    Some(match (&gone.agent, model) {
        (None, None) => return None,
        (Some(agent), None) => format!("The agent {agent} is gone. The default agent takes the message."),
        (None, Some(model)) => format!("The model {model} is gone. The message goes to the default model."),
        (Some(agent), Some(model)) => {
            format!("The agent {agent} and the model {model} are gone. The message goes to the default ones.")
        }
    })
}

/// The lists cannot be read, and what happens to a message meanwhile. The problem is what the server did.
#[must_use]
pub fn unread(problem: &str, chosen: &PromptOptions) -> String {
    let model = chosen.model.as_ref().map(ToString::to_string);
    let goes_to = match (&chosen.agent, model) {
        (None, None) => "The message goes to the default ones.".to_owned(),
        (Some(agent), None) => format!("The message goes to {agent}, as before."),
        (None, Some(model)) => format!("The message goes to {model}, as before."),
        (Some(agent), Some(model)) => format!("The message goes to {agent} with {model}, as before."),
    };
    format!("Agents and models cannot be chosen: the server {problem}. {goes_to}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use switchboard_core::model::ModelRef;

    fn options(agent: Option<&str>, model: Option<&str>) -> PromptOptions {
        PromptOptions {
            agent: agent.map(str::to_owned),
            model: model.map(|model| ModelRef {
                provider: "stub".to_owned(),
                model: model.to_owned(),
            }),
        }
    }

    #[test]
    fn what_is_gone_is_named() {
        let said = |agent, model| gone(&options(agent, model));
        assert_eq!(said(None, None), None);
        assert_eq!(
            said(Some("plan"), None).as_deref(),
            Some("The agent plan is gone. The default agent takes the message.")
        );
        assert_eq!(
            said(Some("plan"), Some("scripted")).as_deref(),
            Some("The agent plan and the model stub/scripted are gone. The message goes to the default ones.")
        );
    }

    #[test]
    fn a_list_that_cannot_be_read_says_who_takes_the_message() {
        let said = |agent, model| unread("answered 500: broken", &options(agent, model));
        assert_eq!(
            said(None, None),
            "Agents and models cannot be chosen: the server answered 500: broken. The message goes to the default ones."
        );
        assert!(said(Some("plan"), None).ends_with("The message goes to plan, as before."));
        assert!(
            said(Some("plan"), Some("scripted")).ends_with("The message goes to plan with stub/scripted, as before.")
        );
    }
}

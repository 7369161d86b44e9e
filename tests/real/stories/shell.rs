//! Shell commands that a client runs.

use switchboard_core::model::{Message, Reply, SessionId};
use switchboard_core::ports::Posted;

use super::{asks, check, first, says};
use crate::story::outcome_of;

/// F7: the exit code is nowhere but in what the command prints after the token.
#[test]
fn a_shell_command_tells_its_exit_code_only_by_printing_it() {
    check("shell", |story| {
        let session = story.create();
        // c=$(echo ZWNobyBmaW5lCmV4aXQgMw== | base64 -d)
        // sh -c "$c" </dev/null
        // printf '\n%s %s\n' 'token-4711' "$?"
        let encoded = "Yz0kKGVjaG8gWldOb2J5Qm1hVzVsQ21WNGFYUWdNdz09IHwgYmFzZTY0IC1kKQpzaCAtYyAiJGMiIDwvZGV2L251bGwKcHJpbnRmICdcbiVzICVzXG4nICd0b2tlbi00NzExJyAiJD8iCg==";
        let command = format!(": token-4711; echo {encoded} | base64 -d | sh");
        assert_eq!(story.shell(&session, &command), Posted::Accepted);
        story.until("its output", |seen| {
            let mut tools = seen.sessions[0].messages.iter().flat_map(Message::tools);
            tools.any(|(_, tool)| {
                let output = tool.output.as_deref().map(str::trim);
                tool.input.contains("token-4711") && tool.exit.is_none() && output == Some("fine\n\ntoken-4711 3")
            })
        });
        story.until_idle();
    });
}

#[test]
fn a_shell_command_is_refused_while_the_session_works() {
    check("shell busy", |story| {
        let session = story.begin(&asks("Which?"));
        let request = first(story.until_listed(1));
        let refused = story.shell(&session, "echo fine");
        story.tell("the command", outcome_of(&refused));
        story.reply(&request, Reply::Dismiss);
        story.until_idle();
        let taken = story.shell(&session, "echo fine");
        story.tell("the next command", outcome_of(&taken));
        let nowhere = SessionId::from("ses_e002ce275ffei25adQZpGQkXMC");
        let lost = story.shell(&nowhere, "echo fine");
        story.tell("a command nowhere", outcome_of(&lost));
    });
}

#[test]
fn a_shell_command_is_stopped() {
    check("shell stopped", |story| {
        let session = story.create();
        story.begin_shell(&session, "sleep 30");
        story.until("the command", |seen| {
            let mut tools = seen.sessions[0].messages.iter().flat_map(Message::tools);
            seen.sessions[0].is_running() && tools.any(|(_, tool)| !tool.status.is_final())
        });
        let prompt = story.prompt(&session, "and another thing");
        story.until("the prompt", |seen| {
            seen.sessions[0]
                .messages
                .iter()
                .any(|message| message.id == prompt.message)
        });
        story.abort(&session);
        story.until("the end", |seen| !seen.sessions[0].is_running());
    });
}

#[test]
fn a_prompt_behind_a_shell_command_is_answered_after_it() {
    check("prompt behind", |story| {
        let session = story.create();
        story.begin_shell(&session, "sleep 1");
        story.until("the command", |seen| seen.sessions[0].messages.len() == 2);
        story.prompt(&session, &says("Here I am.").to_prompt());
        story.until("the answer", |seen| {
            let messages = &seen.sessions[0].messages;
            messages.iter().any(|message| message.text() == "Here I am.")
        });
        story.until_idle();
    });
}

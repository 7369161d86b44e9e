//! A request, and what is said to it, as records.

use switchboard_core::model::{Ask, Choice, Permission, Question, Reply, Request, ToolRef};

use crate::codec::{choice, record};

record!(Request {
    id,
    session,
    directory,
    tool,
    ask
});

record!(ToolRef { message, call });

choice!(Ask {
    "questions" => Questions(questions),
    "permission" => Permission(permission),
});

record!(Question {
    text,
    header,
    options,
    multiple,
    custom
});

record!(Choice { label, description });

record!(Permission {
    kind,
    patterns,
    always,
    command,
    file,
    diff,
    detail
});

choice!(Reply {
    "answers" => Answers(answers),
    "dismiss" => Dismiss,
    "once" => Once,
    "always" => Always,
    "reject" => Reject { message },
});

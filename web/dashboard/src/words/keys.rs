//! What the keys do.

/// A group of keys: its name, and what each does. `then` and `to` stand between keys.
pub type Group = (&'static str, &'static [(&'static str, &'static str)]);

/// All keys.
pub const GROUPS: [Group; 4] = [
    (
        "Move",
        &[
            ("Next, previous request", "J K"),
            ("Inbox", "G then I"),
            ("All sessions", "G then S"),
            ("Open the session", "O"),
            ("Back", "["),
            ("This help", "?"),
            ("Command palette", "Control K"),
        ],
    ),
    (
        "Questions",
        &[
            ("Choose an option", "1 to 9"),
            ("Write your own answer", "W"),
            ("Send, or next question", "↵"),
            ("Question before, after", "← →"),
            ("Dismiss…", "X"),
            ("Gone: send it as a message", "M"),
            ("Copy the answer", "C"),
        ],
    ),
    (
        "Session",
        &[
            ("Start a session", "N"),
            ("Write a message", "P"),
            ("Find in the session", "Control F"),
            ("Send the message", "Control ↵"),
            ("Show, hide the side panel", "T"),
            ("Stop the run…", "Shift S"),
        ],
    ),
    (
        "Permissions",
        &[
            ("Allow once", "A"),
            ("Always allow…", "Shift A"),
            ("Reject…", "R"),
            ("Show the whole diff", "D"),
            ("Close without deciding", "Esc"),
        ],
    ),
];

/// Beside the title of the help.
pub const WHEN: &str = "single keys work when no text field has the focus";

/// Under the help.
pub const NEVER_GRANTS: &str = "Enter never grants a permission.";

/// The keys of the inbox, in short: keys, and what they do.
pub const OF_INBOX: [(&str, &str); 8] = [
    ("J K", "move"),
    ("1–9", "choose"),
    ("↵", "send"),
    ("A", "allow once"),
    ("R", "reject"),
    ("X", "dismiss"),
    ("O", "open session"),
    ("?", "all keys"),
];

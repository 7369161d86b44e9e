//! What a session has changed, as the server notes it beside each prompt.

use super::{WireError, json};

/// A file that changed in one run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The name of the file.
    pub file: String,
    /// The change as a unified diff; empty where the server has none.
    pub patch: String,
}

/// Understands what `GET /session/{id}/message` says of files: what changed in the run after each prompt, the oldest first.
///
/// `GET /session/{id}/diff` says the same of one prompt, and without a prompt it is empty.
///
/// # Errors
/// When it is no list.
pub fn changes(body: &str) -> Result<Vec<Change>, WireError> {
    let messages = json::parse_list(body)?;
    let noted = messages
        .iter()
        .flat_map(|message| json::elements(&message["info"]["summary"]["diffs"]));
    let changes = noted.filter_map(|change| {
        Some(Change {
            file: json::filled(&change["file"])?,
            patch: json::text(&change["patch"]).unwrap_or_default(),
        })
    });
    Ok(changes.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_without_a_file_is_left_out_and_one_without_a_diff_stays() {
        let body = r#"[null,{"info":{"summary":true}},{"info":{"summary":{"diffs":[7,{"patch":"a"},{"file":"b","patch":7},
            {"file":"c","patch":"d"}]}}}]"#;
        let found = changes(body).unwrap();
        let found: Vec<(&str, &str)> = found
            .iter()
            .map(|change| (change.file.as_str(), change.patch.as_str()))
            .collect();
        assert_eq!(found, [("b", ""), ("c", "d")]);
        assert!(changes("{}").is_err());
    }
}

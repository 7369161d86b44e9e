//! The server itself: its version, and the directories it serves.

use switchboard_core::model::{Directory, Health};

use super::{WireError, json};

/// Understands `GET /global/health`.
///
/// # Errors
/// When it does not say that OpenCode is there, with a version.
pub fn health(body: &str) -> Result<Health, WireError> {
    let value = json::parse(body)?;
    let version = json::filled(&value["version"]).filter(|_| value["healthy"] == true);
    version
        .map(|version| Health { version })
        .ok_or_else(|| WireError("no sign of health".to_owned()))
}

/// Understands `GET /project`: the working folder and the sandboxes of each project, each once, in the server's order.
///
/// The project of sessions outside of any repository has `/` for a folder; nothing runs there.
///
/// # Errors
/// When it is no list.
pub fn directories(body: &str) -> Result<Vec<Directory>, WireError> {
    let mut directories = Vec::new();
    for project in json::parse_list(body)? {
        let folders = json::filled(&project["worktree"])
            .into_iter()
            .chain(json::texts(&project["sandboxes"]));
        for folder in folders.filter(|folder| !folder.is_empty() && folder != "/") {
            let directory = Directory::from(folder);
            if !directories.contains(&directory) {
                directories.push(directory);
            }
        }
    }
    Ok(directories)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_and_sandboxes_are_listed_once_and_the_root_is_not() {
        let body =
            r#"[{"worktree":"/"},{"worktree":"/a","sandboxes":["/b",""]},{"worktree":"/b"},{"worktree":7},null]"#;
        assert_eq!(directories(body), Ok(vec!["/a".into(), "/b".into()]));
    }

    #[test]
    fn only_a_healthy_server_with_a_version_counts() {
        assert!(health(r#"{"healthy":true,"version":"1.18.33"}"#).is_ok());
        assert!(health(r#"{"healthy":true}"#).is_err());
        assert!(health(r#"{"healthy":false,"version":"1.18.33"}"#).is_err());
    }
}

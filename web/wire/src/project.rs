//! The server itself: its version, and the directories it serves.

use switchboard_core::model::{Directory, Health};

use super::{HttpAnswer, WireError, json};

/// Understands `GET /global/health`.
///
/// # Errors
/// When it does not say that OpenCode is there, with a version.
pub fn health(body: &str) -> Result<Health, WireError> {
    let value = json::parse(body)?;
    let version = json::filled(&value["version"]).filter(|_| value["healthy"] == true);
    version
        .map(|version| Health { version })
        .ok_or(WireError::Missing("sign of health"))
}

/// The version of a server whose `GET /api/info` is answered as OpenCode 2 does; none for every other.
#[must_use]
pub fn second_generation(answer: &HttpAnswer) -> Option<String> {
    let value = json::parse(&answer.body).ok()?;
    let speaks_it = answer.status == 200 && answer.is_json() && value["pid"].is_i64();
    json::filled(&value["version"]).filter(|_| speaks_it)
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

    #[test]
    fn a_server_of_the_second_generation_is_told_by_its_process_id() {
        let answer = |content_type: &str, body: &str| HttpAnswer {
            status: 200,
            content_type: Some(content_type.to_owned()),
            cursor: None,
            body: body.to_owned(),
        };
        let info = r#"{"version":"2.0.1","pid":17}"#;
        assert_eq!(
            second_generation(&answer("application/json", info)),
            Some("2.0.1".to_owned())
        );
        assert_eq!(second_generation(&answer("text/html", info)), None);
        assert_eq!(
            second_generation(&answer("application/json", r#"{"version":"2.0.1"}"#)),
            None
        );
    }
}

//! The files of a directory, as the server sees them.

use switchboard_core::model::Directory;

use super::path::{in_directory, with_query};
use super::{WireError, json};

/// A file or a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedFile {
    /// Its name in its folder.
    pub name: String,
    /// Whether it is a folder.
    pub is_folder: bool,
}

/// The path and query of the files in a folder, which is named from the directory on; empty for the directory itself.
#[must_use]
pub fn path_of_files(directory: &Directory, folder: &str) -> String {
    with_query(&in_directory("/file", directory), [("path", Some(folder.to_owned()))])
}

/// The path and query of the text of a file, which is named from the directory on.
#[must_use]
pub fn path_of_file_text(directory: &Directory, file: &str) -> String {
    with_query(
        &in_directory("/file/content", directory),
        [("path", Some(file.to_owned()))],
    )
}

/// Understands `GET /file`: what lies in a folder.
///
/// # Errors
/// When it is no list.
pub fn files(body: &str) -> Result<Vec<ListedFile>, WireError> {
    let listed = json::parse_list(body)?.into_iter().filter_map(|file| {
        Some(ListedFile {
            name: json::filled(&file["name"])?,
            is_folder: file["type"] == "directory",
        })
    });
    Ok(listed.collect())
}

/// Understands `GET /file/content`: the text of a file, without blanks around it. One that is missing is empty, and so is one that
/// is no text.
///
/// # Errors
/// When it is no file.
pub fn file_text(body: &str) -> Result<String, WireError> {
    let file = json::parse(body)?;
    match file["type"].as_str() {
        Some("text") => json::text(&file["content"]).ok_or(WireError::Missing("content")),
        Some("binary") => Ok(String::new()),
        Some(_) | None => Err(WireError::Missing("type")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_without_a_name_is_left_out_and_the_others_stay() {
        let body = r#"[null,7,{"name":" ","type":"file"},{"name":"a","type":"directory"},{"name":"b","type":[]}]"#;
        let names = files(body).unwrap();
        let names: Vec<(&str, bool)> = names.iter().map(|file| (file.name.as_str(), file.is_folder)).collect();
        assert_eq!(names, [("a", true), ("b", false)]);
        assert!(files("{}").is_err());
    }

    #[test]
    fn a_file_that_is_no_text_is_empty() {
        assert_eq!(file_text(r#"{"type":"text","content":"a\n"}"#), Ok("a\n".to_owned()));
        let binary = r#"{"type":"binary","content":"AAEC","encoding":"base64"}"#;
        assert_eq!(file_text(binary), Ok(String::new()));
        for body in ["[]", "{}", r#"{"type":"text"}"#, "<!doctype html>"] {
            assert!(file_text(body).is_err(), "{body}");
        }
    }

    #[test]
    fn a_name_cannot_change_the_path() {
        let directory = "/a b&c".into();
        assert_eq!(path_of_files(&directory, ""), "/file?directory=%2Fa%20b%26c&path=");
        assert_eq!(
            path_of_file_text(&directory, "a&b.toml"),
            "/file/content?directory=%2Fa%20b%26c&path=a%26b.toml"
        );
    }
}

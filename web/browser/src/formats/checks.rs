//! Finds the commands that check a project, by the files in its folder.

use serde_json::Value;

/// A project, as far as its checks depend on it.
#[derive(Clone, Debug, Default)]
pub struct Project {
    /// The names of the files in its folder.
    pub files: Vec<String>,
    /// The names of the files in the folder `tests`.
    pub tests: Vec<String>,
    /// The text of `package.json`; empty where there is none.
    pub package: String,
    /// The text of its makefile; empty where there is none.
    pub makefile: String,
}

/// The names of a makefile, in the order in which `make` looks for them.
pub const MAKEFILES: [&str; 3] = ["GNUmakefile", "makefile", "Makefile"];

/// Of which `npm init` makes the test script of a project without tests.
const NO_TEST: &str = "no test specified";

/// The commands that probably check a project.
#[must_use]
pub fn suggested_checks(project: &Project) -> Vec<String> {
    let has = |name: &str| project.files.iter().any(|file| file == name);
    let suggestions = [
        has("Cargo.toml").then_some("cargo test"),
        has_test_script(&project.package).then(|| match () {
            () if has("pnpm-lock.yaml") => "pnpm test",
            () if has("yarn.lock") => "yarn test",
            // `bun test` is another runner.
            () if has("bun.lock") || has("bun.lockb") => "bun run test",
            () => "npm test",
        }),
        (["pyproject.toml", "pytest.ini", "setup.cfg"].into_iter().any(has)
            || project.tests.iter().any(|file| file.ends_with(".py")))
        .then_some("pytest"),
        has("go.mod").then_some("go test ./..."),
        has_test_target(&project.makefile).then_some("make test"),
    ];
    suggestions.into_iter().flatten().map(str::to_owned).collect()
}

fn has_test_script(package: &str) -> bool {
    let package: Value = serde_json::from_str(package).unwrap_or_default();
    let script = package["scripts"]["test"].as_str().unwrap_or_default();
    !script.trim().is_empty() && !script.contains(NO_TEST)
}

fn has_test_target(makefile: &str) -> bool {
    makefile.lines().any(|line| {
        let Some((targets, rest)) = line.split_once(':') else {
            return false;
        };
        let is_rule = !line.starts_with(['\t', ' ', '#']) && !targets.contains('=') && !rest.starts_with([':', '=']);
        is_rule && targets.split_whitespace().any(|target| target == "test")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const PACKAGE: &str = r#"{"scripts":{"test":"node --test"}}"#;

    fn project(files: &[&str]) -> Project {
        Project {
            files: files.iter().map(|&file| file.to_owned()).collect(),
            ..Project::default()
        }
    }

    #[test]
    fn each_kind_of_project_has_its_command_and_some_have_several() {
        assert_eq!(suggested_checks(&project(&["notes.md"])), Vec::<String>::new());
        let all = Project {
            package: PACKAGE.to_owned(),
            makefile: "all: test\ntest:\n\tcargo test\n".to_owned(),
            ..project(&["Cargo.toml", "pyproject.toml", "go.mod"])
        };
        let expected = ["cargo test", "npm test", "pytest", "go test ./...", "make test"];
        assert_eq!(suggested_checks(&all), expected);
        for name in ["pytest.ini", "setup.cfg"] {
            assert_eq!(suggested_checks(&project(&[name])), ["pytest"]);
        }
        let with_tests = |name: &str| Project {
            tests: vec![name.to_owned()],
            ..Project::default()
        };
        assert_eq!(suggested_checks(&with_tests("test_a.py")), ["pytest"]);
        assert!(suggested_checks(&with_tests("a.spec.js")).is_empty());
    }

    #[test]
    fn the_lock_file_says_what_runs_the_script() {
        for (lock, command) in [
            ("package-lock.json", "npm test"),
            ("pnpm-lock.yaml", "pnpm test"),
            ("yarn.lock", "yarn test"),
            ("bun.lock", "bun run test"),
            ("bun.lockb", "bun run test"),
        ] {
            let project = Project {
                package: PACKAGE.to_owned(),
                ..project(&[lock])
            };
            assert_eq!(suggested_checks(&project), [command]);
        }
    }

    #[test]
    fn a_package_without_a_test_is_not_tested() {
        for package in [
            "",
            "{",
            "[]",
            r#"{"scripts":"test"}"#,
            r#"{"scripts":{"test":7}}"#,
            r#"{"scripts":{"test":" "}}"#,
            r#"{"scripts":{"test":"echo \"Error: no test specified\" && exit 1"}}"#,
        ] {
            let project = Project {
                package: package.to_owned(),
                ..project(&["package.json"])
            };
            assert!(suggested_checks(&project).is_empty(), "{package}");
        }
    }

    #[test]
    fn a_makefile_needs_a_target_test() {
        for (makefile, is_suggested) in [
            ("test:", true),
            ("check test : build", true),
            ("test-all:", false),
            ("\ttest:", false),
            ("# test:", false),
            ("test := a", false),
            ("test ::= a", false),
            ("NAME = test:", false),
            ("all: test", false),
        ] {
            let project = Project {
                makefile: makefile.to_owned(),
                ..Project::default()
            };
            assert_eq!(!suggested_checks(&project).is_empty(), is_suggested, "{makefile}");
        }
    }
}

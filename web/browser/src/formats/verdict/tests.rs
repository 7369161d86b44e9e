//! The forms that reviewers use, and what is none.

use super::*;

fn place(text: &str) -> (usize, usize, String) {
    match read_verdict(text) {
        Ok(verdict) => panic!("{text} is {verdict:?}"),
        Err(fault) => (fault.line, fault.column, fault.message),
    }
}

fn issue(severity: Severity, text: &str) -> Issue {
    Issue {
        severity,
        text: text.to_owned(),
    }
}

/// C9
#[test]
fn a_verdict_is_read_in_all_the_forms_that_reviewers_use() {
    let one = [issue(Severity::High, "slow")];
    for (text, issues) in [
        ("i:\n  - H: slow\n", &one[..]),
        ("i:\n  - \"h: slow\"\n", &one),
        ("i:\n  - 'H: slow'\n", &one),
        ("i:\n  H: slow\n", &one),
        ("i:\n  H: [slow]\n", &one),
        ("i: {H: slow}\n", &one),
        ("i:\n- H: >-\n    slow\n", &one),
        ("", &[]),
        ("i:\n", &[]),
        ("i: ~\n", &[]),
        ("i: []\n", &[]),
        ("i: []\n...\n", &[]),
        ("i: []\n...\n: [what comes after it\n", &[]),
        ("i: []\n---\nv: MAYBE\n", &[]),
    ] {
        for begin in ["", "---\n", "\u{feff}", "# my verdict\n"] {
            let text = format!("{begin}p: 5\nv: no-go\n{text}");
            let expected = Verdict {
                persona: "5".to_owned(),
                vote: Vote::NoGo,
                issues: issues.to_vec(),
            };
            assert_eq!(read_verdict(&text), Ok(expected), "{text}");
        }
    }
}

/// C9
#[test]
fn a_verdict_may_be_json() {
    let json = "{\"p\": \"tests\", \"v\": \"GO\",\n\t\"i\": [{\"C\": \"no \\\"check\\\"\"}, {\"L\": [\"a\", \"b\"]}]}";
    let issues = [
        issue(Severity::Critical, "no \"check\""),
        issue(Severity::Low, "a"),
        issue(Severity::Low, "b"),
    ];
    assert_eq!(read_verdict(json).unwrap().issues, issues);
}

/// C9
#[test]
fn a_vote_is_read_however_it_is_spelled() {
    for (word, vote) in [
        ("GO", Vote::Go),
        ("go", Vote::Go),
        ("Conditional", Vote::Conditional),
        ("NO-GO", Vote::NoGo),
        ("no_go", Vote::NoGo),
        ("'NoGo '", Vote::NoGo),
    ] {
        let verdict = read_verdict(&format!("v: {word}\n")).unwrap();
        assert_eq!((verdict.vote, verdict.persona.as_str()), (vote, ""), "{word}");
    }
}

/// C9
#[test]
fn a_markdown_fence_is_left_out() {
    for text in [
        "```yaml\np: tests\nv: GO\n```\n",
        "\n\n```\np: tests\nv: GO\n```\nThat is all.\n",
        "```json\n{\"p\": \"tests\", \"v\": \"GO\"}\n```",
        "```yaml\np: tests\nv: GO\n",
    ] {
        assert_eq!(read_verdict(text).unwrap().persona, "tests", "{text}");
    }
}

/// C4, C9
#[test]
fn a_verdict_that_says_something_else_is_told_where_in_words_about_verdicts() {
    for (text, line, column, message) in [
        (
            "p: tests\nv: MAYBE\n",
            2,
            4,
            "`MAYBE` is not a vote: GO, CONDITIONAL or NO-GO",
        ),
        ("p: tests\nv:\n", 2, 2, "`v` is a vote: GO, CONDITIONAL or NO-GO"),
        ("p: tests\nv:\ni: []\n", 2, 2, "`v` is a vote: GO, CONDITIONAL or NO-GO"),
        (
            "p: tests\nv: GO\ni:\n  - X: what\n",
            4,
            5,
            "`X` is not a severity: C, H, M or L",
        ),
        ("p: tests\nv: GO\ni:\n  - C: {}\n", 4, 8, "an issue is a text"),
        (
            "p: grün\nv: GO\ni: [\"ä\", C: {}]\n",
            3,
            5,
            "an issue begins with its severity and a colon: C, H, M or L",
        ),
        ("p: tests\nv: GO\ni: [\"C: ä\", C: {}]\n", 3, 16, "an issue is a text"),
        (
            "p: tests\nv: GO\ni: slow\n",
            3,
            4,
            "an issue begins with its severity and a colon: C, H, M or L",
        ),
        ("p: [a]\nv: GO\n", 1, 4, "`p` is the name of the reviewer"),
        ("p: &a tests\nv: *a\n", 2, 4, "`v` is a vote: GO, CONDITIONAL or NO-GO"),
        ("p: tests\n", 1, 1, "`v` is missing: GO, CONDITIONAL or NO-GO"),
        ("v: GO\nv: NO-GO\n", 2, 1, "a map has each key once"),
        ("I do not know", 1, 1, "a verdict is a mapping with `p`, `v` and `i`"),
        ("- v: GO", 1, 1, "a verdict is a mapping with `p`, `v` and `i`"),
        ("", 1, 1, "a verdict is a mapping with `p`, `v` and `i`"),
        (
            "```yaml\np: tests\nv: MAYBE\n```\n",
            3,
            4,
            "`MAYBE` is not a vote: GO, CONDITIONAL or NO-GO",
        ),
        (
            "{\n  \"p\": \"tests\",\n  \"v\": \"MAYBE\"\n}",
            3,
            8,
            "`MAYBE` is not a vote: GO, CONDITIONAL or NO-GO",
        ),
    ] {
        assert_eq!(place(text), (line, column, message.to_owned()), "{text}");
    }
}

/// C4
#[test]
fn a_text_that_is_cut_off_or_is_no_yaml_is_told_where() {
    for (text, line) in [
        ("v: GO\np: [a, b", 2),
        ("{\"v\": \"GO\",\n \"p\": \"te", 2),
        ("{\"v\": \"GO\",\n \"p\": \"te\"", 2),
        ("v: GO\ni:\n  - \"H: slow", 3),
        ("v: GO\ni:\n  - H: a: b\n", 3),
        ("Here it is:\n\n  v: GO\n p: x", 4),
        ("```yaml\nv: GO\np: [a, b\n```\n", 3),
    ] {
        let (found, column, message) = place(text);
        assert_eq!(found, line, "{text}: {column}: {message}");
        assert!(column > 0 && !message.is_empty());
    }
}

/// C4
#[test]
fn a_hostile_text_ends_soon_with_a_fault() {
    let bomb: String = (0..30)
        .map(|level| format!("a{level}: &a{level} [*a{0}, *a{0}]\n", level - 1))
        .collect();
    for text in [
        format!("a-1: &a-1 x\n{bomb}v: *a29\n"),
        format!("v: {}", "[".repeat(200_000)),
        format!("v: {}", "{a: ".repeat(60_000)),
        "- ".repeat(120_000),
        "? ".repeat(120_000),
        "&a ".repeat(80_000),
        "!a ".repeat(80_000),
        format!("v: \"{}", "\\u0041".repeat(40_000)),
        format!("v: {}", "GO ".repeat(80_000)),
        format!("{}v: MAYBE", "k: ".repeat(80_000)),
        (0..30_000).map(|key| format!("k{key}: x\n")).collect(),
        "p: x\n".repeat(200_000),
        "\u{1f4de}".repeat(250_000),
        "\0".repeat(200_000),
        "\n".repeat(250_000),
        "#".repeat(250_000),
        "%YAML 1.2\n".repeat(20_000),
        "'".repeat(250_000),
        "---\n".repeat(60_000),
    ] {
        let fault = read_verdict(&text).unwrap_err();
        assert!(fault.message.len() < 200, "{}", fault.message);
    }
}

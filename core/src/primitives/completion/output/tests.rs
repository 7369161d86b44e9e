use super::*;

const REVIEW: &str = "---\np: security\nv: GO\ni:\n  - M: the token is compared with ==, which leaks its length in time\n  - L: a comment is wrong about the size\n";

fn yaml() -> OutputDetector {
    OutputDetector::new(Format::Yaml, Rules::default(), Time(0))
}

fn over(detector: &OutputDetector) -> Option<Result<Completion, IncompleteReason>> {
    detector.over.map(|(result, _)| result)
}

/// Pushes a text in pieces of so many bytes, all at one time.
fn push_in_pieces(detector: &mut OutputDetector, text: &str, size: usize) {
    for piece in text.as_bytes().chunks(size) {
        detector.push(std::str::from_utf8(piece).unwrap(), Time(10));
    }
}

/// C1
#[test]
fn an_end_marker_completes_in_whatever_pieces_it_comes() {
    for end in ["...\n", "---\n", "  ...  \n\n\n"] {
        for size in [1, 3, 7, 1_000] {
            let mut detector = yaml();
            push_in_pieces(&mut detector, &format!("{REVIEW}{end}"), size);
            assert_eq!(
                over(&detector),
                Some(Ok(Completion::Marked)),
                "{end:?} in pieces of {size}"
            );
        }
    }
}

/// C1
#[test]
fn the_marker_that_begins_a_document_does_not_end_it() {
    let mut detector = yaml();
    let field = "v: GO # ".to_owned() + &"x".repeat(200);
    detector.push(&format!("\n{field}\n"), Time(1));
    assert_eq!(over(&detector), None);
    let mut detector = OutputDetector::new(
        Format::Yaml,
        Rules {
            min_output_length: 1,
            ..Rules::default()
        },
        Time(0),
    );
    detector.push("---\n", Time(1));
    detector.push("---\n", Time(2));
    assert_eq!(over(&detector), None, "there is nothing between them");
}

/// C1
#[test]
fn a_marker_whose_line_goes_on_is_none_and_one_that_stays_is_one() {
    let mut detector = yaml();
    detector.push(&format!("{REVIEW}---"), Time(0));
    assert_eq!(over(&detector), None);
    detector.push("- not the end\n", Time(100));
    assert_eq!(over(&detector), None);
    detector.push("...", Time(200));
    assert_eq!(detector.next_deadline(), Some(Time(1_200)));
    detector.poll(Time(1_199));
    assert_eq!(over(&detector), None);
    detector.poll(Time(1_200));
    assert_eq!(over(&detector), Some(Ok(Completion::Marked)));
}

/// C1
#[test]
fn a_marker_needs_the_field_and_the_length() {
    let without_field = REVIEW.replace("v: GO", "w: GO");
    let mut detector = yaml();
    detector.push(&format!("{without_field}...\n"), Time(0));
    assert_eq!(over(&detector), None);
    let mut detector = yaml();
    detector.push("v: GO\n...\n", Time(0));
    assert_eq!(over(&detector), None);
    detector.poll(Time(2_000));
    assert_eq!(over(&detector), Some(Ok(Completion::Settled)), "it has settled instead");
}

/// C1
#[test]
fn a_marker_in_the_middle_ends_nothing() {
    let mut detector = yaml();
    detector.push(&format!("{REVIEW}...\nand another thing: {{}}\n"), Time(0));
    assert_eq!(over(&detector), None);
}

/// C1
#[test]
fn a_required_field_alone_completes_only_when_nothing_grows_for_two_intervals() {
    let mut detector = yaml();
    detector.push(REVIEW, Time(0));
    detector.push("# more\n", Time(1_900));
    assert_eq!(detector.next_deadline(), Some(Time(3_900)));
    detector.poll(Time(3_899));
    assert_eq!(over(&detector), None);
    detector.poll(Time(3_900));
    assert_eq!(over(&detector), Some(Ok(Completion::Settled)));
}

/// C1
#[test]
fn the_field_is_a_field_and_not_a_word() {
    for (text, has) in [
        ("v: GO", true),
        ("  - v: GO", true),
        ("v:", true),
        ("rev: 3", false),
        ("v:3", false),
    ] {
        let mut detector = yaml();
        detector.push(text, Time(0));
        assert_eq!(detector.has_field(), has, "{text}");
    }
}

/// C1
#[test]
fn the_end_of_the_process_completes_what_has_content() {
    let mut detector = yaml();
    detector.push("hello", Time(0));
    detector.end(Some(0));
    let output = detector.finish(Time(5)).unwrap();
    assert_eq!((output.by, output.exit), (Completion::Ended, Some(0)));
}

/// C3
#[test]
fn a_failure_carries_the_output_and_the_exit_code() {
    let mut detector = yaml();
    detector.push("half of ", Time(0));
    detector.end(Some(137));
    let error = detector.finish(Time(5)).unwrap_err();
    assert_eq!((error.text.as_str(), error.exit), ("half of ", Some(137)));
    assert!(error.to_string().contains("exit code 137"), "{error}");
    let mut detector = yaml();
    detector.push(" \n\n", Time(0));
    detector.end(Some(0));
    assert_eq!(detector.finish(Time(5)).unwrap_err().reason, IncompleteReason::Empty);
}

/// C2, C3
#[test]
fn the_time_out_is_a_net_and_carries_the_output() {
    let mut detector = yaml();
    detector.push("p: slow\n", Time(100));
    assert_eq!(detector.next_deadline(), Some(Time(180_000)));
    detector.poll(Time(179_999));
    assert_eq!(over(&detector), None);
    detector.poll(Time(180_000));
    assert_eq!(detector.next_deadline(), None);
    let error = detector.finish(Time(180_000)).unwrap_err();
    assert_eq!(error.reason, IncompleteReason::TimedOut(Duration::from_secs(180)));
    assert_eq!(error.text, "p: slow\n");
}

/// C2
#[test]
fn a_job_of_three_seconds_is_reported_after_three_seconds() {
    let mut detector = yaml();
    detector.push(REVIEW, Time(1_000));
    detector.push("...\n", Time(3_000));
    assert!(detector.is_over());
}

fn json(text: &str, size: usize) -> OutputDetector {
    let mut detector = OutputDetector::new(Format::Json, Rules::default(), Time(0));
    push_in_pieces(&mut detector, text, size);
    detector
}

/// C1
#[test]
fn json_is_complete_with_the_brace_that_closes_the_first() {
    let issue = "a brace } in a string, an escaped \\\" quote, and enough words to be long enough";
    let whole = format!("Here you are:\n{{\"p\": \"x\", \"i\": [{{\"v\": 1, \"t\": \"{issue}\"}}], \"v\" : \"GO\"}}");
    for size in [1, 5, 1_000] {
        assert_eq!(
            over(&json(&whole, size)),
            Some(Ok(Completion::Marked)),
            "in pieces of {size}"
        );
    }
    assert_eq!(over(&json(&whole[..whole.len() - 1], 9)), None);
    assert_eq!(
        over(&json(&format!("{whole} and more"), 1_000)),
        None,
        "it is not the last thing"
    );
}

/// C1
#[test]
fn json_needs_the_field_of_its_own() {
    let long = "x".repeat(100);
    let inner = format!("{{\"i\": {{\"v\": 1}}, \"t\": \"{long}\", \"u\": \"v\"}}\n");
    assert_eq!(over(&json(&inner, 1_000)), None);
}

/// C3
#[test]
fn what_is_cut_off_says_after_how_long() {
    let mut detector = yaml();
    detector.push("so far", Time(0));
    let error = detector.finish(Time(2_500)).unwrap_err();
    assert_eq!(error.reason, IncompleteReason::TimedOut(Duration::from_millis(2_500)));
}

/// C4
#[test]
fn of_what_comes_after_the_end_only_so_much_is_kept() {
    let mut detector = OutputDetector::new(Format::Yaml, Rules::default(), Time(0));
    detector.push("done", Time(0));
    detector.end(Some(0));
    detector.push(&"x".repeat(AFTER_MAX - 1), Time(1));
    detector.push("ä and more", Time(2));
    detector.push("y", Time(3));
    assert_eq!(detector.text().len(), "done".len() + AFTER_MAX);
    assert!(detector.text().ends_with("xy"));
    assert!(detector.finish(Time(4)).is_ok());
}

//! Class `model`: cutting a stream into lines.
#![allow(clippy::unwrap_used)] // The whole file is tests.

use proptest::prelude::*;
use surehand_wire::{Framer, Severity, Violation, ViolationCount, bounds};

fn lines(framer: &mut Framer) -> Vec<Result<Vec<u8>, Violation>> {
    let mut lines = Vec::new();
    while let Some(line) = framer.next_line() {
        lines.push(line.map(<[u8]>::to_vec));
    }
    lines
}

#[test]
fn lines_come_out_whole_however_they_went_in() {
    let mut framer = Framer::default();
    framer.feed(b"{\"a\":");
    assert_eq!(framer.next_line(), None);
    assert_eq!(framer.unfinished_bytes(), 5);
    framer.feed(b"1}\n\n  \r\n{}\n{");
    assert_eq!(lines(&mut framer), [Ok(b"{\"a\":1}".to_vec()), Ok(b"{}".to_vec())]);
    assert_eq!(framer.unfinished_bytes(), 1);
}

#[test]
fn a_line_may_be_as_long_as_its_bound_and_no_longer() {
    let mut framer = Framer::with_limit(4);
    framer.feed(b"1234\n");
    assert_eq!(lines(&mut framer), [Ok(b"1234".to_vec())]);
    framer.feed(b"1\n12345\n6\n");
    assert_eq!(lines(&mut framer), [Ok(b"1".to_vec()), Err(Violation::LineTooLong)]);
    framer.feed(b"7\n");
    assert_eq!(lines(&mut framer), [], "a broken stream is not trusted again");
}

#[test]
fn a_line_without_end_is_noticed_before_it_ends_and_its_bytes_are_let_go() {
    let mut framer = Framer::with_limit(4);
    framer.feed(b"12345");
    assert_eq!(lines(&mut framer), [Err(Violation::LineTooLong)]);
    assert_eq!(framer.unfinished_bytes(), 0);
    framer.feed(&[0; 1_000]);
    assert_eq!(framer.unfinished_bytes(), 0);
}

#[test]
fn the_third_counted_violation_or_the_first_fatal_one_ends_the_generation() {
    let mut count = ViolationCount::default();
    let ends: Vec<bool> = (0..bounds::VIOLATIONS_PER_GENERATION).map(|_| count.add(Violation::NotJson)).collect();
    assert_eq!(ends, [false, false, true]);
    assert!(count.is_over());
    for fatal in [Violation::LineTooLong, Violation::IdNotHigher, Violation::AnswerWithoutRequest] {
        assert_eq!(fatal.severity(), Severity::Fatal);
        assert!(ViolationCount::default().add(fatal));
    }
}

proptest! {
    #[test]
    fn the_cuts_between_reads_change_nothing(
        bytes in prop::collection::vec(prop::sample::select(b"ab \n".to_vec()), 0..200),
        cuts in prop::collection::vec(0_usize..200, 0..8),
    ) {
        let mut whole = Framer::with_limit(12);
        whole.feed(&bytes);
        let expected = lines(&mut whole);
        let mut cuts: Vec<usize> = cuts.into_iter().filter(|cut| *cut <= bytes.len()).chain([0, bytes.len()]).collect();
        cuts.sort_unstable();
        let mut framer = Framer::with_limit(12);
        let mut found = Vec::new();
        for part in cuts.windows(2) {
            framer.feed(&bytes[part[0]..part[1]]);
            found.extend(lines(&mut framer));
        }
        prop_assert_eq!(found, expected);
    }
}

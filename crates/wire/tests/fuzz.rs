//! Class `model`: bytes nobody meant. Every seed of the corpus, mutated for a bounded time from a fixed start,
//! goes through the framer and both parsers: each gives a message or a typed violation, and never panics.
#![allow(clippy::unwrap_used)] // The whole file is tests.

mod messages;

use messages::*;
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::PathBuf,
    time::{Duration, Instant},
};
use surehand_wire::*;

/// The first of these to be reached ends the run; the mutations up to there are always the same ones.
const TIME: Duration = Duration::from_secs(4);
const MUTATIONS: u32 = 400_000;
const SEED: u64 = 0x5eed_0f5a_fe4a_4d5a;

fn corpus() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/corpus")
}

/// By folder and file name.
fn seeds() -> BTreeMap<String, Vec<u8>> {
    let mut seeds = BTreeMap::new();
    for folder in ["host", "executor", "stream"] {
        for file in fs::read_dir(corpus().join(folder)).unwrap() {
            let path = file.unwrap().path();
            let name = format!("{folder}/{}", path.file_name().unwrap().to_str().unwrap());
            seeds.insert(name, fs::read(path).unwrap());
        }
    }
    seeds
}

/// What the corpus holds of well-formed lines: one file a message.
fn well_formed() -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for (count, call) in full_calls().into_iter().enumerate() {
        let name = format!("host/{count:02}-{}", call.method().as_str());
        files.insert(name, encode_request(&Request { id: RequestId::new(count as u64 + 1).unwrap(), call }));
    }
    files.insert("host/cancel".to_owned(), encode_cancel(RequestId::FIRST));
    for (count, reply) in full_replies().iter().enumerate() {
        let name = format!("executor/{count:02}-{}", reply.method().as_str());
        files.insert(name, encode_answer(RequestId::new(count as u64 + 1).unwrap(), reply));
    }
    for code in RpcCode::ALL {
        let name = format!("executor/rpc{}", code.number());
        files.insert(name, encode_rpc_error(RequestId::FIRST, RpcError(*code)));
    }
    files.insert("executor/complaint".to_owned(), encode_complaint(RpcError(RpcCode::Parse)));
    files
}

/// Write the well-formed part anew with `SUREHAND_UPDATE_CORPUS=1`.
#[test]
fn the_corpus_holds_every_message() {
    let wanted = well_formed();
    if std::env::var_os("SUREHAND_UPDATE_CORPUS").is_some() {
        for (name, bytes) in &wanted {
            fs::write(corpus().join(name), bytes).unwrap();
        }
    }
    let seeds = seeds();
    for (name, bytes) in &wanted {
        assert_eq!(seeds.get(name), Some(bytes), "{name}: SUREHAND_UPDATE_CORPUS=1 writes it");
    }
    let numbered = |name: &&String| name.starts_with("host/") || name.starts_with("executor/");
    let extra: BTreeSet<&String> = seeds.keys().filter(numbered).filter(|name| !wanted.contains_key(*name)).collect();
    assert!(extra.is_empty(), "no message is written like these any more: {extra:?}");
}

#[test]
fn seeds_of_the_wrong_direction_and_broken_streams_are_typed_violations() {
    for (name, bytes) in seeds() {
        let outcome = take(&bytes);
        match name.split_once('/').unwrap().0 {
            "host" => assert!(outcome.requests > 0 && outcome.answers == 0, "{name}"),
            "executor" => assert!(outcome.answers > 0 && outcome.requests == 0, "{name}"),
            _ => assert!(outcome.violations > 0, "{name}"),
        }
    }
}

#[test]
fn mutated_bytes_give_messages_or_violations_and_never_a_panic() {
    let seeds: Vec<Vec<u8>> = seeds().into_values().collect();
    let mut random = Random(SEED);
    let started = Instant::now();
    let mut total = Outcome::default();
    let mut mutations = 0;
    while mutations < MUTATIONS && started.elapsed() < TIME {
        let mut bytes = seeds[random.below(seeds.len())].clone();
        for _ in 0..=random.below(4) {
            mutate(&mut bytes, &seeds, &mut random);
        }
        total.add(take(&bytes));
        mutations += 1;
    }
    assert!(mutations > 1_000, "{mutations} mutations in {TIME:?}");
    assert!(total.requests > 0 && total.answers > 0 && total.violations > 0, "{total:?}");
}

/// How many of each came out.
#[derive(Debug, Default)]
struct Outcome {
    requests: u64,
    answers: u64,
    violations: u64,
}

impl Outcome {
    fn add(&mut self, other: Self) {
        self.requests += other.requests;
        self.answers += other.answers;
        self.violations += other.violations;
    }
}

/// Both ends take the bytes in, in uneven pieces.
fn take(bytes: &[u8]) -> Outcome {
    let mut outcome = Outcome::default();
    let mut framer = Framer::with_limit(64 * 1024);
    for piece in bytes.chunks(777) {
        framer.feed(piece);
        while let Some(line) = framer.next_line() {
            match line {
                Ok(line) => take_line(line, &mut outcome),
                Err(_) => outcome.violations += 1,
            }
        }
    }
    outcome
}

fn take_line(line: &[u8], outcome: &mut Outcome) {
    let from_host = parse_from_host(line);
    match &from_host {
        Ok(FromHost::Request(request)) => {
            outcome.requests += 1;
            let written = encode_request(request);
            assert_eq!(parse_from_host(&written), from_host, "what was understood can be said again");
        }
        Ok(FromHost::Cancel(_)) => outcome.requests += 1,
        Ok(FromHost::Unusable(_)) => {}
        Err(complaint) => assert_ne!(complaint.violation, Violation::LineTooLong),
    }
    match parse_from_executor(line) {
        Ok(FromExecutor::Answer { id, result: Ok(raw) }) => {
            for method in Method::ALL {
                if let Ok(reply) = raw.read(*method) {
                    outcome.answers += 1;
                    let written = encode_answer(id, &reply);
                    let Ok(FromExecutor::Answer { result: Ok(again), .. }) = parse_from_executor(&written) else {
                        panic!("what was understood can be said again");
                    };
                    assert_eq!(again.read(*method), Ok(reply));
                }
            }
        }
        Ok(FromExecutor::Answer { result: Err(_), .. } | FromExecutor::Complaint(_)) => outcome.answers += 1,
        Err(_) if matches!(from_host, Ok(FromHost::Request(_) | FromHost::Cancel(_))) => {}
        Err(_) => outcome.violations += 1,
    }
}

/// Bytes that mean something to JSON, to UTF-8 or to this protocol.
const TOKENS: &[&[u8]] = &[
    b"null",
    b"true",
    b"false",
    b"{}",
    b"[]",
    b"\"\"",
    b"0",
    b"-1",
    b"1e999",
    b"-0.0",
    b"18446744073709551616",
    b"9007199254740993",
    b"\\u0000",
    b"\\ud800",
    b"\n",
    b"\r",
    b"\0",
    b"\xff",
    b"\xed\xa0\x80",
    b"\xf0\x9f\x98\x80",
    b",",
    b":",
    b"{",
    b"}",
    b"[",
    b"]",
    b"\"ok\":true,",
    b"\"ok\":false,",
    b"\"id\":1,",
    b"\"kind\":\"seat\"",
    b"\"extra\":1,",
];

fn mutate(bytes: &mut Vec<u8>, seeds: &[Vec<u8>], random: &mut Random) {
    let at = random.below(bytes.len() + 1);
    match random.below(8) {
        0 if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
        1 if at < bytes.len() => drop(bytes.remove(at)),
        2 => bytes.truncate(at),
        3 => {
            let end = (at + random.below(40)).min(bytes.len());
            bytes.drain(at..end);
        }
        4 => {
            let end = (at + random.below(40)).min(bytes.len());
            let doubled = bytes[at..end].to_vec();
            bytes.splice(at..at, doubled);
        }
        5 => {
            let other = &seeds[random.below(seeds.len())];
            let from = random.below(other.len() + 1);
            bytes.truncate(at);
            bytes.extend_from_slice(&other[from..]);
        }
        6 => {
            let nested = 1 + random.below(300);
            bytes.splice(at..at, std::iter::repeat_n(b"[{"[random.below(2)], nested));
        }
        _ => {
            let token = TOKENS[random.below(TOKENS.len())];
            bytes.splice(at..at, token.iter().copied());
        }
    }
}

/// SplitMix64: the same numbers on every machine.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % bound as u64).unwrap()
    }
}

//! What reading a text costs, beside a plain pass over its bytes.

use std::hint::black_box;
use std::time::{Duration, Instant};

/// Rounds in all, unless they take too long; the quickest counts, because nothing makes a program quicker than it is.
const ROUNDS: usize = 7;
const ENOUGH: Duration = Duration::from_millis(300);

/// A reading.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pace {
    /// For each byte, in nanoseconds.
    pub(crate) byte_ns: f64,
    /// How many times a plain pass would fit in.
    pub(crate) beside_plain: f64,
}

pub(crate) fn measured(read: fn(&str) -> usize, text: &str) -> Pace {
    let ours = quickest(|| read(black_box(text)));
    let plain = quickest(|| sum(black_box(text)));
    let byte_ns = ours.as_nanos() as f64 / text.len().max(1) as f64;
    Pace { byte_ns, beside_plain: ours.as_secs_f64() / plain.as_secs_f64() }
}

fn sum(text: &str) -> usize {
    text.bytes().fold(0, |sum, byte| sum.wrapping_add(usize::from(byte)))
}

fn quickest(work: impl Fn() -> usize) -> Duration {
    let begun = Instant::now();
    let mut best = Duration::MAX;
    for round in 0..ROUNDS {
        best = best.min(once(&work));
        if round > 0 && begun.elapsed() > ENOUGH {
            break;
        }
    }
    best
}

/// Repeats what is too short for the clock.
fn once(work: &impl Fn() -> usize) -> Duration {
    let mut times = 1_u32;
    loop {
        let begun = Instant::now();
        for _ in 0..times {
            black_box(work());
        }
        let taken = begun.elapsed();
        if taken > Duration::from_micros(20) {
            return taken / times;
        }
        times *= 4;
    }
}

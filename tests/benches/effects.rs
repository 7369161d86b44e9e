//! The effect queue: many effects in the lines of a few resources.

use switchboard_core::Time;
use switchboard_core::effects::{Cancel, Class, Effect, EffectQueue, Progress, Responding, Scope};
use switchboard_core::model::SessionId;

use crate::{measure, memory};

/// Effects in each line.
const DEPTH: usize = 100;
const NOW: Time = Time(0);

type Queue = EffectQueue<usize, usize>;

pub(crate) fn queue() {
    let sizes = [1, 2, 4].map(|factor| factor * 25_000);
    let whole = sizes.map(|n| {
        let submitting = measure::fastest(|| measure::time(|| filled(n, true)));
        let ending = measure::fastest(|| {
            let (mut queue, answers) = filled(n, true);
            let time = measure::time(|| queue.poll_all(NOW));
            drop(answers);
            time
        });
        let (submit, end) = (measure::each(submitting, n), measure::each(ending, n));
        println!(
            "  {n:>6} effects over {:>4} resources: submit {submit:.0} ns, poll and end {end:.0} ns, together {:.0} ns each \
             (target ≤ 1000)",
            n / DEPTH,
            submit + end
        );
        submit + end
    });
    println!("  {}", measure::growth(&whole));
    cancelling(100_000);
    idling(100_000);
}

/// Ends every effect by cancelling its session, one session after the other.
fn cancelling(n: usize) {
    let time = measure::fastest(|| {
        let (mut queue, answers) = filled(n, false);
        let time = measure::time(|| {
            let cancelled: usize = sessions(n).map(|session| queue.cancel(&Cancel::Session(session))).sum();
            assert_eq!(cancelled, n);
        });
        drop(answers);
        time
    });
    println!(
        "  {n:>6} cancelled, session by session: {:.0} ns each",
        measure::each(time, n)
    );
}

/// A pass while everybody waits, and one while there is nobody.
fn idling(n: usize) {
    let (mut queue, answers) = filled(n, false);
    let (mut empty, _) = filled(0, false);
    let time = |queue: &mut Queue| measure::fastest(|| measure::time(|| queue.poll_all(NOW)));
    let (full, idle) = (time(&mut queue), time(&mut empty));
    let ((), usage) = memory::count(|| {
        queue.poll_all(NOW);
        empty.poll_all(NOW);
    });
    drop(answers);
    println!(
        "  a pass with {} holders and {} in line: {:.1} µs; with nothing: {} ns; {} allocations",
        n / DEPTH,
        n - n / DEPTH,
        full.as_secs_f64() * 1e6,
        idle.as_nanos(),
        usage.allocations
    );
}

fn sessions(n: usize) -> impl Iterator<Item = SessionId> {
    (0..n / DEPTH).map(|number| SessionId::from(format!("ses_{number}")))
}

/// A queue with `n` effects that are ready when they are polled, or never.
fn filled(n: usize, is_ready: bool) -> (Queue, Vec<Responding<usize>>) {
    let sessions: Vec<_> = sessions(n).collect();
    let mut queue = Queue::new();
    let mut answers = Vec::with_capacity(n);
    for number in 0..n {
        let effect = Effect::new(Class::ConsumedById, move |_| match is_ready {
            true => Progress::Ready(number),
            false => Progress::Pending,
        });
        let scope = Scope {
            session: Some(sessions[number * 7 % sessions.len()].clone()),
            ..Scope::default()
        };
        let (_, answer) = queue.submit(effect.within(scope).needs([number % sessions.len()]));
        answers.push(answer);
    }
    (queue, answers)
}

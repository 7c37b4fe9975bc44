//! Torture: seeded random scripts through the state machine and through the built program. Every
//! `go` is answered by exactly one legal move and every `isready` by one `readyok`; nothing hangs,
//! nothing panics, and the program exits successfully.
//!
//! `HEDDLE_SOAK=<scripts>` runs this many scripts through the program and twenty times as many
//! through the state machine, and searches one random position for every forty of them;
//! `HEDDLE_SEED=<seed>` runs only the script of that seed.

mod extremes;
mod judge;
mod machine;
mod process;
mod script;

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};

use script::Script;

/// Scripts through the program, over all numbers of threads.
const SCRIPTS: u64 = 120;
/// Scripts through the state machine for each one through the program.
const MACHINE_SHARE: u64 = 20;
/// The numbers of threads for the program, one test each.
const THREADS: [usize; 4] = [1, 2, 4, 8];

/// The number of random positions, given the number of scripts.
const EXTREMES_SHARE: u64 = 40;

/// The value of a numeric environment variable.
fn variable(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name} is not a number: {text}")))
}

/// The seeds of a test that runs one in `share` of all scripts.
fn seeds(all: u64, share: u64) -> Range<u64> {
    variable("HEDDLE_SEED").map_or(0..all.div_ceil(share), |seed| seed..seed + 1)
}

/// Runs the script of every seed; shows the first that fails.
fn torture(seeds: Range<u64>, threads: usize, run: fn(&Script) -> Result<(), String>) {
    for seed in seeds {
        let script = Script::new(seed, threads);
        let result = catch_unwind(AssertUnwindSafe(|| run(&script)));
        match result {
            Ok(Ok(())) => {}
            Ok(Err(error)) => panic!("{error}\n{}", script.show()),
            Err(_) => panic!("it panics\n{}", script.show()),
        }
    }
}

fn scripts() -> u64 {
    variable("HEDDLE_SOAK").unwrap_or(SCRIPTS)
}

fn torture_program(threads: usize) {
    torture(seeds(scripts(), THREADS.len() as u64), threads, process::run);
}

#[test]
fn the_state_machine_survives_every_script() {
    torture(seeds(scripts() * MACHINE_SHARE, 1), 1, machine::run);
}

#[test]
fn the_program_survives_every_script_on_one_thread() {
    torture_program(THREADS[0]);
}

#[test]
fn the_program_survives_every_script_on_two_threads() {
    torture_program(THREADS[1]);
}

#[test]
fn the_program_survives_every_script_on_four_threads() {
    torture_program(THREADS[2]);
}

#[test]
fn the_program_survives_every_script_on_eight_threads() {
    torture_program(THREADS[3]);
}

#[test]
fn the_time_for_a_move_is_kept_in_any_position_on_one_thread() {
    extremes::run(1, scripts() / EXTREMES_SHARE);
}

#[test]
fn the_time_for_a_move_is_kept_in_any_position_on_four_threads() {
    extremes::run(4, scripts() / EXTREMES_SHARE);
}

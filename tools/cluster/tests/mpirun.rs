//! Programs under `mpirun` on this machine.

use std::process::{Command, Stdio};
use std::time::Duration;

/// How long to wait before a program counts as hung; generous, for busy machines.
pub const PATIENCE: Duration = Duration::from_secs(180);
/// The program to test.
pub const PROGRAM: &str = env!("CARGO_BIN_EXE_heddle-cluster");
/// For root in a container, and for more ranks than processors.
pub const FLAGS: [&str; 2] = ["--allow-run-as-root", "--oversubscribe"];

/// Whether there is an `mpirun`; says so if there is none.
pub fn has_mpirun() -> bool {
    let found = Command::new("mpirun").arg("--version").stdout(Stdio::null()).status();
    let is_there = found.is_ok_and(|status| status.success());
    if !is_there {
        println!("skipped: needs mpirun");
    }
    is_there
}

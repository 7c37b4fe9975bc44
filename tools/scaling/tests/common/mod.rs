//! What the tests of the built program share.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use std::fs;
use std::path::{Path, PathBuf};
#[cfg(unix)]
use std::process::Command;

#[cfg(unix)]
use serde_json::Value;

const POSITIONS: &str = "\
# Two positions.
1k1r4/pp1b1R2/3q2pp/4p3/2B5/4Q3/PPP2B2/2K5 b - - bm Qd1+; id \"BK.01\";

rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1
";

/// An empty folder for one test of a `group`, with the positions in it.
pub fn folder(group: &str, test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(group).join(test);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("two.epd"), POSITIONS).unwrap();
    folder
}

pub fn read(folder: &Path, file: &str) -> String {
    fs::read_to_string(folder.join(file)).unwrap()
}

/// Starts a measurement, interrupts it once `is_under_way`, and returns its JSON report.
#[cfg(unix)]
pub fn interrupted(folder: &Path, command: &mut Command, is_under_way: impl Fn() -> bool) -> Value {
    use std::os::unix::process::ExitStatusExt;

    use rustix::process::{Pid, Signal, kill_process};

    let command = command.current_dir(folder).stdout(std::process::Stdio::piped());
    let mut child = command.spawn().unwrap();
    while !is_under_way() {
        assert!(child.try_wait().unwrap().is_none(), "it ended by itself");
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.status.signal()), (Some(130), None), "{output:?}");
    assert!(String::from_utf8(output.stdout).unwrap().contains("PARTIAL: interrupted after"));
    let json: Value = serde_json::from_str(&read(folder, "out.json")).unwrap();
    assert_eq!(json["partial"], true);
    json
}

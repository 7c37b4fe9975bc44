//! The debug log: what is in it, and that nothing depends on it.

use std::path::Path;

use crate::common::Engine;

#[test]
fn every_line_is_appended_to_the_debug_log() {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("debug log.txt");
    std::fs::write(&path, "before\n").unwrap();
    let mut engine = Engine::start();
    engine.send(&format!("setoption name Debug Log File value {}\nisready\n", path.display()));
    engine.until("readyok");
    engine.send("go depth 1\n");
    let answer = engine.until("bestmove ");
    engine.send("setoption name Debug Log File value <empty>\nisready\n");
    engine.until("readyok");
    engine.quit();
    let log = std::fs::read_to_string(&path).unwrap();
    let answer: Vec<_> = answer.iter().map(|line| format!("<< {line}")).collect();
    let expected = format!(
        "before\n>> isready\n<< readyok\n>> go depth 1\n{}\n\
         >> setoption name Debug Log File value <empty>\n",
        answer.join("\n")
    );
    assert_eq!(log, expected);
}

#[test]
#[cfg(target_os = "linux")]
fn a_debug_log_that_cannot_be_written_costs_nothing_else() {
    let folder = std::env::temp_dir().join(format!("heddle-log-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let pipe = folder.join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let mut engine = Engine::start();
    for name in ["/no/such/folder/log", "/", pipe.to_str().unwrap()] {
        engine.send(&format!("setoption name Debug Log File value {name}\nisready\n"));
        let said = engine.until("readyok");
        assert_eq!(said.len(), 2, "{said:?}");
        assert!(said[0].starts_with("info string cannot open the debug log /"), "{said:?}");
    }
    engine.send("setoption name Debug Log File value /dev/full\ngo depth 3\n");
    let said = engine.until("bestmove ");
    assert!(!said.iter().any(|line| line.starts_with("info string ")), "{said:?}");
    engine.quit();
    std::fs::remove_dir_all(&folder).unwrap();
}

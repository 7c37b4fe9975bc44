//! Test suites on the command line: solved, written back, resumed.

use crate::cli::{heddle, stdout};

#[test]
fn a_suite_is_solved_and_written_back() {
    let folder = std::env::temp_dir().join(format!("heddle-cli-suite-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let mate = "6k1/5ppp/8/8/8/8/8/R3K2R w - - bm Ra8#; id \"mate\";";
    let text = format!("{mate}\n6k1/5ppp/8/8/8/8/8/R3K2R w - - am Ra8;\r\n\u{1a}");
    std::fs::write(folder.join("x.epd"), text).unwrap();
    let (file, epd) = (path("x.epd"), path("found.epd"));
    let args = ["suite", &file, "--depth", "3", "--hash", "1", "--threads", "1", "--epd", &epd];
    let rows = stdout(&args);
    let rows: Vec<_> = rows.lines().collect();
    assert!(
        rows[0].starts_with("  1/2 solved  depth ") && rows[0].ends_with("Ra8#     mate"),
        "{rows:?}"
    );
    assert!(rows[1].starts_with("  2/2 missed  ") && rows[1].ends_with("line 2"), "{rows:?}");
    assert!(rows[2].starts_with("solved 1 of 2 (50.0 %), "), "{rows:?}");
    let found = std::fs::read_to_string(folder.join("found.epd")).unwrap();
    assert!(found.starts_with(&mate[..mate.len() - 1]) && found.lines().count() == 2, "{found}");
    assert!(found.contains(" pm Ra8#; ") && found.contains("\"Heddle: not solved\""), "{found}");
    let analysed = stdout(&["analyse", &epd, "--game", "2", "--depth", "1", "--hash", "1"]);
    assert!(analysed.contains("Best move: Ra8#"), "{analysed}");
    let said = |args: &[&str]| {
        let output = heddle(args);
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    assert!(said(&["suite", &file, "--epd", &file]).ends_with("is the suite and stays as it is\n"));
    std::fs::write(folder.join("y.epd"), format!("{mate}\n6k1/8/8/8/8/8/8/R3K2R w - -\n")).unwrap();
    let left = said(&["suite", &path("y.epd"), "--depth", "1", "--hash", "1"]);
    assert_eq!(left, "heddle: 1 of 2 positions are no tasks and are left out\n");
    assert!(said(&["suite", &path("none.epd")]).starts_with("heddle: cannot read "));
    assert!(said(&["analyse", &file, "--game", "9"]).ends_with("x.epd: no position 9\n"));
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn an_interrupted_suite_goes_on() {
    let folder = std::env::temp_dir().join(format!("heddle-cli-resumed-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let position = "6k1/5ppp/8/8/8/8/8/R3K2R w - - hmvc 3;";
    let text = format!("{position} bm Ra8#;\n{position} id \"none\";\n{position} am Ra8;\n");
    std::fs::write(folder.join("x.epd"), text).unwrap();
    let (file, epd) = (path("x.epd"), path("found.epd"));
    let args = ["suite", &file, "--nodes", "900", "--hash", "1", "--threads", "1", "--epd", &epd];
    let resume = || {
        let output = heddle(&[&args[..], &["--resume"]].concat());
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    let (rows, _) = resume();
    assert_eq!(rows.lines().count(), 4, "{rows}");
    let whole = std::fs::read_to_string(&epd).unwrap();
    let first = whole.find('\n').unwrap();
    for (kept, searched) in [(whole.len(), 0), (first + 9, 1), (first, 2)] {
        std::fs::write(&epd, &whole[..kept]).unwrap();
        let (rows, _) = resume();
        assert_eq!(rows.matches("/3 solved").count() + rows.matches("/3 missed").count(), searched);
        assert!(rows.contains("\nsolved 1 of 2 (50.0 %), "), "{rows}");
        assert_eq!(std::fs::read_to_string(&epd).unwrap().lines().count(), 2);
    }
    for foreign in [format!("{whole}{whole}"), whole.replace("R3K2R", "R3K3"), "1 2 3\n".into()] {
        std::fs::write(&epd, &foreign).unwrap();
        let (_, complaint) = resume();
        assert!(complaint.contains("so nothing is added to it"), "{complaint}");
        assert_eq!(std::fs::read_to_string(&epd).unwrap(), foreign);
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

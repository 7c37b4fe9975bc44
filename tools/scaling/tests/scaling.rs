//! A miniature measurement through the built program.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

const POSITIONS: &str = "\
# Two positions.
1k1r4/pp1b1R2/3q2pp/4p3/2B5/4Q3/PPP2B2/2K5 b - - bm Qd1+; id \"BK.01\";

rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1
";

/// An empty folder for one test, with the positions in it.
fn folder(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("scaling").join(test);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("two.epd"), POSITIONS).unwrap();
    folder
}

fn scaling(folder: &Path, args: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_heddle-scaling"));
    command.current_dir(folder).args(args.split_whitespace()).output().unwrap()
}

fn read(folder: &Path, file: &str) -> String {
    fs::read_to_string(folder.join(file)).unwrap()
}

/// The only line that a run that fails prints.
fn fail(folder: &Path, args: &str) -> String {
    let output = scaling(folder, args);
    assert_eq!(output.status.code(), Some(2), "{args}: {output:?}");
    assert!(output.stdout.is_empty(), "{args}: {output:?}");
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn a_measurement_is_written_in_every_form() {
    let folder = folder("forms");
    let output = scaling(
        &folder,
        "--epd two.epd --depth 4 --threads 1,2 --repeats 2 --hash 1 --stagger alternate,none --correction private,shared \
         --counters \
         --json out.json --csv out.csv --html out.html --svg out.svg",
    );
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    for part in [
        "two.epd, 2 positions",
        "20 of 20 (complete)",
        "Speed (measured)",
        "Probes of the table",
        "Policies (measured)",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }

    let json: Value = serde_json::from_str(&read(&folder, "out.json")).unwrap();
    assert_eq!(json["partial"], false);
    let rows = json["rows"].as_array().unwrap();
    let policy = |row: &Value| {
        let name = |field: &str| row[field].as_str().unwrap().to_owned();
        format!("{} {} {}", row["threads"], name("stagger"), name("correction"))
    };
    let policies: Vec<_> = rows.iter().map(policy).collect();
    let expected = [
        "1 alternate private",
        "2 alternate private",
        "2 alternate shared",
        "2 none private",
        "2 none shared",
    ];
    assert_eq!(policies, expected);
    for row in rows {
        let number = |value: &Value| value.as_f64().unwrap();
        assert!(number(&row["nps"]) > 0.0 && row["runs"] == 4 && row["positions"] == 2);
        let (identity, speed_up) = (number(&row["identity"]), number(&row["speed_up"]["value"]));
        assert!((identity - speed_up).abs() < 1e-9 * speed_up, "{row}");
    }
    assert_eq!(rows[0]["agreement"], 1.0);
    assert!(rows[0]["hits"]["all"].as_f64().unwrap() > 0.0);
    assert_eq!(rows[0]["hits"]["foreign"], 0.0);
    assert!(json["conditions"]["machine"]["available"].as_u64().unwrap() >= 1);

    let svg = read(&folder, "out.svg");
    assert!(svg.starts_with("<svg") && svg.contains("http://www.w3.org/2000/svg"), "{svg}");
    let csv = read(&folder, "out.csv");
    assert_eq!(csv.lines().count(), 1 + 20, "{csv}");
    // One thread searches the same nodes each time.
    let alone: Vec<&Value> = json["samples"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|sample| sample["threads"] == 1 && sample["position"] == "BK.01")
        .collect();
    assert_eq!((alone.len(), &alone[0]["nodes"]), (2, &alone[1]["nodes"]));

    let html = read(&folder, "out.html");
    assert!(html.starts_with("<!DOCTYPE html>") && html.contains("<svg"));
    assert!(html.contains("none/shared"));
    assert!(!html.contains("http://") && !html.contains("https://"), "it refers to elsewhere");
}

#[test]
fn a_simulation_is_the_same_each_time() {
    let folder = folder("simulation");
    let simulate = |quantum: &str| {
        let args = format!("--epd two.epd --depth 4 --simulate 1,5 --hash 1 --quantum {quantum}");
        let output = scaling(&folder, &args);
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let text = simulate("32");
    assert!(text.contains("Speed (simulated)") && text.contains("4 of 4 (complete)"), "{text}");
    assert!(!text.contains("Scalability Law"), "{text}");
    assert!(text.contains("Probes of the table (simulated)"), "{text}");
    assert_eq!(text, simulate("32"));
    assert!(fail(&folder, "--simulate 2 --threads 2").contains("cannot be used with"));
    assert!(fail(&folder, "--equal-strength 2").contains("--simulate"));
    assert!(fail(&folder, "--simulate 2 --equal-strength 1").contains("not a number from 2"));
}

#[test]
fn the_first_interrupt_ends_with_a_report() {
    #[cfg(unix)]
    {
        use std::os::unix::process::ExitStatusExt;

        let folder = folder("interrupt");
        let args = "--epd two.epd --depth 60 --threads 1 --repeats 1 --hash 1 --json out.json";
        let mut child = Command::new(env!("CARGO_BIN_EXE_heddle-scaling"))
            .current_dir(&folder)
            .args(args.split_whitespace())
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        // Interrupts are listened for before the file is there.
        while !folder.join("out.json").exists() {
            assert!(child.try_wait().unwrap().is_none(), "it ended by itself");
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
        assert!(kill.success());
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success() && output.status.signal().is_none(), "{output:?}");
        assert!(String::from_utf8(output.stdout).unwrap().contains("PARTIAL"));
        let json: Value = serde_json::from_str(&read(&folder, "out.json")).unwrap();
        assert_eq!(json["partial"], true);
    }
}

#[test]
fn bad_input_is_one_line_and_no_measurement() {
    let folder = folder("bad");
    fs::write(folder.join("over.epd"), "7k/6Q1/6K1/8/8/8/8/8 b - -\n").unwrap();
    fs::write(folder.join("broken.epd"), "\n\nno position\n").unwrap();
    fs::write(folder.join("empty.epd"), "# nothing\n").unwrap();
    for (args, said) in [
        ("--epd missing.epd", "cannot read missing.epd"),
        ("--epd over.epd", "over.epd line 1: there is no legal move"),
        ("--epd broken.epd", "broken.epd line 3: "),
        ("--epd empty.epd", "empty.epd: no position"),
        ("--epd two.epd --html no/such/folder.html", "cannot write no/such/folder.html"),
    ] {
        let error = fail(&folder, args);
        assert!(error.contains(said) && error.lines().count() == 1, "{args}: {error}");
    }
    assert!(fail(&folder, "--threads 0").contains("not a number from 1 to"));
    assert!(fail(&folder, "--correction none").contains("either private or shared"));
    assert!(fail(&folder, "--stagger every").contains("none, alternate and skip"));
}

#[test]
fn games_tell_what_threads_are_worth() {
    let folder = folder("games");
    let play = || {
        let output = scaling(
            &folder,
            "--epd two.epd --depth 3 --simulate 1,3 --hash 1 --quantum 16 --json out.json \
             --equal-strength 3 --nodes 64 --games 16",
        );
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let text = play();
    assert!(text.contains("Equal strength (simulated)"), "{text}");
    assert_eq!(text, play());
    let json: Value = serde_json::from_str(&read(&folder, "out.json")).unwrap();
    let trials = json["equalities"][0]["trials"].as_array().unwrap();
    assert_eq!(trials.len(), 4);
    assert!(trials.iter().all(|trial| trial["pairs"].as_array().unwrap().len() == 2), "{json}");
}

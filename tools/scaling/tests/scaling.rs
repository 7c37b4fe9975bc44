//! A miniature measurement through the built program.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::common::read;
use serde_json::Value;

/// An empty folder for one test, with the positions in it.
fn folder(test: &str) -> PathBuf {
    crate::common::folder("scaling", test)
}

fn scaling(folder: &Path, args: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_heddle-scaling"));
    command.current_dir(folder).args(args.split_whitespace()).output().unwrap()
}

/// The report without its date.
fn undated(output: Output) -> String {
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines()
        .filter(|line| !line.starts_with("Date: "))
        .map(|line| format!("{line}\n"))
        .collect()
}

/// The only line printed by a run that fails.
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
        "--epd two.epd --depth 4 --threads 1,2 --repeats 2 --hash 1 --stagger alternate,none --sharing private,all \
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
        format!("{} {} {}", row["threads"], name("stagger"), name("sharing"))
    };
    let policies: Vec<_> = rows.iter().map(policy).collect();
    let expected = [
        "1 alternate private",
        "2 alternate private",
        "2 alternate all",
        "2 none private",
        "2 none all",
    ];
    assert_eq!(policies, expected);
    for row in rows {
        let number = |value: &Value| value.as_f64().unwrap();
        assert!(number(&row["nps"]) > 0.0 && row["runs"] == 4 && row["positions"] == 2);
        assert!(number(&row["speed_up"]["value"]) > 0.0, "{row}");
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
    assert!(html.contains("none/all"));
    assert!(
        !html.contains("http://") && !html.contains("https://"),
        "the page must not refer to other sites"
    );
    heddle_browser::assert_readable(&html, 4);
}

#[test]
fn depths_follow_a_time_unless_one_is_given() {
    let folder = folder("times");
    let depths = |args: &str| {
        let args = format!("--epd two.epd --hash 1 --json out.json {args}");
        let output = scaling(&folder, &args);
        assert!(output.status.success(), "{output:?}");
        let json: Value = serde_json::from_str(&read(&folder, "out.json")).unwrap();
        let samples = json["samples"].as_array().unwrap();
        let goals: Vec<u64> = samples.iter().map(|s| s["goal"].as_u64().unwrap()).collect();
        let (least, most) = (*goals.iter().min().unwrap(), *goals.iter().max().unwrap());
        assert_eq!(json["depths"], serde_json::json!([least, most]));
        (undated(output), goals)
    };
    let (text, goals) = depths("--simulate 1,2 --movetime 20");
    assert!(
        text.contains("for each position what one thread completes in 20 thousand nodes"),
        "{text}"
    );
    assert!(goals[0] == goals[1] && goals[2] == goals[3] && goals[0] > 4, "{goals:?}");
    let (text, _) = depths("--threads 1 --repeats 1 --movetime 5");
    assert!(text.contains("for each position what one thread completes in 5 ms"), "{text}");
    assert_eq!(depths("--simulate 1 --depth 3").1, [3, 3]);
    assert!(fail(&folder, "--depth 3 --movetime 5").contains("cannot be used with"));
}

#[test]
fn a_simulation_is_the_same_each_time() {
    let folder = folder("simulation");
    let simulate = |quantum: &str| {
        let args = format!("--epd two.epd --depth 4 --simulate 1,5 --hash 1 --quantum {quantum}");
        let output = scaling(&folder, &args);
        assert!(output.status.success(), "{output:?}");
        undated(output)
    };
    let text = simulate("32");
    assert!(text.contains("Speed (simulated)") && text.contains("4 of 4 (complete)"), "{text}");
    assert!(!text.contains("Scalability Law"), "{text}");
    assert!(text.contains("Probes of the table (simulated)"), "{text}");
    assert_eq!(text, simulate("32"));
    assert!(fail(&folder, "--simulate 2 --threads 2").contains("cannot be used with"));
}

#[test]
fn misses_of_simulated_caches_are_counted_on_request() {
    let folder = folder("misses");
    let simulate = || {
        let args = "--epd two.epd --depth 4 --simulate 1,5 --hash 1 --cache-misses \
                    --json out.json --html out.html";
        let output = scaling(&folder, args);
        assert!(output.status.success(), "{output:?}");
        undated(output)
    };
    let text = simulate();
    assert!(text.contains("Misses of simulated caches") && text.contains("butterfly"), "{text}");
    assert_eq!(text, simulate());
    assert!(read(&folder, "out.html").contains("Misses of simulated caches"));
    let json: Value = serde_json::from_str(&read(&folder, "out.json")).unwrap();
    let misses = |row: usize| json["rows"][row]["misses"]["all"].as_f64().unwrap();
    assert!(misses(0) == 0.0 && misses(1) > 0.0, "{json}");
    assert!(fail(&folder, "--cache-misses").contains("--simulate"));
    let refused = fail(&folder, "--simulate 2 --cache-misses --quantum 2");
    assert!(refused.contains("cannot be used with"), "{refused}");
}

#[cfg(unix)]
fn interrupted(folder: &Path, args: &str, is_under_way: impl Fn() -> bool) -> Value {
    let mut command = Command::new(env!("CARGO_BIN_EXE_heddle-scaling"));
    crate::common::interrupted(folder, command.args(args.split_whitespace()), is_under_way)
}

#[cfg(unix)]
#[test]
fn the_first_interrupt_ends_with_a_report_and_status_130() {
    let folder = folder("interrupt");
    let args = "--epd two.epd --depth 60 --threads 1 --hash 1 --json out.json --svg out.svg";
    // The handler for interrupts is installed before the file exists.
    interrupted(&folder, args, || folder.join("out.json").exists());
}

#[test]
fn bad_input_is_one_line_and_no_measurement() {
    let folder = folder("bad");
    fs::write(folder.join("over.epd"), "7k/6Q1/6K1/8/8/8/8/8 b - -\n").unwrap();
    fs::write(folder.join("broken.epd"), "\n\nno position\n").unwrap();
    fs::write(folder.join("empty.epd"), "# nothing\n").unwrap();
    for (args, said) in [
        ("--epd missing.epd", "cannot read missing.epd"),
        ("--epd over.epd", "over.epd line 1: the game is over"),
        ("--epd broken.epd", "broken.epd line 3: "),
        ("--epd empty.epd", "empty.epd: no positions"),
        ("--epd two.epd --html no/such/folder.html", "cannot write no/such/folder.html"),
    ] {
        let error = fail(&folder, args);
        assert!(error.contains(said) && error.lines().count() == 1, "{args}: {error}");
    }
    assert!(fail(&folder, "--threads 0").contains("not a number from 1 to"));
    assert!(
        fail(&folder, "--sharing none")
            .contains("[possible values: private, corrections, all, auto]")
    );
    assert!(fail(&folder, "--stagger every").contains("[possible values: none, alternate, skip]"));
}

/// A short measurement with every file, its standard output and error redirected by a shell.
#[cfg(unix)]
fn redirected(folder: &Path, redirections: &str) -> Output {
    for file in ["out.json", "out.csv", "out.html", "out.svg"] {
        let _ = fs::remove_file(folder.join(file));
    }
    let program = env!("CARGO_BIN_EXE_heddle-scaling");
    let command = format!(
        "'{program}' --epd two.epd --depth 3 --threads 1,2 --repeats 1 --hash 1 \
         --json out.json --csv out.csv --html out.html --svg out.svg {redirections}"
    );
    Command::new("sh").current_dir(folder).args(["-c", &command]).output().unwrap()
}

#[cfg(target_os = "linux")]
#[test]
fn no_result_is_lost_when_the_report_cannot_be_printed() {
    let folder = folder("unprintable");
    for (redirections, code) in [
        (">/dev/full", 2),
        (">/dev/full 2>/dev/full", 2),
        (">/dev/full 2>&-", 2),
        ("2>/dev/full", 0),
        ("2>&-", 0),
        (">&-", 0), // the standard library opens /dev/null in its place
        (">&- 2>&-", 0),
    ] {
        let output = redirected(&folder, redirections);
        assert_eq!(output.status.code(), Some(code), "{redirections}: {output:?}");
        let json: Value = serde_json::from_str(&read(&folder, "out.json")).unwrap();
        assert_eq!((&json["partial"], &json["runs"]), (&false.into(), &4.into()), "{redirections}");
        assert_eq!(read(&folder, "out.csv").lines().count(), 1 + 4, "{redirections}");
        assert!(read(&folder, "out.html").ends_with("</html>\n"), "{redirections}");
        assert!(read(&folder, "out.svg").starts_with("<svg"), "{redirections}");
    }
    let error = String::from_utf8(redirected(&folder, ">/dev/full").stderr).unwrap();
    assert!(error.contains("cannot print the report: ") && error.lines().count() == 1, "{error}");
}

#[cfg(unix)]
#[test]
fn a_reader_that_goes_away_is_no_error_and_costs_no_result() {
    use std::process::Stdio;

    let folder = folder("unread");
    let mut child = Command::new(env!("CARGO_BIN_EXE_heddle-scaling"))
        .current_dir(&folder)
        .args("--epd two.epd --depth 3 --threads 1 --repeats 1 --hash 1 --json out.json".split(' '))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), error.as_str()), (Some(0), ""));
    assert_eq!(serde_json::from_str::<Value>(&read(&folder, "out.json")).unwrap()["runs"], 2);
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_that_cannot_be_written_costs_no_other() {
    let folder = folder("full");
    let output = scaling(
        &folder,
        "--epd two.epd --depth 3 --threads 1 --repeats 1 --hash 1 --json /dev/full --csv out.csv",
    );
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(String::from_utf8(output.stderr).unwrap().contains("cannot write /dev/full: "));
    assert!(String::from_utf8(output.stdout).unwrap().contains("Speed (measured)"));
    assert_eq!(read(&folder, "out.csv").lines().count(), 1 + 2);
}

//! Self-play games and the tools for their files, through the built programs.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use std::collections::HashSet;
use std::fs::{self, OpenOptions};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use heddle_selfplay::{GameResult, Record, is_quiet, open};

/// An empty folder for one test, inside Cargo's folder for tests.
fn folder(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("datagen").join(test);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// Runs `datagen ARGS` or `data ARGS`.
fn heddle(folder: &Path, line: &str) -> Output {
    let (program, args) = line.split_once(' ').unwrap();
    let mut command = Command::new(match program {
        "datagen" => env!("CARGO_BIN_EXE_heddle-datagen"),
        "data" => env!("CARGO_BIN_EXE_heddle-data"),
        other => panic!("no program for {other}"),
    });
    command.current_dir(folder).args(args.split_whitespace()).output().unwrap()
}

/// The standard output and standard error of a run that must succeed.
fn succeed(folder: &Path, args: &str) -> (String, String) {
    let output = heddle(folder, args);
    assert!(output.status.success(), "{args}: {output:?}");
    (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
}

/// The only line printed by a run that fails.
fn fail(folder: &Path, args: &str) -> String {
    let output = heddle(folder, args);
    assert_eq!(output.status.code(), Some(2), "{args}: {output:?}");
    assert!(output.stdout.is_empty(), "{args}: {output:?}");
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(error.lines().count(), 1, "{error}");
    error
}

/// Plays into `file` until it has `games` games; returns the standard error.
fn play(folder: &Path, file: &str, games: u64, threads: usize) -> String {
    let args = format!(
        "datagen --output {file} --games {games} --threads {threads} --nodes 200 --hash 1 --seed 5"
    );
    succeed(folder, &args).1
}

fn records(path: &Path) -> Vec<Record> {
    open(path).unwrap().collect::<Result<_, _>>().unwrap()
}

fn sorted(mut records: Vec<Record>) -> Vec<Record> {
    records.sort_by(|a, b| a.bytes().cmp(b.bytes()));
    records
}

#[test]
fn games_are_legal_and_end_as_their_scores_say() {
    let folder = folder("legal");
    let told = play(&folder, "games.vf", 20, 2);
    assert!(
        told.contains("seed 5, 2 at a time") && told.contains("games 20, positions "),
        "{told}"
    );
    let records = records(&folder.join("games.vf"));
    assert_eq!(records.len(), 20);
    for record in &records {
        assert!([8, 9].contains(&record.start().unwrap().game_ply()));
        let (mut positions, mut last) = (0, 0);
        record
            .walk(|sample| {
                assert_eq!(sample.ply, sample.position.game_ply());
                (positions, last) = (positions + 1, sample.score);
            })
            .unwrap();
        assert_eq!(positions, record.positions());
        match record.result() {
            GameResult::WhiteWin => assert!(last >= 800, "{last}"),
            GameResult::BlackWin => assert!(last <= -800, "{last}"),
            GameResult::Draw => assert!(last.abs() < 800, "{last}"),
        }
    }
    let (stats, _) = succeed(&folder, "data stats games.vf");
    let positions: usize = records.iter().map(Record::positions).sum();
    assert!(stats.starts_with("games             20, 20 different starts\n"), "{stats}");
    assert!(stats.contains(&format!("positions         {positions}, 4.")), "{stats}");
}

#[test]
fn a_file_depends_on_its_seed_and_on_no_number_of_threads() {
    let folder = folder("seed");
    play(&folder, "one.vf", 8, 1);
    play(&folder, "two.vf", 8, 2);
    let one = fs::read(folder.join("one.vf")).unwrap();
    assert_eq!(one, fs::read(folder.join("two.vf")).unwrap());
    let other =
        "datagen --output other.vf --positions 100 --threads 1 --nodes 200 --hash 1 --seed 6";
    succeed(&folder, other);
    let other = records(&folder.join("other.vf"));
    assert_ne!(other[0].bytes(), records(&folder.join("one.vf"))[0].bytes());
    let positions: usize = other.iter().map(Record::positions).sum();
    assert!(positions >= 100 && positions - other.last().unwrap().positions() < 100);
}

#[test]
fn a_broken_run_goes_on_where_it_was() {
    let folder = folder("resume");
    let (whole, broken) = (folder.join("whole.vf"), folder.join("broken.vf"));
    play(&folder, "whole.vf", 6, 1);
    fs::copy(&whole, &broken).unwrap();
    let file = OpenOptions::new().write(true).open(&broken).unwrap();
    file.set_len(file.metadata().unwrap().len() * 2 / 3).unwrap();
    let (stats, warning) = succeed(&folder, "data stats broken.vf");
    assert!(!stats.starts_with("games             6,"), "{stats}");
    assert_eq!(warning, "broken.vf: the last game is incomplete and has been left out\n");
    let told = play(&folder, "broken.vf", 6, 2);
    assert!(told.starts_with("broken.vf: the last game was incomplete and has been cut off\n"));
    assert_eq!(fs::read(&broken).unwrap(), fs::read(&whole).unwrap());
    assert!(play(&folder, "broken.vf", 6, 2).ends_with("done\n"), "nothing should be left to do");
    assert_eq!(fs::read(&broken).unwrap(), fs::read(&whole).unwrap());
}

#[test]
fn games_are_shuffled_and_split_but_neither_lost_nor_changed() {
    let folder = folder("tools");
    play(&folder, "games.vf", 12, 2);
    let games = records(&folder.join("games.vf"));
    let (told, _) = succeed(&folder, "data shuffle games.vf games.vf -o mixed.vf --seed 3");
    assert_eq!(told, "mixed.vf: 24 games\n");
    let mixed = records(&folder.join("mixed.vf"));
    let twice = [games.clone(), games.clone()].concat();
    assert_ne!(mixed, twice);
    assert_eq!(sorted(mixed), sorted(twice));
    succeed(&folder, "data split games.vf --fraction 0.4 -o train.vf held.vf");
    let (train, held) = (records(&folder.join("train.vf")), records(&folder.join("held.vf")));
    // The last four tenths of twelve games.
    assert_eq!(held.len(), 5);
    assert_eq!([train, held].concat(), games);
}

/// Rescores `games.vf` into `file` with these further arguments; returns the standard error.
fn rescore(folder: &Path, file: &str, more: &str) -> String {
    let args = format!("data rescore games.vf -o {file} --nodes 300 --one-in 3 --hash 1 {more}");
    succeed(folder, &args).1
}

/// The FENs of the quiet positions of games.
fn quiet_fens(games: &[Record]) -> Vec<String> {
    let mut fens = Vec::new();
    for game in games {
        game.walk(|scored| fens.extend(is_quiet(scored).then(|| scored.position.fen()))).unwrap();
    }
    fens
}

#[test]
fn a_share_of_the_quiet_positions_is_searched_anew() {
    let folder = folder("rescore");
    play(&folder, "games.vf", 6, 2);
    let quiet = quiet_fens(&records(&folder.join("games.vf")));
    rescore(&folder, "new.vf", "--threads 2");
    let new = records(&folder.join("new.vf"));
    assert!(new.iter().all(|game| game.positions() == 1));
    let (third, margin) = (quiet.len() / 3, quiet.len() / 8);
    assert!(
        (third - margin..third + margin).contains(&new.len()),
        "{} of {}",
        new.len(),
        quiet.len()
    );
    let starts: Vec<_> = new.iter().map(|game| game.start().unwrap().fen()).collect();
    let mut rest = quiet.iter();
    assert!(starts.iter().all(|start| rest.any(|fen| fen == start)), "in the games' order");
    let (mut clear, mut same) = (0, 0);
    for game in records(&folder.join("games.vf")) {
        let mut scores = Vec::new();
        game.walk(|old| scores.push((old.position.fen(), old.score))).unwrap();
        for (fen, old) in scores {
            let Some(index) = starts.iter().position(|start| *start == fen) else { continue };
            assert_eq!(new[index].result(), game.result());
            let (_, score) = new[index].moves().next().unwrap();
            if old.abs() > 300 {
                (clear, same) = (clear + 1, same + usize::from(score.signum() == old.signum()));
            }
        }
    }
    assert!(clear > 5 && same * 10 > clear * 9, "{same} of {clear} clear scores have their sign");
    rescore(&folder, "other.vf", "--seed 2");
    assert_ne!(records(&folder.join("other.vf")), new);
}

#[test]
fn rescoring_goes_on_where_it_was_on_any_number_of_threads() {
    let folder = folder("rescore again");
    play(&folder, "games.vf", 6, 2);
    rescore(&folder, "whole.vf", "--threads 1");
    let whole = fs::read(folder.join("whole.vf")).unwrap();
    for share in 1..4 {
        fs::write(folder.join("broken.vf"), &whole[..whole.len() * share / 4 + 1]).unwrap();
        rescore(&folder, "broken.vf", "--threads 2");
        assert_eq!(fs::read(folder.join("broken.vf")).unwrap(), whole);
    }
    assert!(rescore(&folder, "broken.vf", "").ends_with("done\n"), "nothing should be left to do");
    // A torn source is told once, whatever the number of threads.
    let torn = fs::read(folder.join("games.vf")).unwrap();
    fs::write(folder.join("torn.vf"), &torn[..torn.len() - 1]).unwrap();
    let args = "data rescore torn.vf -o of-torn.vf --nodes 20 --one-in 3 --hash 1 --threads 3";
    let told = succeed(&folder, args).1;
    assert_eq!(told.matches("the last game is incomplete").count(), 1, "{told}");
    assert_eq!(fs::read(folder.join("broken.vf")).unwrap(), whole);
    let games = fs::read(folder.join("games.vf")).unwrap();
    let error = fail(&folder, "data rescore games.vf -o games.vf");
    assert!(error.contains("games.vf: holds other games than rescored positions"), "{error}");
    assert_eq!(fs::read(folder.join("games.vf")).unwrap(), games);
}

#[test]
fn random_moves_lead_away_from_the_game() {
    let folder = folder("rescore aside");
    play(&folder, "games.vf", 6, 2);
    rescore(&folder, "aside.vf", "--random-moves 1");
    let aside = records(&folder.join("aside.vf"));
    let mut known = Vec::new();
    for game in records(&folder.join("games.vf")) {
        game.walk(|scored| known.push(scored.position.fen())).unwrap();
    }
    let starts: Vec<_> = aside.iter().map(|game| game.start().unwrap()).collect();
    let new = starts.iter().filter(|start| !known.contains(&start.fen())).count();
    assert!(new > aside.len() / 2, "{new} of {}", aside.len());
    assert!(starts.iter().all(|start| !start.is_check()));
}

/// Writes a network of the architecture HalfKP, of small random numbers.
fn write_network(path: &Path) {
    const INPUTS: usize = 41_024;
    const NEURONS: usize = 256;
    let mut rng = fastrand::Rng::with_seed(1);
    let mut bytes = Vec::new();
    bytes.extend([0x7AF3_2F16_u32, 0, 0, 0].into_iter().flat_map(u32::to_le_bytes));
    let first = (0..(1 + INPUTS) * NEURONS).map(|_| rng.i16(-4..=9));
    bytes.extend(first.flat_map(i16::to_le_bytes));
    bytes.extend([0; 4]);
    for (inputs, neurons) in [(2 * NEURONS, 32), (32, 32), (32, 1)] {
        bytes.extend(vec![0; 4 * neurons]);
        bytes.extend((0..inputs * neurons).map(|_| rng.i8(-40..=60)).flat_map(i8::to_le_bytes));
    }
    fs::write(path, bytes).unwrap();
}

#[test]
fn a_network_of_another_engine_scores_quiet_positions_beside_the_line() {
    let folder = folder("teacher");
    play(&folder, "games.vf", 6, 2);
    write_network(&folder.join("other.nnue"));
    let run = |file: &str, more: &str| {
        let args = "--network other.nnue --one-in 1 --random-moves 1-3";
        succeed(&folder, &format!("data rescore games.vf -o {file} {args} {more}")).1
    };
    let scores = |file: &str| -> Vec<i32> {
        let records = records(&folder.join(file));
        records.iter().map(|game| game.moves().next().unwrap().1.into()).collect()
    };
    run("one.vf", "--unit 1 --threads 1");
    run("two.vf", "--unit 2 --threads 2");
    let (one, two) = (scores("one.vf"), scores("two.vf"));
    assert!(one.len() > 100 && one.iter().any(|score| *score != one[0]));
    assert!(one.iter().zip(&two).all(|(one, two)| 2 * one == *two));
    for game in records(&folder.join("one.vf")) {
        let start = game.start().unwrap();
        assert_eq!(game.positions(), 1);
        assert!(!start.is_check() && start.game_ply() > 8);
        game.walk(|scored| assert!(is_quiet(scored), "{:?}", scored.position)).unwrap();
    }
    // An interrupted run continues, and a scale that is not given is ours.
    let whole = fs::read(folder.join("one.vf")).unwrap();
    fs::write(folder.join("broken.vf"), &whole[..whole.len() / 2]).unwrap();
    run("broken.vf", "--unit 1");
    assert_eq!(fs::read(folder.join("broken.vf")).unwrap(), whole);
    let told = run("scaled.vf", "--eval classical");
    assert!(told.contains(" centipawns in a unit of other.nnue"), "{told}");
    let size = |scores: &[i32]| scores.iter().map(|score| score.abs()).sum::<i32>();
    assert_ne!(size(&scores("scaled.vf")), size(&one));
}

#[test]
fn positions_of_trees_are_scored_and_an_interrupted_run_continues() {
    let folder = folder("trees");
    play(&folder, "games.vf", 2, 2);
    write_network(&folder.join("other.nnue"));
    let told = |file: &str, more: &str| {
        let args = "--network other.nnue --unit 1 --eval classical --one-in 4 --nodes 200 --keep 3";
        succeed(&folder, &format!("data trees games.vf -o {file} {args} {more}")).1
    };
    let run = |file: &str, more: &str| {
        assert!(told(file, more).contains("games.vf: read 100 % of the file, games 1 to 2"));
        fs::read(folder.join(file)).unwrap()
    };
    let whole = run("one.vf", "--threads 1");
    assert_eq!(run("two.vf", "--threads 2"), whole);
    fs::write(folder.join("broken.vf"), &whole[..whole.len() / 2]).unwrap();
    assert_eq!(run("broken.vf", "--threads 2"), whole);
    let games = records(&folder.join("one.vf"));
    let starts: HashSet<_> = games.iter().map(|game| game.start().unwrap().fen()).collect();
    assert!(games.len() > 100 && starts.len() > games.len() / 2, "trees overlap a little");
    for game in games {
        assert_eq!(game.positions(), 1);
        assert!(!game.start().unwrap().is_check());
    }
    let told = told("few.vf", "--threads 1 --positions 1");
    assert!(told.contains(" % of the file, games 1 to 1"), "{told}");
}

#[test]
fn what_is_no_network_cannot_teach() {
    let folder = folder("no teacher");
    play(&folder, "games.vf", 1, 1);
    let run = |more: &str| fail(&folder, &format!("data rescore games.vf -o new.vf {more}"));
    fs::write(folder.join("text"), "not a network, but long enough for a header").unwrap();
    let error = run("--network text");
    assert!(error.starts_with("heddle: text: no network of a known kind"), "{error}");
    assert!(run("--network missing").starts_with("heddle: missing: no network of"));
    assert!(!folder.join("new.vf").exists());
    for (args, wanted) in [
        ("--random-moves 3-1", "not a number or a range"),
        ("--network text --unit 0", "not a positive number"),
        ("--unit 1", "--network"),
        ("--network text --nodes 5", "--nodes"),
    ] {
        let output = heddle(&folder, &format!("data rescore games.vf -o new.vf {args}"));
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert!(error.contains(wanted), "{error}");
    }
}

#[test]
fn other_files_are_named_in_one_line_and_left_alone() {
    let folder = folder("foreign");
    let text = "# Not a game\n".repeat(10);
    fs::write(folder.join("text.vf"), &text).unwrap();
    for args in [
        "data stats text.vf",
        "data shuffle text.vf -o new.vf",
        "data split text.vf --fraction 0.5 -o new.vf newer.vf",
        "data rescore text.vf -o new.vf",
        "datagen --output text.vf --games 1 --threads 1 --hash 1",
    ] {
        let error = fail(&folder, args);
        assert!(error.contains(": text.vf: no game at byte 0: "), "{args}: {error}");
        assert!(!folder.join("new.vf").exists(), "{args}");
    }
    fs::write(folder.join("empty.vf"), "").unwrap();
    let error = fail(&folder, "data shuffle empty.vf -o text.vf");
    assert!(error.starts_with("heddle: text.vf: "), "{error}");
    assert_eq!(fs::read_to_string(folder.join("text.vf")).unwrap(), text);
    assert!(fail(&folder, "data stats missing.vf").starts_with("heddle: missing.vf: "));
}

#[test]
fn tablebases_shorten_games_and_change_nothing_before() {
    let folder = folder("tablebases");
    let tablebases = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/syzygy");
    let play = |file: &str, more: &str| {
        // With the classical evaluation, so that some of these games reach an endgame, whatever
        // network the program was built with.
        let args = "--games 160 --threads 2 --nodes 20 --hash 1 --seed 7 --eval classical";
        let said = succeed(&folder, &format!("datagen --output {file} {args} {more}")).1;
        (said, records(&folder.join(file)))
    };
    let (_, without) = play("without.vf", "");
    let (said, with) = play("with.vf", &format!("--syzygy {}", tablebases.display()));
    assert!(said.contains("10 tablebase files"), "{said}");
    let shorter = with.iter().zip(&without).filter(|(a, b)| a.positions() < b.positions()).count();
    assert!(shorter > 0);
    for (with, without) in with.iter().zip(&without) {
        // The header ends with the result, which may differ.
        let (with, without) = (&with.bytes()[32..], &without.bytes()[32..]);
        assert!(without.starts_with(&with[..with.len() - 4]));
    }
    let error = fail(&folder, "datagen --output no.vf --games 1 --syzygy nowhere");
    assert!(error.contains("nowhere"), "{error}");
    assert!(!folder.join("no.vf").exists());
}

/// Dies at the second search of its life, if told to; scores everything with half a pawn.
#[cfg(unix)]
const ENGINE: &str = r#"
searches=0
while read -r line; do
    case $line in
    uci) echo uciok ;;
    isready) echo readyok ;;
    go*)
        searches=$((searches + 1))
        [ "$1:$searches" = dies:2 ] && exit 3
        echo "info depth 1 score cp 50 nodes 9 pv e1d1"
        echo "bestmove e1d1"
        ;;
    quit) exit ;;
    esac
done
"#;

#[cfg(unix)]
#[test]
fn another_engine_scores_positions_of_a_list_and_is_started_again() {
    let folder = folder("oracle");
    let line = |number| format!("4k3/8/8/8/8/8/4P3/4K3 w - - 0 {number}\n");
    fs::write(folder.join("list.epd"), (20..25).map(line).collect::<String>() + "nothing\n")
        .unwrap();
    fs::write(folder.join("engine.sh"), ENGINE).unwrap();
    fs::write(folder.join("dies.sh"), format!("set dies\n{ENGINE}")).unwrap();
    let (said, faults) = succeed(&folder, "data positions list.epd -o list.vf");
    assert_eq!(said, "list.vf: 5 positions\n");
    assert!(faults.starts_with("list.epd: line 6: "), "{faults}");
    let scores = |file: &str, engine: &str| -> Vec<i16> {
        let args = format!(
            "data rescore list.vf -o {file} --engine {engine} --unit 2 --one-in 1 --threads 1"
        );
        succeed(&folder, &args);
        let records = records(&folder.join(file));
        records.iter().map(|game| game.moves().next().unwrap().1).collect()
    };
    assert_eq!(scores("whole.vf", "cmd=sh,args=engine.sh"), [100; 5]);
    // Each record is a game of its own, before which the engine may be started again.
    let broken = scores("broken.vf", "cmd=sh,args=dies.sh");
    assert_eq!(broken.iter().filter(|score| **score == 100).count(), 3, "{broken:?}");
    for game in records(&folder.join("broken.vf")) {
        game.walk(|scored| assert_eq!(is_quiet(scored), scored.score == 100)).unwrap();
    }
    let error = fail(&folder, "data rescore list.vf -o none.vf --engine ./missing");
    assert!(error.contains("cannot run ./missing"), "{error}");
    assert!(!folder.join("none.vf").exists());
}

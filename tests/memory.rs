//! With little memory, the program prints an error line or searches normally; it never dies from a
//! signal.
//!
//! Memory is limited by `ulimit -v`, which only Linux enforces.

#![cfg_attr(
    target_os = "linux",
    expect(clippy::unwrap_used, reason = "a test that panics has failed")
)]

#[cfg(not(target_os = "linux"))]
#[test]
fn limits_of_memory() {
    println!("skipped: this system does not enforce memory limits");
}

#[cfg(target_os = "linux")]
mod limited {
    use std::io::{BufRead, BufReader, Read, Write};
    use std::process::{Command, ExitStatus, Stdio};
    use std::sync::OnceLock;

    use heddle::search::Worker;

    use crate::common::{Engine, command};

    /// The number of limits tried.
    const STEPS: usize = 40;
    /// Address space in KiB that is ample for every script here: each of many threads has a stack
    /// of 16 MiB.
    const PLENTY: usize = 3 << 20;
    /// Address space in KiB that is just enough for the program to start.
    const SCARCE: usize = 50 << 10;
    /// The precision of the smallest limit with which the program starts, in KiB.
    const GRAIN: usize = 64;
    /// Resident memory that a removed thread may leave behind, in KiB.
    const KEPT: usize = 50;
    /// Makes glibc return every large block to the system as it is freed. By default it keeps some
    /// for later, up to 10 MiB here, which would hide what the program itself keeps.
    const RETURN_BLOCKS: (&str, &str) = ("GLIBC_TUNABLES", "glibc.malloc.mmap_threshold=131072");

    /// How a run of the program ended, and what it printed.
    struct End {
        status: ExitStatus,
        output: Vec<String>,
        complaint: String,
    }

    /// Runs the program with `arguments` and at most `kib` KiB of address space. Each line of
    /// `input` is sent after the answer to the previous one: a search ends with its move, a job
    /// with its result.
    fn run(kib: usize, arguments: &str, input: &[&str]) -> End {
        let mut process = Command::new("sh")
            .args(["-c", r#"ulimit -v "$1" && exec "$2" $3"#, "sh"])
            .args([&kib.to_string(), env!("CARGO_BIN_EXE_heddle"), arguments])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = process.stdin.take().unwrap();
        let mut stdout = BufReader::new(process.stdout.take().unwrap()).lines().map(Result::unwrap);
        let mut output = Vec::new();
        for line in input {
            let (ask, end) =
                if line.starts_with("go ") { ("", "bestmove ") } else { ("isready\n", "readyok") };
            // A program that exits at startup does not read its input.
            let _ = write!(stdin, "{line}\n{ask}");
            for line in stdout.by_ref() {
                let is_end = line.starts_with(end);
                output.push(line);
                if is_end {
                    break;
                }
            }
        }
        drop(stdin);
        output.extend(stdout);
        output.retain(|line| line != "readyok");
        let mut complaint = String::new();
        process.stderr.take().unwrap().read_to_string(&mut complaint).unwrap();
        End { status: process.wait().unwrap(), output, complaint }
    }

    /// The smallest limit with which the system can load the program at all.
    fn least() -> usize {
        static LEAST: OnceLock<usize> = OnceLock::new();
        *LEAST.get_or_init(find_least)
    }

    fn find_least() -> usize {
        let (mut too_little, mut enough) = (0, PLENTY);
        while enough - too_little > GRAIN {
            let middle = usize::midpoint(too_little, enough);
            match is_well(run(middle, "--version", &[]).status) {
                true => enough = middle,
                false => too_little = middle,
            }
        }
        enough
    }

    /// Whether the program exited regularly: it did what was asked, or said why it could not.
    fn is_well(status: ExitStatus) -> bool {
        matches!(status.code(), Some(0 | 2))
    }

    /// Runs the program with limits from the smallest, in small steps at first, up to an ample one,
    /// and checks what it does with each.
    fn sweep(arguments: &str, input: &[&str], check: impl Fn(&[String])) {
        let least = least();
        for step in 0..STEPS {
            let kib = least + (PLENTY - least) * step.pow(2) / (STEPS - 1).pow(2);
            let End { status, output, complaint } = run(kib, arguments, input);
            let all = format!("{kib} KiB, {status}: {complaint}\n{output:#?}");
            assert!(is_well(status), "{all}");
            if status.success() {
                assert_eq!(complaint, "", "{all}");
                check(&output);
            } else {
                assert_eq!(complaint.lines().count(), 1, "{all}");
                assert!(complaint.starts_with("heddle: "), "{all}");
            }
            assert!(step < STEPS - 1 || status.success() && !all.contains("cannot"), "{all}");
        }
    }

    #[test]
    fn every_search_is_answered() {
        let script = [
            "setoption name Threads value 6",
            "go depth 5",
            "setoption name Hash value 200",
            "go depth 5",
            "ucinewgame",
            "setoption name Threads value 20",
            "setoption name MultiPV value 20",
            "go depth 3",
            "setoption name Threads value 2",
            "go depth 4",
        ];
        sweep("", &script, |lines| {
            let answers = lines.iter().filter(|line| line.starts_with("bestmove ")).count();
            assert_eq!(answers, 4, "{lines:?}");
            let notices =
                lines.iter().filter(|line| line.starts_with("info string cannot")).count();
            assert!(notices <= 4, "one for each option: {lines:?}");
        });
    }

    #[test]
    fn every_job_ends_with_a_line() {
        let threads = "setoption name Threads value 4";
        sweep("", &[threads, "bench 16 3 2"], |lines| {
            let last = lines.last().unwrap();
            assert!(last.contains(" nodes ") || last.contains("cannot"), "{lines:?}");
        });
        sweep("", &[threads, "perft 3"], |lines| {
            let last = lines.last().unwrap();
            assert!(last == "Nodes searched: 8902" || last.contains("cannot"), "{lines:?}");
        });
    }

    #[test]
    fn every_command_ends_with_a_line() {
        sweep("bench 100 3 1", &[], |lines| assert!(lines.last().unwrap().contains(" nodes ")));
        sweep("perft --depth 3 --threads 4", &[], |lines| assert_eq!(lines.len(), 1));
    }

    #[test]
    fn what_was_refused_is_named() {
        let complaint = run(SCARCE, "perft --depth 3 --threads 9", &[]).complaint;
        assert!(complaint.contains("cannot start 9 threads: "), "{complaint}");
    }

    /// A value from `/proc/PID/status`, in KiB.
    fn status(engine: &Engine, field: &str) -> usize {
        let path = format!("/proc/{}/status", engine.process.id());
        let text = std::fs::read_to_string(path).unwrap();
        let line = text.lines().find_map(|line| line.strip_prefix(field)).unwrap();
        line.trim_start_matches(':').trim().trim_end_matches(" kB").parse().unwrap()
    }

    fn is_ready(engine: &mut Engine) {
        engine.send("isready\n");
        engine.until("readyok");
    }

    #[test]
    fn a_new_table_takes_up_no_memory() {
        let mut engine = Engine::start();
        engine.send("setoption name Hash value 300\n");
        is_ready(&mut engine);
        assert!(status(&engine, "VmRSS") < 100 << 10);
        engine.quit();
    }

    /// A thread without an arena of its own keeps trying to reserve one, and takes the last
    /// addresses from the others meanwhile.
    #[test]
    fn threads_share_the_arena() {
        const THREADS: usize = 16;
        let mut engine = Engine::start();
        is_ready(&mut engine);
        let before = status(&engine, "VmSize");
        engine.send(&format!("setoption name Threads value {THREADS}\ngo depth 5\n"));
        engine.until("bestmove ");
        let grown = status(&engine, "VmSize").saturating_sub(before);
        assert!(grown > THREADS << 14, "each has a stack: {grown} KiB");
        assert!(grown < THREADS << 15, "{grown} KiB");
        engine.quit();
    }

    /// The engine makes sure of this room before it makes workers, which cannot fail then.
    #[test]
    fn workers_fit_into_their_room() {
        const NEW: usize = 32;
        const STACK: usize = 16 << 10;
        const ROOM: usize = Worker::ROOM >> 10;
        let mut engine = Engine::start();
        is_ready(&mut engine);
        let before = status(&engine, "VmSize");
        engine.send(&format!("setoption name Threads value {}\ngo depth 5\n", 1 + NEW));
        engine.until("bestmove ");
        let each = status(&engine, "VmSize").saturating_sub(before) / NEW;
        assert!((STACK + ROOM / 2..STACK + ROOM).contains(&each), "{each} KiB for each thread");
        engine.quit();
    }

    #[test]
    fn threads_that_are_gone_have_given_their_memory_back() {
        const THREADS: usize = 100;
        let process = command().envs([RETURN_BLOCKS]).spawn().unwrap();
        let mut engine = Engine::from_process(process);
        engine.send("ucinewgame\n"); // touches the whole table
        is_ready(&mut engine);
        let before = status(&engine, "VmRSS");
        for _ in 0..3 {
            engine.send(&format!("setoption name Threads value {THREADS}\nucinewgame\n"));
            is_ready(&mut engine);
            let grown = status(&engine, "VmRSS") - before;
            assert!(grown > 1 << 10, "the workers have memory: {grown} KiB");
            engine.send("setoption name Threads value 1\n");
            is_ready(&mut engine);
            let kept = status(&engine, "VmRSS").saturating_sub(before);
            assert!(kept < THREADS * KEPT, "{kept} KiB are kept");
        }
        engine.quit();
    }
}

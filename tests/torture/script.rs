//! Random scripts: what a GUI might send, including a bad one on a bad day.
//!
//! A script knows how many answers it is owed and, for every `go`, the position it applies to. That
//! position depends only on the script, not on when the engine gets to what, because `position` and
//! `go` wait their turn. Every `go` carries a name, a meaningless word; the engine reports that it
//! ignores it when it begins the search.

use heddle::position::Position;
use heddle::search::params;
use heddle::uci::options;

/// Random numbers: a seed gives the same script on every machine.
#[derive(Clone, Debug)]
pub struct Random(fastrand::Rng);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(fastrand::Rng::with_seed(seed))
    }

    /// A number below `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0.usize(..bound)
    }

    /// True with probability 1 in `n`.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    pub fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())].clone()
    }
}

/// A step of a script.
#[derive(Clone, Debug)]
pub enum Step {
    /// Sends these bytes, which form lines of any kind.
    Send(Vec<u8>),
    /// Sends nothing for a moment, so that searches may end by themselves.
    Pause,
}

/// How a script ends.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// With `quit`.
    Quit,
    /// With the end of input.
    EndOfInput,
}

/// The root of a `go`.
#[derive(Clone, Debug)]
pub struct Root {
    pub position: Position,
    /// The last `position` was refused, so that there is nothing to search.
    pub is_refused: bool,
    /// The moves it is restricted to, in UCI notation; `None` means all.
    pub moves: Vec<String>,
}

/// A script and the answers it is owed.
pub struct Script {
    pub seed: u64,
    pub threads: usize,
    pub steps: Vec<Step>,
    pub end: End,
    /// The root of every `go`, in order.
    pub roots: Vec<Root>,
    /// Answers to `isready`.
    pub readyok: usize,
    /// Answers to `uci`.
    pub uciok: usize,
}

/// Openings, endings, mates, stalemates, castling of both kinds, promotions, more queens than in
/// any game, the fifty-move rule about to apply, castling rights and en passant squares that
/// contradict the board.
const FENS: [&str; 22] = [
    "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1",
    "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
    "7k/8/5K2/8/8/8/8/6R1 b - - 0 1",
    "6k1/5ppp/8/8/8/8/8/R3K2R w KQ - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
    "1rk2r2/8/8/8/8/8/8/1RK2R2 w FBfb - 0 1",
    "bqnbrkrn/pppppppp/8/8/8/8/PPPPPPPP/BQNBRKRN w GEge - 0 1",
    "rnbqkb1r/ppp1pppp/5n2/3pP3/8/8/PPPP1PPP/RNBQKBNR w KQkq d6 0 3",
    "4k3/QQQQQ3/QQQQQ3/8/8/8/pppp4/4K3 b - - 0 60",
    "QQQQQ3/QQQQQ3/7k/8/8/8/8/K7 w - - 0 1",
    "8/8/8/4k3/8/8/4K3/8 w - - 0 1",
    "8/8/8/4k3/8/8/4K3/7R w - - 99 90",
    "8/8/8/4k3/8/8/4K3/7R w - - 120 130",
    "4k3/8/8/8/8/8/8/4K3 w KQkq - 0 1",
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq e6 0 1",
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w QKXxqk",
    "8/8/8/8/8/8/8/8 w - - 0 1",
    "4k3/8/8/8/8/8/8/8 w - - 0 1",
    "4k2P/8/8/8/8/8/8/4K3 w - - 0 1",
    "4k3/8/8/8/8/8/8/4K3 w",
];

/// Lines that are not commands, or malformed ones: each gets at most one line of complaint.
const NOISE: [&str; 22] = [
    "",
    "   \t ",
    "xyzzy",
    "GO DEPTH 3",
    "position",
    "position start",
    "position startpos e2e4",
    "position fen",
    "position fen rnbqkbnr/pppppppp/8/8 w KQkq - 0 1",
    "position fen rnbqkbnr/ppppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "position startpos moves e2e4 e2e4",
    "position startpos moves 0000",
    "setoption",
    "setoption name",
    "setoption name value 3",
    "setoption name No Such Option value 1",
    "setoption value Hash name 3",
    "debug",
    "debug perhaps",
    "perft",
    "perft deep",
    "bench many",
];

/// Limits, one of which is malformed. All of these but one have another limit that ends the search
/// soon.
const BAD_LIMITS: [&str; 6] = [
    "depth",
    "depth x nodes 300",
    "wtime 1e3 btime 5 movetime 4",
    "movetime - depth 2",
    "infinite nodes many",
    "nodes depth 1",
];

/// Search limits, all of them small.
const LIMITS: [&str; 18] = [
    "depth 1",
    "depth 3",
    "depth 5",
    "depth 0",
    "nodes 1",
    "nodes 500",
    "nodes -7 depth 2",
    "movetime 0",
    "movetime 8",
    "wtime 40 btime 40 winc 1 binc 1",
    "wtime 0 btime 0",
    "wtime -5 btime 30 movestogo 1",
    "btime 20",
    "depth 3 depth 2 movetime 5 movetime 9",
    "mate 1 depth 3",
    "infinite",
    "infinite depth 2",
    "",
];

/// Commands that are answered at once and change nothing.
const QUESTIONS: [&str; 6] = ["d", "eval", "compiler", "license", "help", "register later"];

/// Slightly more than the longest line that is kept.
const TOO_LONG: usize = (1 << 20) + 10;

impl Script {
    /// The script of `seed`, for an engine of `threads` threads.
    pub fn new(seed: u64, threads: usize) -> Self {
        let mut writer = Writer::new(seed, threads);
        for _ in 0..8 + writer.random.below(24) {
            writer.step();
        }
        writer.finish()
    }

    /// The script for people to read.
    pub fn show(&self) -> String {
        let mut text = format!("seed {}, {} threads, {:?}:\n", self.seed, self.threads, self.end);
        for step in &self.steps {
            match step {
                Step::Send(bytes) if bytes.len() > 2000 => {
                    text += &format!("[{} bytes]\n", bytes.len());
                }
                Step::Send(bytes) => text += &String::from_utf8_lossy(bytes),
                Step::Pause => text += "[pause]\n",
            }
        }
        text
    }
}

/// A script under construction.
struct Writer {
    random: Random,
    script: Script,
    /// The position in force after everything before it has been executed.
    position: Position,
    is_refused: bool,
    options: Vec<String>,
}

impl Writer {
    fn new(seed: u64, threads: usize) -> Self {
        let mut random = Random::new(seed);
        let end = random.pick(&[End::Quit, End::EndOfInput]);
        let steps = vec![Step::Send(format!("setoption name Threads value {threads}\n").into())];
        let script = Script { seed, threads, steps, end, roots: vec![], readyok: 0, uciok: 0 };
        // Margins are shared by all tests of this program.
        let is_margin = |row: &String| {
            params::tunable().iter().any(|margin| row.contains(&format!(" name {} ", margin.name)))
        };
        let mut options = options::listing();
        // It makes files of any name wherever the test runs.
        let writes_files = |row: &String| row.contains(" name Debug Log File ");
        options.retain(|row| !is_margin(row) && !writes_files(row));
        let position = Position::default();
        Self { random, script, position, is_refused: false, options }
    }

    fn send(&mut self, line: &str) {
        let end = if self.random.one_in(8) { "\r\n" } else { "\n" };
        let line = format!("{line}{end}");
        // Half of the lines arrive together with the previous one.
        match self.script.steps.last_mut() {
            Some(Step::Send(bytes)) if self.random.one_in(2) => bytes.extend(line.into_bytes()),
            _ => self.script.steps.push(Step::Send(line.into_bytes())),
        }
    }

    fn step(&mut self) {
        match self.random.below(30) {
            0..=6 => self.go(),
            7..=10 => self.send("stop"),
            11 | 12 => self.send("ponderhit"),
            13..=15 => self.position(),
            16 | 17 => self.ready(),
            18..=20 => self.option(),
            21 => self.noise(),
            22 => self.job(),
            23 => self.question(),
            24 => self.doubled(),
            25 => self.send("ucinewgame"),
            26 => self.bytes(),
            _ => self.script.steps.push(Step::Pause),
        }
    }

    fn go(&mut self) {
        let is_bad = self.random.one_in(12);
        let limits = if is_bad { self.random.pick(&BAD_LIMITS) } else { self.random.pick(&LIMITS) };
        let name = self.script.roots.len();
        let ponder = if self.random.one_in(4) { " ponder" } else { "" };
        let moves = if self.random.one_in(4) { self.some_moves() } else { Vec::new() };
        let list = if moves.is_empty() {
            String::new()
        } else {
            format!(" searchmoves e9e4 {} {}", moves.join(" "), moves[0])
        };
        let (position, is_refused) = (self.position.clone(), self.is_refused);
        self.script.roots.push(Root { position, is_refused, moves });
        self.send(&format!("go k{name} {limits}{ponder}{list}"));
        if self.random.one_in(4) {
            let next = self.random.pick(&["stop", "ponderhit", "go", "isready"]);
            match next {
                "go" => self.go(),
                "isready" => self.ready(),
                other => self.send(other),
            }
        }
    }

    /// A few of the legal moves.
    fn some_moves(&mut self) -> Vec<String> {
        let legal = self.position.legal_moves();
        if legal.is_empty() {
            return Vec::new();
        }
        let wanted = 1 + self.random.below(3);
        let mut pick = || heddle::position::uci(legal[self.random.below(legal.len())], true);
        (0..wanted).map(|_| pick()).collect()
    }

    /// A position, usually legal, usually reached by moves.
    fn position(&mut self) {
        let (mut text, mut position) = if self.random.one_in(2) {
            ("position startpos".to_owned(), Position::default())
        } else {
            let fen = self.random.pick(&FENS);
            let text = format!("position fen {fen}");
            let Ok(position) = Position::from_fen(fen) else {
                self.is_refused = true;
                return self.send(&text);
            };
            (text, position)
        };
        let plies = self.random.below(24);
        for ply in 0..plies {
            let legal = position.legal_moves();
            if legal.is_empty() {
                break;
            }
            let m = legal[self.random.below(legal.len())];
            text += if ply == 0 { " moves " } else { " " };
            text += &heddle::position::uci(m, position.is_chess960());
            position = position.play(m);
        }
        if plies > 0 && self.random.one_in(10) && text.contains(" moves ") {
            text += " a1a1";
            self.is_refused = true;
        } else {
            self.position = position;
            self.is_refused = false;
        }
        self.send(&text);
    }

    fn ready(&mut self) {
        let line = self.random.pick(&["isready", "isready", "joho isready", " isready now"]);
        self.script.readyok += 1;
        self.send(line);
    }

    /// Sets one of the options that the engine lists, to a valid or invalid value.
    fn option(&mut self) {
        let row = self.random.pick(&self.options.clone());
        let row = row.strip_prefix("option name ").expect("a row of the listing");
        let (name, kind) = row.split_once(" type ").expect("a row of the listing");
        let words: Vec<&str> = kind.split_whitespace().collect();
        let number = |word| {
            let place = words.iter().position(|&w| w == word)?;
            words.get(place + 1)?.parse::<i64>().ok()
        };
        let value = match words[0] {
            _ if self.random.one_in(8) => {
                self.random.pick(&["", "-1", "x", "99999999999999999999", "é\u{1}", "1 2"]).into()
            }
            "check" => self.random.pick(&["true", "false"]).to_owned(),
            "spin" => {
                let (min, max) = (number("min").unwrap_or(0), number("max").unwrap_or(0));
                // Small, because tables and threads need real memory.
                (min + self.random.below(5) as i64).min(max + 1).to_string()
            }
            "combo" => {
                let choices: Vec<&str> = kind.split(" var ").skip(1).map(str::trim).collect();
                self.random.pick(&choices).to_owned()
            }
            "string" => {
                let default = kind.strip_prefix("string default ").unwrap_or_default();
                self.random.pick(&["", "<empty>", "/no/such/place", "a b", default]).to_owned()
            }
            _ => String::new(),
        };
        let line = if value.is_empty() {
            format!("setoption name {name}")
        } else {
            format!("setoption name {name} value {value}")
        };
        self.send(&line);
    }

    fn noise(&mut self) {
        let line = if self.random.one_in(3) {
            // A command that takes no such words.
            let first = self.random.pick(&["position", "setoption", "debug", "perft"]);
            let words = ["go", "stop", "depth", "value", "moves", "quit", "\u{0}", "é", "-"];
            let rest: Vec<&str> =
                (0..1 + self.random.below(6)).map(|_| self.random.pick(&words)).collect();
            format!("{first} {}", rest.join(" "))
        } else {
            self.random.pick(&NOISE).to_owned()
        };
        self.is_refused |= line.starts_with("position");
        self.send(&line);
    }

    /// A job that is not a search. A long one is started only if `quit` will end it.
    fn job(&mut self) {
        let long = self.script.end == End::Quit && self.random.one_in(3);
        let line = self.random.pick(if long {
            &["perft 20", "go perft 20", "bench 1 2 100"]
        } else {
            &["perft 1", "go perft 2", "perft 0"]
        });
        self.send(line);
    }

    fn question(&mut self) {
        if self.random.one_in(4) {
            self.script.uciok += 1;
            return self.send("uci");
        }
        if self.random.one_in(4) {
            let debug = self.random.pick(&["debug on", "debug off"]);
            return self.send(debug);
        }
        let line = self.random.pick(&QUESTIONS);
        self.send(line);
    }

    /// The same command twice in a row.
    fn doubled(&mut self) {
        match self.random.below(5) {
            0 => (0..2).for_each(|_| self.send("stop")),
            1 => (0..2).for_each(|_| self.send("ponderhit")),
            2 => (0..2).for_each(|_| self.send("flip")), // which leaves the position as it was
            3 => (0..2).for_each(|_| self.send("ucinewgame")),
            _ => (0..2).for_each(|_| self.ready()),
        }
    }

    /// Bytes that are not text, or too many of them.
    fn bytes(&mut self) {
        let kind = self.random.below(12);
        self.is_refused |= [1, 2].contains(&kind);
        let bytes = match kind {
            0 => vec![b'x'; 100_000],
            // What it says is unknown: it may have been a position.
            1 => vec![b'y'; TOO_LONG],
            2 => [b"position startpos moves ", &b"e2e4 "[..].repeat(20_000)[..]].concat(),
            _ => (0..self.random.below(60))
                .map(|_| self.random.below(0x80) as u8 | 0x80)
                .collect::<Vec<u8>>(),
        };
        self.script.steps.push(Step::Send([&bytes[..], b"\n"].concat()));
    }

    fn finish(mut self) -> Script {
        if self.random.one_in(2) {
            self.send("stop");
        }
        if self.script.end == End::Quit {
            // Whatever comes after `quit` does not matter any more.
            let last = self.random.pick(&["quit\n", "quit", "quit\nisready\ngo depth 1\n"]);
            self.script.steps.push(Step::Send(last.into()));
        }
        self.script
    }
}

use super::*;
use crate::cli::GAME_HASH;
use crate::machine::{max_hash, max_threads};
use crate::numa::NumaPolicy;
use crate::score::Depth;
use crate::search::params;
use crate::smp::teamwork::Stagger;
use crate::syzygy::Probing;

/// The change of the engine that one option asks for.
fn set(name: &str, value: Option<&str>) -> Result<Option<Change>, OptionError> {
    Options::default().set(name, value)
}

/// The options once these are set, none of which concerns the engine.
fn with(settings: &[(&str, &str)]) -> Options {
    let mut options = Options::default();
    for (name, value) in settings {
        assert_eq!(options.set(name, Some(value)), Ok(None), "{name}");
    }
    options
}

#[test]
fn the_listing_is_what_guis_expect() {
    let listing = listing();
    assert!(listing[0].starts_with("option name Threads type spin default 1 min 1 max "));
    assert!(listing.contains(&"option name Clear Hash type button".into()));
    assert!(listing.contains(&"option name UCI_Chess960 type check default false".into()));
    assert!(listing.contains(
        &"option name Stagger type combo default skip var none var alternate var skip".into()
    ));
    assert!(listing.contains(&"option name EvalFile type string default <default>".into()));
    assert!(listing.iter().any(|line| line.starts_with("option name Move Overhead type spin")));
    assert!(listing.contains(&"option name SyzygyPath type string default <empty>".into()));
}

#[test]
fn the_defaults_of_the_listing_are_the_defaults_of_the_program() {
    let mut options = Options::default();
    let mut changes = Vec::new();
    for option in all() {
        if let Some(default) = &option.default {
            changes.extend(options.set(option.name, Some(default)).unwrap());
        }
    }
    assert_eq!(format!("{options:?}"), format!("{:?}", Options::default()));
    changes.retain(|change| *change != Change::Margin);
    let engine = [
        Change::Threads(1),
        Change::Hash(GAME_HASH),
        Change::Numa(NumaPolicy::Auto),
        Change::EvalFile(EvalFile::default()),
        Change::Tablebases(String::new()),
    ];
    assert_eq!(changes, engine);
}

#[test]
fn every_option_does_what_it_says() {
    let options = with(&[
        ("MultiPV", "7"),
        ("Move Overhead", "250"),
        ("UCI_Chess960", "true"),
        ("UCI_ShowWDL", "true"),
        ("UCI_LimitStrength", "true"),
        ("UCI_Elo", "2000"),
        ("UCI_AnalyseMode", "true"),
        ("Stagger", "none"),
        ("Lockstep", "true"),
        ("LockstepQuantum", "99"),
        ("SyzygyProbeDepth", "9"),
        ("Syzygy50MoveRule", "false"),
        ("SyzygyProbeLimit", "4"),
        ("Ponder", "true"),
        ("Debug Log File", "heddle.log"),
    ]);
    let settings = Settings {
        multipv: 7,
        stagger: Stagger::None,
        lockstep: true,
        quantum: 99,
        probing: Probing { depth: 9 as Depth, fifty_moves: false, limit: 4 },
        ..Settings::default()
    };
    let expected = Options {
        settings,
        overhead: Duration::from_millis(250),
        chess960: true,
        show_wdl: true,
        limit_strength: true,
        strength: Strength::new(2000),
        analyse_mode: true,
        log_file: "heddle.log".into(),
    };
    assert_eq!(format!("{options:?}"), format!("{expected:?}"));
    assert_eq!(set("Threads", Some("3")), Ok(Some(Change::Threads(3))));
    assert_eq!(set("Clear Hash", None), Ok(Some(Change::Clear)));
}

/// Between these two lines of docs/uci.md stands its table of options.
const TABLE: (&str, &str) = ("| Option | Values (default) | Meaning |\n|---|---|---|\n", "\n\n");

/// The table of options that docs/uci.md should have. What depends on the machine is in words.
fn document_rows() -> String {
    let row = |option: &UciOption| {
        let UciOption { name, help, default, .. } = option;
        let takes = portable(option);
        let default = default.as_ref().map(|default| format!(" ({default})")).unwrap_or_default();
        let values = format!("{takes}{default}").replace('<', "`<").replace('>', ">`");
        format!("| `{name}` | {values} | {help} |")
    };
    let margin = |option: &UciOption| params::tunable().iter().any(|p| p.name == option.name);
    let rows: Vec<_> = all().iter().filter(|option| !margin(option)).map(row).collect();
    rows.join("\n")
}

#[test]
fn the_document_has_every_option_as_it_is() {
    let document = include_str!("../../../docs/uci.md");
    let (_, rest) = document.split_once(TABLE.0).expect("the table's head");
    let (table, _) = rest.split_once(TABLE.1).expect("the table's end");
    let rows = document_rows();
    assert!(table == rows, "the table of docs/uci.md should be:\n{}{rows}", TABLE.0);
}

#[test]
fn a_manual_page_has_defaults_but_no_bounds_of_the_machine() {
    // Wherever its lines are broken.
    let text = |is_for_manual| {
        let words = help(is_for_manual).join(" ");
        words.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let (here, anywhere) = (text(false), text(true));
    assert!(here.contains(&format!("(1 to {}) [default: 16]", max_hash())), "{here}");
    assert!(anywhere.contains("(1 to the machine's memory) [default: 16]"), "{anywhere}");
    assert!(!anywhere.contains(&max_hash().to_string()), "{anywhere}");
    // A build for development has them; what is installed does not.
    assert_eq!(here.contains(MARGIN_HELP), !params::tunable().is_empty(), "{here}");
    assert!(!anywhere.contains(MARGIN_HELP), "{anywhere}");
}

#[test]
fn names_and_values_are_read_whatever_their_case() {
    assert_eq!(set("hash", Some("32")), Ok(Some(Change::Hash(32))));
    assert_eq!(set("CLEAR HASH", None), Ok(Some(Change::Clear)));
    let options = with(&[("uci_chess960", "True"), ("Stagger", "Skip"), ("move overhead", "0")]);
    assert!(options.chess960);
    assert_eq!((options.settings.stagger, options.overhead), (Stagger::Skip, Duration::ZERO));
    let file = EvalFile::File("My Nets/a  b.nnue".into());
    assert_eq!(set("evalfile", Some(" My Nets/a  b.nnue ")), Ok(Some(Change::EvalFile(file))));
    let classical = Ok(Some(Change::EvalFile(EvalFile::Classical)));
    assert_eq!(set("EvalFile", Some("<classical>")), classical);
}

#[test]
fn a_text_is_kept_as_it_is_and_may_be_empty() {
    let path = |text: &str| Ok(Some(Change::Tablebases(text.into())));
    let text = "/my tables/3-4:D:\\wdl";
    assert_eq!(set("syzygypath", Some(text)), path(text));
    for empty in [None, Some(""), Some(" "), Some("<empty>")] {
        assert_eq!(set("syzygypath", empty), path(""));
    }
}

#[test]
fn an_impossible_value_names_the_bounds_and_changes_nothing() {
    let mut options = Options::default();
    let mut error = |name, value| options.set(name, value).unwrap_err().to_string();
    assert_eq!(error("MultiPV", Some("0")), "option MultiPV takes 1 to 256, not 0");
    assert_eq!(error("multipv", Some("abc")), "option MultiPV takes 1 to 256, not abc");
    assert_eq!(error("MultiPV", None), "option MultiPV takes 1 to 256, not nothing");
    assert_eq!(
        error("MultiPV", Some("99999999999999999999999")),
        "option MultiPV takes 1 to 256, not 99999999999999999999999"
    );
    assert_eq!(
        error("UCI_Chess960", Some("yes")),
        "option UCI_Chess960 takes true or false, not yes"
    );
    assert_eq!(
        error("stagger", Some("x")),
        "option Stagger takes one of none, alternate, skip, not x"
    );
    assert!(error("Hash", Some("-1")).starts_with("option Hash takes 1 to "));
    let too_many = (max_threads() + 1).to_string();
    assert!(error("Threads", Some(&too_many)).ends_with(&format!("not {too_many}")));
    assert_eq!(
        error("EvalFile", Some("")),
        "option EvalFile takes <default>, <classical> or a file, not nothing"
    );
    assert_eq!(error("Book", Some("x")), "no such option: Book");
    assert_eq!(error("Hsh", Some("x")), "no such option: Hsh; did you mean Hash?");
    assert_eq!(format!("{options:?}"), format!("{:?}", Options::default()));
}

#[test]
fn the_strength_is_limited_in_games_only() {
    assert_eq!(Options::default().limited(), None);
    let limited = [("UCI_Elo", "2000"), ("UCI_LimitStrength", "true")];
    assert_eq!(with(&limited).limited(), Some(Strength::new(2000)));
    let analysing = [&limited[..], &[("UCI_AnalyseMode", "true")]].concat();
    assert_eq!(with(&analysing).limited(), None);
}

#[test]
fn a_rating_beyond_the_bounds_is_the_nearest() {
    for (value, meant) in [
        ("3190", "2900"),
        ("2901", "2900"),
        ("+3600", "2900"),
        ("99999999999999999999999", "2900"),
        ("1100", "1200"),
        ("0", "1200"),
        ("-5", "1200"),
        ("2400", "2400"),
    ] {
        let [found, wanted] = [value, meant]
            .map(|elo| with(&[("UCI_LimitStrength", "true"), ("UCI_Elo", elo)]).limited());
        assert!(found.is_some() && found == wanted, "{value}");
    }
    for value in ["", "strong", "12e2", "+", "2400.5"] {
        assert!(set("UCI_Elo", Some(value)).is_err(), "{value}");
    }
}

#[test]
fn options_of_other_engines_that_guis_preset_are_ignored() {
    for name in FOREIGN.iter().copied().chain(["skill level", "NODESTIME"]) {
        for value in [None, Some("20"), Some("none none computer Stockfish")] {
            assert_eq!(set(name, value), Ok(None), "{name}");
        }
        assert!(all().iter().all(|option| option.name != name), "{name} is our own");
    }
    assert!(set("Skill", Some("20")).is_err());
}

use super::*;

#[test]
fn the_listing_is_what_guis_expect() {
    let listing = listing();
    assert!(listing[0].starts_with("option name Threads type spin default 1 min 1 max "));
    assert!(listing.contains(&"option name Clear Hash type button".into()));
    assert!(listing.contains(&"option name UCI_Chess960 type check default false".into()));
    assert!(listing.contains(
        &"option name Stagger type combo default alternate var none var alternate var skip".into()
    ));
    assert!(listing.contains(&"option name EvalFile type string default <default>".into()));
    assert!(listing.iter().any(|line| line.starts_with("option name Move Overhead type spin")));
    assert!(listing.contains(&"option name SyzygyPath type string default <empty>".into()));
}

#[test]
fn the_defaults_of_the_listing_are_the_defaults_of_the_program() {
    let options = Options::default();
    let Options { settings, overhead, chess960, .. } = &options;
    for spec in table() {
        let set = match &spec.kind {
            Kind::Check { default, .. } => spec.kind.read(&default.to_string()),
            Kind::Spin { default, .. } => spec.kind.read(&default.to_string()),
            Kind::Combo { default, .. } | Kind::Text { default, .. } => spec.kind.read(default),
            Kind::Param { index } => spec.kind.read(&params::tunable()[*index].default.to_string()),
            Kind::Button { .. } => continue,
        };
        match set.unwrap() {
            Setting::MultiPv(n) => assert_eq!(n, settings.multipv),
            Setting::MoveOverhead(time) => assert_eq!(time, *overhead),
            Setting::Chess960(on) => assert_eq!(on, *chess960),
            Setting::ShowWdl(on) => assert_eq!(on, options.show_wdl),
            Setting::LimitStrength(on) => assert_eq!(on, options.limit_strength),
            Setting::Elo(strength) => assert_eq!(strength, options.strength),
            Setting::AnalyseMode(on) => assert_eq!(on, options.analyse_mode),
            Setting::Stagger(stagger) => assert_eq!(stagger, settings.stagger),
            Setting::Correction(sharing) => assert_eq!(sharing, settings.correction),
            Setting::Threads(n) => assert_eq!(n, 1),
            Setting::Hash(n) => assert_eq!(n, DEFAULT_HASH),
            Setting::Ponder(on) => assert!(!on),
            Setting::EvalFile(file) => assert_eq!(file, EvalFile::default()),
            Setting::Param(index, n) => assert_eq!(n, params::tunable()[index].get()),
            Setting::SyzygyPath(path) => assert_eq!(path, ""),
            Setting::SyzygyProbeDepth(depth) => assert_eq!(depth, settings.probing.depth),
            Setting::Syzygy50MoveRule(on) => assert_eq!(on, settings.probing.fifty_moves),
            Setting::SyzygyProbeLimit(n) => assert_eq!(n, settings.probing.limit),
            Setting::Lockstep(on) => assert_eq!(on, settings.lockstep),
            Setting::LockstepQuantum(nodes) => assert_eq!(nodes, settings.quantum),
            Setting::ClearHash => unreachable!("a button has no default"),
        }
    }
}

#[test]
fn names_and_values_are_read_whatever_their_case() {
    assert_eq!(parse("hash", Some("32")), Ok(Setting::Hash(32)));
    assert_eq!(parse("CLEAR HASH", None), Ok(Setting::ClearHash));
    assert_eq!(parse("uci_chess960", Some("True")), Ok(Setting::Chess960(true)));
    assert_eq!(parse("Stagger", Some("Skip")), Ok(Setting::Stagger(Stagger::Skip)));
    assert_eq!(
        parse("CorrectionHistory", Some("Shared")),
        Ok(Setting::Correction(crate::smp::sharing::Sharing::Shared))
    );
    assert_eq!(parse("move overhead", Some("0")), Ok(Setting::MoveOverhead(Duration::ZERO)));
    let file = EvalFile::File("My Nets/a  b.nnue".into());
    assert_eq!(parse("evalfile", Some(" My Nets/a  b.nnue ")), Ok(Setting::EvalFile(file)));
    let classical = Ok(Setting::EvalFile(EvalFile::Classical));
    assert_eq!(parse("EvalFile", Some("<classical>")), classical);
}

#[test]
fn a_text_is_kept_as_it_is_and_may_be_empty() {
    let path = |value| parse("syzygypath", value).unwrap();
    let set = |text: &str| Setting::SyzygyPath(text.into());
    assert_eq!(path(Some("/my tables/3-4:D:\\wdl")), set("/my tables/3-4:D:\\wdl"));
    for empty in [None, Some(""), Some(" "), Some("<empty>")] {
        assert_eq!(path(empty), set(""));
    }
}

#[test]
fn an_impossible_value_names_the_bounds() {
    let error = |name, value| parse(name, value).unwrap_err().to_string();
    assert_eq!(error("MultiPV", Some("0")), "option MultiPV takes 1 to 256, not 0");
    assert_eq!(error("multipv", Some("abc")), "option MultiPV takes 1 to 256, not abc");
    assert_eq!(error("MultiPV", None), "option MultiPV takes 1 to 256, not nothing");
    assert_eq!(
        error("MultiPV", Some("99999999999999999999999")),
        "option MultiPV takes 1 to 256, not 99999999999999999999999"
    );
    assert_eq!(error("Ponder", Some("yes")), "option Ponder takes true or false, not yes");
    assert_eq!(
        error("stagger", Some("x")),
        "option Stagger takes one of none, alternate, skip, not x"
    );
    assert!(error("Hash", Some("-1")).starts_with("option Hash takes 1 to "));
    assert_eq!(
        error("EvalFile", Some("")),
        "option EvalFile takes <default>, <classical> or a file, not nothing"
    );
    assert_eq!(error("Book", Some("x")), "no such option: Book");
}

#[test]
fn the_strength_is_limited_in_games_only() {
    let mut options = Options::default();
    assert_eq!(options.limited(), None);
    for (name, value) in [("UCI_Elo", "2000"), ("UCI_LimitStrength", "true")] {
        options.set(&parse(name, Some(value)).unwrap());
    }
    assert_eq!(options.limited(), Some(Strength::new(2000)));
    options.set(&parse("UCI_AnalyseMode", Some("true")).unwrap());
    assert_eq!(options.limited(), None);
}

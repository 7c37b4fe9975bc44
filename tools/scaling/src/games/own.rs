//! Heddle itself as the engine of a side that has no command: this program with one argument.

use std::env;
use std::io;
use std::path::Path;
use std::process::ExitCode;

use heddle::cli::exit_status;
use heddle::streams;
use heddle::tt::share_arena;
use heddle_client::Spec;

/// That argument, the first.
const OWN_ENGINE: &str = "--uci";

/// Speaks UCI, if this process is such an engine, and returns the exit status.
pub fn own_engine() -> Option<ExitCode> {
    let is_engine = env::args_os().nth(1).is_some_and(|word| word == OWN_ENGINE);
    is_engine.then(|| {
        share_arena();
        exit_status(heddle::uci::run(io::BufReader::new(streams::input()), streams::output()))
    })
}

/// Lets an engine be this version of Heddle.
pub fn set_own(spec: &mut Spec) -> io::Result<()> {
    spec.program = env::current_exe()?.to_string_lossy().into_owned();
    spec.args.insert(0, OWN_ENGINE.to_owned());
    Ok(())
}

/// Whether an engine is this version of Heddle.
pub fn is_own(spec: &Spec) -> bool {
    let is_this = || env::current_exe().is_ok_and(|own| own == Path::new(&spec.program));
    spec.args.first().is_some_and(|word| word == OWN_ENGINE) && is_this()
}

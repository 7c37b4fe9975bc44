//! The program's name, licence and build.

use crate::eval::nnue::simd::Simd;

/// The licence notice.
pub const LICENSE: &str = concat!(
    "Heddle is free software under the GNU General Public License, version 3 or later, and comes ",
    "without any warranty; see <https://www.gnu.org/licenses/gpl-3.0.html>."
);

/// Name and version of the program.
pub const NAME: &str = concat!("Heddle ", env!("CARGO_PKG_VERSION"));

/// How the program was built, and which instructions it chose for the network.
pub fn compiler() -> String {
    let build = if cfg!(debug_assertions) { "debug" } else { "release" };
    let features = [
        (cfg!(target_feature = "popcnt"), "popcnt"),
        (cfg!(target_feature = "bmi2"), "bmi2"),
        (cfg!(target_feature = "avx2"), "avx2"),
        (cfg!(target_feature = "avx512f"), "avx512"),
        (cfg!(target_feature = "neon"), "neon"),
    ];
    let names = features.iter().filter(|(has, _)| *has).map(|(_, name)| *name);
    let names: Vec<&str> = std::iter::once(build).chain(names).collect();
    let (arch, os) = (std::env::consts::ARCH, std::env::consts::OS);
    format!("{NAME} for {arch} {os}: {}; network: {}", names.join(" "), Simd::best().name())
}

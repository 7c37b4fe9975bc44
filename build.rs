//! Selects the network to embed in the program: the file named by the environment variable; else
//! the repository's, if there is one; else none.

use std::path::{Path, PathBuf};
use std::{env, fs};

/// The environment variable that names another network to embed.
const VARIABLE: &str = "HEDDLE_EVALFILE";
/// The folder of networks. The whole folder is watched, because a missing file cannot be.
const FOLDER: &str = "nets";
/// The repository's network.
const DEFAULT: &str = "nets/default.nnue";

fn main() {
    println!("cargo:rerun-if-env-changed={VARIABLE}");
    println!("cargo:rerun-if-changed=build.rs");
    let named = env::var_os(VARIABLE).filter(|path| !path.is_empty()).map(PathBuf::from);
    let file =
        if let Some(path) = named {
            println!("cargo:rerun-if-changed={}", path.display());
            let path = path.canonicalize();
            Some(path.unwrap_or_else(|error| {
                panic!("cannot find the network named by {VARIABLE}: {error}")
            }))
        } else {
            println!("cargo:rerun-if-changed={FOLDER}");
            Path::new(DEFAULT).canonicalize().ok()
        };
    let source = match file {
        Some(path) => format!("Some(include_bytes!({:?}))", path.display().to_string()),
        None => "None".into(),
    };
    let out = env::var_os("OUT_DIR").expect("cargo sets OUT_DIR");
    fs::write(Path::new(&out).join("embedded.rs"), source).expect("OUT_DIR is writable");
}

//! Finds the network that goes into the program: the file that the environment names, else the
//! one of the repository, else none.

use std::path::{Path, PathBuf};
use std::{env, fs};

/// Names another network to embed.
const VARIABLE: &str = "HEDDLE_EVALFILE";
/// The folder of networks. It is watched as a whole, for a file that is missing cannot be.
const FOLDER: &str = "nets";
/// The network of the repository.
const DEFAULT: &str = "nets/default.nnue";

fn main() {
    println!("cargo:rerun-if-env-changed={VARIABLE}");
    println!("cargo:rerun-if-changed=build.rs");
    let named = env::var_os(VARIABLE).filter(|path| !path.is_empty()).map(PathBuf::from);
    let file = if let Some(path) = named {
        println!("cargo:rerun-if-changed={}", path.display());
        let path = path.canonicalize();
        Some(path.unwrap_or_else(|error| panic!("the network that {VARIABLE} names: {error}")))
    } else {
        println!("cargo:rerun-if-changed={FOLDER}");
        Path::new(DEFAULT).canonicalize().ok()
    };
    let source = match file {
        Some(path) => format!("Some(include_bytes!({:?}))", path.display().to_string()),
        None => "None".into(),
    };
    let out = env::var_os("OUT_DIR").expect("cargo names the folder");
    fs::write(Path::new(&out).join("embedded.rs"), source).expect("cargo's folder can be written");
}

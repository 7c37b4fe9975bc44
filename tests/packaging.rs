//! What packagers use: `packaging/install` and `packaging/uninstall`, and the files beside them.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const REPOSITORY: &str = env!("CARGO_MANIFEST_DIR");

fn run(script: &str, arguments: &[&Path], manual: &Path) -> Output {
    let mut command = Command::new(Path::new(REPOSITORY).join("packaging").join(script));
    command.args(arguments).env("MANUAL", manual).output().unwrap()
}

/// Every file below a folder, without that folder's name, sorted.
fn files(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                found.push(path.strip_prefix(folder).unwrap().to_str().unwrap().to_owned());
            }
        }
    }
    found.sort();
    found
}

/// An empty folder for one test.
fn folder(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("packaging").join(test);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn what_is_installed_is_complete_and_uninstalled_again() {
    let root = folder("whole");
    let program = Path::new(env!("CARGO_BIN_EXE_heddle"));
    let output = run("install", &[&root, Path::new("heddle"), program], Path::new("/no/such"));
    assert!(output.status.success(), "{output:?}");
    let found = files(&root);
    for wanted in [
        "bin/heddle",
        "share/man/man1/heddle.1",
        "share/man/man1/heddle-analyse.1",
        "share/bash-completion/completions/heddle",
        "share/zsh/site-functions/_heddle",
        "share/fish/vendor_completions.d/heddle.fish",
        "share/doc/heddle/LICENSE",
        "share/doc/heddle/README.md",
    ] {
        assert!(found.iter().any(|file| file == wanted), "{wanted}: {found:?}");
    }
    let zsh: Vec<_> = found.iter().filter(|file| file.contains("site-functions")).collect();
    assert_eq!(zsh, ["share/zsh/site-functions/_heddle"], "nothing of other shells");
    let page = fs::read_to_string(root.join("share/man/man1/heddle.1")).unwrap();
    assert!(page.contains(".SH SEE ALSO\n") && page.contains("heddle\\-annotate"), "{page}");
    let completion = fs::read_to_string(root.join("share/bash-completion/completions/heddle"));
    assert!(completion.unwrap().contains("annotate"));
    assert!(run("uninstall", &[&root, Path::new("heddle")], Path::new("")).status.success());
    assert_eq!(files(&root), [""; 0]);
}

#[test]
fn a_program_of_another_system_gets_the_pages_that_were_written_here() {
    let root = folder("foreign");
    let (program, manual) = (root.join("built"), root.join("manual"));
    fs::write(&program, "not a program of this system").unwrap();
    let install =
        |manual: &Path| run("install", &[&root.join("to"), Path::new("heddle"), &program], manual);
    let refused = install(Path::new("/no/such"));
    let said = String::from_utf8(refused.stderr).unwrap();
    assert!(!refused.status.success() && said.contains("make manual-tools"), "{said}");
    for (folder, pages) in [
        ("heddle", &["heddle.1", "heddle-analyse.1", "heddle.bash", "heddle.fish", "_heddle"][..]),
        ("heddle-tools", &["heddle-data.1", "_heddle-tools"]),
    ] {
        let folder = manual.join(folder);
        fs::create_dir_all(&folder).unwrap();
        pages.iter().for_each(|page| fs::write(folder.join(page), page).unwrap());
    }
    let output = install(&manual);
    assert!(output.status.success(), "{output:?}");
    let pages: Vec<_> = files(&root.join("to/share/man/man1"));
    assert_eq!(pages, ["heddle-analyse.1", "heddle.1"], "of this program alone");
}

#[test]
fn what_is_not_built_is_not_installed() {
    let root = folder("missing");
    let missing = root.join("heddle");
    let output = run("install", &[&root, Path::new("heddle"), &missing], Path::new("/no/such"));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success() && said.contains("run make"), "{said}");
    assert_eq!(files(&root), [""; 0]);
}

#[test]
fn the_openbench_engine_is_whole() {
    let path = Path::new(REPOSITORY).join("packaging/openbench/Engines/Heddle.json");
    let engine: serde_json::Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    let manifest = fs::read_to_string(Path::new(REPOSITORY).join("Cargo.toml")).unwrap();
    let (_, version) = manifest.split_once("rust-version = \"").unwrap();
    let (version, _) = version.split_once('"').unwrap();
    let compiler = format!("cargo>={version}.0");
    assert_eq!(engine["build"]["compilers"][0], compiler.as_str());
    assert!(engine["nps"].as_u64().unwrap() > 0);
    assert!(engine["test_presets"]["default"]["test_bounds"].is_string());
}

#[test]
fn the_packages_readme_links_to_nothing_that_a_package_lacks() {
    let readme = fs::read_to_string(Path::new(REPOSITORY).join("packaging/README.md")).unwrap();
    assert!(!readme.contains("]("), "{readme}");
}

/// The archives would be slower, or need this system's C library, and nobody would know.
#[test]
fn archives_are_not_built_without_what_they_need() {
    let root = folder("dist");
    let (programs, sysroot) = (root.join("bin"), root.join("sysroot"));
    fs::create_dir_all(&programs).unwrap();
    let rustc = format!(
        "#!/bin/sh\ncase \"$*\" in\n*host-tuple) echo x86_64-unknown-linux-gnu ;;\n\
         *sysroot) echo {0} ;;\n*target-libdir) echo {0}/lib ;;\nesac\n",
        sysroot.display()
    );
    let script = root.join("rustc");
    fs::write(&script, rustc).unwrap();
    // In a process of its own: a program that this one writes may be busy.
    let install = Command::new("install").args(["-m", "755"]).arg(&script).arg(&programs).status();
    assert!(install.unwrap().success());
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap());
    let said = || {
        let mut dist = Command::new(Path::new(REPOSITORY).join(".ci/dist"));
        let output = dist.env("PATH", &path).env_remove("ANYWAY").output().unwrap();
        assert!(!output.status.success(), "{output:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    let without_musl = said();
    assert!(without_musl.contains("rustup target add x86_64-unknown-linux-musl"), "{without_musl}");
    fs::create_dir_all(sysroot.join("lib/rustlib/x86_64-unknown-linux-musl/lib")).unwrap();
    let without_profile = said();
    assert!(without_profile.contains("rustup component add llvm-tools"), "{without_profile}");
}

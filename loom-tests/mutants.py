#!/usr/bin/env python3
"""Breaks the shipped source in one place at a time; the tests named in mutants.toml must fail.

All mutants are built at once, in a copy of the source: each place becomes a choice between what is
shipped and the mutant that an environment variable names."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# Outside of the repository, whose .cargo/config.toml would count twice inside.
TREE = Path(tempfile.gettempdir()) / f"heddle-mutants-{ROOT.name}"
# The most that tests may take.
SECONDS = 120
# The mutant that a program is to be.
VARIABLE = "HEDDLE_MUTANT"
ENVIRONMENT = os.environ | {"CARGO_TARGET_DIR": str(ROOT / "target" / "mutants")}
CHOICE = f"""
pub mod mutant {{
    pub fn is(name: &str) -> bool {{
        static CHOSEN: std::sync::LazyLock<Option<String>> =
            std::sync::LazyLock::new(|| std::env::var("{VARIABLE}").ok());
        CHOSEN.as_deref() == Some(name)
    }}
}}
"""
# Lightly optimised: most of the time goes into compilation.
LIGHTLY = [
    f"--config=profile.dev.package.{name}.opt-level=1" for name in ["heddle-chess", "loom-tests"]
]
BUILDS = [
    ["cargo", "test", "--package", "heddle-chess", "--lib", "--test", "all", *LIGHTLY],
    ["cargo", "loom", "--test", "all", *LIGHTLY],
]


def copied():
    """Copies the source, with the choice of a mutant in it."""
    shutil.rmtree(TREE, ignore_errors=True)
    files = subprocess.check_output(["git", "ls-files"], cwd=ROOT, text=True)
    for file in filter(os.path.isfile, files.split("\n")):
        (TREE / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / file, TREE / file)
    lib = TREE / "src" / "lib.rs"
    lib.write_text("#![allow(warnings)]\n" + lib.read_text() + CHOICE)


def make_choosable(name, mutant):
    """Makes the mutant a choice: between statements, or between expressions."""
    path, shipped, other = TREE / mutant["file"], mutant["line"].strip(), mutant["with"].strip()
    text = path.read_text()
    if text.count(shipped) != 1:
        sys.exit(f"{name}: occurs {text.count(shipped)} times in {mutant['file']}")
    crate = "crate" if mutant["file"].startswith("src/") else "heddle"
    choice = f'if {crate}::mutant::is("{name}") {{ {other} }} else {{ {shipped} }}'
    path.write_text(text.replace(shipped, choice if shipped[-1] in ";}" else f"({choice})"))


def programs():
    """The programs of tests, by the keys of mutants.toml, each with the folder that it runs in."""
    found = {}
    for key, command in zip(["lib", "loom"], BUILDS):
        command = [*command, "--no-run", "--message-format=json-render-diagnostics"]
        built = subprocess.run(
            command, cwd=TREE, env=ENVIRONMENT, stdout=subprocess.PIPE, text=True
        )
        if built.returncode != 0:
            sys.exit("it does not compile")
        for message in map(json.loads, built.stdout.splitlines()):
            if message.get("executable") and message["profile"]["test"]:
                is_integration = key == "lib" and message["target"]["kind"] == ["test"]
                folder = Path(message["manifest_path"]).parent
                found["test" if is_integration else key] = message["executable"], folder
    return found


def run(program, tests, name=""):
    """None if the tests timed out, else whether they passed."""
    executable, folder = program
    process = subprocess.Popen(
        [executable, tests], cwd=folder, env=ENVIRONMENT | {VARIABLE: name},
        start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )
    try:
        return process.wait(SECONDS) == 0
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, 9)
        process.wait()
        return None


def main():
    begun = time.monotonic()
    mutants = tomllib.loads((ROOT / "loom-tests" / "mutants.toml").read_text())
    copied()
    for name, mutant in mutants.items():
        make_choosable(name, mutant)
    program = programs()
    print(f"{time.monotonic() - begun:.0f} s to build", flush=True)
    tests = {}
    for name, mutant in mutants.items():
        tests[name] = next((key, mutant[key]) for key in program if key in mutant)
    wanted = sys.argv[1:] or list(mutants)
    # Tests that fail anyway catch nothing.
    for key, names in sorted({tests[name] for name in wanted}):
        if not run(program[key], names):
            sys.exit(f"fails without a mutant: {key} {names}")
    survivors = 0
    for name in wanted:
        key, names = tests[name]
        passed = run(program[key], names, name)
        verdict = {True: "SURVIVES", False: "caught", None: "NOT FINISHED"}[passed]
        survivors += verdict != "caught"
        print(f"{name:36} {verdict}", flush=True)
    print(f"{len(wanted)} mutants in {time.monotonic() - begun:.0f} s")
    sys.exit(f"{survivors} mutants are not caught" if survivors else 0)


if __name__ == "__main__":
    os.chdir(ROOT)
    main()

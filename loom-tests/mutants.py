#!/usr/bin/env python3
"""Breaks one line of the shipped source at a time and checks that the tests named in mutants.toml notice."""

import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# Outside of the repository, whose .cargo/config.toml would count twice inside.
TREE = Path(tempfile.gettempdir()) / f"heddle-mutants-{ROOT.name}"
# The most that tests may take. Only a mutant that says `hangs` is caught by taking longer: other tests are slow.
SECONDS = 120
# Incremental and lightly optimised: what counts is the compilation.
ENVIRONMENT = os.environ | {
    "CARGO_TARGET_DIR": str(ROOT / "target" / "mutants"),
    "CARGO_INCREMENTAL": "1",
    "CARGO_PROFILE_LOOM_OPT_LEVEL": "1",
}


def commands(mutant):
    """The command that compiles the tests, and the one that must fail."""
    if "loom" in mutant:
        cargo = ["cargo", "loom", "--test", "all"]
        return cargo + ["--no-run"], cargo + [mutant["loom"] + "::"]
    cargo = ["cargo", "test", "--package", "heddle-chess"]
    if "lib" in mutant:
        return cargo + ["--lib", "--no-run"], cargo + ["--lib", mutant["lib"]]
    cargo += ["--test", "all"]
    return cargo + ["--no-run"], cargo + [mutant["test"] + "::"]


def run(command):
    """None if it timed out, else whether it succeeded."""
    process = subprocess.Popen(
        command, cwd=TREE, env=ENVIRONMENT, start_new_session=True,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )
    try:
        return process.wait(None if "--no-run" in command else SECONDS) == 0
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, 9)
        process.wait()
        return None


def broken(name, mutant):
    """The file with the mutant's line replaced."""
    lines = (ROOT / mutant["file"]).read_text().split("\n")
    if lines.count(mutant["line"]) != 1:
        sys.exit(f"{name}: the line occurs {lines.count(mutant['line'])} times in {mutant['file']}")
    return "\n".join(mutant["with"] if line == mutant["line"] else line for line in lines)


def main():
    mutants = tomllib.loads((ROOT / "loom-tests" / "mutants.toml").read_text())
    texts = {name: broken(name, mutant) for name, mutant in mutants.items()}
    wanted = sys.argv[1:] or list(mutants)
    shutil.rmtree(TREE, ignore_errors=True)
    files = subprocess.run(["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True)
    for file in filter(os.path.isfile, files.stdout.split("\n")):
        (TREE / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / file, TREE / file)
    # Tests that fail anyway catch nothing.
    for compiled, tested in {tuple(map(tuple, commands(mutants[name]))) for name in wanted}:
        if not run(compiled) or not run(tested):
            sys.exit(f"fails without a mutant: {' '.join(tested)}")
    survivors = 0
    for name in wanted:
        path = TREE / mutants[name]["file"]
        shipped = path.read_text()
        path.write_text(texts[name])
        compiled, tested = commands(mutants[name])
        if not run(compiled):
            sys.exit(f"{name}: does not compile")
        passed = run(tested)
        hangs = mutants[name].get("hangs", False)
        verdict = {True: "SURVIVES", False: "caught", None: "caught: hangs" if hangs else "NOT FINISHED"}[passed]
        survivors += not verdict.startswith("caught")
        print(f"{name:32} {verdict}", flush=True)
        path.write_text(shipped)
    sys.exit(f"{survivors} mutants are not caught" if survivors else 0)


if __name__ == "__main__":
    os.chdir(ROOT)
    main()

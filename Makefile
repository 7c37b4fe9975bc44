# make                  build ./heddle (EXE=name builds ./name, EVALFILE=path embeds that network)
# make ARCH=x86-64-v3   build it for another processor than this one (x86-64 and -v2 to -v4, any that
#                       `rustc --print target-cpus` lists, or default for the least of the system)
# make HOST=TARGET      build it for another system, with ARCH=default (needs its target and linker)
# make install          install what make has built, its manual pages, completions and licence
#                       (PREFIX=/usr/local, DESTDIR=); needs no Rust
# make install-tools    the same for the tools
# make uninstall        remove what both have installed
# make dist             build this platform's release archives in ./dist, as the release workflow
#                       does (ANYWAY=1: also without musl or llvm-tools, as the names then say)
# make build-dist       build the PROGRAMS of an archive, for .ci/dist
# make manual           write the manual pages and completions to target/manual, for builds whose
#                       programs do not run here (manual-tools: the tools' as well)
# make pgo              build ./heddle optimised by a profile of `bench` (needs rustup's llvm-tools)
# make pgo-tools        build ./heddle-tools optimised by a profile of datagen's games (likewise)
# make tools            build ./heddle-tools: annotate, board, lab and all others, as commands of ./heddle
# make cluster          build ./heddle-cluster, the work of tools shared over MPI (needs MPI and libclang)
# make cluster-check    check and test it
# make test             run the tests of the engine and the reference, and the loom models of the shared-memory code
# make test-tools       run the tests of the tools
# make test-long         run more random scripts through the protocol (SOAK=20000 for a night)
# make mutants          break the source in one place at a time and check that a model or test notices (minutes)
# make lint             check format, lints and documentation; warnings are errors
# make bench            search fixed positions, print nodes and speed
# make bench-check      compare the node count with the recorded one, with margins as constants and as variables
# make stale            list the recorded figures that another search or network has made
# make bench-record     record the node count after a change to the search
# make portable         build the engine for the least processor of this machine's kind, as archives do
# make portable-check   check that in the same release build all vector code gives the recorded node count
# make cross-check      check that what the archives ship compiles for each other system that has its target
#                       installed (ALL=1: for every such target)
# make lab-check        check the tables of docs/lab.md to depth 4 (LAB_DEPTH=6: all of them)
# make lab-record       write those tables anew, after a change to the evaluation or the laboratory
# make tsan             run the threaded tests under ThreadSanitizer (needs a nightly toolchain)
# make tsan-teeth       check that ThreadSanitizer reports a deliberate data race
# make asan             run the table and vector code under AddressSanitizer (nightly too)
# make pictures         make the pictures of the documents again, on an idle machine (needs chromium and pyte)
# make help             print this
# make fuzz             run every fuzz target for FUZZ_SECONDS (needs cargo-fuzz and a nightly toolchain)

EXE = heddle
CARGO = cargo
TARGET_DIR = $(or $(CARGO_TARGET_DIR),target)
PREFIX = /usr/local
DESTDIR =

# The processor to build for, and the system.
ARCH = native
NATIVE_HOST := $(shell rustc --print host-tuple 2>/dev/null)
HOST = $(NATIVE_HOST)
# The paths of this build stay out of the programs, unless they have spaces, which no flag can.
CARGO_FOLDER = $(or $(CARGO_HOME),$(HOME)/.cargo)
PATHS = $(CURDIR)=. $(CARGO_FOLDER)=cargo
REMAP = $(if $(word 3,$(PATHS)),,$(PATHS:%=--remap-path-prefix=%))
PROCESSOR = $(patsubst %,-Ctarget-cpu=%,$(filter-out default,$(ARCH)))
FLAGS = $(strip $(RUSTFLAGS) $(PROCESSOR) $(REMAP))
# Naming the target keeps build scripts to what this machine has.
IS_NATIVE = $(and $(filter native,$(ARCH)),$(filter $(NATIVE_HOST),$(HOST)))
BUILD = $(if $(EVALFILE),HEDDLE_EVALFILE="$(EVALFILE)") env -u CARGO_ENCODED_RUSTFLAGS \
	-u CARGO_BUILD_TARGET RUSTFLAGS="$(FLAGS)" $(CARGO) build --release --locked \
	$(if $(IS_NATIVE),,--target $(HOST))
BUILT = $(TARGET_DIR)/$(if $(IS_NATIVE),,$(HOST)/)release

# RUSTFLAGS in the environment would replace the flags that Cargo's configuration gives.
CONFIGURED_CARGO = env -u RUSTFLAGS -u CARGO_ENCODED_RUSTFLAGS $(CARGO)
LOOM = $(CONFIGURED_CARGO) loom

SANITIZED = $(CARGO) +nightly test -p heddle-chess --target x86_64-unknown-linux-gnu
# The reports name lines.
LINES = CARGO_PROFILE_DEV_DEBUG=line-tables-only
TSAN_ENV = $(LINES) TSAN_OPTIONS="suppressions=$(CURDIR)/.ci/tsan-suppressions" \
	RUSTFLAGS="-Zsanitizer=thread -Cunsafe-allow-abi-mismatch=sanitizer" \
	CARGO_TARGET_DIR=$(TARGET_DIR)/tsan HEDDLE_STRESS=2_000_000 HEDDLE_STORM=$(STORM)
TSAN = $(TSAN_ENV) $(SANITIZED)
# Uncaptured: the harness passes captured output of panicking workers through a lock in the standard
# library, which ThreadSanitizer cannot see.
TSAN_RUN = --test-threads=1 --nocapture
# Lockstep can hide races only in turns and stops, which the short tests cover as well as the long ones.
TSAN_SKIP = --skip every_run_is_the_same --skip the_bench_counts
# Seconds of each storm of searches: `make tsan STORM=60` is the long form.
STORM = 5

# Extracts the tests' binary from Cargo's JSON messages, which name the engine's as well.
RACY_BINARY = sed -n 's|.*"executable":"\([^"]*/all-[^"]*\)".*|\1|p'

# The vector code is built for the machine that runs it.
ASAN = $(LINES) RUSTFLAGS="-Zsanitizer=address -Ctarget-cpu=native" \
	CARGO_TARGET_DIR=$(TARGET_DIR)/asan $(SANITIZED)

FUZZ_SECONDS = 10
FUZZ_TARGETS = $(patsubst fuzz/fuzz_targets/%.rs,%,$(wildcard fuzz/fuzz_targets/*.rs))
# New inputs go to the corpus, which is not committed; the seeds are.
FUZZ_RUN = CARGO_TARGET_DIR=$(TARGET_DIR)/fuzz $(CARGO) +nightly fuzz run

# Plies to which `lab-check` searches the suite.
LAB_DEPTH = 4

# `bench` ends with "N nodes M nps".
NODES = awk '$$2 == "nodes" { n = $$1 } END { if (!n) exit 1; print n }'

MANUAL = $(TARGET_DIR)/manual
# The release build for the least processor of this machine's kind.
PORTABLE = $(TARGET_DIR)/heddle-portable
# Scripts of `test-long`.
SOAK = 520
# A workspace of its own. A libclang that came without its headers takes the C compiler's.
CLUSTER = cd tools/cluster && CARGO_TARGET_DIR=$(abspath $(TARGET_DIR)) \
	BINDGEN_EXTRA_CLANG_ARGS="$$BINDGEN_EXTRA_CLANG_ARGS -idirafter $$(cc -print-file-name=include)" \
	$(CARGO)

# The packages that `make test` tests.
ENGINE = heddle-chess heddle-reference

# Profile-guided optimisation: `$(call PGO_BUILD,PROGRAM,FLAG)` builds with one more flag.
PGO_DIR = $(abspath $(TARGET_DIR)/pgo)
PGO_BUILT = $(PGO_DIR)/$(HOST)/release
PGO_BUILD = $(if $(EVALFILE),HEDDLE_EVALFILE="$(EVALFILE)") CARGO_TARGET_DIR=$(PGO_DIR) \
	env -u CARGO_ENCODED_RUSTFLAGS RUSTFLAGS="$(FLAGS) -Cprofile-$(2)" \
	$(CARGO) build --release --locked --bin $(1) --target $(HOST)
PROFDATA = "$$(rustc --print target-libdir)/../bin/llvm-profdata"

# Builds a program with a profile of one run of it: `$(call PGO,PROGRAM,DESTINATION,ARGUMENTS)`.
define PGO
	rm -rf $(PGO_DIR)/$(1)
	$(call PGO_BUILD,$(1),generate=$(PGO_DIR)/$(1))
	$(PGO_BUILT)/$(1) $(3)
	$(PROFDATA) merge -o $(PGO_DIR)/$(1).profdata $(PGO_DIR)/$(1)
	$(call PGO_BUILD,$(1),use=$(PGO_DIR)/$(1).profdata)
	cp -f $(PGO_BUILT)/$(1) $(2)
endef

.PHONY: heddle help portable pictures pgo pgo-tools tools cluster cluster-check manual manual-tools \
	install install-tools uninstall build-dist dist test test-tools test-long mutants lint bench bench-check bench-record stale portable-check cross-check lab-check lab-record tsan tsan-teeth asan fuzz

heddle:
	$(BUILD) --bin heddle
	cp -f $(BUILT)/heddle $(EXE)

# The comments at the head of this file.
help:
	@sed -n 's/^# \{0,1\}//p;/^$$/q' $(firstword $(MAKEFILE_LIST))

pictures:
	.ci/pictures $(PICTURES)

pgo:
	$(call PGO,heddle,$(EXE),bench)

pgo-tools:
	rm -f $(PGO_DIR)/games.vf
	$(call PGO,heddle-tools,.,datagen --nodes 150 --openings varied --games 1000 --seed 1 --output $(PGO_DIR)/games.vf)

tools:
	$(BUILD) --bin heddle-tools
	cp -f $(BUILT)/heddle-tools .

build-dist:
	$(BUILD) $(if $(IS_NATIVE),--target $(HOST)) $(PROGRAMS:%=--bin %)

# A program writes its pages and completions to a folder and ends. These are built for this machine,
# whatever HOST is.
define WRITE_MANUAL
	env -u CARGO_BUILD_TARGET $(CARGO) build --quiet --locked --bin $(1)
	HEDDLE_MANUAL=$(abspath $(MANUAL))/$(1) $(TARGET_DIR)/debug/$(1)
endef

manual:
	rm -rf $(MANUAL)
	$(call WRITE_MANUAL,heddle)

manual-tools: manual
	$(call WRITE_MANUAL,heddle-tools)

# Installs programs that are built, with what belongs to them.
INSTALL = MANUAL="$(MANUAL)" packaging/install "$(DESTDIR)$(PREFIX)"

install:
	$(INSTALL) heddle "$(EXE)"

install-tools:
	$(INSTALL) heddle-tools heddle-tools

uninstall:
	packaging/uninstall "$(DESTDIR)$(PREFIX)" heddle heddle-tools

dist:
	ANYWAY=$(ANYWAY) .ci/dist

cluster:
	$(CLUSTER) build --release
	cp -f $(TARGET_DIR)/release/heddle-cluster .

cluster-check:
	$(CLUSTER) fmt --check
	$(CLUSTER) clippy --all-targets -- -D warnings
	$(CARGO) build --bin heddle --bin heddle-tools
	$(CLUSTER) test

test:
	$(CARGO) test $(ENGINE:%=-p %) --no-run
	@# The models compile while the tests, which often wait for a program, run.
	$(LOOM) --no-run --quiet & models=$$!; $(CARGO) test $(ENGINE:%=-p %); tests=$$?; wait $$models && exit $$tests
	$(LOOM)

# The tuner plays a few games with the engine, whose margins are options in this build.
test-tools:
	$(CARGO) build --bin heddle
	HEDDLE_SPSA=$(abspath $(TARGET_DIR))/debug/heddle $(CARGO) test --workspace $(ENGINE:%=--exclude %) \
		--exclude loom-tests

test-long:
	HEDDLE_SOAK=$(SOAK) $(CARGO) test -p heddle-chess --test all torture::

mutants:
	python3 loom-tests/mutants.py

lint:
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets -- -D warnings
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --no-deps --document-private-items

bench: heddle
	$(abspath $(EXE)) bench

# The margins are constants in a release and variables in a build for development.
bench-check: portable
	$(CARGO) build --bin heddle
	@want=$$(cat bench.signature); \
	for binary in $(PORTABLE) $(TARGET_DIR)/debug/heddle; do \
		found=$$($$binary bench | $(NODES)); \
		echo "$$binary: $$found nodes, recorded $$want"; \
		[ "$$found" = "$$want" ] || exit 1; \
	done

portable-check: portable
	.ci/portable $(PORTABLE)

portable:
	$(MAKE) heddle EXE=$(PORTABLE) ARCH=$$(uname -m | sed -e 's/^x86_64$$/x86-64/' -e t -e 's/.*/generic/')

cross-check:
	.ci/cross

stale:
	@awk -F ' *[|] *' -v now="$$(cat bench.signature)" '!/^#/ && $$1 != now \
		{ print $$2 ": " $$3 (($$4 != "") ? " (" $$4 ")" : ""); stale++ } \
		END { print stale + 0 " figures are of other programs" }' docs/figures.txt

bench-record: heddle
	$(abspath $(EXE)) bench | $(NODES) > bench.signature
	cat bench.signature

lab-check:
	HEDDLE_LAB_DEPTH=$(LAB_DEPTH) $(CARGO) test --release -p heddle-lab --test all tables::

lab-record:
	HEDDLE_LAB_RECORD=1 $(MAKE) lab-check

tsan:
	$(TSAN) --lib -- $(TSAN_RUN) smp:: tt:: uci::protocol
	$(TSAN) --test all -- $(TSAN_RUN) $(TSAN_SKIP) stress:: search_smp:: lockstep::

tsan-teeth:
	@racy=$$($(TSAN_ENV) $(subst test,rustc,$(SANITIZED)) --test all --message-format json \
		-- --cfg heddle_racy | $(RACY_BINARY)); \
	[ -x "$$racy" ] || { echo "the racy test was not built"; exit 1; }; \
	report=$$($(TSAN_ENV) "$$racy" $(TSAN_RUN) racy:: 2>&1); \
	case $$report in \
	*"ThreadSanitizer: data race"*stress::racy*) echo "the deliberate data race was reported" ;; \
	*) printf '%s\n' "$$report" "ThreadSanitizer missed the deliberate data race"; exit 1 ;; \
	esac

asan:
	$(ASAN) --lib -- tt:: nnue

fuzz:
	for target in $(FUZZ_TARGETS); do \
		mkdir -p fuzz/corpus/$$target; \
		$(FUZZ_RUN) $$target fuzz/corpus/$$target fuzz/seeds/$$target $$(ls -d tests/data/$$target 2>/dev/null) -- \
			-max_total_time=$(FUZZ_SECONDS) || exit 1; \
	done

# The commands of this repository. Each is one or two lines, so that they can be typed without make too.

PYTHON ?= python3
# Tests wait for processes a third of the time, so two cores take four workers. Each takes whole files as long as it
# can, so that what a file's tests share is made once.
PYTEST_ARGS ?= -n 4 --dist worksteal
LOCK_ARGS ?=
SEEDS ?= 1000
FIRST ?= 1
BENCH_ARGS ?=
GAIN_ARGS ?=
BOX_VM ?= /var/tmp/box-vm
LOOK_OUT ?= look
REPORT_OUT ?= report-soak
SPEED_OUT ?= web-speed
FAULT_ARGS ?=
FUZZ_ARGS ?=
LEAGUE ?= sample_bots/league.toml
DATA ?= arena-data
BIN := .venv/bin
SCRIPTS := $(wildcard docker/*.sh deploy/*.sh sample_bots/*/*.sh) proto/generate.sh $(shell grep -l '^#!.*sh$$' .ci/*)

# Trust the certificates that this machine trusts: some networks look into TLS.
export UV_SYSTEM_CERTS ?= 1
# A process starts three times as fast if the bytecode of its modules is on the disk, and tests start hundreds of
# processes. With this variable set, Python would not write bytecode.
unexport PYTHONDONTWRITEBYTECODE

# numpy would start a thread a core in each of many processes, and those that wait keep the cores busy.
export OPENBLAS_NUM_THREADS ?= 1

.PHONY: help setup demo test test-slow test-long compiled test-compiled test-compiled-again two-builds test-again look pictures web-speed live-viewers verify-soak format lint types generate generated-check breaking bench bench-plot bench-smoke envs-speed report-soak league-statistics champion-statistics accomplice-statistics compare-statistics compare-own-copy compare-gain compare-cold-start league-soak pool-load packing pool-week score-variance kill-soak two-hosts cluster cluster-cost cluster-simulated fault-soak fuzz simulate soak lock reference pythons wheels protoset sbom audit image bot-images box-vm bots submitted-languages one-table guide-lines clean

setup: .venv/.ready  ## make .venv and install everything in it

help:  ## the commands of this file
	@sed -n 's/^\([a-z-]*\):.*  *## /\1: /p' Makefile

demo: setup  ## sample bots play a small league on a real server
	@$(BIN)/arena demo

test: setup  ## the tests, but for the slow ones; PYTEST_ARGS="-k word" for some
	$(BIN)/pytest -m "not slow" --durations=20 --durations-min=2 $(PYTEST_ARGS)

test-slow: setup  ## the tests with the mark slow: whole leagues, comparisons, submissions and faults
	$(BIN)/pytest -m "slow and not long" --durations=40 --durations-min=4 $(PYTEST_ARGS)

test-long: setup  ## the tests with the mark long, which try at length or once more what others try; before a release
	$(BIN)/pytest -m long $(PYTEST_ARGS)

# Each build fetches the compiler, and what else it needs, into an environment of its own, and checks the hashes of the lock.
compiled: export HATCH_BUILD_HOOK_ENABLE_CUSTOM = 1
compiled: setup  ## both wheels with what runs for each decision compiled, in dist/compiled
	rm -rf dist/compiled
	for project in sdk .; do \
		$(BIN)/uv build --python $(BIN)/python --build-constraints requirements.lock --require-hashes --wheel \
			--out-dir dist/compiled $$project || exit 1; \
	done

# Tests look at the translation to C. The C compiler, which optimises for minutes, is not what they try: a release does.
test-compiled: export COMPILE_LEVEL ?= 0
test-compiled: compiled  ## tests on the files of the compiled wheels, in dist/compiled-copy
	$(BIN)/python -m compiled.test dist/compiled dist/compiled-copy $(PYTEST_ARGS)

test-compiled-again: setup  ## test-again for the tests on the compiled wheels
	$(BIN)/python -m tools.failed_tests --most 6 --cache dist/compiled-copy/.pytest_cache/v/cache/lastfailed
	$(BIN)/python -m compiled.test again dist/compiled-copy $(PYTEST_ARGS)

two-builds: compiled  ## 10 000 random games in both builds, which must agree in every byte; GAMES=1000 for fewer
	$(BIN)/python -m tools.studies.two_builds dist/compiled dist/compiled-copy $(GAMES)

test-again: setup  ## the tests that just failed, one at a time; more than six are too many to be bad luck
	$(BIN)/python -m tools.failed_tests --most 6
	$(BIN)/pytest --last-failed --last-failed-no-failures none --numprocesses 0 $(PYTEST_ARGS)

look: setup  ## reports and a site of made-up leagues in LOOK_OUT, with pictures of them by an installed Chromium
	$(BIN)/python -m tools.studies.report_pages $(LOOK_OUT)
	$(BIN)/python -m tools.studies.report_look $(LOOK_OUT)

web-speed: setup  ## how fast the web pages are with 100 000 games and 2 000 bots; SPEED_OUT keeps the store for the next time
	$(BIN)/python -m tools.studies.web_speed $(SPEED_OUT)

live-viewers: setup  ## what 500 viewers of a live table cost other matches, and how soon they see a move; then 10 000 viewers
	$(BIN)/python -m tools.studies.live_viewers
	$(BIN)/python -m tools.studies.live_viewers --crowd 10000 --asleep 100

pictures: setup  ## all pictures in docs: of the demo, of a report and of the web pages, by an installed Chromium
	$(BIN)/python -m tools.studies.doc_pictures docs
	$(BIN)/python -m tools.studies.web_pictures docs/pictures

verify-soak: setup  ## replays of both games with one bit changed, at 1 000 places each: each time they must be refused
	VERIFY_SOAK=1000 $(BIN)/pytest $(PYTEST_ARGS) tests/replays -k bit

format: setup  ## write code and contract in the house style
	$(BIN)/ruff check --fix-only --quiet .
	$(BIN)/ruff format .
	$(BIN)/buf format --write proto

lint: setup  ## style of code and contract, nothing is changed
	$(BIN)/ruff check .
	$(BIN)/ruff check --quiet --preview --select PLW1514 arena sdk  # no file is read or written as the locale says
	$(BIN)/ruff format --check .
	$(BIN)/buf lint proto
	$(BIN)/buf format --diff --exit-code proto
	$(BIN)/shellcheck $(SCRIPTS)
	$(BIN)/check-jsonschema --quiet --builtin-schema vendor.github-actions action.yml submit/action.yml
	$(BIN)/check-jsonschema --quiet --builtin-schema vendor.github-workflows docs/compare.yml docs/submit.yml .github/workflows/*.yml
	$(BIN)/check-jsonschema --quiet --builtin-schema vendor.compose-spec docker/compose.yaml

types: setup  ## strict types
	$(BIN)/mypy

generate: setup  ## sdk/cheatarena/v1 and docs/contract from proto/, docs/reference from the commands
	proto/generate.sh sdk
	$(BIN)/python proto/reference.py
	$(BIN)/python -m tools.reference_pages

generated-check: setup  ## are sdk/cheatarena/v1 and docs/contract what proto/ says?
	@fresh=$$(mktemp -d) && trap 'rm -rf "$$fresh"' EXIT && proto/generate.sh "$$fresh" && \
	$(BIN)/python proto/reference.py "$$fresh/pages" && \
	if ! { diff -r --exclude=__pycache__ sdk/cheatarena/v1 "$$fresh/cheatarena/v1" && diff -r docs/contract "$$fresh/pages"; }; then \
		echo "sdk/cheatarena/v1 or docs/contract is not what proto/ generates: run 'make generate' and commit the result." >&2; exit 1; \
	fi

breaking: setup  ## does proto/ keep what the contract of each release promised?
	@for contract in tests/releases/*/contract.binpb; do \
		echo "buf breaking proto --against $$contract"; $(BIN)/buf breaking proto --against "$$contract" || exit 1; \
	done

bench: setup  ## how fast it is here, beside its goals; BENCH_ARGS="--rows wire-64" for some of it
	$(BIN)/python -m tools.benchmarks run --json bench.json $(BENCH_ARGS)

bench-plot: setup  ## the picture of the benchmark's README, from the figures of the last make bench
	$(BIN)/python -m tools.benchmarks show bench.json --plot tools/benchmarks/cost.svg

envs-speed: setup  ## decisions, games and turns a second of learning environments; ENVS_ARGS="rank_lock --seconds 20"
	$(BIN)/python -m tools.studies.envs_speed $(ENVS_ARGS)

bench-smoke: setup  ## the benchmark still runs: all of it, as small as can be; part of make test and make test-long
	$(BIN)/pytest $(PYTEST_ARGS) tests/benchmarks

league-statistics: setup  ## how often the intervals of ratings and scores hold the truth, over 500 made-up leagues of each kind
	$(BIN)/python -m tools.studies.league_coverage
	$(BIN)/python -m tools.studies.league_speed

champion-statistics: setup  ## how often the best bot is champion, over 2000 made-up leagues: by score, after a play-off, by the old rule; what two attacks gain
	$(BIN)/python -m tools.studies.league_champion
	$(BIN)/python -m tools.studies.league_attacks

accomplice-statistics: setup  ## how often honest bots are flagged or doubted as accomplices, and how often an accomplice is
	$(BIN)/python -m tools.studies.accomplices

pool-week: setup  ## a simulated week of a pool with 200 bots: shares of games, waits, how many intervals hold the truth; kinds of pools
	$(BIN)/python -m tools.studies.pool_week
	$(BIN)/python -m tools.studies.pool_kinds

pool-load: setup  ## how quickly 1000 bots are seated over real connections, and what the matchmaker costs
	$(BIN)/python -m tools.studies.pool_load

packing: setup  ## what it costs to pack the journals of a day, and whether a decision would wait for it; GAMES=1000 for more
	$(BIN)/python -m tools.studies.packing $(GAMES)

compare-statistics: setup  ## how often a comparison errs with programs of known strength, and how many games it takes
	$(BIN)/python -m tools.studies.compare_statistics
	$(BIN)/python -m tools.studies.compare_chosen_end

compare-own-copy: setup  ## a bot that plays at random against its own copy: 20 seeds, in both modes
	$(BIN)/python -m tools.studies.own_copy

compare-gain: setup  ## how many games the same hands save, for comparisons played in DATA="ONE TWO"; GAIN_ARGS="--json FILE"
	$(BIN)/python -m tools.studies.compare_gain $(DATA) $(GAIN_ARGS)

compare-cold-start: setup  ## how long the action takes without any cache until the first game is over: three runs
	$(BIN)/python -m tools.studies.workflow_cold_start

report-soak: setup  ## what a report of 100 000 games takes; REPORT_OUT keeps the league for the next time
	$(BIN)/python -m tools.studies.report_large $(REPORT_OUT)

league-soak: setup  ## a bot that remembers every hand and its forgetful twin, in a league of 800 games
	REMEMBERED_GAMES=800 $(BIN)/pytest $(PYTEST_ARGS) tests/organizer/test_remembering.py

score-variance: setup  ## how much scores vary in a league that was played, adjusted, plain and as in release 0.1: LEAGUE, DATA
	$(BIN)/python -m tools.studies.score_variance $(LEAGUE) $(DATA)

kill-soak: setup  ## the server is killed a hundred times while matches are played: nothing acknowledged is lost
	KILL_CYCLES=100 $(BIN)/pytest -s --timeout=1800 tests/e2e/test_kill_soak.py

two-hosts: setup  ## forty games between bots on another host, in a network namespace, that have only an SDK wheel and invitations
	GAMES=40 $(BIN)/pytest -s tests/e2e/test_two_hosts.py

cluster: setup  ## a league on three Ray machines, of which one is lost, and one whose runner is killed; installs Ray
	$(BIN)/uv pip install --quiet --python $(BIN)/python --require-hashes -r .github/cluster.lock
	$(BIN)/pytest $(PYTEST_ARGS) tests/fleet/cluster

cluster-cost: setup  ## what a decision costs the server on a Ray cluster and here; after `make cluster`. COST_ARGS="400 9" for more games, pairs
	$(BIN)/python -m tools.studies.cluster_cost $(COST_ARGS)

cluster-simulated: setup  ## what a game costs the runner of a league with up to 1,000 simulated nodes, of which some are lost
	$(BIN)/python -m tools.studies.cluster_simulated

fault-soak: setup  ## every kind of hostile client beside ten honest matches; FAULT_ARGS="--each" for one after the other too
	$(BIN)/python -m tests.faults.soak $(FAULT_ARGS)

fuzz: setup  ## 200 000 fuzzed messages to every method of a server, in a minute; FUZZ_ARGS="--messages 1000000 --seconds 600"
	$(BIN)/python -m tests.faults.fuzz $(FUZZ_ARGS)

simulate: setup  ## matches on a virtual clock, network and disk that fail by seed; SEEDS=10000 for more, FIRST for one of them
	$(BIN)/python -m tests.simulation.run $(SEEDS) $(FIRST)

soak: setup  ## random rulesets, games and twins by the thousand: half an hour
	$(BIN)/python -m tests.games.cheat.rules.test_random_play 10000
	$(BIN)/python -m tests.games.cheater.rules.test_random_play 1000
	$(BIN)/arena secrecy --pairs 20000
	RANDOM_RULES=1000 $(BIN)/pytest $(PYTEST_ARGS) tests/sdk/test_every_option.py
	RANDOM_RULES=100 $(BIN)/pytest $(PYTEST_ARGS) tests/games/sdk_values

lock: $(BIN)/uv  ## pin what pyproject.toml asks for; LOCK_ARGS=--upgrade for the newest of everything
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --group dev --extra envs --extra postgres --extra web --no-emit-package cheatarena \
		--generate-hashes --no-annotate --custom-compile-command "make lock" $(LOCK_ARGS) \
		--output-file requirements.lock pyproject.toml sdk/pyproject.toml
	echo cibuildwheel | $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-annotate \
		--custom-compile-command "make lock" $(LOCK_ARGS) --output-file .github/cibuildwheel.lock -
	echo "ray>=2.60,<3" | $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-annotate \
		--constraint requirements.lock --custom-compile-command "make lock" $(LOCK_ARGS) --output-file .github/cluster.lock -

REFERENCE_OUT ?= dist/reference
# The modules that an author imports; they name all that is public.
REFERENCE := $(addprefix cheatarena,. .author .author_values .pool_client .cheat.facts .cheater .cheater.facts .match_facts .testing)
REFERENCE := $(patsubst cheatarena.,cheatarena,$(REFERENCE))

reference: setup  ## the reference of the SDK as a static site in dist/reference, from its docstrings
	$(BIN)/pdoc --output-directory $(REFERENCE_OUT) $(REFERENCE) '!cheatarena.run'

pythons: setup  ## the SDK's tests on each other version of Python that this machine has or uv can fetch
	.ci/pythons

wheels: setup  ## both wheels in dist/, installed and tried there, outside the repository
	.ci/wheels dist

PROTOSET = dist/cheatarena.binpb
protoset: setup  ## dist/cheatarena.binpb: the contract, with which tools such as grpcurl call a server
	mkdir -p $(dir $(PROTOSET))
	$(BIN)/buf build proto --exclude-source-info -o $(PROTOSET)

sbom: wheels  ## dist/sbom.json: what the wheels install, in CycloneDX
	.ci/sbom dist

audit: setup  ## known vulnerabilities of everything that requirements.lock pins
	.ci/audit

image:  ## the server's container image, where buildah or podman can build it
	.ci/image

bot-images:  ## the images of bots and boxes too, on bases made of this machine's programs: as root, with buildah and debootstrap
	BASES=local BUILDAH_ISOLATION=chroot .ci/image python typescript go rust java cpp boxes

box-vm:  ## boxes, containers and docker/compose.yaml in a virtual machine with control groups of version 2, kept in BOX_VM; as root
	.ci/box-vm $(BOX_VM)

# Tests look at what the bots do. Optimising all that they depend on takes minutes; who builds a bot to play optimises it.
bots: export CARGO_PROFILE_RELEASE_OPT_LEVEL ?= 0
bots: export CMAKE_BUILD_TYPE ?= Debug
bots: setup  ## build and test the sample bots in other languages whose toolchain is installed
	.ci/bots
	$(BIN)/pytest $(PYTEST_ARGS) tests/sample_bots/test_other_languages.py tests/sample_bots/test_one_table.py

submitted-languages: setup  ## submit the sample of every language, from its folder to a rated game: builds take minutes
	SUBMITTED_LANGUAGES=all $(BIN)/pytest -s tests/e2e/test_submitted_languages.py

one-table: bots  ## the samples of all languages at one table: twenty games of each ruleset and pace, then with lines cut every second
	GAMES=20 $(BIN)/pytest -s tests/sample_bots/test_one_table.py

guide-lines: export CARGO_PROFILE_RELEASE_OPT_LEVEL ?= 0
guide-lines: setup  ## run the lines of the protocol guide that generate code, for each language that is installed
	$(BIN)/python -m tests.contract.guide_lines

clean:  ## remove what the commands above made, .venv too
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis dist
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The first command of a checkout: uv comes into .venv by pip, at the version and hash that the lock names.
$(BIN)/uv:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "cheatarena needs Python 3.11 or newer: name one with 'make setup PYTHON=python3.12'." >&2; exit 1; }
	@echo "Installing into .venv, about 400 MB: first uv, which installs packages fast, and then the rest. In all this takes"
	@echo "half a minute the first time, or as long as the downloads need. Nothing is installed outside of this folder."
	@$(PYTHON) -m venv .venv
	@sed -n '/^uv==/,/[^\\]$$/p' requirements.lock > .venv/uv.txt
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r .venv/uv.txt

.venv/.ready: requirements.lock pyproject.toml sdk/pyproject.toml | $(BIN)/uv
	@echo "Installing the $$(grep -c '^[a-zA-Z0-9].*==' requirements.lock) packages that requirements.lock pins, and then the arena and its SDK from this folder."
	@$(BIN)/uv pip install --quiet --python $(BIN)/python --compile-bytecode --require-hashes -r requirements.lock
	@$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation -e sdk -e .
	@$(BIN)/python -m compileall -q arena sdk/cheatarena sample_bots/python
	@touch $@

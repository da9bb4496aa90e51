# Needs Rust, Python 3.11 or newer, and make. Installs everything else into .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# The profile of cargo for the engine and the tests, which share their crates.
export PROFILE ?= dev
.DEFAULT_GOAL := help

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: engine ## Reproduce the study jung quickly and print the path of its report
	$(BIN)/airfair reproduce jung --quick --out airfair-results/jung

test: engine page $(VENV)/.ray ## Run all tests: Rust, then Python and whole programs
	cargo test --workspace --quiet --profile $(PROFILE)
	$(BIN)/pytest --quiet --numprocesses auto --dist loadfile --no-loadscope-reorder # files with slow tests come first (tests/conftest.py)

test-long: engine $(VENV)/.ray $(VENV)/.site ## Run the tests that take minutes: a sweep killed fifty times, the site
	$(BIN)/pytest --quiet -m long

lint: $(VENV)/.requirements ## Check formatting, clippy, ruff, mypy, and the workflows of continuous integration
	cargo fmt --all --check
	rustfmt --edition 2024 --check crates/tcp/src/congestion/*.rs crates/queue/src/discipline/*.rs # macros name these modules, so cargo fmt does not find them
	cargo clippy --workspace --all-targets --profile $(PROFILE) -- -D warnings
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy
	$(BIN)/zizmor --offline --no-progress --quiet .github

fidelity: engine ## Compare with ns-2, ns-3 and Linux where they can run here, or else with their recorded results
	$(BIN)/python -m fidelity --live

bench: PROFILE := dist
bench: engine ## Measure speed side by side with ns-2 and ns-3, and report changes
	$(BIN)/python -m bench

SECONDS ?= 60
fuzz: ## Try fresh random scenarios for SECONDS=60; failing cases go into fuzz/corpus
	cargo run --quiet --package airfair-fuzz -- $(SECONDS)

mutants: engine ## Put small faults into the code, one at a time, and check that tests find them
	$(BIN)/python -m mutants

docs-tables: engine ## Reproduce all studies in full and renew their pages and figures in the docs
	mkdir -p docs/studies docs/images
	set -e; for study in $(notdir $(wildcard python/airfair/studies/papers/*)); do \
	  out=airfair-results/$$study; \
	  $(BIN)/airfair reproduce $$study --out $$out; \
	  for image in $$(sed -n 's#^!\[.*](figures/\(.*\))$$#\1#p' $$out/summary.md); do \
	    cp $$out/figures/$$image docs/images/$$study-$$image; \
	  done; \
	  { sed "s#](figures/#](../images/$$study-#" $$out/summary.md; \
	    printf '\nMade by `make docs-tables` on %s.\n' "$$(date -u +%F)"; } > docs/studies/$$study.md; \
	done
	cp airfair-results/jung/figures/fig2a.png docs/images/fairness.png

site: engine page $(VENV)/.site ## Build the site into site/, and check its links
	$(BIN)/python -m website $(if $(VERSIONS),--versions)

WASM := wasm32-unknown-unknown
PAGE := python/airfair/pages/playground.html
playground: engine ## Build the playground, a page with the engine in it
	cargo build --quiet --profile web --target $(WASM) --package airfair-web
	$(BIN)/python web/build.py target/$(WASM)/web/airfair_web.wasm $(PAGE)

# The same where Rust's target for WebAssembly is there or can be had.
page:
	@if test -d "$$(rustc --print target-libdir --target $(WASM))" || rustup target add $(WASM); then $(MAKE) playground; \
	else rm -f $(PAGE); echo "There is no target $(WASM) here: the playground IS NOT BUILT, its tests will be skipped" >&2; fi

# With profile-guided optimisation where LLVM's tools are: `rustup component add llvm-tools`.
wheel: page $(VENV)/.requirements ## Build the wheel for publication into dist/
	$(BIN)/python -m bench.wheel

# maturin finds out whether to rebuild.
engine: $(VENV)/.requirements
	@PIP_QUIET=1 VIRTUAL_ENV=$(CURDIR)/$(VENV) $(BIN)/maturin develop --profile $(PROFILE) --quiet

$(VENV)/.requirements: requirements.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --requirement requirements.txt
	@touch $@

# Ray has no wheels for some versions of Python; its tests are skipped there.
$(VENV)/.ray: $(VENV)/.requirements requirements-ray.txt
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --requirement requirements-ray.txt \
	  || echo "Ray cannot be installed for $$($(BIN)/python --version): the tests of sweeps on a Ray cluster WILL BE SKIPPED" >&2
	@touch $@

$(VENV)/.site: $(VENV)/.requirements requirements-site.txt
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --requirement requirements-site.txt
	@touch $@

clean: ## Remove everything that make has built
	rm -rf $(VENV) target dist site airfair-results $(PAGE)

.PHONY: help demo test test-long lint fidelity bench fuzz mutants docs-tables site playground page wheel engine clean

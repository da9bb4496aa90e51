# Needs Rust, Python 3.11 or newer and make; everything else goes into .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
.DEFAULT_GOAL := help

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: engine ## Reproduce the study jung quickly and say where its report is
	$(BIN)/airfair reproduce jung --quick --out airfair-results/jung

test: engine $(VENV)/.ray ## Run all tests: Rust, then Python and whole programs
	cargo test --workspace --quiet
	$(BIN)/pytest --quiet

test-long: engine $(VENV)/.ray ## Run the tests that take minutes: fifty kills of a sweep
	$(BIN)/pytest --quiet -m long

lint: $(VENV)/.requirements ## Check formatting, clippy, ruff and mypy
	cargo fmt --all --check
	rustfmt --edition 2024 --check crates/tcp/src/congestion/*.rs crates/queue/src/discipline/*.rs # named in macros, where cargo fmt does not look
	cargo clippy --workspace --all-targets -- -D warnings
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy

fidelity: engine ## Compare with ns-2, run beside it where it is installed
	$(BIN)/python -m fidelity --ns2

bench: engine ## Measure speed side by side with ns-2 and ns-3, and say what changed
	$(BIN)/python -m bench

SECONDS ?= 60
fuzz: ## Try fresh random scenarios for SECONDS=60; what fails goes into fuzz/corpus
	cargo run --quiet --package airfair-fuzz -- $(SECONDS)

mutants: engine ## Put a sample of faults into the code, one at a time, and see that tests find them
	$(BIN)/python -m mutants

docs-tables: engine ## Reproduce all studies in full and renew what the docs show of them
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

wheel: $(VENV)/.requirements ## Build the wheel that is published, into dist/
	$(BIN)/maturin build --profile dist --out dist

# maturin decides what has to be rebuilt. The tests use the same cargo profile, so the crates are compiled once.
engine: $(VENV)/.requirements
	@PIP_QUIET=1 VIRTUAL_ENV=$(CURDIR)/$(VENV) $(BIN)/maturin develop --profile dev --quiet

$(VENV)/.requirements: requirements.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --requirement requirements.txt
	@touch $@

# Not for every Python there is a wheel of Ray; then its tests are skipped.
$(VENV)/.ray: $(VENV)/.requirements requirements-ray.txt
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --requirement requirements-ray.txt \
	  || echo "Ray cannot be installed for $$($(BIN)/python --version): the tests of sweeps on a Ray cluster WILL BE SKIPPED" >&2
	@touch $@

clean: ## Remove what was built
	rm -rf $(VENV) target dist airfair-results

.PHONY: help demo test test-long lint fidelity bench fuzz mutants docs-tables wheel engine clean

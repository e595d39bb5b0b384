# make demo: a corpus from the sample that ships, on a machine with Python, make and pip.
# make test: style, types and the whole test suite.
# make faults: every operation on files fails in turn, with each error, and the power at each point.
# make bench DUMP=...: speed beside the naive way, on the articles of a dump.
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin

.PHONY: demo test faults check bench clean

demo: $(VENV)/.demo
	$(BIN)/build wikicrem --lang en --dump sample

test: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/pytest -n auto --dist loadfile

faults: $(VENV)/.dev
	FAULTS=all $(BIN)/pytest -n 0 tests/faults

# DUMP names the dump to measure on.
bench: $(VENV)/.dev
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[bench]'
	$(BIN)/python -m benchmarks.markup $(DUMP)
	$(BIN)/python -m benchmarks.wikicrem $(DUMP)

# What changes only with the pinned versions or the extras is installed once.
$(VENV)/.demo: pyproject.toml constraints.txt | $(VENV)/bin/pip
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[fast,train,overlap]'
	touch $@

$(VENV)/.dev: pyproject.toml constraints.txt | $(VENV)/bin/pip
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[fast,cluster,train,overlap,dev]'
	touch $@ $(VENV)/.demo

$(VENV)/bin/pip:
	$(PYTHON) -m venv $(VENV)

clean:
	rm -rf $(VENV) out

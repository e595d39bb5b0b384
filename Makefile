# make demo: an English corpus from the sample that ships, on a machine with Python, make and pip.
# make test: style and the whole test suite, with types; .venv/.tested names the tree that passed.
# make site: the documentation as a site, out/site; `.venv/bin/mkdocs serve` shows it while you write.
# make fuzz: new examples for the property tests.
# make wheel: the wheel, as a registry checks it, in an environment of its own, and README's lines.
# make sums: whether the corpora of the samples are those of tests/corefmill/sample_sums.txt.
# make test-all: the suite with its cross products and long tests, and all attacks.
# make attacks: hostile input and situations for every command.
# make slurm-test: builds on a Slurm of one node, which it installs (Debian, root), starts and stops.
# make bench DUMP=...: speed beside the naive way, on the articles of a dump.
# make gpu: speed of models on a GPU (else the CPU), 8 minutes: benchmarks/results/gpu.md; GPU="..."
#   for options.
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin

.PHONY: demo test test-all site fuzz attacks slurm-test wheel bench gpu sums clean

# The tree of the last commit, where nothing that git tracks differs from it; nothing in a tarball.
TREE = test -z "$$(git rev-parse --show-cdup 2>&1)" && git diff --quiet HEAD -- \
	&& git rev-parse 'HEAD^{tree}'

demo: $(VENV)/.demo
	$(BIN)/build wikicrem --lang en --dump sample
	@echo "To train and predict, too: $(BIN)/pip install -e '.[train]'" \
		"(README.md has the line for a machine without a GPU, to be given first)"

# Hundreds of processes start, each of which would compile every module for itself.
test: export PYTHONDONTWRITEBYTECODE =
test: $(VENV)/.dev
	@rm -f $(VENV)/.tested
	@{ $(TREE); } > $(VENV)/.testing || true
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pytest -n auto --dist loadfile --no-loadscope-reorder --max-worker-restart 0
	@test -s $(VENV)/.testing && test "$$($(TREE))" = "$$(cat $(VENV)/.testing)" \
		&& mv $(VENV)/.testing $(VENV)/.tested || rm -f $(VENV)/.testing

site: $(VENV)/.dev
	$(BIN)/mkdocs build --strict

fuzz: $(VENV)/.dev
	$(BIN)/pytest -n 0 -m hypothesis --hypothesis-profile=fuzz -p no:cacheprovider tests

sums: $(VENV)/.dev
	$(BIN)/python -m tests.corefmill.sample_sums

attacks: $(VENV)/.dev
	$(BIN)/pytest -n auto -m thorough tests/attacks

test-all: $(VENV)/.dev
	$(BIN)/pytest -n auto --max-worker-restart 0 -m ''

slurm-test: $(VENV)/.dev
	command -v slurmctld munged > /dev/null || { apt-get update -q \
		&& DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends slurm-wlm munge; }
	folder=$$(mktemp -d /tmp/slurm.XXXXXX); \
		trap "tests/slurm/one_node.sh stop $$folder; rm -rf $$folder" EXIT; \
		tests/slurm/one_node.sh start $$folder \
		&& SLURM_TEST=1 SLURM_CONF=$$folder/slurm.conf $(BIN)/pytest -n 0 -rA -m '' tests/slurm

wheel: $(VENV)/.dev
	rm -rf $(VENV)/bare && mkdir $(VENV)/bare
	git archive --prefix=copy/ HEAD | tar x -C $(VENV)/bare
	$(BIN)/pip wheel --quiet --no-deps -w $(VENV)/bare $(VENV)/bare/copy
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt twine
	$(BIN)/twine check --strict $(VENV)/bare/*.whl
	$(PYTHON) -m venv $(VENV)/bare/venv
	$(VENV)/bare/venv/bin/pip install --quiet -c constraints.txt "$$(ls $(VENV)/bare/*.whl)[build,train,annotate]" $(VENV)/bare/copy/tools/more_pipelines
	WHEEL_PYTHON=$(VENV)/bare/venv/bin/python $(BIN)/pytest -n 0 -rA -m '' tests/test_wheel.py

# DUMP names the dump to measure on.
bench: $(VENV)/.dev
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[bench]'
	$(BIN)/python -m benchmarks.wikicrem $(DUMP)

gpu: $(VENV)/.dev
	$(BIN)/python -m benchmarks.gpu $(GPU)

# What changes only with the pinned versions or the extras is installed once. What the demo does not
# import need not be compiled.
$(VENV)/.demo: pyproject.toml constraints.txt | $(VENV)/bin/pip
	$(BIN)/pip install --quiet --disable-pip-version-check --no-compile -c constraints.txt -e '.[build]'
	touch $@

$(VENV)/.dev: pyproject.toml constraints.txt | $(VENV)/bin/pip
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[build,fast,cluster,train,overlap,translators,annotate,docs,dev]' -e tools/more_pipelines
	touch $@ $(VENV)/.demo

$(VENV)/bin/pip:
	$(PYTHON) -m venv $(VENV)

clean:
	rm -rf $(VENV) out

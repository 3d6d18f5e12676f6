# Needs Python 3.11+ and make; every target sets up its own .venv first, and again only after
# pyproject.toml or the pins change. Another interpreter: make PYTHON=python3.12 test

PYTHON ?= python3
WORKERS ?= 2
MINUTES ?= 30
BIN := .venv/bin
READY := .venv/.ready
CLIENTS := .venv-clients
TORCH := .venv-torch
LOWEST := .venv-lowest
RELEASE := .venv-release
BROWSER := .clients/.ready

.PHONY: demo test test-thorough test-long test-clients test-jax fuzz attacks clients torch export-matrix install lint audit docs bench \
	release-check lowest sbom clean

demo: $(READY)
	$(BIN)/keras-attn demo

ON_JAX := keras_attn tests/contract tests/keras_attn/functional \
	tests/keras_attn/attention/test_cudnn.py tests/keras_attn/recurrent/test_cudnn.py \
	tests/keras_attn/blocks/test_gpu.py tests/keras_attn/test_losses.py \
	tests/zoo/models/test_reversible_embedding.py tests/zoo/models/test_right_padding.py

TRAINED := tests/zoo/tasks tests/zoo/training
PARTS := tests/tasks "$(TRAINED)" "tests/zoo $(TRAINED:%=--ignore=%)" \
	"keras_attn zoo export tests --ignore=tests/tasks --ignore=tests/zoo"

# In several processes, since TensorFlow never frees what XLA compiled.
QUICK := "tests/zoo/models tests/zoo/tasks" \
	"tests/zoo --ignore=tests/zoo/models --ignore=tests/zoo/tasks" \
	"keras_attn zoo export tests --ignore=tests/zoo"

test: $(READY)
	for part in $(QUICK); do \
		KERAS_BACKEND=tensorflow $(BIN)/pytest -n $(WORKERS) \
			-m "not thorough and not long and not clients" $$part || exit 1; \
	done
	KERAS_BACKEND=jax $(BIN)/pytest -n $(WORKERS) -m "not thorough and not long" $(ON_JAX)

# What `make test` leaves out for its time: whole paths, and variants of what it tests.
test-thorough: $(READY) $(BROWSER)
	for part in $(PARTS); do \
		KERAS_BACKEND=tensorflow $(BIN)/pytest -n $(WORKERS) -m "thorough and not long" $$part || exit 1; \
	done
	KERAS_BACKEND=jax $(BIN)/pytest -n $(WORKERS) -m "thorough and not long" $(ON_JAX)

# What `make test-thorough` leaves out for its time: further variants, benchmarks, and attacks at many
# more steps.
test-long: $(READY) $(BROWSER)
	for part in $(PARTS); do \
		KERAS_BACKEND=tensorflow $(BIN)/pytest -n $(WORKERS) -m long $$part || exit 1; \
	done
	KERAS_BACKEND=jax $(BIN)/pytest -n $(WORKERS) -m long $(ON_JAX)

# LiteRT, MediaPipe and axe-core for browsers, and pyright, for the tests in tests/clients; needs npm.
clients: $(BROWSER)
	@test -e $(BROWSER)

OF_CLIENTS := tests/batch tests/clients/test_mediapipe.py tests/zoo/training/test_hosts.py \
	tests/zoo/training/test_trackers.py

# What is heavy to install, in an environment of its own: artifacts in Beam, Ray, Spark and MediaPipe.
test-clients: $(CLIENTS)/.ready $(BROWSER)
	KERAS_BACKEND=tensorflow $(CLIENTS)/bin/pytest -m clients $(OF_CLIENTS)

# The layers with PyTorch and nothing of the zoo, for the contract's column of PyTorch.
torch: $(TORCH)/.ready

# Formats and precisions of each model, with size, latency and metric. Takes an hour, and continues where
# it was stopped.
export-matrix: $(READY)
	KERAS_BACKEND=tensorflow $(BIN)/python -m tests.tasks.matrix --out docs/results/export-matrix.md

# Each layer's own tests on JAX too; the two above have the contract and the functions there.
test-jax: $(READY)
	KERAS_BACKEND=jax $(BIN)/pytest -n $(WORKERS) keras_attn tests/contract tests/keras_attn

install: $(READY)

# Reads changed files of every kind for some minutes. `make test-long` stops trainings and exports at many
# steps, and calls the artifacts of every task from many threads.
fuzz: $(READY)
	KERAS_BACKEND=tensorflow $(BIN)/python -m tests.fuzz --minutes $(MINUTES)

# A selection of the attacks of all tests, within 20 minutes, and a table of how they ended.
attacks: $(READY)
	KERAS_BACKEND=tensorflow $(BIN)/python -m tests.attacks docs/results/attacks.md 17

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/mypy --strict --follow-imports=silent --cache-dir .mypy_cache/strict tests/typed_use.py
	$(BIN)/lint-imports --no-cache

# The licenses of what is installed, and known vulnerabilities of the pins.
audit: $(READY)
	$(BIN)/pip-licenses
	$(BIN)/python .ci/audit.py

# The site in build/docs, without the network; a warning is an error, as is a link that leads nowhere.
docs: $(READY)
	$(BIN)/python -m sphinx --builder html --fail-on-warning --keep-going --nitpicky --quiet --jobs 2 \
		--doctree-dir build/doctrees docs build/docs

# The wheel and the source distribution in dist/, and a training, an export and a verification with the
# wheel alone; tests/test_packaging.py has the layers alone.
release-check: $(READY)
	$(BIN)/python .ci/release_check.py

# A list of what comes with the wheel in dist/ and its extra zoo, in CycloneDX.
sbom: $(READY) $(RELEASE)/.ready
	$(BIN)/python .ci/sbom.py $(RELEASE)/bin/python

# Tests with the lowest version of each direct dependency, in an environment of its own. Old packages warn.
lowest: $(LOWEST)/.ready
	for part in "keras_attn tests/keras_attn" "tests/zoo/data tests/export"; do \
		KERAS_BACKEND=tensorflow $(LOWEST)/bin/pytest -n $(WORKERS) -W default::DeprecationWarning \
			-m "not thorough and not long and not clients" $$part || exit 1; \
	done

bench: $(READY)
	$(BIN)/python -m benchmarks --out benchmarks/results.json

clean:
	rm -rf build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find keras_attn zoo export tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +

$(READY): pyproject.toml .ci/constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit("keras-attn needs Python 3.11 or newer, found " \
		+ sys.version.split()[0] if sys.version_info < (3, 11) else 0)'
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --constraint .ci/constraints.txt --editable '.[all]'
	touch $@

# Without npm, the tests that need it say why they do not run.
$(BROWSER): Makefile
	@if npm install --silent --no-save --prefix .clients @litertjs/core@2.5.3 \
		axe-core@4.14.1 pyright@1.1.414 \
		@mediapipe/tasks-text@1.0.1 @mediapipe/tasks-vision@1.1.0; then touch $@; \
	else echo "npm cannot install LiteRT, MediaPipe, axe-core and pyright: their tests do not run."; fi

$(CLIENTS)/.ready: pyproject.toml .ci/constraints-clients.txt
	test -x $(CLIENTS)/bin/python || $(PYTHON) -m venv $(CLIENTS)
	$(CLIENTS)/bin/python -m pip install --constraint .ci/constraints-clients.txt \
		--editable '.[test-clients]'
	# It asks for an OpenCV that draws windows, and needs libraries of the system for them.
	$(CLIENTS)/bin/python -m pip install --no-deps \
		"$$(grep ^mediapipe .ci/constraints-clients.txt)"
	touch $@

$(TORCH)/.ready: pyproject.toml .ci/constraints.txt
	test -x $(TORCH)/bin/python || $(PYTHON) -m venv $(TORCH)
	$(TORCH)/bin/python -m pip install --constraint .ci/constraints.txt \
		--editable '.[metrics,torch]' pytest
	touch $@

$(LOWEST)/.ready: pyproject.toml .ci/constraints-lowest.txt
	test -x $(LOWEST)/bin/python || $(PYTHON) -m venv $(LOWEST)
	$(LOWEST)/bin/python -m pip install --constraint .ci/constraints-lowest.txt --editable '.[all]'
	touch $@

$(RELEASE)/.ready: .ci/constraints-release.txt
	test -x $(RELEASE)/bin/python || $(PYTHON) -m venv $(RELEASE)
	$(RELEASE)/bin/python -m pip install --requirement .ci/constraints-release.txt
	touch $@
